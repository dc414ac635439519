"""The store of finished chunks, so that an interrupted command continues; and files that are written as a whole.

The chunks of a computation lie in one folder, named after the sha256 of everything that decides them: code, inputs,
parameters and seed. So chunks that would differ are in another folder.
"""

import fcntl
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena.chunks import Arrays, ChunkFunction, Executor, Results
from arena.errors import BuildError

STORE = Path(__file__).resolve().parents[1] / "tables" / "work"  # ignored by git
DECIDED_BY = "decided-by.json"  # in each folder of chunks: what its name is the hash of


@contextmanager
def stored(decided_by: object, root: Path = STORE, *, again: bool = False, remove: bool = True) -> Iterator[Path]:
    """Return a context with the locked folder of the chunks that ``decided_by`` decides, in ``root``.

    ``decided_by``: JSON values; a hash of the code (`source_files.chunk_code`) is one of them. ``again``: begin with an
    empty folder. The folder is removed at the end, unless there is an error or ``remove`` is false.
    Raises `BuildError` if another run works on the same.
    """
    text = json.dumps(decided_by, sort_keys=True)
    folder = root / hashlib.sha256(text.encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder):
        if again:
            for path in folder.iterdir():
                forget(path)
        write_atomically(folder / DECIDED_BY, text.encode())
        yield folder
        if remove:
            forget(folder)


def finished_chunks(
    fn: ChunkFunction, n_chunks: int, folder: Path, executor: Executor, label: str, progress: bool
) -> list[Path]:
    """Return the files of chunks 0 to ``n_chunks - 1`` in ``folder``, after computing those that are missing."""
    paths = _paths(folder, range(n_chunks))
    done = sum(path.exists() for path in paths.values())
    hidden = None if progress else True  # None: show the bar only on a terminal
    bar = tqdm(total=n_chunks, initial=done, desc=label, unit="chunk", disable=hidden)
    with bar, closing(_computed(fn, paths, executor)) as results:
        for _ in results:
            bar.update()
    return list(paths.values())


class KeptChunks:
    """An executor that saves each finished chunk of ``executor`` in ``folder``, and takes those that are there already.

    ``folder``: one of `stored`.
    """

    def __init__(self, executor: Executor, folder: Path) -> None:
        self._executor = executor
        self._folder = folder

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        """Yield the saved chunks, then run ``fn`` on each other index; see `Executor`. Raises `BuildError`."""
        paths = _paths(self._folder, indices)
        for index, path in paths.items():
            if path.exists():
                yield index, load_chunk(path)
        yield from _computed(fn, paths, self._executor)


def load_chunk(path: Path, *names: str) -> Arrays:
    """Return the arrays of a finished chunk, all or only ``names``. Raises `BuildError` for a damaged file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as chunk:
            return {name: chunk[name] for name in names or chunk.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise BuildError(f"{path} is not a finished chunk: {error}; remove the file to compute it again") from error


def joined_chunks(paths: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Return the arrays of finished chunks, joined along the first axis. Raises `BuildError` for a damaged file."""
    parts = [load_chunk(path) for path in paths]
    return {array: np.concatenate([part[array] for part in parts]) for array in parts[0]}


def summed_chunks(paths: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Return the sums of the arrays of finished chunks. Raises `BuildError` for a damaged file or other arrays."""
    assert paths, "there is nothing to sum"
    total = dict(load_chunk(paths[0]))
    expected = {name: (array.dtype, array.shape) for name, array in total.items()}
    for path in paths[1:]:
        chunk = load_chunk(path)
        found = {name: (array.dtype, array.shape) for name, array in chunk.items()}
        if found != expected:
            raise BuildError(f"{path}: found {found}; expected {expected}, as in the first chunk")
        for name, array in chunk.items():
            total[name] += array
    return total


def _paths(folder: Path, indices: Iterable[int]) -> dict[int, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    return {index: folder / f"{index:06d}.npz" for index in indices}


def _computed(fn: ChunkFunction, paths: dict[int, Path], executor: Executor) -> Results:
    """Run ``fn`` on each index whose path does not exist; write and yield each result."""
    missing = [index for index, path in paths.items() if not path.exists()]
    with closing(executor.map(fn, missing)) as results:
        for index, arrays in results:
            content = io.BytesIO()
            np.savez(content, allow_pickle=False, **dict(arrays))
            write_atomically(paths[index], content.getvalue())
            yield index, arrays


def kept_json(path: Path, make: Callable[[], Any]) -> Any:
    """Return the JSON values of the file ``path``; if it does not exist, call ``make`` and write what it returns.

    ``path``: in a folder of `stored`. Raises `BuildError` for a damaged file.
    """
    if not path.exists():
        write_atomically(path, json.dumps(make()).encode())
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise BuildError(f"{path} is not JSON: {error}; remove the file to compute it again") from error


def forget(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; do nothing if it does not exist."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
