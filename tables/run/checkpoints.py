"""The folder of finished chunks that interrupted commands keep, and the lock that one command holds on a folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tables.run.family import BuildError

CHECKPOINTS = Path(__file__).resolve().parents[1] / "work"  # ignored by git


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
