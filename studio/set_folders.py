"""Folders that commands write: table sets, and what is unfinished beside them."""

import argparse
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import BuildError
from arena.store import exclusive_lock, forget
from spades.manifest import MANIFEST, read_manifest


def add_out_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where table sets go."""
    out = "where the table set goes, in a new folder named after its version; for SPADES_TABLES_DIR"
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=out)


def folder_of_sets(out: Path) -> Path:
    """Return ``out``, to which table sets go. Raises `BuildError` for a file, or for a folder that is a table set."""
    if out.exists() and (not out.is_dir() or (out / MANIFEST).exists()):
        found = "a table set" if out.is_dir() else "a file"
        raise BuildError(f"--out is {out}, {found}; accepted: a new folder, or one with a folder for each table set")
    return out


def empty_folder(out: Path) -> Path:
    """Return ``out``. Raises `BuildError` if it is a file, or has content."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BuildError(f"--out is {out}; accepted: a new or an empty folder")
    return out


def work_folder(out: Path, command: str) -> Path:
    """Return the folder beside ``out`` for what ``command`` has not finished. Raises `BuildError` for a root folder.

    Each command has its own folder, so that one command does not remove what another has kept.

    >>> work_folder(Path("/tmp/sets"), "fit")
    PosixPath('/tmp/sets.fit.unfinished')
    """
    whole = out.resolve()
    if not whole.name:
        raise BuildError(f"--out is {out}; accepted: a folder in another folder")
    return whole.with_name(f"{whole.name}.{command}.unfinished")


@contextmanager
def working(folder: Path) -> Iterator[Path]:
    """Make ``folder``, lock it against other runs and remove it at the end; after an error, its content stays.

    Raises `BuildError` if another run works there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder):
        try:
            yield folder
            forget(folder)
        finally:
            with suppress(OSError):
                folder.rmdir()  # fails if the folder is not empty


def move_content(folder: Path, out: Path) -> None:
    """Move all that is in ``folder`` to ``out``, a new folder beside it or an empty one."""
    if not out.exists():
        folder.rename(out)
        return
    for path in sorted(folder.iterdir()):  # ``out`` stays: a shell may be in it, or it may be another disk
        shutil.move(path, out / path.name)


def write_version(folder: Path, write_to: Callable[[Path], None]) -> Path:
    """Let ``write_to`` write a table set to a new folder in ``folder``, named after its version; return that folder.

    The service never sees half a set: until the end, the folder's name begins with a dot. If the version is there
    already, its folder stays as it is.
    """
    unfinished = folder / f".unfinished-{os.getpid()}"
    try:
        write_to(unfinished)
        named = folder / read_manifest(unfinished).version
        if not named.exists():
            unfinished.rename(named)
        return named
    finally:
        forget(unfinished)
