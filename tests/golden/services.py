"""The two trees that are compared, a commit and the working tree, and requests to their services."""

import http.client
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
ANSWER_S = 120.0
JSON = {"content-type": "application/json"}
# No request is refused for having waited: how long it waits depends on the machine, not on the code.
_SETTINGS = {"SPADES_QUEUE_MS": "0", "SPADES_DRAIN_S": "0", "SPADES_ACCESS_LOG": "0", "SPADES_IDLE_S": "3600"}


class TreeError(RuntimeError):
    """A commit can't be checked out, or a service did not start."""


def git(*arguments: str) -> str:
    """Return what a git command prints; raise `TreeError` with its error."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TreeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def default_base() -> str:
    """Return the commit of main that this branch started from; on main HEAD if there are changes, or else HEAD~1."""
    head = git("rev-parse", "HEAD")
    for name in ("origin/main", "main"):
        with suppress(TreeError):  # no such branch here
            if (start := git("merge-base", "HEAD", name)) != head:
                return start
    return "HEAD" if git("status", "--porcelain", "--untracked-files=no") else "HEAD~1"


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A worktree of ``commit`` in a temporary directory, which is removed at the end."""
    commit = git("rev-parse", "--verify", f"{commit}^{{commit}}")
    with tempfile.TemporaryDirectory(prefix="same-answers-") as directory:
        path = Path(directory).resolve() / "base"
        try:
            git("worktree", "add", "--detach", str(path), commit)
            yield path
        finally:
            with suppress(TreeError):  # it was not added
                git("worktree", "remove", "--force", str(path))


def environment(tree: Path) -> dict[str, str]:
    """Return the environment for code of a tree, without what changes answers or where Python finds its modules."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPADES_", "PYTHON"))}
    return kept | ({} if tree == ROOT else {"XDG_CACHE_HOME": str(tree.parent / "cache")})  # of compiled code


@contextmanager
def both_services(base: Path, new: Path) -> Iterator[tuple[int, int]]:
    """The services of both trees; yield their ports."""
    with ExitStack() as stack:
        started = [stack.enter_context(_started(tree)) for tree in (base, new)]
        for process, port, log in started:
            _wait_until_ready(process, port, log)
        yield started[0][1], started[1][1]


@contextmanager
def _started(tree: Path) -> Iterator[tuple[subprocess.Popen[bytes], int, IO[bytes]]]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    command = [sys.executable, "-m", "service", "serve", "--port", str(port)]
    with tempfile.TemporaryFile() as log:
        given = environment(tree) | _SETTINGS
        process = subprocess.Popen(command, cwd=tree, env=given, stdout=log, stderr=log)
        try:
            yield process, port, log
        finally:
            process.terminate()
            process.wait(START_S)


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: IO[bytes]) -> None:
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and process.poll() is None:
        with suppress(ConnectionError):  # it does not listen yet
            if Connection(port).ask(Request("/readyz", None, "GET")).status == 200:
                return
        time.sleep(0.05)
    log.seek(0)
    said = log.read().decode(errors="replace")[-4000:]
    raise TreeError(f"no service after {START_S:g} s; exit code {process.poll()}, its log:\n{said}")


class Request(NamedTuple):
    """One HTTP request."""

    path: str
    body: bytes | None
    method: str = "POST"
    headers: dict[str, str] = JSON

    def curl(self) -> str:
        """Return a command that sends this request to the port of `make run`."""
        words = ["curl", "-sS", "-i", "-X", self.method]
        for name, value in self.headers.items():
            words += ["-H", f"{name}: {value}"]
        if self.body is not None:
            words += ["--data-binary", self.body.decode(errors="replace")]
        return shlex.join([*words, f"http://127.0.0.1:8080{self.path}"])


class Answer:
    """A status, headers and a body; status 0 if the connection ended without an answer."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @cached_property
    def json(self) -> Any:
        """The body's JSON value, or its bytes if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return self.body


class Connection:
    """A connection to a service on this machine, kept open between requests."""

    def __init__(self, port: int) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)

    def send(self, request: Request) -> None:
        """Send a request; `receive` must follow."""
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before its end; the answer says why
            self._http.request(request.method, request.path, request.body, request.headers)

    def receive(self) -> Answer:
        """Return the answer to the request that was sent last."""
        try:
            found = self._http.getresponse()
            headers = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, headers, found.read())
        except (http.client.HTTPException, ConnectionError, TimeoutError):
            self._http.close()
            return Answer(0, {}, b"")

    def ask(self, request: Request) -> Answer:
        """Send a request and return its answer."""
        self.send(request)
        return self.receive()
