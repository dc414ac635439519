"""SRP, the strong rule-based player (ECAI 2020, section 5.1 and appendix D): choose the module that plays a card.

A live nil, one that can still be made, comes first: the seat's own, then partner's, then an opponent's. Otherwise the
side's goal decides between taking and losing tricks. A seat plays with the pieces of its version that are also set in
`PlayState.pieces`.
"""

from spades.bis.estimates import spade_tricks_against
from spades.cards import FIRST_SPADE, SPADE_BITS, highest, lowest, spades_of
from spades.play.srp.follow import follow_for_tricks, may_ruff
from spades.play.srp.goals import (
    ACES_KEPT,
    ATTACK,
    ATTACK_STAKES,
    COVER,
    FITTED_LEADS,
    HIGH_WINNING,
    LEADS,
    NIL_CAUGHT,
    NIL_PLAY,
    POSITION,
    STAKES,
    SURE_AFTER,
    contract_at_stake,
    must_set,
    needs_after,
    nil_at_stake,
    pieces_in_use,
    wants_tricks,
    wins_by_contract,
)
from spades.play.srp.leads import NO_NIL_LIVE, best_lead, lead_for_tricks, lead_situation
from spades.play.srp.nils import NOTHING, attack_card, cover_card, nil_card
from spades.play.state import PlayState
from spades.play.tricks import (
    duck,
    highest_rank,
    least_winning_lead,
    legal_cards,
    lowest_rank,
    nil_alive,
    suit_mask,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
    without_bosses,
)

STAKES_SLACK = 3  # attack no nil that is worth less than our contract if our side can lose fewer tricks than this
ACES_SLACK = 4  # discard no boss if the side can lose fewer tricks than this
HOME_SLACK = 4  # if our contract wins the game, attack a nil only if our side can still lose this many tricks


def srp1(state: PlayState, me: int) -> int:
    """Return the card that SRP 1, the player of ECAI 2020, plays from seat ``me``."""
    return srp_card(state, me, 1)


def srp3(state: PlayState, me: int) -> int:
    """Return the card that SRP 3 plays from seat ``me``. It adds nine pieces to SRP 1, and reads no high-low signals.

    No version of SRP sends the signal (ECAI 2020, appendix D.3). A high card before a lower one of the same suit
    usually has another reason: 17 of 100 come from a doubleton. SRP 3 leads for partner's ruff only in suits that
    partner has shown to be out of.
    """
    return srp_card(state, me, 3)


def srp4(state: PlayState, me: int) -> int:
    """Return the card that SRP 4 plays from seat ``me``.

    It adds fourteen pieces to SRP 3, each for a fault that good players would not make (docs/reference/policies.md,
    "Card players"). Two win most: leads with fitted values (`best_lead`), and cards that beat the card on the table.
    """
    return srp_card(state, me, 4)


def srp_card(state: PlayState, me: int, version: int) -> int:
    """Return the card that ``version`` (1, 3 or 4) of SRP plays from seat ``me``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    pieces = pieces_in_use(state, me, version)
    unseen = unseen_cards(state, me)
    partner = (me + 2) & 3
    if nil_alive(state, me):
        if pieces & NIL_PLAY:
            return nil_card(state, hand, legal, unseen)
        return duck(state, legal) if state.trick_size else least_winning_lead(legal, unseen)
    fitted = state.trick_size == 0 and pieces & FITTED_LEADS
    if fitted and lead_situation(state, me) != NO_NIL_LIVE:
        return best_lead(state, me, legal, unseen)
    if pieces & COVER and nil_alive(state, partner):
        card = cover_card(state, me, hand, legal, unseen, pieces)
        if card != NOTHING:
            return card
    for step in range(1, 4, 2):
        nil_seat = (me + step) & 3
        if nil_alive(state, nil_seat) and attack_pays(state, me, nil_seat, pieces):
            card = attack_card(state, me, nil_seat, hand, legal, unseen, pieces)
            if card != NOTHING:
                return card
    if not plays_for_tricks(state, me, hand, legal, unseen, pieces):
        return losing_card(state, me, hand, legal, unseen, pieces)
    if fitted:
        return best_lead(state, me, legal, unseen)
    if state.trick_size == 0:
        return lead_for_tricks(state, me, hand, legal, unseen, pieces) if pieces & LEADS else lowest_rank(legal)
    if pieces & POSITION:
        return follow_for_tricks(state, me, hand, legal, unseen, pieces)
    winners = winning_cards(state, legal)
    return lowest(winners) if winners and state.winner != partner else lowest_rank(legal)


def plays_for_tricks(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> bool:
    """Return whether the seat tries to win this trick, if no live nil decides."""
    if wants_tricks(state, me, unseen, pieces):
        return True
    card = losing_card(state, me, hand, legal, unseen, pieces)
    return bool(pieces & SURE_AFTER and needs_after(state, me, card, unseen))


def losing_card(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the card of a seat that does not want tricks."""
    partner = (me + 2) & 3
    if state.trick_size == 0:
        return least_winning_lead(legal, unseen)
    losers = legal & ~winning_cards(state, legal)
    if state.winner == partner and state.trick_size == 3:
        # Our side takes this trick in any case, so play the highest card, unless it is a spade that may win another
        # trick that the side needs.
        spade = highest(legal) >= FIRST_SPADE
        if pieces & ACES_KEPT and losers and spade and 1 < tricks_needed(state, me) <= tricks_left(state):
            return lowest_rank(losers)
        return highest(legal)
    led = suit_mask(state.trick[0] >> 4)
    if pieces & COVER and nil_alive(state, partner) and legal & led and losers:
        return lowest(losers)  # keep the high cards to cover partner's nil
    if pieces & ACES_KEPT and losers and not legal & led:
        need = tricks_needed(state, me)
        sure = spade_tricks_against(spades_of(hand), spades_of(unseen))
        others = without_bosses(losers, unseen) & ~SPADE_BITS
        if sure < need <= tricks_left(state) < need + ACES_SLACK and others:
            return highest_rank(others)  # the side still needs tricks, and a boss may win one
    if pieces & HIGH_WINNING and not losers and state.trick_size == 2 and not may_ruff(state, (me + 1) & 3, unseen):
        return highest(legal)
    return duck(state, legal)


def attack_pays(state: PlayState, me: int, nil_seat: int, pieces: int) -> bool:
    """Return whether an attack on the nil of ``nil_seat``, an opponent, is worthwhile.

    It is not worthwhile in two cases: our side needs every trick, and the nil would not win the game for the
    opponents; or our contract wins the game and can lose few tricks. SRP 4 adds three rules. A nil that already wins
    the last card of a trick is left to fail, unless our contract is worth more. A side whose contract has failed
    attacks. A contract that is worth more than the nil comes first if it can lose few tricks.
    """
    need = tricks_needed(state, me)
    left = tricks_left(state)
    if not pieces & ATTACK:
        return False
    if pieces & STAKES:
        failed = pieces & ATTACK_STAKES and need > left
        if 0 < need > left - HOME_SLACK and wins_by_contract(state, me) and not failed:
            return False
        if need >= left and must_set(state, me):
            return True
    if pieces & NIL_CAUGHT and state.trick_size == 3 and state.winner == nil_seat:
        return need <= 0 or need > left or contract_at_stake(state, me) <= nil_at_stake(state, nil_seat)
    if pieces & ATTACK_STAKES:
        if need > left:
            return True  # our contract has failed already
        if 0 < need > left - STAKES_SLACK and contract_at_stake(state, me) > nil_at_stake(state, nil_seat):
            return False
    return need < left
