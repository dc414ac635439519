"""A file of lines that is renamed when it is full. Several processes may append to the same file.

`decisions.jsonl` becomes `decisions.1.jsonl`, `decisions.1.jsonl` becomes `decisions.2.jsonl`, and so on; the oldest
file is removed. A process that renames holds a lock (`flock`) on the file. The others notice before their next line
that the path is another file, and open it.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class RotatingFile:
    """The file at ``path`` for appending, with at most ``most_bytes``, and up to ``kept`` older ones.

    Raises `OSError` if it can't be opened. Only its owner may read the file. A line longer than ``most_bytes`` gets a
    file of its own.
    """

    def __init__(self, path: Path, most_bytes: int, kept: int) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._kept = kept
        self._between_lines = True
        self._descriptor = self._opened()

    def write(self, data: bytes, /) -> int:
        """Append ``data``, whole lines, or its beginning; return the number of bytes written."""
        if self._between_lines:
            self._make_room(len(data))
        written = os.write(self._descriptor, data)
        self._between_lines = data[written - 1 : written] == b"\n"
        return written

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _opened(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _make_room(self, n_bytes: int) -> None:
        while True:
            if not self._is_current():
                descriptor = self._opened()
                os.close(self._descriptor)
                self._descriptor = descriptor
            size = os.fstat(self._descriptor).st_size
            if size == 0 or size + n_bytes <= self._most_bytes:
                return
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            try:
                if self._is_current():  # otherwise another process has renamed it meanwhile
                    self._rename()
            finally:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _rename(self) -> None:
        names = [self._path, *(self._path.with_stem(f"{self._path.stem}.{n + 1}") for n in range(self._kept))]
        for number in range(len(names) - 1, 0, -1):
            with suppress(FileNotFoundError):
                os.replace(names[number - 1], names[number])
        if not self._kept:
            os.unlink(self._path)
