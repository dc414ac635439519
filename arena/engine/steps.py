"""Many rounds at once: one decision in each, then the next, so that a net decides for all rounds in one call.

``states`` are arrays (n,) of dtype `arena.engine.states.STATE`. The compiled functions change them in place.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import auction_at
from arena.engine.deal import deal_round, write_pass_rules
from arena.engine.game import score_of_side
from arena.engine.jit import entry
from arena.engine.states import STATE
from arena.players.touching import distinct_cards
from spades.legal import allowed_bids, deck_of
from spades.play import legal_cards, play_card, write_rules, written_rules
from spades.rules import Rules

Ints = NDArray[np.int64]


def _deal(states: Any, seed: int, first: int, rules: Rules) -> None:
    for i in range(len(states)):
        write_rules(states[i], rules)
        write_pass_rules(states[i], rules)
        deal_round(states[i], seed, first + i, 0)


def _legal(states: Any, seats: Any, found: Any) -> None:
    for i in range(len(states)):
        state = states[i]
        found[i] = legal_cards(state.hand[seats[i]], state.trick_size, state.trick[0], state.broken)


def _allowed(states: Any, seats: Any, found: Any) -> None:
    for i in range(len(states)):
        state, seat = states[i], seats[i]
        found[i] = allowed_bids(state.hand[seat], auction_at(state, seat).partner_bid, written_rules(state))


def _distinct(states: Any, seats: Any, found: Any) -> None:
    for i in range(len(states)):
        found[i] = distinct_cards(states[i], seats[i])


def _points(states: Any, rules: Rules, found: Any) -> None:
    for i in range(len(states)):
        for side in range(2):
            found[i, side] = score_of_side(states[i], side, states[i].bags[side], rules)[0]


def _play(states: Any, seats: Any, cards: Any) -> None:
    for i in range(len(states)):
        play_card(states[i], seats[i], cards[i])


_deal_all, _allowed_of_all, _legal_of_all = entry(_deal), entry(_allowed), entry(_legal)
_distinct_of_all, _points_of_all, play_cards = entry(_distinct), entry(_points), entry(_play)


def deal_rounds(seed: int, first: int, n: int, rules: Rules) -> NDArray[np.void]:
    """Return states (n,) with the deals ``first`` to ``first + n - 1``; nobody has bid."""
    states = np.zeros(n, STATE)
    states["deck"] = np.uint64(deck_of(rules)).astype(np.int64)
    _deal_all(states, seed, first, rules)
    return states


def to_play(states: NDArray[np.void]) -> Ints:
    """Return the seat (n,) that plays next in each state."""
    seats: Ints = states["leader"] + states["trick_size"] & 3
    return seats


def allowed_masks(states: NDArray[np.void], seats: Ints) -> Ints:
    """Return the bids (n,) that the rules allow ``seats`` (n,), as bit masks."""
    found = np.zeros(len(states), np.int64)
    _allowed_of_all(states, seats, found)
    return found


def legal_masks(states: NDArray[np.void], seats: Ints, distinct: bool = False) -> Ints:
    """Return the legal cards (n,) of ``seats`` (n,) as bit masks.

    ``distinct``: leave out all touching cards but the lowest (`arena.players.touching`).
    """
    found = np.zeros(len(states), np.int64)
    (_distinct_of_all if distinct else _legal_of_all)(states, seats, found)
    return found


def points_of_sides(states: NDArray[np.void], rules: Rules) -> Ints:
    """Return the points (n, 2) of finished rounds, by side, with those of the bags and their penalty."""
    found = np.zeros((len(states), 2), np.int64)
    _points_of_all(states, rules, found)
    return found
