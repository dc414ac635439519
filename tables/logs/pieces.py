"""Split logs into pieces that several processes or machines read, and count every round once.

A piece is a range of a file: bytes between two line ends, or rows of a Parquet file. A compressed text file is one
piece. Pieces depend only on the files, and results are combined in the order of the pieces. So the result is the same
on any number of workers. Finished pieces are kept until the end, so that an interrupted run continues.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from tables.logs.reading import TEXT_ENDINGS, Piece, existing
from tables.run.code_hash import chunk_code
from tables.run.family import Arrays, Executor, finished_chunks, joined_chunks

PIECE_BYTES = 64_000_000
PIECE_ROWS = 200_000
CODE = ("tables.logs.fit.counting", "tables.logs.reading")  # what decides the results of a piece
KEYS = "keys"  # the array with the hashes of a piece's rounds, in their order
_BLOCK = 1 << 20

Keys = NDArray[np.uint64]
Work = Callable[[Piece, Keys], dict[str, Any]]  # (piece, rounds that an earlier piece has) -> arrays, with KEYS


class Repeated(NamedTuple):
    """A piece with rounds that an earlier piece has."""

    piece: int
    keys: Keys


def pieces_of(files: Sequence[Path]) -> list[Piece]:
    """Return the pieces of all files. Raises `BuildError` if a file does not exist."""
    return [piece for path in existing(files) for piece in _pieces_of_file(path)]


def _pieces_of_file(path: Path) -> list[Piece]:
    if path.suffix == ".parquet":
        rows = int(polars.scan_parquet(path, glob=False).select(polars.len()).collect().item())
        return [Piece(path, first + 1, first, first + PIECE_ROWS) for first in range(0, max(1, rows), PIECE_ROWS)]
    size = path.stat().st_size
    if path.suffix == ".gz" or not path.name.endswith(TEXT_ENDINGS) or size <= PIECE_BYTES:
        return [Piece(path)]
    pieces, start, line = [], 0, 1
    with path.open("rb") as file:
        while start < size:
            lines, left = 0, PIECE_BYTES
            while left > 0 and (block := file.read(min(_BLOCK, left))):
                lines += block.count(b"\n")
                left -= len(block)
            if rest := file.readline():
                lines += rest.count(b"\n")
            stop = file.tell()
            pieces.append(Piece(path, line, start, stop))
            start, line = stop, line + lines
    return pieces


def work_on(
    pieces: Sequence[Piece], work: Work, options: object, folder: Path, executor: Executor, title: str
) -> list[Arrays]:
    """Return what ``work`` returns for each piece, in order; a round that comes twice counts in its first piece.

    ``options``: everything besides files and code that decides the results. Finished pieces are kept in ``folder``,
    under a name that changes with files, options and code.
    """
    kept = folder / _name_of(pieces, options)
    none = np.zeros(0, np.uint64)

    def first(index: int) -> Arrays:
        return work(pieces[index], none)

    paths = finished_chunks(first, len(pieces), kept / "pieces", executor, title, progress=True)
    repeated = _repeated(paths)
    if repeated:

        def again(index: int) -> Arrays:
            return work(pieces[repeated[index].piece], repeated[index].keys)

        label = f"{title}: pieces with repeated rounds"
        anew = finished_chunks(again, len(repeated), kept / "again", executor, label, progress=True)
        for one, path in zip(repeated, anew, strict=True):
            paths[one.piece] = path
    return [joined_chunks([path]) for path in paths]


def forget(folder: Path) -> None:
    """Remove the kept pieces."""
    shutil.rmtree(folder, ignore_errors=True)


def _repeated(paths: Sequence[Path]) -> list[Repeated]:
    keys = [joined_chunks([path])[KEYS] for path in paths]
    every = np.concatenate(keys)
    owner = np.repeat(np.arange(len(keys)), [len(one) for one in keys])
    order = np.argsort(every, kind="stable")
    again = np.zeros(len(every), np.bool_)
    again[order[1:]] = every[order[1:]] == every[order[:-1]]
    return [Repeated(piece, every[again & (owner == piece)]) for piece in np.unique(owner[again]).tolist()]


def _name_of(pieces: Sequence[Piece], options: object) -> str:
    files = {str(piece.path.resolve()): piece.path.stat() for piece in pieces}
    states = {name: [state.st_size, state.st_mtime_ns] for name, state in files.items()}
    content = json.dumps([states, [piece[1:] for piece in pieces], options, chunk_code(*CODE)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]
