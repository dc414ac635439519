"""Measure single decisions of `winprob` on random deals, in chunks that a run keeps.

Two kinds of decisions are measured. `ENDINGS` are decisions at scores from which the round may end the game: the bids
that look better to the net than the bid of `NARROW`, which is `winprob` without the bids that it compares only at the
end of a game. `GIVEN_TRICKS` are decisions of hands with a certain trick in games with a pass: a nil against the best
number. The others bid by one of `OTHERS`, drawn for each decision. Each bid is played on deals that fit the earlier
bids, once for each of `OTHERS` that the others may be. The gain of a bid is the difference in win probability after the
round to the usual bid, which is that of `NARROW` or the best number. The results depend only on the `Question`, on the
tables and on the number of decisions.
"""

import hashlib
import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from spades.bidder import decide
from spades.bis import certain_tricks
from spades.cards import spades_of
from spades.legal import NIL_BIT, allowed_bids, deck_of, extra_spades_of
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.position import Position, auction_after
from spades.rules import Rules
from spades.scoring import Standing, effective_bag_rules
from spades.tables import Tables
from spades.tableset import TableSet, open_tables
from tables.arena.errors import ArenaError
from tables.arena.match import PAPER_RULES, player_version, require_win_table
from tables.ceiling.searching_bidder import Plan, Search, add_gains, next_deal
from tables.engine.deal import Deals, prepare_state, seat_players, seed_rng, start_round
from tables.engine.jit import round_loop, source_hash
from tables.engine.scratch import scratch
from tables.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from tables.engine.winprob import BIDS
from tables.players.unseen import WAYS, count_deals
from tables.run.checkpoints import CHECKPOINTS
from tables.run.family import Arrays, Executor, finished_chunks, joined_chunks

ENDINGS, GIVEN_TRICKS = "endings", "given-tricks"
BIDDER, NARROW = "winprob", "winprob:far_margin=1"
OTHERS = ("bis", "winprob", "rb")
NOISE = 0.1  # probability that an earlier number was moved by one trick: the others may bid otherwise than they did
TRIES = 20_000  # deals drawn to find those that fit
FEWEST = 32  # deals; with fewer, one kind of the others does not count at a decision
CHUNK = 50  # decisions: some seconds
KEPT = CHECKPOINTS / "endings"  # folder of finished chunks
SOURCES = source_hash()  # read at import, like the code itself
SEAT, BID_0, BID_1, BID_2, US, THEM, US_BAGS, THEM_BAGS = range(8)  # columns of a position


class Decisions(NamedTuple):
    """The results at n decisions; unused bids are -1 in ``p_win`` and 0 in ``sums``."""

    hands: Any  # int64 (n,)
    positions: Any  # int64 (n, 8)
    bids: Any  # int64 (n, 2): the usual bid, and the bid of `winprob`
    p_win: Any  # float64 (n, BIDS): the net's win probabilities
    sums: Any  # float64 (n, len(OTHERS), BIDS, 3): deals, gains over the usual bid, and their squares


def _play_bids(
    states: list[PlayState],
    deals: Deals,
    hands: Any,
    positions: Any,
    usual: Any,
    bids: Any,
    players: Any,
    plan: Plan,
    search: Search,
    sums: Any,
) -> None:
    # hands (n,), positions (n, 8), usual and bids (n,): as in `Decisions`, bids as sets; sums (n, BIDS, 3): see `weigh`
    state, sim = prepare_state(states, search.rules), states[1]
    write_rules(state, search.rules)
    ways, who = scratch(WAYS), scratch(4)
    for row in range(deals.last - deals.first):
        if bids[row] == 0:
            continue
        position = positions[row]
        me = int(position[SEAT])
        seed_rng(state, deals.seed, deals.first + row, 0)
        start_round(state)
        seat_players(state, players)
        state.hand[me] = int(hands[row])
        for seat in range(me):
            state.bid[seat] = int(position[BID_0 + seat])
        for side in range(2):
            state.score[me + side & 1] = int(position[US + side])
            state.bags[me + side & 1] = int(position[US_BAGS + side])
        count_deals(state, me, ways)
        left = search.tries
        for _ in range(search.deals):
            left = next_deal(state, me, plan, search, ways, who, left)
            if left < 0:
                break
            add_gains(state, sim, me, int(usual[row]), int(bids[row]), who, search, sums[row])


