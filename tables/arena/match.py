"""A match: two bidders, the same deals twice with the sides swapped, in chunks of pairs.

Not the statistics (stats.py) nor their presentation (result.py). Deals follow from seed and pair number, chunks are
counted in index order, and a sequential test looks after each whole chunk: so the result of a match follows from
its `Match` and the tables alone, whatever the number of threads or machines.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from service.bidding.game.rules import CUTTHROAT, Rules, describe, make_rules
from service.bidding.policies import WINPROB, Policy, parse_policy
from service.bidding.table_profile import PARTNERSHIP_PROFILE
from service.bidding.table_views import Tables
from service.bidding.winprob.games import games_of, unsupported_field
from tables.arena import stats
from tables.arena.bidders import is_outside
from tables.arena.errors import ArenaError
from tables.arena.lockstep import play_outside
from tables.engine.deal import Deals
from tables.engine.game import SUMS, Lineup
from tables.engine.selfplay import play_pairs
from tables.engine.simulate import numba_typed, player_rows, tables_for
from tables.players.names import PlayerError, format_player, parse_player
from tables.run.family import Arrays, Executor, LocalThreads

CHUNK_PAIRS = 250  # compiled: some 20 ms
SAMPLING_CHUNK_PAIRS = 10  # with a player that samples deals: a hundred times slower
OUTSIDE_CHUNK_PAIRS = 500  # 1,000 games in lockstep: some hundred positions a request
PAPER_RULES = make_rules("classic", {"win": 200, "lose": -100})  # ECAI 2020, section 5.1: the goals of its games
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Match:
    """All that decides a match's games, beside the tables.

    ``a`` and ``b`` are policy texts or outside bidders (bidders.py); ``players`` the card players of side a and b;
    ``mixed``: side a seats one of each bidder, against two of b. ``noise``: probability with which a bid is
    moved one up or down, drawn for each bid apart.
    """

    a: str
    b: str
    players: tuple[str, str] = ("srp", "srp")
    pairs: int = 10_000
    rules: Rules = PAPER_RULES
    seed: int = 1
    mixed: bool = False
    noise: float = 0.0
    sprt: tuple[float, float] | None = None  # elo0, elo1
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for text in (self.a, self.b):
            if not is_outside(text):
                parse_policy(text)  # raises PolicyError
        for player in self.players:
            player_version(player)
        if self.pairs < 1:
            raise ArenaError(f"pairs is {self.pairs}; expected 1 or more")
        if not 0 <= self.seed <= MOST_SEED:
            raise ArenaError(f"seed is {self.seed}; expected 0..{MOST_SEED}")
        if not 0 <= self.noise <= 1:
            raise ArenaError(f"noise is {self.noise}; expected a probability")
        if self.rules.variant == CUTTHROAT and self.lockstep:
            raise ArenaError("found an outside bidder or noise with variant cutthroat; expected built-in bidders there")
        if self.sprt is not None and not self.sprt[0] < self.sprt[1]:
            raise ArenaError(f"found elo bounds {self.sprt}; expected the first below the second")

    @property
    def lockstep(self) -> bool:
        """Whether it needs the stepwise engine: an outside bidder, or noise."""
        return self.noise > 0 or is_outside(self.a) or is_outside(self.b)

    @property
    def chunk_pairs(self) -> int:
        """Pairs a chunk; fixed by the match, for a sequential test looks after each."""
        if any(player_version(player).startswith("uct") for player in self.players):
            return SAMPLING_CHUNK_PAIRS
        return OUTSIDE_CHUNK_PAIRS if is_outside(self.a) or is_outside(self.b) else CHUNK_PAIRS

    @property
    def bidders(self) -> tuple[str, str, str, str]:
        """Bidders by chair: a0, b0, a1, b1."""
        return self.a, self.b, self.b if self.mixed else self.a, self.b


class Played(NamedTuple):
    """What a match's games came to."""

    scores: NDArray[np.int64]  # (pairs, 2): each pair's games, 1 won by a, 0 drawn, -1 lost
    sums: NDArray[np.float64]  # (SUMS,), see tables.game
    seconds: float
    test: stats.Sequential | None


