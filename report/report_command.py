"""Fill the pages of results in docs/ (`PAGES`) with figures; the text between them is written by hand.

A page holds pairs of markers, ``<!-- figures: name -->`` and ``<!-- end -->``. Everything between them is replaced
by the result of the function of that name in `SECTIONS`. Plots go to img/ beside the page. A marker without a function
is an error. The figures come from the committed tables and from matches, played now or kept from an earlier run
(`setup`). They depend only on seed, pairs and tables, except for rounds per second, which depend on the machine. The
text that is written by hand states no measured figure. The section `summary` repeats results of the other sections, so
each run makes it last; a file beside the page keeps these results (strength.json beside strength.md).
"""

import argparse
import platform
import re
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numba
import numpy as np

from arena.agents import player_version
from arena.errors import BuildError
from arena.executors import add_jobs_argument
from arena.store import write_atomically
from report import (
    blind_nil,
    components,
    conventions,
    curve_models,
    cutthroat,
    distributions,
    fitted,
    inference,
    kinds,
    learned,
    levels,
    nearest_tables,
    opponents,
    passes,
    public,
    results,
    rule_options,
    search,
    stated_chances,
    studios,
    summary,
    variants,
    winprob,
)
from report.recorded_rounds import Rounds, self_play
from report.setup import PLAYED, VERSIONS, Setup
from spades.arguments import integer
from spades.strength import RESULTS, results_text
from spades.tableset import open_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "strength.md"
PAGES = (PAGE, DOCS / "inference.md", DOCS / "learned-player.md", DOCS / "learned-from-logs.md")
SUMMARY = "summary"
ROUNDS = 40  # rounds of self-play recorded for each pair of the report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--pairs", type=integer, default=10_000, help="duplicate pairs per match (default %(default)s)")
    uct = "duplicate pairs per match with UCT players (default %(default)s)"
    parser.add_argument("--uct-pairs", type=integer, default=500, help=uct)
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_jobs_argument(parser)
    sections = sorted([*SECTIONS, "results"])
    parser.add_argument("--only", nargs="*", choices=sections, help="sections to make (default: all)")
    parser.add_argument("--page", type=Path, help="the page to fill (default: all in docs)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the service's file of win rates")
    parser.add_argument("--fresh", action="store_true", help="do not use the results of matches kept from earlier runs")


def main(arguments: argparse.Namespace) -> int:
    """Fill the page and return 0. Raises `BuildError`."""
    if min(arguments.pairs, arguments.uct_pairs, arguments.jobs) < 1:
        found = f"{arguments.pairs}, {arguments.uct_pairs} and {arguments.jobs}"
        raise BuildError(f"--pairs, --uct-pairs and --jobs are {found}; accepted: 1 or more each")
    with TemporaryDirectory() as fresh:  # sections share matches, also in a fresh run
        played = Path(fresh) if arguments.fresh else PLAYED
        setups = {page: _setup(arguments, page, played) for page in ([arguments.page] if arguments.page else PAGES)}
        wanted = [(page, name) for page in setups for name in _wanted(page, arguments.only)]
        for i, (page, name) in enumerate(wanted, 1):
            print(f"{i}/{len(wanted)} {name} ...", end=" ", flush=True)
            started = time.monotonic()
            _fill(page, name, setups[page])  # after each section, to keep it
            print(f"{time.monotonic() - started:.1f} s", flush=True)
        page, setup = next(iter(setups.items()))
        if arguments.only is None or "results" in arguments.only:
            write_atomically(arguments.results, results_text(results.measure(setup)).encode())
        if SUMMARY in marked(page.read_text(encoding="utf-8")):
            _fill(page, SUMMARY, setup)
    return 0


def _setup(arguments: argparse.Namespace, page: Path, played: Path) -> Setup:
    return Setup(
        open_tables(),
        arguments.pairs,
        arguments.seed,
        arguments.jobs,
        page.parent / "img",
        arguments.uct_pairs,
        played,
        page.with_suffix(".json"),
    )


def _wanted(page: Path, only: list[str] | None) -> list[str]:
    names = marked(page.read_text(encoding="utf-8"))
    return [name for name in names if name != SUMMARY and (only is None or name in only)]


def _fill(path: Path, name: str, setup: Setup) -> None:
    text = SECTIONS[name](setup)
    # Read the page only now, because it may have been edited meanwhile.
    write_atomically(path, filled(path.read_text(encoding="utf-8"), name, text).encode())


def marked(page: str) -> list[str]:
    """Return the names of the page's markers in order. Raises `BuildError` for a marker without a section."""
    names = re.findall(r"<!-- figures: (\S+) -->", page)
    for name in names:
        if name not in SECTIONS:
            raise BuildError(f"marker is {name!r}; accepted: {', '.join(sorted(SECTIONS))}")
    return names


