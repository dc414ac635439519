"""SRP version 2: which module plays this card. As `srp1.srp`, with the pieces of `srp2.goals`.

A live nil comes first: one's own, partner's, the opponents'. Else the side's goal decides between playing
for tricks and leaving them. Each piece can be switched off by its bit in the state, to measure its worth.
"""

from service.bidding.game.cards import highest, lowest
from tables.engine.play import legal_cards, suit_mask
from tables.engine.play_state import PlayState
from tables.players.common import (
    duck,
    least_winning_lead,
    nil_alive,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from tables.players.srp1.nils import NOTHING, nil_card
from tables.players.srp2.follow import follow_for_tricks
from tables.players.srp2.goals import STAKES, must_set, pieces_in_use, wants_tricks, wins_by_contract
from tables.players.srp2.lead import lead_for_tricks
from tables.players.srp2.nils import attack_card, cover_card

HOME_SLACK = 4  # tricks of those left that a contract that wins the game must be able to spare, for an attack on a nil


def srp2(state: PlayState, me: int) -> int:
    """The card SRP 2 plays from seat ``me``."""
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
            return lead_for_tricks(state, me, hand, legal, unseen)
        return follow_for_tricks(state, me, hand, legal, unseen)
    if state.trick_size == 0:
        return least_winning_lead(legal, unseen)
    if state.winner == partner and state.trick_size == 3:
        # The trick is ours whoever takes it: get rid of the highest card.
        return highest(legal)
    if covers and legal & suit_mask(state.trick[0] >> 4):
        losers = legal & ~winning_cards(state, legal)
        if losers:
            return lowest(losers)  # high cards are wanted for the cover
    return duck(state, legal)


def attack_pays(state: PlayState, me: int) -> bool:
    """Whether an opponent's nil is worth an attack: not where every trick is needed, unless it wins the game for them;
    nor where our contract wins it for us and few tricks can be spared.
    """
    need = tricks_needed(state, me)
    left = tricks_left(state)
    if pieces_in_use(state, me) & STAKES:
        if 0 < need > left - HOME_SLACK and wins_by_contract(state, me):
            return False
        if need >= left and must_set(state, me):
            return True
    return need < left
