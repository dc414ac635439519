"""SRP version 2: choose the module that plays a card. It is `srp1.srp` with the pieces of `srp2.goals`.

`srp_card` plays for every version from 2 on. The versions differ in the signals that they read.

A live nil, one that can still be made, comes first: the seat's own, then partner's, then an opponent's. Otherwise the
side's goal decides between taking and losing tricks. A seat plays with those new pieces whose bits are set in
`PlayState.pieces`.
"""

from service.bidding.game.cards import highest, lowest
from service.playing.common import (
    duck,
    least_winning_lead,
    nil_alive,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from service.playing.srp1.nils import NOTHING, nil_card
from service.playing.srp2.follow import follow_for_tricks
from service.playing.srp2.goals import STAKES, must_set, pieces_in_use, wants_tricks, wins_by_contract
from service.playing.srp2.lead import lead_for_tricks
from service.playing.srp2.nils import attack_card, cover_card
from service.playing.state import PlayState
from service.playing.tricks import legal_cards, suit_mask

HOME_SLACK = 4  # if our contract wins the game, attack a nil only if our side can still lose this many tricks


def srp2(state: PlayState, me: int) -> int:
    """Return the card that SRP 2 plays from seat ``me``. It believes every high-low signal of its partner."""
    return srp_card(state, me, state.signalled[(me + 2) & 3])


def srp_card(state: PlayState, me: int, signalled: int) -> int:
    """Return the card that SRP plays from seat ``me``.

    ``signalled`` is a bit mask of the suits that partner is believed to be out of because of a signal.
    """
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    unseen = unseen_cards(state, me)
    partner = (me + 2) & 3
    if nil_alive(state, me):
        return nil_card(state, hand, legal, unseen)
    covers = nil_alive(state, partner)
    if covers:
        card = cover_card(state, me, hand, legal, unseen)
        if card != NOTHING:
            return card
    for step in range(1, 4, 2):
        niler = (me + step) & 3
        if nil_alive(state, niler) and attack_pays(state, me):
            card = attack_card(state, me, niler, hand, legal, unseen)
            if card != NOTHING:
                return card
    if wants_tricks(state, me, unseen):
        if state.trick_size == 0:
            return lead_for_tricks(state, me, hand, legal, unseen, signalled)
        return follow_for_tricks(state, me, hand, legal, unseen)
    if state.trick_size == 0:
        return least_winning_lead(legal, unseen)
    if state.winner == partner and state.trick_size == 3:
        # Our side takes this trick in any case, so play the highest card.
        return highest(legal)
    if covers and legal & suit_mask(state.trick[0] >> 4):
        losers = legal & ~winning_cards(state, legal)
        if losers:
            return lowest(losers)  # keep the high cards to cover partner's nil
    return duck(state, legal)


def attack_pays(state: PlayState, me: int) -> bool:
    """Return whether an attack on an opponent's nil is worthwhile.

    It is not worthwhile in two cases: our side needs every trick, and the nil would not win the game for the
    opponents; or our contract wins the game and can lose few tricks.
    """
    need = tricks_needed(state, me)
    left = tricks_left(state)
    if pieces_in_use(state, me) & STAKES:
        if 0 < need > left - HOME_SLACK and wins_by_contract(state, me):
            return False
        if need >= left and must_set(state, me):
            return True
    return need < left
