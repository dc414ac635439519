"""The command: fill docs/strength.md with figures; the prose between them is written by hand.

The page holds pairs of markers, ``<!-- figures: name -->`` and ``<!-- end -->``; everything between is replaced
by what the function of that name in `SECTIONS` gives, and plots go to img/ beside the page. A marker without a
function is an error. Data comes from the committed tables and matches played now, or kept of a run before
(`setup`). The figures follow from seed, pairs and tables; only rounds a second hang on the machine.
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

from service.bidding.numerals import decimal, integer
from service.bidding.tableset import TableSet, open_tables
from tables.arena.match import player_version
from tables.report import (
    blind_nil,
    components,
    conventions,
    cutthroat,
    distributions,
    fitted,
    kinds,
    levels,
    opponents,
    regret,
    rule_options,
    variants,
    winprob,
    worst_deals,
)
from tables.report.samples import Rounds, self_play
from tables.report.setup import PLAYED, VERSIONS, Setup
from tables.run.family import BuildError, write_atomically

PAGE = Path(__file__).resolve().parents[2] / "docs" / "strength.md"
ROUNDS = 40  # recorded in self-play for each pair of the report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--pairs", type=integer, default=10_000, help="duplicate pairs a match (default %(default)s)")
    parser.add_argument("--uct-pairs", type=integer, default=500, help="the same where a player samples (%(default)s)")
    parser.add_argument("--uct-seconds", type=decimal, metavar="S", help="as many as S seconds give, instead")
    parser.add_argument("--seed", type=integer, default=1)
    parser.add_argument("--jobs", type=integer, default=2)
    parser.add_argument("--only", nargs="*", choices=sorted(SECTIONS), help="sections to make anew (default: all)")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to fill (default: docs/strength.md)")
    parser.add_argument("--fresh", action="store_true", help="play matches again that were played before")


def main(arguments: argparse.Namespace) -> int:
    """Fill the page."""
    if min(arguments.pairs, arguments.uct_pairs, arguments.jobs) < 1:
        found = f"{arguments.pairs}, {arguments.uct_pairs} and {arguments.jobs}"
        raise BuildError(f"found pairs, uct-pairs and jobs {found}; expected 1 or more each")
    with TemporaryDirectory() as fresh:  # sections share matches, those of a fresh run too
        setup = Setup(
            open_tables(),
            arguments.pairs,
            arguments.seed,
            arguments.jobs,
            arguments.page.parent / "img",
            arguments.uct_pairs,
            arguments.uct_seconds,
            Path(fresh) if arguments.fresh else PLAYED,
        )
        names = marked(arguments.page.read_text(encoding="utf-8"))
        wanted = [name for name in names if arguments.only is None or name in arguments.only]
        for i, name in enumerate(wanted, 1):
            print(f"{i}/{len(wanted)} {name} ...", end=" ", flush=True)
            started = time.monotonic()
            text = SECTIONS[name](setup)
            # Read anew: the words may have been edited meanwhile. Written each time: what is made is kept.
            page = filled(arguments.page.read_text(encoding="utf-8"), name, text)
            write_atomically(arguments.page, page.encode())
            print(f"{time.monotonic() - started:.1f} s", flush=True)
    return 0


def marked(page: str) -> list[str]:
    """Names of the page's markers in order; raises `BuildError` for one without a section."""
    names = re.findall(r"<!-- figures: (\S+) -->", page)
    for name in names:
        if name not in SECTIONS:
            raise BuildError(f"found marker {name!r}; expected one of {', '.join(sorted(SECTIONS))}")
    return names


def filled(page: str, name: str, text: str) -> str:
    """``page`` with ``text`` between the markers of ``name``.

    >>> filled("a\\n<!-- figures: x -->\\nold\\n<!-- end -->\\n", "x", "new")
    'a\\n<!-- figures: x -->\\nnew\\n<!-- end -->\\n'
    """
    whole = f"<!-- figures: {name} -->\n{text}\n<!-- end -->"
    return re.sub(rf"<!-- figures: {re.escape(name)} -->.*?<!-- end -->", lambda _: whole, page, flags=re.DOTALL)


