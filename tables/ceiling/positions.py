"""Measure what a search wins at decisions of `winprob` in games of self-play, in chunks that a run keeps.

Each game gives one decision, drawn at random from those of its `winprob` side. Three searches choose a bid there: with
the opponents' policy known, the same among the bids that `winprob` weighs, and with the opponents unknown. An unknown
opponent is a mixture of policies, the one that the net of `winprob` learned with. Deals that fit the truth judge the
bids of all three. The results depend only on the `Question`, on the tables and on the number of decisions.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from spades.legal import allowed_bids
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables
from spades.tableset import TableSet
from tables.arena.errors import ArenaError
from tables.arena.match import PAPER_RULES, Match, player_version, require_win_table
from tables.ceiling.searching_bidder import Plan, Search, chosen_bid, copy_position, mean_gain, random_decision, weigh
from tables.engine.choose_bid import auction_at
from tables.engine.deal import Deals, prepare_state
from tables.engine.game import SUMS, Game, Lineup
from tables.engine.jit import round_loop, source_hash
from tables.engine.simulate import kernel_tables, numba_typed, player_rows, policies_by_chair, tables_for
from tables.engine.winprob import BIDS, weighed_seat
from tables.learning.training import LATER_POLICIES
from tables.learning.training_data import NOISE, PARTNER
from tables.run.checkpoints import CHECKPOINTS
from tables.run.family import Arrays, Executor, finished_chunks, joined_chunks

BIDDER = "winprob"
TRIES = 40_000  # deals drawn to find those of one search
FEWEST = 64  # deals; with fewer, a search keeps the bid of `winprob`
CHUNK = 20  # decisions: some seconds
KEPT = CHECKPOINTS / "ceiling"  # folder of finished chunks
SOURCES = source_hash()  # read at import, like the code itself

# Columns of `Found.gains`: what each search gains, and the best mean gain over all deals of the first one.
KNOWN, KNOWN_WEIGHED, UNKNOWN, AT_MOST = range(4)
# Columns of `Found.counts`: seat, decisions of the side in the game, whether enough deals fit the truth.
SEAT, DECISIONS, ENOUGH = range(3)


class Found(NamedTuple):
    """The results at n decisions."""

    counts: Any  # int64 (n, 3)
    gains: Any  # float64 (n, 4): win probability


def _measure(
    states: list[PlayState],
    deals: Deals,
    lineup: Lineup,
    search: Search,
    plans: tuple[Plan, Plan, Plan],
    found: Found,
) -> None:
    rest, kept, sim = prepare_state(states, search.rules), states[1], states[2]
    write_rules(rest, search.rules)
    p_win, sums = np.zeros(BIDS), np.zeros(SUMS)
    for number in range(deals.first, deals.last):
        counts, gains = found.counts[number - deals.first], found.gains[number - deals.first]
        game = Game(deals.seed, number, number >> 1 & 1)  # so side a begins in every second game
        me, decisions = random_decision(states, game, lineup, search.rules, search.profiles, sums)
        made = weighed_seat(kept, me, search.rules, lineup.policies[0], search.profiles[0], p_win)
        weighed = 0
        for bid in range(BIDS):
            if p_win[bid] >= 0.0:
                weighed |= 1 << bid
        allowed = allowed_bids(kept.hand[me], auction_at(kept, me).partner_bid, search.rules)
        others = allowed & ((2 << weighed.bit_length()) - 1) & ~(1 << made)  # up to one trick above those weighed
        by_truth, by_mixture, judged = np.zeros((BIDS, 3)), np.zeros((BIDS, 3)), np.zeros((BIDS, 3))
        copy_position(kept, rest, deals.seed, number, 0)
        enough = weigh(rest, sim, me, made, others, plans[0], search, by_truth)
        copy_position(kept, rest, deals.seed, number, 1)
        weigh(rest, sim, me, made, others, plans[1], search, by_mixture)
        chosen = (
            chosen_bid(made, others, search.fewest, by_truth),
            chosen_bid(made, others & weighed, search.fewest, by_truth),
            chosen_bid(made, others, search.fewest, by_mixture),
        )
        bids = (1 << chosen[KNOWN] | 1 << chosen[KNOWN_WEIGHED] | 1 << chosen[UNKNOWN]) & ~(1 << made)
        if bids:
            copy_position(kept, rest, deals.seed, number, 2)
            weigh(rest, sim, me, made, bids, plans[2], search, judged)
        counts[SEAT], counts[DECISIONS], counts[ENOUGH] = me, decisions, 1 if enough else 0
        for i in range(3):
            gains[i] = mean_gain(chosen[i], judged)
        for bid in range(BIDS):
            gains[AT_MOST] = max(gains[AT_MOST], mean_gain(bid, by_truth))


measure_decisions = round_loop(_measure, states=3)


@dataclass(frozen=True)
class Question:
    """What is measured, besides the tables: `winprob` against a policy, under rules, with a card player in all seats.

    Raises `PolicyError`, `PlayerError`, or `ArenaError` for a seed or a number of deals that is not accepted.
    """

    against: str
    rules: Rules = PAPER_RULES
    seed: int = 1
    deals: int = 256  # most deals of a search, and most deals that judge
    player: str = "srp"

    def __post_init__(self) -> None:
        Match(BIDDER, self.against, (self.player, self.player), 1, self.rules, self.seed)
        parse_policy(self.against, self.rules.variant)
        if self.deals < FEWEST:
            raise ArenaError(f"deals is {self.deals}; accepted: {FEWEST} or more")

    @property
    def version(self) -> str:
        """Return a hash of all that decides the results, besides the tables."""
        mixture = [*LATER_POLICIES, PARTNER, NOISE, TRIES, FEWEST, CHUNK]
        content = [asdict(self), player_version(self.player), mixture, SOURCES, numba.__version__, np.__version__]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True)
class DecisionsChunk:
    """One chunk of decisions, as a function of its index that can be sent to another process."""

    question: Question
    tables: tuple[Tables, ...]  # by table profile, from kernel_tables

    def __call__(self, index: int) -> Arrays:
        """Measure the chunk's decisions and return the arrays of `Found`."""
        question = self.question
        found = Found(np.zeros((CHUNK, 3), np.int64), np.zeros((CHUNK, 4)))
        against = parse_policy(question.against, question.rules.variant)
        lineup = Lineup(policies_by_chair(parse_policy(BIDDER), against), player_rows(question.player, question.player))
        mixture = list(dict.fromkeys((BIDDER, *LATER_POLICIES)))
        policies = (*(numba_typed(parse_policy(text)) for text in mixture), numba_typed(against))
        truth = np.array([len(mixture)])
        plans = (
            Plan(truth, 1.0, 0.0, False),
            Plan(np.array([mixture.index(text) for text in LATER_POLICIES]), PARTNER, NOISE, False),
            Plan(truth, 1.0, 0.0, True),
        )
        tables = tables_for(self.tables, question.rules, policies)
        search = Search(policies, question.rules, tables, question.deals, TRIES, FEWEST)
        first = index * CHUNK
        measure_decisions(question.seed, first, first + CHUNK, lineup, search, plans, found)
        return found._asdict()


def measure(
    question: Question,
    decisions: int,
    opened: TableSet,
    executor: Executor,
    folder: Path | None = None,
    progress: bool = False,
) -> Found:
    """Return the results at ``decisions`` decisions, rounded up to whole chunks.

    Chunks that ``folder`` (default: KEPT) has from an earlier run are not measured again. Raises `ArenaError` if
    ``opened`` has no win table for the rules, or fewer than one decision is wanted.
    """
    if decisions < 1:
        raise ArenaError(f"decisions is {decisions}; accepted: 1 or more")
    tables = kernel_tables(opened.arrays)
    require_win_table(question.rules)
    chunks = (folder or KEPT) / hashlib.sha256(f"{opened.sha256} {question.version}".encode()).hexdigest()[:32]
    fn, label = DecisionsChunk(question, tables), f"{BIDDER} v {question.against}"
    return Found(**joined_chunks(finished_chunks(fn, -(-decisions // CHUNK), chunks, executor, label, progress)))
