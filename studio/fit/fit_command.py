"""Fit tables to logs and write table sets for the service: `python -m studio fit`.

A table set holds all tables: those that the log can move, and the shipped ones. Its folder has the name of its version,
and lies in the folder --out, which the service opens with SPADES_TABLES_DIR. For each fitted array, the manifest says
how many cases it was fitted on, and how much it improves on held-out games. With --by, each segment of the log gets a
set of its own. Standard output has only the folders of the sets, one a line, so that a shell can keep them in a
variable; the report is on standard error.
"""

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arena.chunks import Executor
from arena.engine.simulate import kernel_tables
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import table
from arena.progress import working_on
from spades import __version__
from spades.manifest import FamilyEntry
from spades.tableset import DEFAULT_DIRECTORY
from studio.fit.counting import FIELDS, HELD_OUT, Counted, count_log, read_segments
from studio.fit.fitting import TABLES, Fitted
from studio.fit.win_fit import last_layer, win_tables
from studio.reading import FILES
from studio.set_folders import add_out_argument, folder_of_sets, work_folder, working, write_version
from studio.sets import shipped_set, write_set

FAMILY = "logs"
SHOWN_KEYS = 64  # hashes of rounds in the manifest, by which `studio report` knows a log that a set was fitted to
PLAIN = "partnership"  # the profile whose arrays have no prefix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=FILES)
    add_out_argument(parser)
    label = "count only seats with this label, such as kind=human,partner.kind=bot"
    parser.add_argument("--label", metavar="FIELD=VALUE,...", help=label)
    by = f"make a table set for each value of these fields: {', '.join(FIELDS)}"
    parser.add_argument("--by", metavar="FIELD,...", help=by)
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError` or `TablesError`."""
    out = folder_of_sets(arguments.out)
    segments = read_segments(arguments.label, arguments.by)
    with (
        working(work_folder(out, "fit")) as work,
        executor_of(arguments.scheduler, arguments.jobs, processes=True) as executor,
    ):
        counted = count_log(arguments.files, segments, work, executor)
        print(f"{counted.good:,} rounds; {counted.bad:,} records with a fault are not used.", file=sys.stderr)
        for segment in counted.segments:
            parameters = {"label": arguments.label, "segment": segment if segments.by else None}
            parameters |= {"rounds": counted.rounds[segment], "seats": counted.seats[segment]}
            parameters["sample"] = [f"{key:016x}" for key in counted.samples[segment].keys[:SHOWN_KEYS].tolist()]
            with working_on(f"studio fit: fit the tables of {segment} and write them"):
                fitted = fit(counted, segment, work, executor)
                folder = write_version(out, partial(write, fitted=fitted, parameters=parameters))
            print(_report(folder, counted, segment, fitted), file=sys.stderr)
            print(folder, flush=True)
    return 0


def fit(counted: Counted, segment: str, work: Path, executor: Executor) -> dict[str, Fitted]:
    """Return by name the arrays that are fitted to a segment. Engine rounds are kept in ``work`` until the end."""
    shipped = shipped_set().arrays
    fitted: dict[str, Fitted] = {}
    for (own, profile), counts in sorted(counted.counts.items()):
        if own != segment:
            continue
        for name, make in TABLES.items():
            array = name if profile == PLAIN else f"{profile}_{name}"
            if array in shipped:
                fitted[array] = make(np.array(shipped[array], np.float64), counts)
    sample = counted.samples[segment]
    if len(sample.keys):
        fitted["win"] = win_tables(np.array(shipped["win"]), sample, work, executor)
        moved = dict(shipped) | {name: one.array.astype(shipped[name].dtype) for name, one in fitted.items()}
        fitted["net_out"] = last_layer(moved, kernel_tables(moved), sample)
    return fitted


def _report(folder: Path, counted: Counted, segment: str, fitted: Mapping[str, Fitted]) -> str:
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
    of = f"{segment}: {counted.rounds[segment]:,} rounds, {counted.seats[segment]:,} seats."
    losses = table("array | cases | weight of the shipped table | loss of the shipped table | loss", rows)
    return f"\n{of} Tables in {folder}\nLoss on one game in {HELD_OUT}, which was held out:\n\n{losses}"


def write(out: Path, fitted: Mapping[str, Fitted], parameters: Mapping[str, Any]) -> None:
    """Write a table set to ``out``: the shipped one with the fitted arrays in place of its own."""
    manifest = shipped_set().manifest
    figures: dict[str, float] = {}
    for array, found in fitted.items():
        figures |= {f"{array}_loss": found.loss, f"{array}_shipped_loss": found.shipped_loss}
    sizes = {array: found.n for array, found in fitted.items()}
    weights = {array: None if np.isinf(found.weight) else found.weight for array, found in fitted.items()}
    parameters = {**parameters, "shipped": manifest.version, "weights": weights, "library": __version__}
    entry = FamilyEntry(1, False, 0, sizes, parameters, figures, manifest.sha256, None)
    arrays = {array: found.array.astype(manifest.files[f"{array}.npy"].dtype) for array, found in fitted.items()}
    write_set(out, DEFAULT_DIRECTORY, f"{manifest.release}-{FAMILY}", FAMILY, entry, arrays)
