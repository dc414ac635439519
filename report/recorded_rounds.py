"""Recorded rounds of self-play, and nils in third seat: data that the result of a match does not hold.

Every round starts at 0:0 without bags under the goals of `rules`. A deal depends only on the seed and its number. The
modules `distributions`, `conventions` and `fitted` count and present the data.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.counters import count_nils, nil_values
from arena.engine.choose_bid import policy_at, tables_of
from arena.engine.deal import NO_ANSWER
from arena.engine.jit import entry
from arena.engine.replay import replay
from arena.engine.rounds import BATCH, Batch
from arena.engine.simulate import player_rows, policy_rows, tables_for
from arena.players.names import TABLES_PLAYER
from spades.bis import GRID, bis
from spades.legal import broken_after
from spades.play import legal_cards
from spades.policies import parse_policy
from spades.position import allowed_at_turn, read_auction
from spades.rules import Rules
from spades.scoring import START
from spades.tables import Tables, profile_of

BINS = GRID + 1
SEQUENCES = ((1, 3), (3, 3), (8, 3))  # bids of partner and RHO before the third seat, as in Fig. 3


class Rounds(NamedTuple):
    """Rounds of forms of BIS, all seats with SRP. Arrays (rounds, 4) are by seat, starting with the first bidder."""

    hands: NDArray[np.int64]  # (rounds, 4): masks before the first card
    bids: NDArray[np.int8]  # (rounds, 4): 0 is nil
    taken: NDArray[np.int8]  # (rounds, 4): tricks taken
    estimates: NDArray[np.float64]  # (rounds, 4): regular takes before rounding, in tricks
    p_nil: NDArray[np.float64]  # (rounds, 4): probability of a nil as BIS states it
    points: NDArray[np.int16]  # (rounds, 2): of the sides of seats 0 and 1
    choices: NDArray[np.int64]  # (52, 14): number of plays by place in the round and number of legal cards


def _estimate(rounds: Any, rules: Rules, policies: Any, profiles: Any, estimates: Any, p_nil: Any) -> None:
    # policies: rows by side, that of seat 0 first. estimates, p_nil (n, 4).
    for i in range(len(rounds)):
        row = rounds[i]
        for seat in range(4):
            policy = policy_at(policies, seat & 1)
            tables = tables_of(profiles, profile_of(rules, policy, START))
            auction = read_auction(seat, row.bids[0], row.bids[1], row.bids[2])
            allowed = allowed_at_turn(row.hands[seat], auction, rules)
            made = bis(row.hands[seat], auction, START, allowed, rules, policy, tables)
            estimates[i, seat] = made.regular.estimate
            p_nil[i, seat] = made.nil.probability


def _count_choices(rounds: Any, choices: Any) -> None:
    # choices (52, 14): by place in the round and number of legal cards.
    left = np.zeros(4, np.int64)
    seats, played, took = np.zeros(52, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for i in range(len(rounds)):
        plays = rounds[i].plays
        replay(plays, seats, played, took)
        for seat in range(4):
            left[seat] = played[seat]
        broken = 0
        for place in range(52):
            card, seat = plays[place], seats[place]
            legal = legal_cards(left[seat], place & 3, plays[place & ~3], broken)
            choices[place, legal.bit_count()] += 1
            left[seat] &= ~(1 << card)
            broken = broken_after(broken, card, place & 3)


_estimate_all, _count_all_choices = entry(_estimate), entry(_count_choices)


def self_play(
    profiles: tuple[Tables, ...], n: int, seed: int, jobs: int, policy: str = "bis:endgame=off", others: str = ""
) -> Rounds:
    """Record ``n`` rounds of ``policy`` (a form of BIS) in all seats, or of ``others`` in seats 1 and 3.

    The result does not depend on ``jobs``, the number of threads.
    """
    seats = (n, 4)
    rounds = Rounds(
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int8),
        np.zeros(seats, np.int8),
        np.zeros(seats),
        np.zeros(seats),
        np.zeros((n, 2), np.int16),
        np.zeros((52, 14), np.int64),
    )
    players, rules = player_rows(TABLES_PLAYER, TABLES_PLAYER), Rules()
    parsed = [parse_policy(policy), parse_policy(others or policy)]
    policies, tables = policy_rows(parsed), tables_for(profiles, rules, parsed)

    def play(first: int) -> NDArray[np.int64]:
        last = min(first + BATCH, n)
        batch, choices = Batch(rules, np.arange(first, last)), np.zeros((52, 14), np.int64)
        batch.deal(seed, players)
        batch.bid(policies, tables, np.tile(np.array([0, 1, 0, 1]), (last - first, 1)))
        batch.finish()
        own, made = slice(first, last), batch.rounds
        rounds.hands[own], rounds.bids[own], rounds.taken[own] = made["hands"], made["bids"], made["tricks"]
        rounds.points[own] = made["points"][:, :2]
        _estimate_all(made, rules, policies, tables, rounds.estimates[own], rounds.p_nil[own])
        _count_all_choices(made, choices)
        return choices

    with ThreadPoolExecutor(jobs) as pool:
        for choices in pool.map(play, range(0, n, BATCH)):
            rounds.choices[:] += choices
    return rounds


def third_seat_nils(
    profiles: tuple[Tables, ...],
    n: int,
    seed: int,
    jobs: int,
    partner: str = TABLES_PLAYER,
    opponents: str = TABLES_PLAYER,
) -> NDArray[np.int64]:
    """Return the nils of the third seat after each of `SEQUENCES` in ``n`` deals, int64 (3, BINS, 2).

    The axes are sequence, nil value, and all nils or nils made. The third seat bids nil unless a rule excludes it, and
    plays SRP. The others bid `bis:endgame=off`.
    """
    players = np.array([player_rows(player, player)[0] for player in (partner, opponents, TABLES_PLAYER, opponents)])
    policy, rules = parse_policy("bis:endgame=off"), Rules()
    policies, tables = policy_rows([policy]), tables_for(profiles, rules, [policy])

    def play(first: int) -> NDArray[np.int64]:
        counts = np.zeros((len(SEQUENCES), BINS, 2), np.int64)
        batch = Batch(rules, np.arange(first, min(first + BATCH, n)))
        third, bidders = np.full(len(batch.rounds), 2), np.array([0, 0, NO_ANSWER, 0])
        bidders = np.tile(bidders, (len(third), 1))
        batch.deal(seed, players)
        batch.bid(policies, tables, bidders)
        values, open_to = nil_values(batch.rounds, third, rules, policy, tables)
        before = batch.rounds["bids"][:, :2]
        found = np.stack([(before == wanted).all(axis=1) & open_to for wanted in SEQUENCES])
        batch.drop(np.asarray(~found.any(axis=0)))
        batch.bid(policies, tables, bidders, np.where(batch.active, 0, NO_ANSWER))
        batch.finish()
        for row, own in enumerate(found):
            made = batch.rounds["tricks"][own, 2] == 0
            count_nils(counts, np.full(len(made), row), values[own], made)
        return counts

    with ThreadPoolExecutor(jobs) as pool:
        total: NDArray[np.int64] = np.sum(list(pool.map(play, range(0, n, BATCH))), axis=0)
    return total
