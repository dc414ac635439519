"""SOLO, a rule-based player without a partner (variant cutthroat), in two frozen versions, as kernels.

All three other players are opponents, and each plays for their own contract. A live nil, one that can still be made,
comes first: the seat's own, then an opponent's. Otherwise the goal decides between taking and losing tricks. SOLO is
made like SRP (`spades.play.srp`) and uses those parts of it that need no partner. A change of play needs a new version.
"""

from spades.bis.estimates import spade_tricks_against
from spades.cards import FIRST_SPADE, JACK, KING, SPADE_BITS, highest, lowest, spades_of
from spades.legal import contract_of, is_nil
from spades.play.srp.follow import discard
from spades.play.srp.goals import bags_cost, sum_of_contracts
from spades.play.srp.leads import holding_adjustment
from spades.play.srp.nils import NOTHING, attack_discard, attack_lead, nil_card
from spades.play.state import PlayState
from spades.play.tricks import (
    beats,
    cards_above,
    duck,
    least_winning_lead,
    legal_cards,
    lowest_equal,
    lowest_rank,
    nil_alive,
    plays_after,
    suit_mask,
    tricks_left,
    unseen_cards,
    winning_cards,
)

# ---- the goal --------------------------------------------------------------------------------------------------------

# The pieces of SOLO, as bits of `PlayState.pieces`. Each can be switched off to measure how much it wins. SOLO 2 added
# the last three.
SURE_TAKES, SETTING, BAG_DODGING, NIL_PLAY, ATTACK, POSITION, LEADS = (1 << i for i in range(7))
BEATS_TABLE, SURE_AFTER, FREE_TRICKS = (1 << i for i in range(7, 10))
SOLO_1_PIECES = BEATS_TABLE - 1  # the pieces of SOLO 1


def pieces_in_use(state: PlayState, me: int, version: int) -> int:
    """Return the pieces with which ``version`` (1 or 2) of SOLO plays from seat ``me``, as a bit mask."""
    pieces = int(state.pieces[me])
    return pieces & SOLO_1_PIECES if version == 1 else pieces


def own_need(state: PlayState, seat: int) -> int:
    """Return how many tricks ``seat`` still needs for its contract.

    The number is 0 or less if the contract is made, and 0 for a nil.
    """
    bid = state.bid[seat]
    return 0 if is_nil(bid) else int(contract_of(bid) - state.taken[seat])


def others_need(state: PlayState, me: int) -> int:
    """Return how many tricks the other three still need together.

    A player who can no longer make their contract counts 0.
    """
    left = tricks_left(state)
    total = 0
    for step in range(1, 4):
        need = own_need(state, (me + step) & 3)
        if 0 < need <= left:
            total += need
    return total


def is_safe(state: PlayState, me: int, unseen: int) -> bool:
    """Return whether the seat's contract is made or certain from spades alone, so that the seat may attack nils.

    With this rule, SOLO won 0.5 (+-0.5) percent more games than with attacks whenever the contract can still be made.
    """
    need = own_need(state, me)
    return need <= 0 or spade_tricks_against(spades_of(state.hand[me]), spades_of(unseen)) >= need


def needs_after(state: PlayState, me: int, card: int, unseen: int) -> bool:
    """Return whether the seat must win this trick, because ``card`` is one of the spades that its contract needs.

    The seat does not want tricks if its spades are certain to win those that it needs. That must still be so without
    the spade that it is about to play.
    """
    need = own_need(state, me)
    if card < FIRST_SPADE or not 0 < need <= tricks_left(state):
        return False
    wins = 1 if state.trick_size == 3 and beats(card, state.best_card) else 0
    left = spades_of(state.hand[me] & ~(1 << card))
    return spade_tricks_against(left, spades_of(unseen)) < need - wins


def wants_tricks(state: PlayState, me: int, unseen: int, pieces: int) -> bool:
    """Return whether seat ``me`` plays to take tricks. Nils that can still be made are not considered."""
    need = own_need(state, me)
    left = tricks_left(state)
    free = pieces & FREE_TRICKS and not bags_cost(state)
    if 0 < need <= left:
        sure = pieces & SURE_TAKES and sum_of_contracts(state) <= 10 and not free
        return not (sure and spade_tricks_against(spades_of(state.hand[me]), spades_of(unseen)) >= need)
    if not pieces & BAG_DODGING:
        return True
    if not pieces & SETTING:
        return False
    # Our contract is made, or already failed. Another trick only helps to set an opponent who can lose few more tricks.
    theirs = others_need(state, me)
    spare = left - theirs
    if free:
        return theirs > 0
    if need > 0:  # already set: extra tricks cost nothing
        return theirs > 0 and spare <= 3
    return theirs > 0 and spare <= 0


# ---- the card --------------------------------------------------------------------------------------------------------

# Percent chance that all three opponents hold a card of a side suit, by the number of its unseen cards. Exact for full
# hands: table p_length, 3 players.
STANDS_UP = (0, 0, 0, 24, 48, 66, 79, 87, 92, 96, 97, 99, 99, 100)


def solo1(state: PlayState, me: int) -> int:
    """Return the card that SOLO 1 plays from seat ``me``."""
    return solo_card(state, me, 1)


def solo2(state: PlayState, me: int) -> int:
    """Return the card that SOLO 2 plays from seat ``me``.

    It adds three pieces to SOLO 1: it counts the cards on the table, keeps a spade that its contract needs, and takes
    tricks that cost nothing.
    """
    return solo_card(state, me, 2)


