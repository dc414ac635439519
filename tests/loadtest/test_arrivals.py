"""The open-model load against servers with known behaviour: delays, stalls, closed connections, wrong answers."""

import doctest
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest import __main__ as command
from loadtest import arrivals, servers, traffic
from loadtest.arrivals import Prepared, percentile, prepare_get, run

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
GET = prepare_get("/", "x")


@contextmanager
def fake_server(answer: Callable[[socket.socket, int], None]) -> Iterator[tuple[str, int]]:
    """A server with one thread per connection; it calls ``answer(connection, n)`` for the n-th request of all."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []
    numbers = iter(range(10**9))

    def talk(connection: socket.socket) -> None:
        with connection:
            while connection.recv(65536):
                try:
                    answer(connection, next(numbers))
                except OSError:
                    return

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # closed: the end
            threads.append(threading.Thread(target=talk, args=(connection,)))
            threads[-1].start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield listener.getsockname()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join()
        for thread in threads:
            thread.join()


def test_every_arrival_is_sent_in_its_time():
    with fake_server(lambda connection, _: connection.sendall(OK)) as address:
        result = run(address, [GET], rate=200, seconds=0.5)
    assert result.arrivals == len(result.latencies_ms) == 100
    assert result.statuses == {200: 100}
    assert result.failures == 0
    assert result.seconds > 0.49
    assert result.lateness_ms[0] >= 0


def test_a_slow_server_does_not_slow_the_arrivals_down():
    """Ten connections work at once: 50 arrivals of 100 ms each take a little over 0.5 s, not 5 s."""
    at_once = most = 0

    def answer(connection: socket.socket, _: int) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        time.sleep(0.1)
        at_once -= 1
        connection.sendall(OK)

    with fake_server(answer) as address:
        result = run(address, [GET], rate=100, seconds=0.5)
    assert result.failures == 0
    assert result.latencies_ms[0] >= 100
    assert most > 1


def test_a_stall_is_told_by_all_who_stood_in_it():
    """One answer on the only connection takes 0.2 s: with 100 arrivals per second, about 20 wait (no omission)."""

    def answer(connection: socket.socket, number: int) -> None:
        if number == 10:
            time.sleep(0.2)
        connection.sendall(OK)

    with fake_server(answer) as address:
        result = run(address, [GET], rate=100, seconds=0.6, max_connections=1)
    assert result.failures == 0
    assert sum(latency > 40 for latency in result.latencies_ms) >= 12  # due within the stall's first 0.16 s
    assert result.latencies_ms[-1] >= 195


def test_arrivals_that_find_no_connection_are_missed(monkeypatch):
    monkeypatch.setattr(arrivals, "PATIENCE_S", 1.0)
    monkeypatch.setattr(arrivals, "TIMEOUT_S", 3.0)
    with fake_server(lambda connection, _: None) as address:
        result = run(address, [GET], rate=50, seconds=0.2, max_connections=2)
    assert result.broken == 2  # the requests in progress, which timed out
    assert result.missed == 8
    assert result.failures == result.arrivals == 10


def test_lost_connections_are_told_and_replaced():
    def answer(connection: socket.socket, number: int) -> None:
        if number % 5 == 4:
            connection.sendall(OK[:20])
            connection.shutdown(socket.SHUT_RDWR)
        else:
            connection.sendall(OK)

    with fake_server(answer) as address:
        result = run(address, [GET], rate=100, seconds=0.2, max_connections=4)
    assert result.broken == 4
    assert result.statuses == {200: 16}


def test_an_answer_in_pieces_and_of_another_status():
    def answer(connection: socket.socket, number: int) -> None:
        whole = b"HTTP/1.1 503 Busy\r\nContent-Length: 5\r\nRetry-After: 1\r\n\r\nlater"
        for piece in (whole[:12], whole[12:50], whole[50:]):
            connection.sendall(piece)
            time.sleep(0.002)

    with fake_server(answer) as address:
        result = run(address, [GET, Prepared(GET.wire, 503)], rate=50, seconds=0.2)
    assert result.statuses == {503: 10}
    assert result.wrong == 5  # every second request expected this status


def test_nobody_listens():
    with pytest.raises(OSError, match="refused"):
        run(("127.0.0.1", servers.free_port()), [GET], rate=10, seconds=0.1)


@pytest.mark.parametrize(
    ("percent", "expected"), [(1, 15), (5, 15), (20, 15), (30, 20), (40, 20), (50, 35), (99, 50), (100, 50)]
)
def test_nearest_rank(percent, expected):
    """The example of the textbook."""
    assert percentile([15, 20, 35, 40, 50], percent) == expected


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=60), st.floats(0.1, 100))
def test_percentile_counts(values, percent):
    """The smallest value that at least this share of all values does not exceed."""
    values = sorted(values)
    covering = [v for v in values if sum(w <= v for w in values) >= percent / 100 * len(values) - 1e-9]
    assert percentile(values, percent) == covering[0]


def test_percentile_of_many_and_of_none():
    values = [float(value) for value in range(1, 10_001)]
    assert percentile(values, 99) == 9900
    assert abs(percentile(values, 50) - quantiles(values, n=2)[0]) <= 1
    assert percentile([], 99) != percentile([], 99)  # nan: without answers, no objective is met


@pytest.mark.parametrize("module", [arrivals, traffic, servers, command])
def test_doctests(module):
    assert doctest.testmod(module).failed == 0