play_bids = round_loop(_play_bids, states=2)


@dataclass(frozen=True)
class Question:
    """What is measured, besides the tables. Raises `ArenaError` for a range or a number that is not accepted."""

    kind: str = ENDINGS
    rules: Rules = PAPER_RULES
    seats: tuple[int, ...] = (2, 3)
    lowest: int = 400  # points of both sides, without bags, are drawn from lowest to highest
    highest: int = 490
    least: float = 0.05  # win probability by which a bid must look better to be played
    seed: int = 1
    deals: int = 300  # most deals for each kind of the others
    player: str = "srp"

    def __post_init__(self) -> None:
        if self.kind not in (ENDINGS, GIVEN_TRICKS):
            raise ArenaError(f"kind is {self.kind!r}; accepted: {ENDINGS}, {GIVEN_TRICKS}")
        if not self.rules.lose < self.lowest <= self.highest < self.rules.win:
            between = f"between {self.rules.lose} and {self.rules.win}, the lower one first"
            raise ArenaError(f"scores are {self.lowest} to {self.highest}; accepted: {between}")
        if self.deals < FEWEST:
            raise ArenaError(f"deals is {self.deals}; accepted: {FEWEST} or more")

    @property
    def version(self) -> str:
        """Return a hash of all that decides the results, besides the tables."""
        content = [asdict(self), player_version(self.player), OTHERS, NOISE, TRIES, CHUNK, SOURCES]
        return hashlib.sha256(json.dumps([*content, numba.__version__, np.__version__]).encode()).hexdigest()


@dataclass(frozen=True)
class DecisionsChunk:
    """One chunk of decisions, as a function of its index that can be sent to another process."""

    question: Question
    tables: tuple[Tables, ...]  # by table profile, from kernel_tables

    def __call__(self, index: int) -> Arrays:
        """Measure the chunk's decisions and return the arrays of `Decisions`."""
        question, opened = self.question, open_tables()
        drawn = random.Random(f"{question.seed} {index}")
        found = Decisions(
            np.zeros(CHUNK, np.int64),
            np.zeros((CHUNK, 8), np.int64),
            np.zeros((CHUNK, 2), np.int64),
            np.full((CHUNK, BIDS), -1.0),
            np.zeros((CHUNK, len(OTHERS), BIDS, 3)),
        )
        bids = np.zeros(CHUNK, np.int64)
        for row in range(CHUNK):
            hand, at = random_position(question, drawn, opened)
            found.hands[row] = hand - (1 << 64) if hand >> 63 else hand
            found.positions[row] = at
            usual, made, p_win = bids_made(question, hand, at, opened)
            found.bids[row] = usual, made
            for bid, p in p_win.items():
                found.p_win[row, bid] = p
                if bid != usual and (bid == made or p > p_win[usual] + question.least):
                    bids[row] |= 1 << bid
            if question.kind == GIVEN_TRICKS:
                bids[row] = NIL_BIT
        policies = tuple(numba_typed(parse_policy(text)) for text in OTHERS)
        tables = tables_for(self.tables, question.rules, policies)
        search = Search(policies, question.rules, tables, question.deals, TRIES, FEWEST)
        players = player_rows(question.player, question.player)
        first = index * CHUNK
        for kind in range(len(OTHERS)):
            plan = Plan(np.array([kind]), 0.0, NOISE, False)
            sums = np.zeros((CHUNK, BIDS, 3))
            arguments = found.hands, found.positions, found.bids[:, 0].copy(), bids, players, plan, search, sums
            play_bids(question.seed, first, first + CHUNK, *arguments)
            found.sums[:, kind] = sums
        return found._asdict()


