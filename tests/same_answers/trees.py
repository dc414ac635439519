"""The two trees that are compared: a commit in a worktree of its own, and the working tree; and their services."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, NamedTuple, NoReturn

from tests.same_answers.client import Connection, Request

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
STOP_S = 60.0
_LANDED = ("origin/main", "main", "origin/master", "master")
_LOG_CHARS = 4000


class TreeError(RuntimeError):
    """A commit can't be checked out, or a service did not start."""


class Tree(NamedTuple):
    """A checkout whose code can be run, and the environment to run it in."""

    path: Path
    environment: dict[str, str]


def tree_of(path: Path, cache: Path | None = None) -> Tree:
    """The tree at ``path``; ``cache`` is the directory for compiled code (default: the user's).

    Environment variables that change what the service answers or where Python finds its modules are left out.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPADES_", "PYTHON"))}
    environment = kept if cache is None else kept | {"XDG_CACHE_HOME": str(cache)}
    tree = Tree(path, environment)
    command = [sys.executable, "-c", "import service; print(service.__file__)"]
    found = subprocess.run(command, cwd=path, env=environment, capture_output=True, text=True, check=False)
    if not Path(found.stdout.strip()).is_relative_to(path):
        raise TreeError(f"`import service` in {path} found {found.stdout or found.stderr}; expected the one in there")
    return tree


def git(*arguments: str) -> str:
    """What a git command prints; raise `TreeError` with its error."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise TreeError("git is not installed; the base commit is read with it") from None
    if done.returncode:
        raise TreeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def default_base() -> str:
    """The commit to compare with when none is named: what landed last.

    On a branch it is the commit of main that the branch started from. On main itself it is HEAD while there are
    changes that are not committed, and else the commit before HEAD.
    """
    head = git("rev-parse", "HEAD")
    for name in _LANDED:
        try:
            start = git("merge-base", "HEAD", name)
        except TreeError:
            continue  # no such branch here
        if start != head:
            return start
        break
    return "HEAD" if git("status", "--porcelain", "--untracked-files=no") else "HEAD~1"


@contextmanager
def checked_out(commit: str) -> Iterator[Tree]:
    """A worktree of ``commit`` in a temporary directory; it is removed at the end, on Ctrl-C and SIGTERM too."""
    commit = git("rev-parse", "--verify", f"{commit}^{{commit}}")
    with _exit_on_sigterm(), tempfile.TemporaryDirectory(prefix="same-answers-") as directory:
        path = Path(directory).resolve() / "base"
        try:
            git("worktree", "add", "--detach", str(path), commit)
            yield tree_of(path, Path(directory).resolve() / "cache")
        finally:
            with suppress(TreeError):  # it was not added
                git("worktree", "remove", "--force", str(path))


@contextmanager
def running_service(tree: Tree) -> Iterator[int]:
    """The tree's service on a free port until the block ends; yield the port."""
    port = _free_port()
    command = [sys.executable, "-m", "service", "serve", "--port", str(port)]
    # No request is refused for having waited: how long it waits depends on the machine, not on the code.
    settings = {"SPADES_QUEUE_MS": "0", "SPADES_DRAIN_S": "0", "SPADES_ACCESS_LOG": "0"}
    settings |= {"SPADES_IDLE_S": "3600"}
    with tempfile.TemporaryFile() as log:
        environment = tree.environment | settings
        process = subprocess.Popen(command, cwd=tree.path, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_ready(process, port, log)
            yield port
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a child process, if it still runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: IO[bytes]) -> None:
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and process.poll() is None:
        connection = Connection(port)
        try:
            if connection.ask(Request("ready", "/readyz", method="GET", headers=())).status == 200:
                return
        except OSError:
            pass  # it does not listen yet
        finally:
            connection.close()
        time.sleep(0.05)
    log.seek(0)
    said = log.read().decode(errors="replace")[-_LOG_CHARS:]
    raise TreeError(f"the service was not ready within {START_S:g} s; exit code {process.poll()}, its log:\n{said}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM unwind the stack as Ctrl-C does, so that nothing is left behind."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
