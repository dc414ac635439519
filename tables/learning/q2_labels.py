"""What `q@2` learns from, as a compiled loop: positions in which every action is played out with the cards as dealt.

A policy bids the round, at a score from a whole game, and SRP 3 plays it up to a random decision. In half of the deals
one card in ten is random, so that the net also sees positions that good players avoid. Rounds with a nil are more
frequent than in games, because they are harder to play. Then each action is tried, and the same players finish the
round. The action's value is the win probability after the round.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine import rounds
from arena.engine.bidding import bid_seat, noisy_bid
from arena.engine.choose_bid import auction_at, policy_at
from arena.engine.deal import below, deal_round, seat_players, uniform
from arena.engine.jit import entry
from arena.engine.results import win_probability_after_round
from arena.engine.simulate import policy_rows, tables_for
from arena.engine.states import STATE, copy_state
from arena.engine.winprob import slice_of
from arena.games import Lineup
from arena.players.decisions import finish_play, play_to_decision
from arena.players.q2 import INPUTS, Bits
from spades.cards import lowest
from spades.legal import allowed_bids
from spades.play import play_card
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables
from spades.winprob import win_array

MOST_ACTIONS = 14  # bids from nil to 13; there are at most 13 cards
NONE = -1  # fills a row of actions after the last one
AUCTIONS = 0.2  # share of the positions drawn in which a bid is decided
NOISE = 0.05  # share of earlier number bids that are moved up or down by one
RANDOM = 0.1  # share of random cards in half of the deals
QUIET = 0.5  # share of the rounds without a nil that are left out when a card is decided
TARGET_UNIT = 1e-2  # a stored target of 1 is this many hundredths of a win, so 0.0001 of a win probability
Batch: TypeAlias = tuple[Bits, NDArray[np.int8], NDArray[np.int16]]  # inputs, actions and targets of `q2_training`
LAST_PLAY = 48  # the last trick has nothing to decide


class Labels(NamedTuple):
    """n positions, with the value of each action."""

    states: Any  # (n,) of STATE
    seats: Any  # int64 (n,): who decides
    actions: Any  # int8 (n, MOST_ACTIONS): bids if not all seats have bid, otherwise cards; then NONE
    values: Any  # float32 (n, MOST_ACTIONS): win probability of the seat's side after the round


def unpacked(inputs: Bits) -> Bits:
    """Return the inputs (n, INPUTS), 0 or 1, from rows of packed bits."""
    return np.unpackbits(inputs, axis=1, count=INPUTS)


def _labels(
    states: Any,
    seed: int,
    first: int,
    rules: Rules,
    policies: Any,
    players: Any,
    profiles: Any,
    scores: Any,
    made: Labels,
) -> None:
    # states (2,): working memory. policies: rows, by seat. scores (m, 4), used in turn: points and bags of the side of
    # seat 0, then of the other. A position with fewer than two actions gets none.
    state, sim = states[0], states[1]
    win_slice = slice_of(rules, profiles)
    win = win_array(win_slice, profiles)
    for i in range(len(made.seats)):
        number = first + i
        deal_round(state, seed, number, 0)
        before = scores[number % len(scores)]
        for side in range(2):
            state.score[side] = before[2 * side]
            state.bags[side] = before[2 * side + 1]
        seat_players(state, players)
        in_auction = uniform(state) < AUCTIONS
        stop = below(state, 4) if in_auction else below(state, LAST_PLAY)
        randomly = RANDOM if below(state, 2) == 1 else 0.0
        for other in range(stop if in_auction else 4):
            bid = bid_seat(state, other, rules, policy_at(policies, other), profiles)
            state.bid[other] = noisy_bid(state, other, bid, rules, NOISE)
        seat = stop if in_auction else 0
        actions = 0
        if in_auction:
            actions = allowed_bids(state.hand[seat], auction_at(state, seat).partner_bid, rules)
        elif state.bid[0] * state.bid[1] * state.bid[2] * state.bid[3] == 0 or uniform(state) >= QUIET:
            seat, actions = play_to_decision(state, stop, randomly)
        made.seats[i] = seat
        copy_state(state, made.states[i])
        for k in range(MOST_ACTIONS):
            made.actions[i, k] = NONE
        if actions & (actions - 1) == 0:
            continue
        k = 0
        while actions:
            action = lowest(actions)
            actions &= actions - 1
            copy_state(state, sim)
            if in_auction:
                sim.bid[seat] = action
                for other in range(seat + 1, 4):
                    sim.bid[other] = bid_seat(sim, other, rules, policy_at(policies, other), profiles)
            else:
                play_card(sim, seat, action)
            finish_play(sim)
            made.actions[i, k] = action
            made.values[i, k] = win_probability_after_round(sim, seat, rules, win_slice, win)
            k += 1


_loop = entry(_labels)


def labels(
    seed: int, first: int, n: int, rules: Rules, lineup: Lineup, profiles: tuple[Tables, ...], scores: NDArray[np.int64]
) -> Labels:
    """Return ``n`` positions, from the deals with numbers ``first`` to ``first + n - 1``.

    ``profiles``: `Tables` by profile, with the win table of ``rules``; ``scores`` (m, 4): scores before rounds, with
    columns as in `tables.counts.scores_of_games`. The rules must have no pass.
    """
    assert rules.nil_pass == rules.blind_nil_pass == 0, "no cards are passed in these rounds"
    made = Labels(
        np.zeros(n, STATE),
        np.zeros(n, np.int64),
        np.full((n, MOST_ACTIONS), NONE, np.int8),
        np.zeros((n, MOST_ACTIONS), np.float32),
    )
    read = tables_for(profiles, rules, [*lineup.policies, parse_policy("winprob", rules.variant)])
    states = rounds.Batch(rules, np.zeros(2, np.int64)).states
    rows = policy_rows(lineup.policies)
    _loop(states, seed & 0x7FFFFFFF, first, rules, rows, lineup.players, read, scores, made)
    return made
