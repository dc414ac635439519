"""A listener that ignores new connections, and keeps those that have begun."""

import errno
import select
import socket
import sys

import pytest

from service.protocol.listening import drop_new_connections


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these filters")
def test_no_accepted_connection_is_lost():
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as late:
        address = listener.getsockname()
        with socket.create_connection(address) as early:
            drop_new_connections(listener)
            late.setblocking(False)
            assert late.connect_ex(address) == errno.EINPROGRESS
            early.sendall(b"a request")
            connection, _ = listener.accept()
            with connection:
                assert connection.recv(100) == b"a request"
                connection.sendall(b"an answer")
                assert early.recv(100) == b"an answer"
            listener.setblocking(False)
            assert not select.select([listener], [], [], 0.1)[0]
        listener.close()
        assert select.select([], [late], [], 10)[1]
        assert late.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNREFUSED


class NoFilters(socket.socket):
    def setsockopt(self, *_):
        raise OSError(errno.ENOPROTOOPT, "no filters here")


def test_a_system_without_filters_stops_as_well():
    with NoFilters() as listener:
        drop_new_connections(listener)
