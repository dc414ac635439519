"""Stop listening without losing a connection."""

import ctypes
import socket
import struct
import sys
from contextlib import suppress

_SO_ATTACH_FILTER = 26  # of Linux (socket(7)); Python's socket module has no name for it
# A classic BPF program on the TCP header: drop a segment with the flag SYN, keep every other.
# Each instruction: code, jump if true, jump if false, operand.
_DROP_SYN = struct.pack(
    "=HBBIHBBIHBBIHBBI",
    *(0x30, 0, 0, 13),  # load byte 13, the flags
    *(0x45, 0, 1, 0x02),  # is SYN set? no: skip one instruction
    *(0x06, 0, 0, 0),  # keep nothing
    *(0x06, 0, 0, 0xFFFFFFFF),  # keep all
)


def drop_new_connections(listener: socket.socket) -> None:
    """Ignore all new connections to ``listener``; those that have begun can still be completed and accepted.

    Closing a listener resets the connections that nobody has accepted yet. So first stop new ones with this function,
    then accept what is left, then close. A peer that is ignored tries again, after 1 s with Linux, and is then refused.
    Outside Linux, or where the system allows no filters, this does nothing.
    """
    if sys.platform == "linux":
        program = ctypes.create_string_buffer(_DROP_SYN, len(_DROP_SYN))
        with suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 4, ctypes.addressof(program)))
