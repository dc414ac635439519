"""Tables that are not what was built: a byte changed, a file cut. All are refused before anything listens.

The manifest's descriptive texts (an axis's name, a measured figure) have no checksum of their own: changed, they are
opened under another version and sha256, which /version, every answer and `spades_tables_info` show.
"""

import random
import shutil

import pytest

from service.bidding.errors import TablesError
from service.bidding.tableset import DEFAULT_DIRECTORY, open_tables


def _harm(directory, rng, count):
    """``count`` harmed directories in turn; each must be refused, by name. Returns those that were not."""
    paths = sorted(path for path in directory.iterdir() if path.suffix in (".npy", ".json"))
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
        why = _refusal(directory)
        if not why or (path.suffix == ".npy" and (path.name not in why or why.startswith("other version"))):
            taken.append(harm)
        path.write_bytes(content)
    open_tables(directory)
    return taken


def _refusal(directory):
    """Why the tables are refused; for a manifest that says something else, under which version they go."""
    try:
        version = open_tables(directory).version
    except TablesError as error:
        return str(error)
    return "" if version == open_tables().version else f"other version {version}"


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_every_flip_and_every_cut_is_refused(tmp_path, count):
    directory = tmp_path / "data"
    shutil.copytree(DEFAULT_DIRECTORY, directory)
    assert _harm(directory, random.Random(count), count) == []
