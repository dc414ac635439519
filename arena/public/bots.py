"""The public bots by name and number, and the bids of any of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import auction_at, standing_at
from arena.engine.jit import entry, register
from arena.engine.rounds import Ints
from arena.public.cards_with_cats import cards_with_cats
from arena.public.jus144tice import jus144tice
from arena.public.trickster import trickster
from spades.legal import nearest_allowed
from spades.play import PlayState
from spades.position import allowed_at_turn
from spades.rules import Rules

TRICKSTER, CARDS_WITH_CATS, JUS144TICE = range(3)
BOTS = ("trickster", "cards_with_cats", "jus144tice")  # by number


def public_bid(bot: int, state: PlayState, seat: int, rules: Rules) -> int:
    """Return the bid of the bot with number ``bot``. A bid that the rules forbid becomes the nearest allowed number."""
    hand, auction = state.hand[seat], auction_at(state, seat)
    if bot == TRICKSTER:
        bid = trickster(hand, auction, rules)
    elif bot == CARDS_WITH_CATS:
        bid = cards_with_cats(hand, auction)
    else:
        bid = jus144tice(hand, auction, standing_at(state, seat), rules)
    return nearest_allowed(bid, 1, allowed_at_turn(hand, auction, rules))


register(__name__)


def _public_bids(bot: int, states: Any, rows: Any, seats: Any, rules: Rules, bids: Any) -> None:
    for i in range(len(rows)):
        bids[i] = public_bid(bot, states[rows[i]], seats[i], rules)


_public_bids_all = entry(_public_bids)


def public_bids(bot: int, states: NDArray[np.void], rows: Ints, seats: Ints, rules: Rules) -> Ints:
    """Return the bids (n,) of the bot with number ``bot`` in the states ``rows`` (n,), from ``seats`` (n,)."""
    bids = np.zeros(len(rows), np.int64)
    _public_bids_all(bot, states, rows, seats, rules, bids)
    return bids