@dataclass(frozen=True)
class PlayChunk:
    """One chunk of a match, as a function of its index that can be sent elsewhere."""

    match: Match
    tables: tuple[Tables, ...]  # by setting, as kernel_tables makes them

    def __call__(self, index: int) -> Arrays:
        """Play the chunk's pairs: `scores` int64 (pairs, 2) and `sums` float64 (SUMS,)."""
        match = self.match
        first = index * match.chunk_pairs
        last = min(match.pairs, first + match.chunk_pairs)
        return self.play(first, last)

    def play(self, first: int, last: int) -> dict[str, NDArray[Any]]:
        """Play pairs ``first`` up to ``last``."""
        match = self.match
        scores = np.zeros((last - first, 2), np.int64)
        sums = np.zeros(SUMS)
        players = player_rows(*match.players)
        if match.lockstep:
            deals = Deals(match.seed, first, last)
            play_outside(match.bidders, match.noise, deals, match.rules, players, self.tables, scores, sums)
        else:
            a0, b0, a1, b1 = (numba_typed(parse_policy(text, match.rules.variant)) for text in match.bidders)
            lineup = Lineup((a0, b0, a1, b1), players)
            play_pairs(match.seed, first, last, match.rules, lineup, self.tables, scores, sums)
        return {"scores": scores, "sums": sums}


def _by_win_probability(text: str) -> bool:
    return not is_outside(text) and parse_policy(text).kind == WINPROB


def player_version(player: str) -> str:
    """The player with its version and options: srp -> srp@1. Raises `ArenaError` for an unknown one."""
    try:
        return format_player(parse_player(player))
    except PlayerError as error:
        raise ArenaError(str(error)) from None


def play(match: Match, tables: tuple[Tables, ...], executor: Executor, progress: bool = False) -> Played:
    """Play a match's chunks on ``executor``, until its pairs are done or its sequential test has decided.

    Raises `ArenaError` where `winprob` has no win table in ``tables`` for the rules.
    """
    refused = unsupported_field(match.rules, games_of(tables[PARTNERSHIP_PROFILE].games))
    if refused is not None and any(_by_win_probability(text) for text in (match.a, match.b)):
        found = describe(match.rules)[refused[0]]
        raise ArenaError(f"{refused[0]} is {found} with winprob; expected {refused[1]}")
    policies = [Policy() if is_outside(text) else parse_policy(text, match.rules.variant) for text in match.bidders]
    chunk = PlayChunk(match, tables_for(tables, match.rules, policies))
    if isinstance(executor, LocalThreads):
        chunk.play(0, 0)  # compile before the clock starts
    started = time.monotonic()
    n_chunks = -(-match.pairs // match.chunk_pairs)
    scores: list[NDArray[np.int64]] = []
    sums = np.zeros(SUMS)
    counts = np.zeros(5, np.int64)
    test: stats.Sequential | None = None
    bar = tqdm(total=match.pairs, desc=f"{match.a} v {match.b}", unit="pair", disable=None if progress else True)
    results = _each(executor.map(chunk, range(n_chunks)))
    with bar, closing(results):  # closing drops the chunks that a decided test does not need
        for arrays in _in_order(results):
            scores.append(arrays["scores"])
            sums += arrays["sums"]
            counts += stats.pair_counts(arrays["scores"])
            bar.update(len(arrays["scores"]))
            estimate = f"{float(counts @ np.array(stats.PAIR_SCORES)) / int(counts.sum()):.4f}"
            if match.sprt is not None:
                test = stats.sequential_test(counts.tolist(), *match.sprt, match.alpha, match.alpha)
                estimate += f" llr {test.llr:+.2f} [{test.lower:.2f}, {test.upper:.2f}]"
            bar.set_postfix_str(estimate)
            if test is not None and test.decision != "undecided":
                break
    return Played(np.concatenate(scores), sums, time.monotonic() - started, test)


def _each(results: Iterator[tuple[int, Arrays]]) -> Generator[tuple[int, Arrays], None, None]:
    yield from results  # an executor promises an iterator; a generator can be closed


def _in_order(results: Iterator[tuple[int, Arrays]]) -> Iterator[Arrays]:
    waiting: dict[int, Arrays] = {}
    following = 0
    for index, arrays in results:
        waiting[index] = arrays
        while following in waiting:
            yield waiting.pop(following)
            following += 1
