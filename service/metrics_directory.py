"""The directory that holds the metrics of several workers: the supervisor creates it, the last process removes it.

A supervisor that ends normally removes its directory. If it is killed, the last of its workers removes the directory.
If the workers are killed too, the next supervisor of the same user removes it. The directory's name holds the
supervisor's process id. Each worker holds a shared lock (`flock`) on a file in the directory while it runs, so a
process that gets the exclusive lock knows that no worker uses the directory. The system releases the lock of a killed
worker.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.settings import SettingsError

_PREFIX = "spades-metrics-"
_NAME = re.compile(re.escape(_PREFIX) + r"([0-9]{1,9})-\w+")
_LOCK = "lock"


@contextmanager
def metrics_directory() -> Iterator[Path]:
    """Create a directory for the workers of this process, and remove those that killed supervisors have left."""
    temporary = Path(tempfile.gettempdir())
    remove_leftovers(temporary)
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=temporary) as name:
        directory = Path(name)
        descriptor = os.open(directory / _LOCK, os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)  # for supervisors in other containers, which can't check process ids
            yield directory
        finally:
            os.close(descriptor)


def remove_leftovers(temporary: Path) -> None:
    """Remove the unused directories in ``temporary`` that supervisors of this user have left."""
    for path in temporary.glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(path.name)
        if found is not None and _is_ours(path) and not _runs(int(found[1])) and _unused(path):
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def membership(directory: Path, supervisor: int) -> Iterator[None]:
    """Mark ``directory`` as used by this worker; at the end, remove it if no supervisor and no worker uses it.

    ``supervisor`` is the supervisor's process id. Raises `SettingsError` if there is no such directory.
    """
    try:
        descriptor = os.open(directory / _LOCK, os.O_RDONLY)
    except FileNotFoundError:
        raise SettingsError(f"{directory}: not found; expected: the directory of a running supervisor") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)
        if os.getppid() != supervisor and _unused(directory):
            shutil.rmtree(directory, ignore_errors=True)


def _is_ours(path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _runs(pid: int) -> bool:
    """Return whether a supervisor with this id may be running.

    Our own id counts as one that has ended: in a container, a new process can get the id of an old one.
    """
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _unused(directory: Path) -> bool:
    """Return whether no worker holds the directory's lock."""
    try:
        descriptor = os.open(directory / _LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True  # the supervisor was killed before it started a worker
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
