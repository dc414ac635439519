"""Make the pages of results in docs/ from templates and from figures that are kept beside them: `python -m report`.

Nothing is played unless `--measure` names sections. Their figures come from the committed tables and from matches,
played now or kept from an earlier run (`setup`). They depend only on seed, pairs and tables, except for times, which
depend on the machine. `page` explains templates and kept figures.

Two sections also write files of the service: `results` the win rates of the catalogue, and `nearest-tables` the errors
of win tables.
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.errors import BuildError
from arena.executors import add_jobs_argument
from arena.store import write_atomically
from report import results
from report.page import TEMPLATES, Page, sections_of
from report.setup import PLAYED, Setup
from spades.arguments import integer
from spades.strength import RESULTS, results_text
from spades.tableset import open_tables
from spades.winprob import ERRORS_FILE

DOCS = Path(__file__).resolve().parents[1] / "docs"
SECTIONS = {path.name.removesuffix(".j2"): sections_of(path.name) for path in sorted(TEMPLATES.glob("*.j2"))}  # by page
ALL, SERVED, ERRORS = "all", "results", "nearest-tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    sections = sorted([ALL, SERVED, *(name for names in SECTIONS.values() for name in names)])
    parser.add_argument(
        "--measure",
        nargs="+",
        default=[],
        choices=sections,
        metavar="SECTION",
        help=f"sections whose figures are measured again: {', '.join(sections)}",
    )
    parser.add_argument("--pairs", type=integer, default=10_000, help="duplicate pairs per match (default %(default)s)")
    uct = "duplicate pairs per match with players that sample deals (default %(default)s)"
    parser.add_argument("--uct-pairs", type=integer, default=500, help=uct)
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_jobs_argument(parser)
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER", help="pages, plots and kept figures")
    parser.add_argument("--fresh", action="store_true", help="do not use the results of matches kept from earlier runs")


def main(arguments: argparse.Namespace) -> int:
    """Make the pages and return 0. Raises `BuildError`."""
    if min(arguments.pairs, arguments.uct_pairs, arguments.jobs) < 1:
        found = f"{arguments.pairs}, {arguments.uct_pairs} and {arguments.jobs}"
        raise BuildError(f"--pairs, --uct-pairs and --jobs are {found}; accepted: 1 or more each")
    with TemporaryDirectory() as fresh:  # sections share matches, also in a fresh run
        setup = Setup(
            open_tables(),
            arguments.pairs,
            arguments.seed,
            arguments.jobs,
            arguments.out / "img",
            arguments.uct_pairs,
            Path(fresh) if arguments.fresh else PLAYED,
        )
        make(setup, arguments.out, set(arguments.measure))
    return 0


def make(setup: Setup, folder: Path, measured: set[str]) -> None:
    """Make all pages in ``folder``; the sections ``measured`` are measured first. Raises `BuildError`."""
    if ALL in measured:
        measured = {SERVED, *(name for names in SECTIONS.values() for name in names)}
    shipped = folder == DOCS  # otherwise the files of the service are written to the folder too
    if SERVED in measured:
        path = RESULTS if shipped else folder / f"{SERVED}.json"
        write_atomically(path, results_text(results.measure(setup)).encode())
    for name in SECTIONS:
        page = Page(folder / name, setup, measured)
        write_atomically(page.path, page.text().encode())
        if ERRORS in measured and ERRORS in page.records:
            errors = page.records[ERRORS].figures["nearest_tables"]["by_field"]
            path = ERRORS_FILE if shipped else folder / f"{ERRORS}.json"
            write_atomically(path, f"{json.dumps(errors, indent=1)}\n".encode())
