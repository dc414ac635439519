"""Deals in which players bid and no card is played, at scores from rounds of whole games."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals, below, deal_round, prepare_state
from arena.engine.game import bid_seat
from arena.engine.jit import round_loop
from arena.engine.simulate import numba_typed, tables_for
from spades.options import Policy
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables


class BidDeals(NamedTuple):
    """Deals and the bids made with them."""

    hands: Any  # int64 (n, 4), by seat
    bids: Any  # int8 (n, 4)
    scores: Any  # int16 (n, 4): points and bags of the first bidder's side, then of the other


def _bid_deals(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, profiles: Any, scores: Any, made: BidDeals
) -> None:
    # scores (m, 4): for each deal a random row is drawn; columns as in `BidDeals.scores`.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    for number in range(deals.first, deals.last):
        i = number - deals.first
        deal_round(state, deals.seed, number, 0)
        row = below(state, len(scores))
        for side in range(2):
            state.score[side], state.bags[side] = scores[row, 2 * side], scores[row, 2 * side + 1]
        for cell in range(4):
            made.scores[i, cell] = scores[row, cell]
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
            made.hands[i, seat] = state.hand[seat]
            made.bids[i, seat] = state.bid[seat]


_loop = round_loop(_bid_deals)


def bid_deals(
    seed: int, first: int, n: int, rules: Rules, bidder: str, profiles: tuple[Tables, ...], scores: NDArray[np.int64]
) -> BidDeals:
    """Return the deals with numbers ``first`` to ``first + n - 1``, each bid at a random row of ``scores`` (m, 4).

    ``bidder``: policy text of all four seats; ``profiles``: `Tables` by profile; the columns of ``scores`` are those of
    `BidDeals.scores`. Raises `PolicyError` for an unknown policy.
    """
    policy = numba_typed(parse_policy(bidder, rules.variant))
    made = BidDeals(np.zeros((n, 4), np.int64), np.zeros((n, 4), np.int8), np.zeros((n, 4), np.int16))
    _loop(seed & 0x7FFFFFFF, first, first + n, rules, policy, tables_for(profiles, rules, [policy]), scores, made)
    return made
