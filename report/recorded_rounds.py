"""Recorded rounds of self-play, and nils in third seat: data that the result of a match does not hold.

Every round starts at 0:0 without bags under the goals of `rules`. A deal depends only on the seed and its number. The
modules `distributions`, `kinds`, `conventions` and `fitted` count and present the data.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import auction_at
from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import bid_seat, play_out, score_of_side
from arena.engine.jit import round_loop
from arena.engine.simulate import numba_typed, player_rows
from arena.players.choose_card import choose_card
from arena.players.names import TABLES_PLAYER
from spades.bis import GRID, NOT_RULED_OUT, NilTerms, bis, consider_nil
from spades.cards import suits_of
from spades.legal import EVERY_BID, allowed_bids
from spades.options import RAW, Policy
from spades.play import PlayState, legal_cards, play_card, write_rules
from spades.policies import parse_policy
from spades.rules import Rules
from spades.scoring import START
from spades.tables import PARTNERSHIP_PROFILE, Tables, profile_of

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


def _record_rounds(
    states: list[PlayState], deals: Deals, rules: Rules, policies: Any, players: Any, profiles: Any, rounds: Rounds
) -> None:
    # policies: the policy of each side, that of seat 0 first.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, players)
        for seat in range(4):
            policy = policies[seat & 1]
            t = profiles[profile_of(rules, policy, START)]
            hand, auction = state.hand[seat], auction_at(state, seat)
            allowed = allowed_bids(hand, auction.partner_bid, rules)
            made = bis(hand, auction, START, allowed, rules, policy, t)
            state.bid[seat] = made.bid
            rounds.hands[number, seat] = hand
            rounds.bids[number, seat] = made.bid
            rounds.estimates[number, seat] = made.regular.estimate
            rounds.p_nil[number, seat] = made.nil.probability
        for place in range(52):
            seat = (state.leader + state.trick_size) & 3
            rounds.choices[
                place, legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken).bit_count()
            ] += 1
            play_card(state, seat, choose_card(state, seat))
        for seat in range(4):
            rounds.taken[number, seat] = state.taken[seat]
        for side in range(2):
            rounds.points[number, side], _ = score_of_side(state, side, 0, rules)


def _third_seat_nils(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    policy: Policy,
    players: Any,
    profiles: Any,
    wanted: Any,
    counts: Any,
) -> None:
    # wanted (n, 2): bids of seats 0 and 1. counts (n, BINS, 2): nils of seat 2 by nil value, all and made.
    state = prepare_state(states, rules)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, players)
        state.bid[0] = bid_seat(state, 0, rules, policy, profiles)
        state.bid[1] = bid_seat(state, 1, rules, policy, profiles)
        row = -1
        for i in range(len(wanted)):
            if state.bid[0] == wanted[i, 0] and state.bid[1] == wanted[i, 1]:
                row = i
        if row < 0:
            continue
        terms = NilTerms(0.0, RAW, 0, 1, 0)
        nil = consider_nil(
            suits_of(state.hand[2]), auction_at(state, 2), terms, EVERY_BID, rules, profiles[PARTNERSHIP_PROFILE]
        )
        if nil.ruled_out != NOT_RULED_OUT:
            continue
        state.bid[2] = 0
        state.bid[3] = bid_seat(state, 3, rules, policy, profiles)
        play_out(state)
        cell = int(nil.value * GRID)
        counts[row, cell, 0] += 1
        counts[row, cell, 1] += 1 if state.taken[2] == 0 else 0


record_rounds = round_loop(_record_rounds)
count_third_seat_nils = round_loop(_third_seat_nils)


def _spans(n: int, jobs: int) -> list[tuple[int, int]]:
    return [(n * i // jobs, n * (i + 1) // jobs) for i in range(jobs)]


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
    players = player_rows(TABLES_PLAYER, TABLES_PLAYER)
    policies = numba_typed(parse_policy(policy)), numba_typed(parse_policy(others or policy))

    def play(span: tuple[int, int]) -> NDArray[np.int64]:
        choices = np.zeros((52, 14), np.int64)
        record_rounds(seed, *span, Rules(), policies, players, profiles, rounds._replace(choices=choices))
        return choices

    with ThreadPoolExecutor(jobs) as pool:
        for choices in pool.map(play, _spans(n, jobs)):
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
    wanted = np.array(SEQUENCES, np.int64)
    players = np.array([player_rows(player, player)[0] for player in (partner, opponents, TABLES_PLAYER, opponents)])

    def play(span: tuple[int, int]) -> NDArray[np.int64]:
        counts = np.zeros((len(SEQUENCES), BINS, 2), np.int64)
        policy = numba_typed(parse_policy("bis:endgame=off"))
        count_third_seat_nils(seed, *span, Rules(), policy, players, profiles, wanted, counts)
        return counts

    with ThreadPoolExecutor(jobs) as pool:
        total: NDArray[np.int64] = np.sum(list(pool.map(play, _spans(n, jobs))), axis=0)
    return total
