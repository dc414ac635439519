"""SRP, the strong rule-based player (ECAI 2020, section 5.1 and appendix D): choose the module that plays a card.

A live nil, one that can still be made, comes first: the seat's own, then partner's, then an opponent's. Otherwise the
side's goal decides between taking and losing tricks. Each piece of SRP has a bit in `PlayState.pieces`. Without the
bit, the seat plays without the piece, so that one can measure how much the piece wins.
"""

from service.bidding.game.cards import highest, lowest
from service.playing.common import (
    duck,
    least_winning_lead,
    lowest_rank,
    nil_alive,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from service.playing.srp1.follow import follow_for_tricks
from service.playing.srp1.goals import (
    ATTACK,
    COVER,
    LEADS,
    NIL_PLAY,
    OPPONENTS_NIL,
    POSITION,
    WE_NIL,
    round_type,
    wants_tricks,
)
from service.playing.srp1.lead import lead_for_tricks
from service.playing.srp1.nils import NOTHING, attack_card, cover_card, nil_card
from service.playing.state import PlayState
from service.playing.tricks import legal_cards, suit_mask


def srp1(state: PlayState, me: int) -> int:
    """Return the card that SRP version 1 plays from seat ``me``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    pieces = state.pieces[me]
    unseen = unseen_cards(state, me)
    kind = round_type(state, me)
    if nil_alive(state, me):
        if pieces & NIL_PLAY:
            return nil_card(state, hand, legal, unseen)
        return duck(state, legal) if state.trick_size else least_winning_lead(legal, unseen)
    if kind >= WE_NIL and pieces & COVER and nil_alive(state, (me + 2) & 3):
        card = cover_card(state, me, hand, legal, unseen)
        if card != NOTHING:
            return card
    if kind >= OPPONENTS_NIL and pieces & ATTACK:
        for step in range(1, 4, 2):
            niler = (me + step) & 3
            if nil_alive(state, niler) and tricks_needed(state, me) < tricks_left(state):
                card = attack_card(state, me, niler, hand, legal, unseen)
                if card != NOTHING:
                    return card
    if wants_tricks(state, me, unseen):
        if state.trick_size == 0:
            return lead_for_tricks(state, me, hand, legal, unseen) if pieces & LEADS else lowest_rank(legal)
        if pieces & POSITION:
            return follow_for_tricks(state, me, hand, legal, unseen)
        winners = winning_cards(state, legal)
        if winners and state.winner != (me + 2) & 3:
            return lowest(winners)
        return lowest_rank(legal)
    if state.trick_size == 0:
        return least_winning_lead(legal, unseen)
    if state.winner == (me + 2) & 3 and state.trick_size == 3:
        # Our side takes this trick in any case, so play the highest card.
        return highest(legal)
    if pieces & COVER and nil_alive(state, (me + 2) & 3) and legal & suit_mask(state.trick[0] >> 4):
        losers = legal & ~winning_cards(state, legal)
        if losers:
            return lowest(losers)  # keep the high cards to cover partner's nil
    return duck(state, legal)
