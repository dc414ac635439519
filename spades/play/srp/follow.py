"""How SRP follows to a trick that it wants, as kernels: as second, third and fourth player, with ruffs and discards."""

from spades.cards import FIRST_SPADE, JACK, KING, QUEEN, SPADE_BITS, highest, lowest, spades_of
from spades.play.srp.goals import (
    BEATS_TABLE,
    FEW_BID,
    LOW_BESIDE_NIL,
    LOW_KEPT,
    RUFF_BEHIND,
    SECOND_RUFFS,
    UNDER_BID,
    UNDER_PARTNER,
    middle_card,
    sum_of_contracts,
)
from spades.play.state import PlayState
from spades.play.tricks import (
    cards_above,
    lowest_equal,
    nil_alive,
    suit_mask,
    tricks_left,
    tricks_needed,
    winning_cards,
)

SPADE_ACE = 60


def may_ruff(state: PlayState, seat: int, unseen: int) -> bool:
    """Return whether ``seat`` is known to be void in the suit led and may hold a spade."""
    return bool(state.void[seat] >> (state.trick[0] >> 4) & 1 and not state.void[seat] & 8 and unseen >> 48)


def follow_for_tricks(state: PlayState, me: int, hand: int, legal: int, unseen: int, pieces: int) -> int:
    """Return the card that seat ``me`` plays to a trick that it wants for its side; ``legal``: from `legal_cards`."""
    led = state.trick[0] >> 4
    lho = (me + 1) & 3
    winners = winning_cards(state, legal)
    losers = legal & ~winners
    best = state.best_card
    partner_wins = state.winner == (me + 2) & 3
    last = state.trick_size == 3
    ruff_behind = pieces & RUFF_BEHIND and state.trick_size == 1 and best < FIRST_SPADE and may_ruff(state, lho, unseen)
    attacks = nil_alive(state, lho) or nil_alive(state, (me + 3) & 3)  # an attack on a nil needs low cards
    few_bid = sum_of_contracts(state) <= (FEW_BID + 1 if attacks else FEW_BID)
    equals = winners if pieces & BEATS_TABLE else legal  # among these, the lowest card as good as the highest is played
    if legal & suit_mask(led):
        if ruff_behind and winners:
            return lowest(legal)
        loser = lowest(legal)
        beside = pieces & LOW_BESIDE_NIL and nil_alive(state, (me + 2) & 3)  # then high cards cover partner's nil
        if pieces & LOW_KEPT and few_bid and losers and not beside:
            loser = middle_card(losers, unseen)
        if not winners:
            return loser
        if last:
            if partner_wins:
                if pieces & UNDER_PARTNER and few_bid:
                    return highest(losers) if losers else highest(legal)
                return lowest(legal)
            return lowest(winners)
        top = highest(winners)
        if partner_wins:
            # We play third: beat partner's card only if an opponent may beat it with a card that ours beats.
            if not (unseen & cards_above(best)) or not (unseen & cards_above(best) & ~cards_above(top)):
                return lowest(legal)
            if not (unseen & cards_above(top)):
                return lowest_equal(top, equals, unseen)
            if (unseen & cards_above(top)).bit_count() == 1 and best & 15 < QUEEN:
                return lowest_equal(top, equals, unseen)
            return loser
        covers_honour = led < 3 and top & 15 == KING and best & 15 >= JACK
        if state.trick_size == 2 or covers_honour or not (unseen & cards_above(top)):
            return lowest_equal(top, equals, unseen)
        return loser
    if ruff_behind:
        return discard(hand, legal, unseen)
    if pieces & SECOND_RUFFS and state.trick_size == 1 and best < FIRST_SPADE and unseen & cards_above(best):
        tight = tricks_left(state) - tricks_needed(state, me) <= 2
        if tight and sum_of_contracts(state) > UNDER_BID and tricks_left(state) < 6 and legal & ~winners:
            return discard(hand, legal, unseen)  # partner may win the trick
    if winners and _ruff_pays(state, me, unseen, best, partner_wins, last):
        if not last and best < FIRST_SPADE:
            spades = spades_of(hand)
            if state.trick_size == 1 and spades >> KING == 1 and spades.bit_count() == 2 and unseen >> SPADE_ACE & 1:
                return discard(hand, legal, unseen)  # the small spade guards the king
            if state.trick_size == 2 and state.void[lho] >> led & 1 and not state.void[lho] & 8:
                return lowest_equal(highest(winners), winners, unseen)
        return lowest(winners)
    return discard(hand, legal, unseen)


def _ruff_pays(state: PlayState, me: int, unseen: int, best: int, partner_wins: bool, last: bool) -> bool:
    if not partner_wins:
        return True
    if last or best >= FIRST_SPADE:
        return False
    # We play third and partner is winning: ruff partner's card only if an opponent is likely to beat it.
    return may_ruff(state, (me + 1) & 3, unseen) or (unseen & cards_above(best)).bit_count() > 0


def discard(hand: int, legal: int, unseen: int) -> int:
    """Return the least useful card for a lost trick: a low card from a short, weak suit, if possible no guard or boss.

    A guard is a low card that is played so that an honour of the same suit need not be. The function takes the lowest
    card of each side suit and returns the one with the lowest key. A key is four times the rank, plus three times the
    number of cards of the suit if the hand has spades (a void then allows ruffs), plus the cost of losing a single
    boss, a single king or a guard. The weights were found in duplicate games. With nothing but spades, the lowest is
    returned.
    """
    if not legal & ~SPADE_BITS:
        return lowest(legal)
    best = -1
    best_key = 10000
    can_ruff = hand >> 48 != 0
    for suit in range(3):
        held = legal & suit_mask(suit)
        if not held:
            continue
        n = held.bit_count()
        card = lowest(held)
        top = highest(held)
        key = 4 * (card & 15)
        if can_ruff:
            key += 3 * n
        higher = (unseen & cards_above(top)).bit_count()
        if higher == 0 and n == 1:
            key += 60
        elif n <= higher + 1 and higher <= 2 and top & 15 >= QUEEN and n > 1:
            key += 25  # the card guards an honour
        elif top & 15 == KING and n == 1:
            key += 6
        if key < best_key:
            best_key = key
            best = card
    return best
