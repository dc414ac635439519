"""The folder of finished chunks that interrupted commands keep, the lock on a folder, and files written as a whole."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import BuildError

CHECKPOINTS = Path(__file__).resolve().parents[1] / "tables" / "work"  # ignored by git


@contextmanager
def exclusive_lock(directory: Path) -> Iterator[None]:
    """Lock ``directory`` against other runs until the block ends; raise `BuildError` if it is locked."""
    held = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BuildError(f"{directory}: another run works here; wait until it ends") from None
        yield
    finally:
        os.close(held)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that readers see either the old or the new bytes, even if the process is killed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
