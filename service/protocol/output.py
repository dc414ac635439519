"""The output of one connection: write answers as bytes, and measure how much of them the peer has read.

The connection (`connection.py`) decides when to answer.
"""

import asyncio
import fcntl
import socket
import struct
import termios
from array import array
from http import HTTPStatus

from service.protocol.messages import Body, Headers

MOST_JOINED_BYTES = 64 * 1024  # a longer answer is written in its parts
STATUS_LINE = {int(status): f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}


class Output:
    """The bytes written to one peer."""

    def __init__(self, transport: asyncio.Transport, now: float) -> None:
        self.taken_at = now  # when the peer's system last acknowledged bytes of an answer (`perf_counter`, s)
        self._transport = transport
        self._written = 0  # bytes
        self._pinned = 0  # bytes of the last answer; uvloop keeps all of them until the last one is sent
        self._taken = 0  # bytes of `_written` that the peer's system has acknowledged

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._written += len(data)
        self._transport.write(data)

    def answer(self, status: int, headers: Headers, body: Body, length: int | None, close: bool) -> None:
        """Write an answer. ``length``: its Content-Length (None: the size of ``body``); ``close``: add that header."""
        content = [STATUS_LINE[status]]
        for header in headers:
            content.append(b"%b: %b\r\n" % header)
        if close:
            content.append(b"connection: close\r\n")
        if isinstance(body, bytes):
            parts, size = [body], len(body)
        else:
            parts, size = body, sum(map(len, body))
        content.append(b"content-length: %d\r\n\r\n" % (size if length is None else length))
        if size <= MOST_JOINED_BYTES:
            content += parts
            data = b"".join(content)
            self._pinned = len(data)
            self.write(data)
            return
        head = b"".join(content)
        self._pinned = len(head) + size
        self._written += self._pinned
        self._transport.writelines((head, *parts))

    @property
    def waits(self) -> bool:
        """Whether bytes wait until the peer reads."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def unsent_bytes(self) -> int:
        """Memory used by unsent answers, in bytes."""
        return max(self._transport.get_write_buffer_size(), self._pinned)

    def stuck_s(self, now: float) -> float:
        """Return for how many seconds the peer has read nothing although bytes wait; 0 if none wait."""
        unsent = self._transport.get_write_buffer_size()
        taken = self._written - unsent - (_in_kernel(self._transport) if unsent else 0)
        if taken != self._taken or not unsent:
            self._taken, self.taken_at = taken, now
        return now - self.taken_at

    def reset(self) -> None:
        """Close at once; unsent bytes are lost."""
        # A reset makes the kernel drop the unsent answers. An ordinary close would first wait until they are sent.
        linger = struct.pack("ii", 1, 0)
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._transport.abort()


def _in_kernel(transport: asyncio.Transport) -> int:
    """Return the number of bytes in this system's send buffer that the peer's system has not acknowledged."""
    count = array("i", [0])
    fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, count)
    return count[0]
