"""The public bots by name and number, and the bid of any of them, as a kernel."""

from arena.engine.choose_bid import auction_at, standing_at
from arena.public.cards_with_cats import cards_with_cats
from arena.public.jus144tice import jus144tice
from arena.public.trickster import trickster
from spades.legal import allowed_bids, nearest_allowed
from spades.play import PlayState
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
    return nearest_allowed(bid, 1, allowed_bids(hand, auction.partner_bid, rules))
