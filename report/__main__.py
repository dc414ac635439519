"""Make the pages of results and their appendix from templates and from figures kept in docs/: `python -m report`.

The pages are committed in docs/. The appendix, which has all figures, is not: it is made in build/, where `make docs`
makes it a part of the site.

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

from arena.command_line import run
from arena.errors import BuildError
from arena.executors import add_jobs_argument
from arena.result import MatchResult
from arena.store import write_atomically
from report.page import APPENDIX, TEMPLATES, Page, sections_of, summary_page
from report.setup import PLAYED, VERSIONS, Setup
from spades.arguments import integer, run_command
from spades.policies import kind_of
from spades.rules import describe, make_rules
from spades.strength import RESULTS, Measured, pairs_to_measure, results_text
from spades.tableset import open_tables
from spades.winprob import ERRORS_FILE

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
APPENDIX_OF_DOCS = ROOT / "build" / "pages" / "docs" / APPENDIX  # where `make docs` makes the site of
SUMMARIES = sorted(path.name for path in TEMPLATES.glob("*.j2"))
SECTIONS = {  # by page of the appendix
    path.name.removesuffix(".md.j2"): sections_of(f"{APPENDIX}/{path.name}")
    for path in sorted((TEMPLATES / APPENDIX).glob("*.j2"))
}
MEASURABLE = sorted(name for sections in SECTIONS.values() for name, code in sections.items() if not code)
WINPROB_PAIRS = 10  # for each pair of the report, as in the section about winprob
ALL, SERVED, ERRORS = "all", "results", "nearest-tables"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    sections = sorted([ALL, SERVED, *MEASURABLE])
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


def main(arguments: list[str] | None = None) -> int:
    """Make the pages of results and return the exit status."""
    about = "Make docs/strength.md, the other pages of results and their appendix from measured figures."
    parser = argparse.ArgumentParser(prog="python -m report", description=about)
    add_arguments(parser)
    options = parser.parse_args(arguments)
    return run(parser.prog, lambda: make_pages(options))


def make_pages(arguments: argparse.Namespace) -> int:
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
    """Make the pages of ``folder`` and the appendix; the sections ``measured`` are measured first. Raises `BuildError`.

    The appendix of docs/ is made in build/. That of another folder lies in it, and its pages link to the appendix.
    """
    if ALL in measured:
        measured = {SERVED, *MEASURABLE}
    shipped = folder == DOCS  # otherwise the files of the service are written to the folder too
    if SERVED in measured:
        path = RESULTS if shipped else folder / f"{SERVED}.json"
        write_atomically(path, results_text(catalogue_results(setup)).encode())
    appendix = {name: Page(folder / f"{name}.json", setup, measured) for name in SECTIONS}
    for name, page in appendix.items():
        path = (APPENDIX_OF_DOCS if shipped else folder / APPENDIX) / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, page.text().encode())
        if ERRORS in measured and ERRORS in page.records:
            errors = page.records[ERRORS].figures["nearest_tables"]["by_field"]
            path = ERRORS_FILE if shipped else folder / f"{ERRORS}.json"
            write_atomically(path, f"{json.dumps(errors, indent=1)}\n".encode())
    for template in SUMMARIES:
        text = summary_page(template, appendix, setup.opened.manifest, linked=not shipped)
        write_atomically(folder / template.removesuffix(".j2"), text.encode())


def catalogue_results(setup: Setup) -> list[Measured]:
    """Return the win rates of the catalogue: matches at 200/-100 with SRP, played now or by sections."""
    rows = []
    for a, b in pairs_to_measure():
        times = WINPROB_PAIRS if kind_of(a).needs_win_table else 1
        rows.append(measured(setup.play(setup.match(a, b, pairs=times * setup.pairs))))
    return rows


def measured(result: MatchResult) -> Measured:
    """Return the result of a match as a row of the file."""
    classic = describe(make_rules("classic"))
    return Measured(
        a=result.a,
        b=result.b,
        win_percent=round(100 * result.win_rate, 1),
        interval_percent=[round(100 * end, 1) for end in result.ci95],
        pairs=result.pairs,
        seed=result.seed,
        players=result.players,
        rules={name: value for name, value in result.rules.items() if value != classic[name]},
        tables=result.tables["version"],
        engine=VERSIONS[0][:16],
    )


if __name__ == "__main__":
    run_command(main)