def random_position(question: Question, drawn: random.Random, tables: TableSet) -> tuple[int, list[int]]:
    """Return a hand and a row of `Decisions.positions`: a random deal and random scores, with an auction by OTHERS."""
    rules = question.rules
    bag_limit = effective_bag_rules(rules)[0]
    deck = [1 << card for card in range(64) if deck_of(rules) >> card & 1]
    while True:
        drawn.shuffle(deck)
        hands = [sum(deck[13 * seat : 13 * seat + 13]) for seat in range(4)]
        seat = drawn.choice(question.seats)
        bags = [drawn.randrange(bag_limit) for _ in range(2)]
        scores = [10 * drawn.randint(question.lowest // 10, question.highest // 10) + held for held in bags]
        others = parse_policy(drawn.choice(OTHERS), rules.variant)
        bids: list[int] = []
        for bidder in range(seat):
            us = (seat - bidder) & 1
            standing = scores[us], scores[1 - us], bags[us], bags[1 - us]
            position = Position(hands[bidder], tuple(bids), Standing(*standing), rules)
            bids.append(decide(position, others, tables, explain=False).bid)
        at = [seat, *bids, *[-1] * (3 - seat), *scores, *bags]
        if question.kind == ENDINGS or _given_trick(hands[seat], bids, rules):
            return hands[seat], at


def _given_trick(hand: int, bids: list[int], rules: Rules) -> bool:
    auction = auction_after(tuple(bids))
    allowed = allowed_bids(hand, auction.partner_bid, rules)
    certain = certain_tricks(spades_of(hand), extra_spades_of(rules.variant, rules))
    return certain > 0 and bool(allowed & NIL_BIT) and auction.partner_bid > 0


def bids_made(question: Question, hand: int, at: list[int], tables: TableSet) -> tuple[int, int, dict[int, float]]:
    """Return the usual bid, the bid of `winprob`, and the net's win probability of each allowed bid."""
    bids = tuple(at[BID_0 : BID_0 + at[SEAT]])
    position = Position(hand, bids, Standing(at[US], at[THEM], at[US_BAGS], at[THEM_BAGS]), question.rules)
    made = decide(position, parse_policy(BIDDER), tables)
    assert made.explanation is not None, "an explanation was asked for"
    p_win = {row["bid"]: row["p_win"] for row in made.explanation["candidates"]}
    if question.kind == ENDINGS:
        usual = decide(position, parse_policy(NARROW), tables, explain=False)
    else:
        numbers = tuple(bid for bid in p_win if bid)
        usual = decide(position, parse_policy(BIDDER), tables, numbers, explain=False)
    return usual.bid, made.bid, p_win


def measure(
    question: Question,
    decisions: int,
    opened: TableSet,
    executor: Executor,
    folder: Path | None = None,
    progress: bool = False,
) -> Decisions:
    """Return the results at ``decisions`` decisions, rounded up to whole chunks.

    Chunks that ``folder`` (default: KEPT) has from an earlier run are not measured again. Raises `ArenaError` if there
    is no win table for the rules, or fewer than one decision is wanted.
    """
    if decisions < 1:
        raise ArenaError(f"decisions is {decisions}; accepted: 1 or more")
    require_win_table(question.rules)
    chunks = (folder or KEPT) / hashlib.sha256(f"{opened.sha256} {question.version}".encode()).hexdigest()[:32]
    fn = DecisionsChunk(question, kernel_tables(opened.arrays))
    label = f"{question.kind} of {BIDDER}"
    return Decisions(**joined_chunks(finished_chunks(fn, -(-decisions // CHUNK), chunks, executor, label, progress)))