def provenance(setup: Setup) -> str:
    """Versions, seed and size, as a paragraph."""
    tables: TableSet = setup.opened
    players = ", ".join(player_version(player) for player in ("srp", "wrp", "uct:3", "uct:5"))
    return (
        f"Tables {tables.version} (manifest sha256 {tables.sha256}), engine {VERSIONS[0][:16]}, players {players}; "
        f"Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}. "
        f"Seed {setup.seed}, {setup.pairs:,} duplicate pairs a row unless a row says otherwise, goals 200/-100 unless "
        f"said otherwise, 95% intervals."
    )


@lru_cache(maxsize=1)  # several sections count the same rounds; some 40 MB
def _rounds(seed: int, n: int, jobs: int, version: str) -> Rounds:
    return self_play(Setup(open_tables(), 1, seed, jobs, PAGE.parent).tables, n, seed, jobs)


def recorded(setup: Setup) -> Rounds:
    """The report's recorded rounds of self-play."""
    return _rounds(setup.seed, ROUNDS * setup.pairs, setup.jobs, setup.opened.sha256)


def _plotted(name: str, text: str, count: Callable[[Rounds], tuple[bytes, str]]) -> Callable[[Setup], str]:
    def section(setup: Setup) -> str:
        svg, words = count(recorded(setup))
        return setup.image(name, svg, text) + "\n\n" + words

    return section


def _kinds(setup: Setup) -> str:
    return kinds.furthest(recorded(setup))


def _ace_of_spades(rounds: Rounds) -> tuple[bytes, str]:
    return distributions.ace_of_spades(rounds, open_tables().arrays["p_ace"][3])


_POINTS = "Points of a side in a round, by whether a player of it bid nil"
_ACE = "Probability that the fourth bidder holds the ace of spades, by the sum of the first three bids"

SECTIONS: dict[str, Callable[[Setup], str]] = {
    "provenance": provenance,
    "opponents": opponents.opponents,
    "forest": opponents.forest,
    "numbers-alone": opponents.numbers_alone,
    "uct": opponents.uct_against_srp,
    "shape": distributions.shape,
    "round-types": distributions.round_types,
    "points-by-sum": distributions.points_by_sum,
    "points-nil": _plotted("points-nil", _POINTS, distributions.points_of_nils),
    "sums-of-bids": _plotted("sums-of-bids", "Sums of the four bids", distributions.sums_of_bids),
    "legal-cards": _plotted("legal-cards", "Mean legal cards by trick", distributions.legal_cards),
    "ace-of-spades": _plotted("ace-of-spades", _ACE, _ace_of_spades),
    "blind-nil": blind_nil.blind_nil,
    "blind-nil-lures": blind_nil.lures,
    "blind-nil-fitted": blind_nil.fitted,
    "rules": rule_options.rule_options,
    "kinds": _kinds,
    "curve": fitted.curve,
    "curves-and-data": fitted.curves_and_data,
    "held-out": fitted.held_out,
    "ablations": components.ablations,
    "thresholds": components.thresholds,
    "players": components.card_players,
    "newest-player": components.newest_player,
    "searched": fitted.searched,
    "variants": variants.against_ignoring,
    "variant-curves": variants.calibration,
    "variants-searched": variants.searched,
    "conventions": conventions.conventions,
    "conventions-searched": conventions.searched,
    "cutthroat": cutthroat.against,
    "cutthroat-parts": cutthroat.parts,
    "cutthroat-curves": cutthroat.calibration,
    "cutthroat-searched": cutthroat.searched,
    "winprob": winprob.against,
    "winprob-presets": winprob.presets,
    "winprob-rounds": winprob.rounds,
    "winprob-reliability": winprob.reliability,
    "regret": regret.by_seat,
    "worst-deals": worst_deals.worst_deals,
    "levels": levels.against,
    "styles": levels.styles,
    "levels-searched": levels.searched,
}
