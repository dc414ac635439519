"""The settings that every section of the report uses: tables, number of pairs, and matches that are played only once.

A match that was already played with the same tables, engine and library versions is read from tables/work/report. So
one section can be made again without the hours that all take. `--fresh` ignores these files.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

import numba
import numpy as np

from arena.engine.simulate import kernel_tables
from arena.match import PAPER_RULES, Match
from arena.result import MatchResult, decided_by, run_match
from arena.source_files import chunk_code, files_hash
from arena.store import STORE, kept_json, stored
from spades.rules import PRESETS, Rules, make_rules
from spades.tables import Tables
from spades.tableset import TableSet

PAPER = PAPER_RULES
LONG = PRESETS["classic"]  # goal 500, no losing goal
ONE_ROUND = make_rules("classic", {"win": 1, "lose": -100})
PLAYED = STORE / "report"
# Hash of the engine and versions of the libraries, for the page. Read at import, like the code itself.
VERSIONS = (files_hash("arena.games"), numba.__version__, np.__version__)

Players = str | tuple[str, ...]  # of all seats, of both sides, or of the chairs a0, b0, a1, b1


@dataclass(eq=False)  # so that a setup can be a key of caches that several sections use
class Setup:
    """The settings of a report and its matches."""

    opened: TableSet
    pairs: int  # duplicate pairs per match
    seed: int
    jobs: int
    images: Path  # folder of the plots
    uct_pairs: int = 100  # duplicate pairs per match with a card player that samples deals
    played: Path | None = None  # folder with results of earlier matches; None: play every match

    @property
    def tables(self) -> tuple[Tables, ...]:
        """Return the tables in the form that compiled loops take."""
        return kernel_tables(self.opened.arrays)

    def match(
        self,
        a: str,
        b: str,
        players: Players = "srp",
        rules: Rules = PAPER,
        *,
        pairs: int = 0,
        seed: int = 0,
        mixed: bool = False,
    ) -> Match:
        """Return a match; ``pairs`` and ``seed`` default to those of the report."""
        both = (players, players) if isinstance(players, str) else tuple(players)
        return Match(a, b, both, pairs or self.pairs, rules, seed or self.seed, mixed)

    def play(self, match: Match) -> MatchResult:
        """Play a match, or read its result if it was already played."""
        if self.played is None:
            return run_match(match, self.jobs)
        own = [chunk_code("arena.result"), *decided_by(match, self.opened)]
        with stored(own, self.played, remove=False) as folder:
            result = kept_json(folder / "result.json", lambda: asdict(run_match(match, self.jobs)))
        return MatchResult(**result)

    def plot(self, name: str, svg: bytes) -> None:
        """Write a plot, to which the page has a link."""
        self.images.mkdir(parents=True, exist_ok=True)
        (self.images / f"{name}.svg").write_bytes(svg)


def share(rate: float | None) -> str:
    """Return a rate in percent, or a dash if there is no rate."""
    return "-" if rate is None else f"{100 * rate:.1f}"
