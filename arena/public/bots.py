"""The public bots by name and number, and the bids of any of them."""

from typing import Any

import numpy as np

from arena.engine.choose_bid import auction_at, standing_at
from arena.engine.jit import entry, register
from arena.engine.rounds import Ints
from arena.public.cards_with_cats import cards_with_cats
from arena.public.jus144tice import jus144tice
from arena.public.trickster import trickster
from arena.questions import Answering, Asked
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


class PublicBot(Answering):
    """The public bot with number ``bot``, as an agent."""

    def __init__(self, bot: int) -> None:
        self._bot = bot

    def answers(self, asked: Asked) -> Ints:
        """Return the bids; see `Answering`."""
        bids = np.zeros(len(asked.rows), np.int64)
        _public_bids_all(self._bot, asked.all_states, asked.rows, asked.seats, asked.rules, bids)
        return bids
