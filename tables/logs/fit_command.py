"""Fit tables to logs and write a table set for the service: `python -m tables logs fit`.

The folder holds all tables: those that the log can move, and the shipped ones. The service opens it with
SPADES_TABLES_DIR. The manifest says for each fitted array on how many cases it rests, and what it gains on held-out
games.
"""

import argparse
import hashlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from service import __version__
from service.bidding.manifest import FamilyEntry, read_manifest
from service.bidding.tableset import DEFAULT_DIRECTORY, open_tables
from tables.engine.simulate import kernel_tables
from tables.logs.counting import HELD_OUT, Counter
from tables.logs.fitting import TABLES, Fitted
from tables.logs.keys import Keys
from tables.logs.reading import read_all
from tables.logs.rounds import Names
from tables.markdown import table
from tables.run.build import npy_bytes, write_manifest
from tables.run.family import BuildError, write_atomically

FAMILY = "logs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="logs: .jsonl, .jsonl.gz or .parquet")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="the table set to write; a new folder"
    )
    label = "count only bids and nils of seats with this label, such as kind=human,skill=beginner"
    parser.add_argument("--label", metavar="FIELD=VALUE,...", help=label)


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError` or `TablesError`."""
    out: Path = arguments.out
    if out.exists() and any(out.iterdir()):
        raise BuildError(f"{out} is not empty; accepted: a new folder")
    shipped = open_tables(DEFAULT_DIRECTORY)
    counter, names, bad = Counter(kernel_tables(shipped.arrays), arguments.label), Names(), 0
    for batch in read_all(arguments.files, names, Keys(), "logs fit"):
        bad += len(batch.bad)
        if batch.rounds is not None:
            counter.add(batch.rounds, names)
    if not counter.seats:
        raise BuildError(f"found no seat with label {arguments.label!r}; accepted: parts of {'; '.join(names.labels)}")
    fitted: dict[str, Fitted] = {}
    for profile, counts in sorted(counter.by_profile.items()):
        for name, fit in TABLES.items():
            array = name if profile == "partnership" else f"{profile}_{name}"
            if array in shipped.arrays:
                fitted[array] = fit(np.array(shipped.arrays[array], np.float64), counts)
    write(out, fitted, {"label": arguments.label, "rounds": counter.rounds, "seats": counter.seats})
    rows = [
        (
            array,
            f"{found.n:,}",
            "kept" if np.isinf(found.weight) else f"{found.weight:g}",
            f"{found.shipped_loss:.5f}",
            f"{found.loss:.5f}",
        )
        for array, found in fitted.items()
    ]
    print(f"{counter.rounds:,} rounds, {counter.seats:,} seats; {bad:,} records with a fault are not used.")
    print(f"Tables {read_manifest(out).version} in {out}. Loss on one game in {HELD_OUT}, which was held out:\n")
    print(table("array | cases | weight of the shipped table | loss of the shipped table | loss", rows))
    return 0


def write(out: Path, fitted: dict[str, Fitted], parameters: dict[str, Any]) -> None:
    """Write a table set to ``out``: the shipped one with the fitted arrays in place of its own."""
    manifest = read_manifest(DEFAULT_DIRECTORY)
    out.mkdir(parents=True, exist_ok=True)
    files = dict(manifest.files)
    for name in files:
        shutil.copyfile(DEFAULT_DIRECTORY / name, out / name)
    figures: dict[str, float] = {}
    for array, found in fitted.items():
        entry = files[f"{array}.npy"]
        content = npy_bytes(found.array.astype(entry.dtype))
        write_atomically(out / f"{array}.npy", content)
        files[f"{array}.npy"] = entry._replace(
            sha256=hashlib.sha256(content).hexdigest(), bytes=len(content), family=FAMILY
        )
        figures |= {f"{array}_loss": found.loss, f"{array}_shipped_loss": found.shipped_loss}
    sizes = {array: found.n for array, found in fitted.items()}
    weights = {array: None if np.isinf(found.weight) else found.weight for array, found in fitted.items()}
    parameters |= {"shipped": manifest.version, "weights": weights, "service": __version__}
    family = FamilyEntry(1, False, 0, sizes, parameters, figures, manifest.sha256, None)
    write_manifest(out, f"{manifest.release}-{FAMILY}", files, {**manifest.families, FAMILY: family})
