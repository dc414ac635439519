"""Requests and answers as bytes on a socket, and a connection that is kept open between them.

An HTTP library would refuse to send half of the wrong requests, and would hide how the service ends a connection.
"""

import json
import shlex
import socket
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

TIMEOUT_S = 120.0
EXAMPLE_URL = "http://127.0.0.1:8080"  # in printed commands: where `make run` listens
JSON_BODY = (("content-type", "application/json"),)
MISSING: Final = type("Missing", (), {"__repr__": lambda _: "(missing)"})()
_NEWLINE = b"\r\n"


@dataclass(frozen=True, eq=False)
class Request:
    """One HTTP request. ``label`` says for what it was made; ``writes`` is in how many pieces it is sent (1 or 2)."""

    label: str
    path: str
    body: bytes | None = None
    method: str = "POST"
    headers: tuple[tuple[str, str], ...] = JSON_BODY
    writes: int = 1
    raw: bytes | None = None  # these bytes instead of the fields above
    items: tuple["Request", ...] = ()  # of a POST /v1/bids: the single requests in its body
    in_batch: bool = False  # it is such an item; ``body`` is its own

    @property
    def size(self) -> int:
        """Bytes that vary; smaller requests are easier to read."""
        return len(self.raw if self.raw is not None else self.body or b"")

    @cached_property
    def data(self) -> Any:
        """The body's JSON value; `MISSING` when there is none."""
        try:
            return json.loads(self.body or b"")
        except (ValueError, RecursionError):
            return MISSING

    def wire(self) -> tuple[bytes, bytes]:
        """The head and the body as they are sent."""
        if self.raw is not None:
            return self.raw, b""
        body = self.body or b""
        lines = [f"{self.method} {self.path} HTTP/1.1", "host: 127.0.0.1"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if ("transfer-encoding", "chunked") in self.headers:
            half = len(body) // 2
            chunks = [chunk for chunk in (body[:half], body[half:], b"") if chunk] + [b""]
            body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
        elif self.body is not None:
            lines.append(f"content-length: {len(body)}")
        return _NEWLINE.join(line.encode("latin-1") for line in (*lines, "", "")), body

    def command(self) -> str:
        """A shell command that sends the same request to `EXAMPLE_URL`."""
        if self.raw is not None:
            host, _, port = EXAMPLE_URL.removeprefix("http://").partition(":")
            return f"printf %s {_shell_word(self.raw)} | nc -N {host} {port}"
        words = ["curl -sS -i"]
        words += ["-I"] if self.method == "HEAD" else [] if self.method == "POST" else [f"-X {self.method}"]
        words += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in self.headers]
        if self.body is not None:
            body = b'{"requests":[%b]}' % self.body if self.in_batch else self.body
            words.append(f"--data-binary {_shell_word(body)}")
        return " ".join((*words, shlex.quote(EXAMPLE_URL + self.path)))


def _shell_word(data: bytes) -> str:
    """One word of bash for any bytes but NUL, which no argument can hold."""
    text = data.decode("ascii", "replace")
    if text.isprintable() and "\ufffd" not in text:
        return shlex.quote(text)
    shown = "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\x{byte:02x}" for byte in data)
    return f"$'{shown}'"


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer; status 0 when the connection was closed without one, or none came within `TIMEOUT_S`."""

    status: int
    headers: dict[str, str]
    body: bytes

    @cached_property
    def json(self) -> Any:
        """The body's JSON value; `MISSING` when it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return MISSING

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Pointer and code of each fault that a problem lists, in its order."""
        errors = self.json.get("errors", []) if isinstance(self.json, dict) else []
        return [(error["pointer"], error["code"]) for error in errors]


NO_ANSWER = Answer(0, {}, b"")


class Connection:
    """A connection to a service on this machine; a new one is made when the last answer closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None
        self._unread = b""

    def send(self, request: Request) -> None:
        """Send one request; `receive` must follow before the next one. Raise `ConnectionError` if nobody listens."""
        head, body = request.wire()
        pieces = (head, body) if request.writes > 1 and body else (head + body,)
        if self._socket is None:
            try:
                self._socket = socket.create_connection(("127.0.0.1", self._port), TIMEOUT_S)
            except OSError as error:
                raise ConnectionError(f"port {self._port}: {error}, before {request.command()[:1000]}") from error
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._unread = b""
        try:
            for piece in pieces:
                self._socket.sendall(piece)
        except OSError:
            pass  # refused before its end was read; the answer says why

    def receive(self, request: Request) -> Answer:
        """The answer to the request that was sent last."""
        try:
            answer = self._receive(request.method == "HEAD")
        except OSError:  # a timeout too
            answer = NO_ANSWER
        if answer is NO_ANSWER or request.raw is not None or answer.headers.get("connection") == "close":
            self.close()
        return answer

    def close(self) -> None:
        """Close it; the next `send` opens a new one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def ask(self, request: Request) -> Answer:
        """Send one request and wait for its answer."""
        self.send(request)
        return self.receive(request)

    def _receive(self, head_only: bool) -> Answer:
        while True:
            head = self._until(b"\r\n\r\n")
            if head is None:
                return NO_ANSWER
            first, *lines = head.decode("latin-1").split("\r\n")
            status = int(first.split()[1])
            if status >= 200:  # 100 Continue comes before the answer
                break
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.strip().lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        body = b"" if head_only else self._exactly(int(headers.get("content-length", 0)))
        return NO_ANSWER if body is None else Answer(status, headers, body)

    def _until(self, end: bytes) -> bytes | None:
        while end not in self._unread:
            if not self._read_more():
                return None
        found, _, self._unread = self._unread.partition(end)
        return found

    def _exactly(self, length: int) -> bytes | None:
        while len(self._unread) < length:
            if not self._read_more():
                return None
        found, self._unread = self._unread[:length], self._unread[length:]
        return found

    def _read_more(self) -> bool:
        assert self._socket is not None, "receive() without send()"
        data = self._socket.recv(1 << 16)
        self._unread += data
        return bool(data)
