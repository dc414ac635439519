"""A copy of the shipped tables."""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from spades.manifest import MANIFEST, path_of, read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables.run.build import write_manifest


def copy_shipped(directory: Path, without: Collection[str] = ()) -> Path:
    """Copy all families but ``without`` to ``directory``."""
    shutil.copytree(DEFAULT_DIRECTORY, directory, copy_function=os.link)
    manifest = read_manifest(directory)
    (directory / MANIFEST).unlink()  # a link to the shipped file
    files = {name: entry for name, entry in manifest.files.items() if entry.family not in without}
    for name in manifest.files.keys() - files.keys():
        path_of(directory, name).unlink()
    families = {name: entry for name, entry in manifest.families.items() if name not in without}
    write_manifest(directory, manifest.release, files, families)
    return directory
