"""WRP, the weak rule-based player (ECAI 2020, section 5.1), as one kernel.

WRP wins tricks as cheaply as possible until its side's contract is made. After that it tries to lose them. It covers
partner's nil and attacks an opponent's nil only in the current trick. It does not count cards, signal or plan ahead.
"""

from spades.cards import highest, lowest
from spades.legal import is_nil
from spades.play.state import PlayState
from spades.play.tricks import (
    duck,
    least_winning_lead,
    legal_cards,
    lowest_rank,
    nil_alive,
    plays_after,
    suit_mask,
    tricks_needed,
    winning_cards,
)


def wrp_card(state: PlayState, me: int) -> int:
    """Return the card that WRP plays from seat ``me``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    partner = (me + 2) & 3
    wants = tricks_needed(state, me) > 0 and not (is_nil(state.bid[me]) and state.taken[me] == 0)
    covers = nil_alive(state, partner)
    if state.trick_size == 0:
        if covers and wants:
            return highest(legal)
        if wants:
            return _highest_lead(legal)
        return least_winning_lead(legal, state.deck & ~hand)
    winner = state.winner
    if nil_alive(state, me):
        return duck(state, legal)
    winners = winning_cards(state, legal)
    if covers and winners:
        if winner == partner:
            return lowest(winners)
        if plays_after(state, me, partner):
            return highest(winners)
    if winner == partner:
        if wants:
            return lowest_rank(legal & ~winners) if legal & ~winners else lowest_rank(legal)
        return duck(state, legal)
    if nil_alive(state, winner) or not wants:
        return duck(state, legal)
    if winners:
        return lowest(winners)
    return lowest_rank(legal)


def _highest_lead(legal: int) -> int:
    # Return an ace or king of a side suit if there is one, otherwise the side-suit card with the lowest rank; with only
    # spades, the highest.
    best = -1
    best_rank = -1
    for suit in range(3):
        held = legal & suit_mask(suit)
        if held and highest(held) & 15 > best_rank:
            best = highest(held)
            best_rank = best & 15
    if best_rank >= 11 or best < 0:
        return best if best >= 0 else highest(legal)
    return lowest_rank(legal)