def filled(page: str, name: str, text: str) -> str:
    """Return ``page`` with ``text`` between the markers of ``name``.

    >>> filled("a\\n<!-- figures: x -->\\nold\\n<!-- end -->\\n", "x", "new")
    'a\\n<!-- figures: x -->\\nnew\\n<!-- end -->\\n'
    """
    whole = f"<!-- figures: {name} -->\n{text}\n<!-- end -->"
    return re.sub(rf"<!-- figures: {re.escape(name)} -->.*?<!-- end -->", lambda _: whole, page, flags=re.DOTALL)


def provenance(setup: Setup) -> str:
    """Return versions, seed and sizes of the report as a paragraph."""
    tables = setup.opened
    players = ", ".join(player_version(player) for player in ("srp", "wrp", "uct:3", "uct:5"))
    of_families = (family.parameters.get("player") for family in tables.families.values())
    fitted_with = ", ".join(sorted({str(player) for player in of_families if player}))
    return (
        f"Tables {tables.version} (manifest sha256 {tables.sha256}), fitted with card players {fitted_with}; "
        f"engine {VERSIONS[0][:16]}, players {players}; "
        f"Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}. "
        f"Seed {setup.seed}, 95% intervals. Unless a row says otherwise: {setup.pairs:,} duplicate pairs per row, "
        f"goals 200/-100."
    )


@lru_cache(maxsize=1)  # several sections use the same rounds, about 40 MB
def recorded(setup: Setup) -> Rounds:
    """Return the report's recorded rounds of self-play."""
    return self_play(setup.tables, ROUNDS * setup.pairs, setup.seed, setup.jobs)


def _plotted(name: str, text: str, count: Callable[[Rounds], tuple[bytes, str]]) -> Callable[[Setup], str]:
    def section(setup: Setup) -> str:
        svg, words = count(recorded(setup))
        return setup.image(name, svg, text) + "\n\n" + words

    return section


def _ace_of_spades(rounds: Rounds) -> tuple[bytes, str]:
    return distributions.ace_of_spades(rounds, open_tables().arrays["p_ace"][3])


_POINTS = "Points of a side in a round, by whether a given player of it bid nil"
_ACE = "Probability that the fourth bidder holds the ace of spades, by the sum of the first three bids"

SECTIONS: dict[str, Callable[[Setup], str]] = {
    SUMMARY: summary.summary,
    "provenance": provenance,
    "opponents": opponents.opponents,
    "forest": opponents.forest,
    "numbers-alone": opponents.numbers_alone,
    "uct": opponents.uct_against_srp,
    "search": search.search,
    "shape": distributions.shape,
    "round-types": distributions.round_types,
    "points-by-sum": distributions.points_by_sum,
    "points-nil": _plotted("points-nil", _POINTS, distributions.points_of_nils),
    "sums-of-bids": _plotted("sums-of-bids", "Sums of the four bids", distributions.sums_of_bids),
    "legal-cards": _plotted("legal-cards", "How often each number of cards is legal", distributions.legal_cards),
    "ace-of-spades": _plotted("ace-of-spades", _ACE, _ace_of_spades),
    "blind-nil": blind_nil.blind_nil,
    "blind-nil-lures": blind_nil.against_overbidders,
    "blind-nil-fitted": blind_nil.fitted,
    "rules": rule_options.rule_options,
    "kinds": lambda setup: kinds.furthest(recorded(setup)),
    "curve": fitted.curve,
    "curves-and-data": fitted.curves_and_data,
    "held-out": fitted.held_out,
    "curve-models": curve_models.curve_models,
    "ablations": components.ablations,
    "players": components.card_players,
    "person": components.against_a_person,
    "newest-player": components.newest_player,
    "variants": variants.against_ignoring,
    "variant-curves": variants.calibration,
    "conventions": conventions.conventions,
    "cutthroat": cutthroat.against,
    "cutthroat-parts": cutthroat.parts,
    "cutthroat-curves": cutthroat.calibration,
    "winprob": winprob.against,
    "winprob-presets": winprob.presets,
    "winprob-rounds": winprob.rounds,
    "winprob-reliability": stated_chances.reliability,
    "winprob-elsewhere": stated_chances.elsewhere,
    "nearest-tables": nearest_tables.nearest_tables,
    "ten-point-rows": nearest_tables.ten_point_rows,
    "passes": passes.passes,
    "public": public.against,
    "inference-log-loss": inference.log_loss,
    "inference-published": inference.published,
    "inference-example": inference.example,
    "inference-points": search.reading_bids,
    "inference-best-possible": inference.best_possible,
    "inference-by-trick": inference.by_trick,
    "inference-others": inference.others,
    "learned-beside-report": learned.beside_report,
    "learned-published": learned.published,
    "learned-errors": learned.errors,
    "learned-score": learned.score_curves,
    "learned-loss": learned.loss_curves,
    "learned-strength": learned.strength,
    "studios-calibration": studios.calibration,
    "studios-games": studios.games,
    "studios-tuned": studios.tuned,
    "studios-people": studios.people,
    "levels": levels.against,
    "styles": levels.styles,
}