def solo_card(state: PlayState, me: int, version: int) -> int:
    """Return the card that ``version`` (1 or 2) of SOLO plays from seat ``me``."""
    hand = state.hand[me]
    legal = legal_cards(hand, state.trick_size, state.trick[0], state.broken)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    pieces = pieces_in_use(state, me, version)
    unseen = unseen_cards(state, me)
    if nil_alive(state, me):
        if pieces & NIL_PLAY:
            return nil_card(state, hand, legal, unseen)
        return duck(state, legal) if state.trick_size else least_winning_lead(legal, unseen)
    if pieces & ATTACK and is_safe(state, me, unseen):
        for step in range(1, 4):
            nil_seat = (me + step) & 3
            if nil_alive(state, nil_seat):
                card = hunt(state, me, nil_seat, hand, legal, unseen)
                if card != NOTHING:
                    return card
    if not plays_alone_for_tricks(state, me, legal, unseen, pieces):
        return losing_card_alone(state, legal, unseen)
    if state.trick_size == 0:
        return lead_for_oneself(state, me, hand, legal, unseen) if pieces & LEADS else lowest_rank(legal)
    if pieces & POSITION:
        return follow_for_oneself(state, me, hand, legal, unseen, pieces)
    winners = winning_cards(state, legal)
    return lowest(winners) if winners else lowest_rank(legal)


def plays_alone_for_tricks(state: PlayState, me: int, legal: int, unseen: int, pieces: int) -> bool:
    """Return whether the seat tries to win this trick, if no live nil decides."""
    if wants_tricks(state, me, unseen, pieces):
        return True
    return bool(pieces & SURE_AFTER and needs_after(state, me, losing_card_alone(state, legal, unseen), unseen))


def losing_card_alone(state: PlayState, legal: int, unseen: int) -> int:
    """Return the card of a seat that does not want tricks."""
    return duck(state, legal) if state.trick_size else least_winning_lead(legal, unseen)


def lead_for_oneself(state: PlayState, me: int, hand: int, legal: int, unseen: int) -> int:
    """Return the best lead of all suits for a seat that wants tricks. A lead's value is as in `srp.leads`."""
    spades = spades_of(hand)
    best = NOTHING
    best_worth = -10000
    trumps_out = 0  # opponents who may still hold a spade
    for step in range(1, 4):
        if unseen >> 48 and not state.void[((me + step) & 3)] & 8:
            trumps_out += 1
    for suit in range(3):
        held = legal & suit_mask(suit)
        if not held:
            continue
        card = highest(held)
        out = unseen & suit_mask(suit)
        n_out = out.bit_count()
        ruffed = False
        for step in range(1, 4):
            void = state.void[((me + step) & 3)]
            if unseen >> 48 and void & 1 << suit and not void & 8:
                ruffed = True
        boss = not out & cards_above(card)
        if boss:
            # Lead it while it is likely to win.
            stands = 100 if trumps_out == 0 else (5 if ruffed else STANDS_UP[n_out])
            if stands > 45:
                if stands - 10 > best_worth:
                    best_worth = stands - 10
                    best = lowest_equal(card, held, unseen)
                continue
        worth = 20 + n_out - (30 if ruffed else 0)
        worth += holding_adjustment(held, boss, spades, ruffed)
        if worth > best_worth:
            best_worth = worth
            best = lowest(held)
    held = legal & suit_mask(3)
    if held:
        card = highest(held)
        n = held.bit_count()
        out = spades_of(unseen)
        if not unseen & cards_above(card):
            worth = 30
            if trumps_out and n >= 3 and out.bit_count() <= 2 * n:
                worth = 60  # draw the opponents' trumps, so that side-suit bosses and long spades win
            if out == 0:
                worth = 50
        else:
            worth = 4 if n < 5 else 25
            card = lowest(held)
        if worth > best_worth:
            best = lowest_equal(card, held, unseen)
    return best


def follow_for_oneself(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the card to follow with when the seat wants the trick."""
    led = state.trick[0] >> 4
    winners = winning_cards(state, legal)
    last = state.trick_size == 3
    if legal & suit_mask(led):
        if not winners:
            return lowest(legal)
        if last:
            return lowest(winners)
        top = highest(winners)
        covers_honour = led < 3 and top & 15 == KING and state.best_card & 15 >= JACK
        if state.trick_size == 2 or covers_honour or not unseen & cards_above(top):
            return lowest_equal(top, winners if pieces & BEATS_TABLE else legal, unseen)
        return lowest(legal)
    if not winners:
        return discard(hand, legal, unseen)
    if not last and state.best_card < FIRST_SPADE:
        for step in range(1, 4 - state.trick_size):
            void = state.void[((me + step) & 3)]
            if void & 1 << led and not void & 8:  # a later player may ruff higher
                return lowest_equal(highest(winners), winners, unseen)
    return lowest(winners)


def hunt(state: PlayState, me: int, nil_seat: int, hand: int, legal: int, unseen: int) -> int:
    """Return the card that attacks the live nil of seat ``nil_seat``, or NOTHING if this trick cannot hurt it."""
    if state.trick_size == 0:
        return attack_lead(state, nil_seat, nil_seat, legal, unseen)
    led = state.trick[0] >> 4
    if state.winner == nil_seat:
        losers = legal & ~winning_cards(state, legal)
        if not losers:
            return NOTHING  # the nil is safe in this trick
        if not losers & suit_mask(led):
            return discard(hand, losers, unseen)
        return highest(losers & suit_mask(led))
    if not plays_after(state, me, nil_seat) or state.void[nil_seat] & 1 << led:
        return NOTHING
    best = state.best_card
    if best >> 4 != led or not unseen & cards_above(best) & suit_mask(led):
        return NOTHING
    if legal & suit_mask(led):
        return lowest(legal)
    if legal & ~SPADE_BITS:
        return attack_discard(legal)
    return NOTHING
