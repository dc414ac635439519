"""The output of one connection: answers as bytes, and how far the peer has taken them.

When to answer is the connection's to decide (`protocol.py`).
"""

import asyncio
import fcntl
import socket
import struct
import termios
from array import array
from http import HTTPStatus

from service.asgi import Headers

STATUS_LINE = {int(status): f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


class Output:
    """What is written to one peer."""

    def __init__(self, transport: asyncio.Transport, now: float) -> None:
        self.taken_at = now  # when the peer's side last took bytes of an answer (`perf_counter`, s)
        self._transport = transport
        self._written = 0  # bytes
        self._pinned = 0  # bytes of the last write
        self._taken = 0  # bytes of these that the peer's side took

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._written += len(data)
        self._transport.write(data)

    def answer(self, status: int, headers: Headers, body: bytes, length: int | None, close: bool) -> None:
        """Write an answer. ``length``: its Content-Length where that is not the body's; ``close``: add the header."""
        content = [STATUS_LINE[status]]
        for name, value in headers:
            content += (name, b": ", value, b"\r\n")
        if close:
            content.append(b"connection: close\r\n")
        content += (b"content-length: %d\r\n\r\n" % (len(body) if length is None else length), body)
        data = b"".join(content)
        self._pinned = len(data)  # a write that was sent in part is kept whole
        self.write(data)

    @property
    def waits(self) -> bool:
        """Whether bytes wait for the peer."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def unsent_bytes(self) -> int:
        """The bytes of memory that the answers take which wait for the peer."""
        return max(self._transport.get_write_buffer_size(), self._pinned)

    def stuck_s(self, now: float) -> float:
        """Seconds for which the peer has taken nothing of what waits for it; 0 when nothing waits."""
        unsent = self._transport.get_write_buffer_size()
        taken = self._written - unsent - (_in_kernel(self._transport) if unsent else 0)
        if taken != self._taken or not unsent:
            self._taken, self.taken_at = taken, now
        return now - self.taken_at

    def reset(self) -> None:
        """Close at once; what was not sent is lost."""
        # A reset makes the kernel drop the unsent answers: a plain close would wait behind them.
        linger = struct.pack("ii", 1, 0)
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._transport.abort()


def _in_kernel(transport: asyncio.Transport) -> int:
    """The bytes that this system has of a connection and the peer's has not acknowledged."""
    count = array("i", [0])
    fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, count)
    return count[0]
