"""Touching cards, as kernels: cards of one hand and suit with no card of another player between them.

A card of the current trick counts as lying between; a card of an earlier trick does not. All touching cards are worth
the same, so a search tries only one.
"""

from arena.engine.jit import register
from spades.play import PlayState, suit_mask, unseen_cards


def cards_between(state: PlayState, seat: int) -> int:
    """Return the unseen cards and those of the current trick: only these can lie between two cards of ``seat``."""
    found: int = unseen_cards(state, seat)
    for i in range(state.trick_size):
        found |= 1 << state.trick[i]
    return found


def group_of(card: int, cards: int, others: int) -> int:
    """Return ``card`` and those higher ``cards`` of its suit that touch it, as a bit mask. Lower ones are not included.

    ``cards``: cards of one hand; ``others``: the cards that can lie between them (`cards_between`).
    """
    suit = suit_mask(card >> 4)
    above = others & suit & ~((2 << card) - 1)
    reach = (above & -above) - 1 if above else suit
    return cards & suit & reach & ~((1 << card) - 1)


register(__name__)
