"""Split logs into pieces that several processes or machines read, and count every round once.

A piece is a range of a file: bytes between two line ends, or rows of a Parquet file. A compressed text file is one
piece. Pieces depend only on the files, and results are combined in the order of the pieces. So the result is the same
on any number of workers. Finished pieces are kept until the end, so that an interrupted run continues.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.progress import working_on
from arena.source_files import chunk_code
from arena.store import finished_chunks, forget, load_chunk, stored
from studio.reading import TEXT_ENDINGS, Piece, existing

PIECE_BYTES = 64_000_000
PIECE_ROWS = 500_000
MOST_KEYS = 10_000_000  # hashes that are compared at a time, in about 300 MiB
KEYS = "keys"  # the array with the hashes of a piece's rounds, in their order

Hashes = NDArray[np.uint64]
Work = Callable[[Piece, Hashes], dict[str, Any]]  # (piece, rounds that an earlier piece has) -> arrays, with KEYS


class Results:
    """What was found in each piece, read from the disk piece by piece. It can be iterated several times."""

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self._paths = paths
        self._folder = folder

    def __iter__(self) -> Iterator[Arrays]:
        return map(load_chunk, self._paths)

    def hashes(self) -> Iterator[Hashes]:
        """Yield the hashes of the rounds of each piece."""
        return map(_keys, self._paths)

    def forget(self) -> None:
        """Remove the kept pieces."""
        forget(self._folder)


def pieces_of(files: Sequence[Path]) -> list[Piece]:
    """Return the pieces of all files. Raises `BuildError` if a file does not exist."""
    return [piece for path in existing(files) for piece in _pieces_of_file(path)]


def _pieces_of_file(path: Path) -> list[Piece]:
    if path.suffix == ".parquet":
        try:
            rows = int(polars.scan_parquet(path, glob=False).select(polars.len()).collect().item())
        except polars.exceptions.PolarsError:
            return [Piece(path)]  # the reader of the piece reports the error
        return [Piece(path, first + 1, first, first + PIECE_ROWS) for first in range(0, max(1, rows), PIECE_ROWS)]
    size = path.stat().st_size
    if path.suffix == ".gz" or not path.name.endswith(TEXT_ENDINGS) or size <= PIECE_BYTES:
        return [Piece(path)]
    pieces, start, line = [], 0, 1
    with path.open("rb") as file:
        while start < size:
            lines = file.read(PIECE_BYTES).count(b"\n") + file.readline().count(b"\n")
            stop = file.tell()
            pieces.append(Piece(path, line, start, stop))
            start, line = stop, line + lines
    return pieces


@contextmanager
def work_on(
    pieces: Sequence[Piece], work: Work, options: object, folder: Path, executor: Executor, title: str
) -> Iterator[Results]:
    """Yield the results of ``work`` for all pieces, in order; a round that comes twice counts in its first piece.

    ``options``: everything besides files and code that decides the results. Finished pieces are kept in ``folder``,
    under a name that changes with the files, their order, the options and the code of the module of ``work``. Raises
    `BuildError` if another run works on the same.
    """
    decided_by = (title, _state_of(pieces), options, chunk_code(work.__module__))
    with stored(decided_by, folder, remove=False) as kept:
        yield Results(_paths(pieces, work, kept, executor, title), kept)


def _paths(pieces: Sequence[Piece], work: Work, kept: Path, executor: Executor, title: str) -> list[Path]:
    # The files of all pieces, after work on those that are missing.
    none = np.zeros(0, np.uint64)

    def first(index: int) -> Arrays:
        return work(pieces[index], none)

    paths = finished_chunks(first, len(pieces), kept / "pieces", executor, title, progress=True)
    with working_on(f"{title}: compare the rounds of all pieces"):
        repeated = _repeated(paths)
    if repeated:

        def again(index: int) -> Arrays:
            piece, keys = repeated[index]
            return work(pieces[piece], keys)

        label = f"{title}: pieces with repeated rounds"
        anew = finished_chunks(again, len(repeated), kept / "again", executor, label, progress=True)
        for (piece, _), path in zip(repeated, anew, strict=True):
            paths[piece] = path
    return paths


def _repeated(paths: Sequence[Path]) -> list[tuple[int, Hashes]]:
    # The pieces with rounds that an earlier piece has, and the hashes of these. About MOST_KEYS hashes are compared at
    # a time: those with the same remainder. So memory does not grow with the log.
    shares = 1 + sum(len(_keys(path)) for path in paths) // MOST_KEYS
    key, found = polars.col("key"), []
    for share in range(shares):
        keys = (polars.DataFrame({"key": _keys(path)}).filter(key % shares == share) for path in paths)
        every = polars.concat(own.with_columns(piece=piece) for piece, own in enumerate(keys))
        found.append(every.filter(~key.is_first_distinct()))  # no round comes twice in a piece
    again = polars.concat(found).sort("piece", maintain_order=True).partition_by("piece", maintain_order=True)
    return [(own["piece"][0], own["key"].to_numpy()) for own in again]


def _keys(path: Path) -> Hashes:
    return load_chunk(path, KEYS)[KEYS]


def _state_of(pieces: Sequence[Piece]) -> list[list[Any]]:
    states = {path: path.stat() for path in {piece.path for piece in pieces}}
    return [
        [str(path), str(path.resolve()), states[path].st_size, states[path].st_mtime_ns, *part]
        for path, *part in pieces
    ]
