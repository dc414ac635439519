"""Damaged tables (a changed byte, a truncated file) are refused before the service listens."""

import random
import shutil

import pytest

from spades.errors import TablesError
from spades.manifest import MANIFEST
from spades.tableset import DEFAULT_DIRECTORY, open_tables


def _harm(directory, rng, count):
    """Damage a directory ``count`` times; return the cases that were not refused with the file's name."""
    paths = sorted([*directory.glob("*.npy"), directory / MANIFEST])  # nothing else is read
    taken = []
    for _ in range(count):
        path = rng.choice(paths)
        content = path.read_bytes()
        at = rng.randrange(len(content))
        if rng.random() < 0.5:
            mask = rng.randrange(1, 256)
            path.write_bytes(content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :])
            harm = f"{path.name}: byte {at} xor {mask}"
        else:
            path.write_bytes(content[:at])
            harm = f"{path.name}: cut to {at} of {len(content)} bytes"
        if path.name not in _refusal(directory):
            taken.append(harm)
        path.write_bytes(content)
    open_tables(directory)
    return taken


def _refusal(directory):
    """Return why the tables are refused; an empty text if they are not."""
    try:
        open_tables(directory)
    except TablesError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_every_flip_and_every_cut_is_refused(tmp_path, count):
    directory = tmp_path / "data"
    shutil.copytree(DEFAULT_DIRECTORY, directory)
    assert _harm(directory, random.Random(count), count) == []
