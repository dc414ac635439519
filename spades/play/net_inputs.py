"""What the card net (`spades.card_net`) sees of a position, and of each card that may be played, as kernels.

All inputs are 0 or 1, and most are 0: a kernel writes the numbers of those that are 1. Most groups of inputs stand for
one number, such as the tricks that a side still needs: one of the group is 1. A number beyond the ends of its group
counts as the nearest end. Other groups are sets of ranks, or conditions, of which several may be 1. Seats are counted
from the player's own, clockwise.
"""

from typing import Any

from spades.cards import RANK_BITS, SPADES, highest
from spades.legal import contract_of, is_nil
from spades.play.state import PlayState
from spades.play.tricks import (
    beats,
    cards_above,
    cards_below,
    nil_alive,
    tricks_left,
    tricks_needed,
    unseen_cards,
    written_rules,
)
from spades.scoring import contract_factor, contract_points, nil_stake, side_nil_stake

# ---- a position ------------------------------------------------------------------------------------------------------

# The first input of each group; a comment says what its inputs stand for. `_4` and `_3`: a group for each of four
# seats, or of the three others.
TRICK_SIZE = 0  # cards on the table, 0..3
WINNER = TRICK_SIZE + 4  # the seat that wins the trick so far, 0..3; 4: nobody has played
NILS_4 = WINNER + 5  # a nil: alive, failed
MISSING_4 = NILS_4 + 2 * 4  # tricks that a bidder of a number still needs for it, -2..9
BIDS_4 = MISSING_4 + 12 * 4  # the number, 0..8
OUR_NEED = BIDS_4 + 9 * 4  # tricks that the side still needs, -5..11
THEIR_NEED = OUR_NEED + 17
LEFT = THEIR_NEED + 17  # tricks left, 0..13
SPARE = LEFT + 14  # tricks left that neither side needs, -6..7
OUR_SPARE = SPARE + 14  # tricks that the side can lose, -1..12
THEIR_SPARE = OUR_SPARE + 14
OUR_DISTANCE = THEIR_SPARE + 14  # points to the goal of the game before the round, in steps of 25
THEIR_DISTANCE = OUR_DISTANCE + 16
OUR_BAGS = THEIR_DISTANCE + 16  # 0..9
THEIR_BAGS = OUR_BAGS + 10
REACHES = THEIR_BAGS + 10  # the side's contract and live nils are enough for the goal: ours, theirs
AHEAD = REACHES + 2  # points by which the side is then ahead, in steps of 30, -6..6
BROKEN = AHEAD + 13  # spades may be led
SEAT = BROKEN + 1  # in bidding order
SPADELESS_3 = SEAT + 4  # is known to have no spades
OWN_SPADES = SPADELESS_3 + 3  # one for each rank
UNSEEN_SPADES = OWN_SPADES + 13
OWN_SPADE_COUNT = UNSEEN_SPADES + 13  # 0..7
UNSEEN_SPADE_COUNT = OWN_SPADE_COUNT + 8  # 0..13
TOP_SPADES = UNSEEN_SPADE_COUNT + 14  # spades above all unseen ones, 0..5
TOP_CARDS = TOP_SPADES + 6  # the same of the side suits, 0..6
VOIDS = TOP_CARDS + 7  # side suits without a card, 0..3
SINGLES = VOIDS + 4  # side suits with one card, 0..3
POSITION_INPUTS = SINGLES + 4

# ---- a card ----------------------------------------------------------------------------------------------------------

OWN_RANKS = 0  # the player's cards of the suit, one for each rank
UNSEEN_RANKS = OWN_RANKS + 13
RANK = UNSEEN_RANKS + 13
UNSEEN_ABOVE = RANK + 13  # unseen cards of the suit above the card, 0..6
UNSEEN_BELOW = UNSEEN_ABOVE + 7
OWN_ABOVE = UNSEEN_BELOW + 7  # the player's cards of the suit above it, 0..4
OWN_BELOW = OWN_ABOVE + 5
OWN_COUNT = OWN_BELOW + 5  # cards of the suit, 0..7
UNSEEN_COUNT = OWN_COUNT + 8  # 0..11
KIND = UNSEEN_COUNT + 12  # lead, follows suit, ruff, discard
IS_SPADE = KIND + 4
AGAINST_BEST = IS_SPADE + 1  # beats the best card of the trick: of an opponent, of partner; does not: the same
BEST_RANK = AGAINST_BEST + 4  # rank of the trick's best card, if it is of the suit
OVER_RUFF = BEST_RANK + 13  # the best card is a spade on another suit
VOID_3 = OVER_RUFF + 1  # is known to have no card of the suit
MAY_RUFF_3 = VOID_3 + 3  # plays later in the trick, has no card of the suit, which is no spade, and may have a spade
MAY_BEAT_3 = MAY_RUFF_3 + 3  # plays later in the trick, and may have a higher card of the suit
HARMLESS_3 = MAY_BEAT_3 + 3  # plays later in the trick, and has neither the suit nor a spade
SIGNALLED_3 = HARMLESS_3 + 3  # has completed a high-low signal in the suit
SURE = SIGNALLED_3 + 3  # is the best card, and no later player is known to be able to beat it; no later opponent
NIL_SURE_4 = SURE + 2  # the first of SURE, and the seat has a live nil
NIL_AHEAD_4 = NIL_SURE_4 + 4  # is the trick's best card, and the seat has a live nil
NIL_BEHIND_4 = NIL_AHEAD_4 + 4  # is not, and the seat has a live nil
OVER_NIL = NIL_BEHIND_4 + 4  # a live nil is winning the trick: the card takes it over, or does not
IS_USUAL = OVER_NIL + 2  # the card that rules choose
BESIDE_USUAL = IS_USUAL + 1  # ranks above that card, -6..6; 13: another suit
INSTEAD = BESIDE_USUAL + 14  # that card wins and this one does not; the reverse; that card is a spade and this is not
CHOICES = INSTEAD + 3  # cards to choose from, 0..9
CARD_INPUTS = CHOICES + 10


def position_inputs(state: PlayState, me: int, inputs: Any) -> int:
    """Write the inputs that are 1 of seat ``me``'s position, rising within a group, to ``inputs``; return their number.

    ``inputs``: a list or an array with POSITION_INPUTS places.
    """
    n = _put(inputs, 0, TRICK_SIZE, 4, state.trick_size)
    n = _put(inputs, n, WINNER, 5, (state.winner - me) & 3 if state.trick_size else 4)
    for i in range(4):
        seat = (me + i) & 3
        bid, taken = state.bid[seat], state.taken[seat]
        if is_nil(bid):
            n = _put(inputs, n, NILS_4 + 2 * i, 2, taken)
        else:
            n = _put(inputs, n, MISSING_4 + 12 * i, 12, contract_of(bid) - taken + 2)
            n = _put(inputs, n, BIDS_4 + 9 * i, 9, contract_of(bid))
    ours, theirs, left = tricks_needed(state, me), tricks_needed(state, (me + 1) & 3), tricks_left(state)
    n = _put(inputs, n, OUR_NEED, 17, ours + 5)
    n = _put(inputs, n, THEIR_NEED, 17, theirs + 5)
    n = _put(inputs, n, LEFT, 14, left)
    n = _put(inputs, n, SPARE, 14, left - ours - theirs + 6)
    n = _put(inputs, n, OUR_SPARE, 14, left - ours + 1)
    n = _put(inputs, n, THEIR_SPARE, 14, left - theirs + 1)
    side = me & 1
    goal = written_rules(state).win
    our_reach, their_reach = _reach(state, me), _reach(state, (me + 1) & 3)
    n = _put(inputs, n, OUR_DISTANCE, 16, (goal - state.score[side]) // 25)
    n = _put(inputs, n, THEIR_DISTANCE, 16, (goal - state.score[side ^ 1]) // 25)
    n = _put(inputs, n, OUR_BAGS, 10, state.bags[side])
    n = _put(inputs, n, THEIR_BAGS, 10, state.bags[side ^ 1])
    n = _put_if(inputs, n, REACHES, our_reach >= goal)
    n = _put_if(inputs, n, REACHES + 1, their_reach >= goal)
    n = _put(inputs, n, AHEAD, 13, (our_reach - their_reach) // 30 + 6)
    n = _put_if(inputs, n, BROKEN, state.broken > 0)
    n = _put(inputs, n, SEAT, 4, me)
    for i in range(3):
        n = _put_if(inputs, n, SPADELESS_3 + i, state.void[(me + 1 + i) & 3] >> SPADES & 1 == 1)
    return _put_hand(state, me, inputs, n)


def _put_hand(state: PlayState, me: int, inputs: Any, n: int) -> int:
    # Write the inputs about the hand.
    hand, unseen = state.hand[me], unseen_cards(state, me)
    spades, unseen_spades = hand >> 48 & RANK_BITS, unseen >> 48 & RANK_BITS
    n = _put_bits(inputs, n, OWN_SPADES, spades)
    n = _put_bits(inputs, n, UNSEEN_SPADES, unseen_spades)
    n = _put(inputs, n, OWN_SPADE_COUNT, 8, spades.bit_count())
    n = _put(inputs, n, UNSEEN_SPADE_COUNT, 14, unseen_spades.bit_count())
    n = _put(inputs, n, TOP_SPADES, 6, _above_all(spades, unseen_spades))
    tops, voids, singles = 0, 0, 0
    for suit in range(3):
        held = hand >> 16 * suit & RANK_BITS
        tops += _above_all(held, unseen >> 16 * suit & RANK_BITS)
        voids += held == 0
        singles += held.bit_count() == 1
    n = _put(inputs, n, TOP_CARDS, 7, tops)
    n = _put(inputs, n, VOIDS, 4, voids)
    return _put(inputs, n, SINGLES, 4, singles)


def card_inputs(state: PlayState, me: int, card: int, usual: int, count: int, inputs: Any) -> int:
    """Write the inputs that are 1 of seat ``me``'s ``card`` to ``inputs``, rising within a group; return their number.

    ``usual``: the card that rules choose. ``count``: of cards to choose from. ``inputs``: a list or an array with
    CARD_INPUTS places.
    """
    suit, rank = card >> 4, card & 15
    spade = suit == SPADES
    hand, unseen = state.hand[me], unseen_cards(state, me)
    own, out = hand >> 16 * suit & RANK_BITS, unseen >> 16 * suit & RANK_BITS
    above = (unseen & cards_above(card)).bit_count()
    n = _put_bits(inputs, 0, OWN_RANKS, own)
    n = _put_bits(inputs, n, UNSEEN_RANKS, out)
    n = _put(inputs, n, RANK, 13, rank)
    n = _put(inputs, n, UNSEEN_ABOVE, 7, above)
    n = _put(inputs, n, UNSEEN_BELOW, 7, (unseen & cards_below(card)).bit_count())
    n = _put(inputs, n, OWN_ABOVE, 5, (hand & cards_above(card)).bit_count())
    n = _put(inputs, n, OWN_BELOW, 5, (hand & cards_below(card)).bit_count())
    n = _put(inputs, n, OWN_COUNT, 8, own.bit_count())
    n = _put(inputs, n, UNSEEN_COUNT, 12, out.bit_count())
    n = _put_if(inputs, n, IS_SPADE, spade)
    size = state.trick_size
    ahead = size == 0 or beats(card, state.best_card)
    usual_ahead = size == 0 or beats(usual, state.best_card)
    if size == 0:
        n = _put(inputs, n, KIND, 4, 0)
    else:
        led, best = state.trick[0] >> 4, state.best_card
        n = _put(inputs, n, KIND, 4, 1 if suit == led else 2 if spade else 3)
        n = _put(inputs, n, AGAINST_BEST, 4, (0 if ahead else 2) + (state.winner == me ^ 2))
        if best >> 4 == suit:
            n = _put(inputs, n, BEST_RANK, 13, best & 15)
        n = _put_if(inputs, n, OVER_RUFF, best >> 4 == SPADES and led != SPADES)
        if nil_alive(state, state.winner):
            n = _put(inputs, n, OVER_NIL, 2, 0 if ahead else 1)
    sure, sure_against = ahead, ahead
    for i in range(3):
        seat = (me + 1 + i) & 3
        void = state.void[seat]
        out_of_suit, out_of_spades = void >> suit & 1 == 1, void >> SPADES & 1 == 1
        n = _put_if(inputs, n, VOID_3 + i, out_of_suit)
        n = _put_if(inputs, n, SIGNALLED_3 + i, state.signalled[seat] >> suit & 1 == 1)
        if i < 3 - size:
            ruffs = out_of_suit and not out_of_spades and not spade and unseen >> 48 != 0
            higher = not out_of_suit and above > 0
            n = _put_if(inputs, n, MAY_RUFF_3 + i, ruffs)
            n = _put_if(inputs, n, MAY_BEAT_3 + i, higher)
            n = _put_if(inputs, n, HARMLESS_3 + i, out_of_suit and out_of_spades)
            if ruffs or higher:
                sure = False
                if i != 1:
                    sure_against = False
    n = _put_if(inputs, n, SURE, sure)
    n = _put_if(inputs, n, SURE + 1, sure_against)
    for i in range(4):
        if nil_alive(state, (me + i) & 3):
            n = _put_if(inputs, n, NIL_SURE_4 + i, sure)
            n = _put_if(inputs, n, NIL_AHEAD_4 + i, ahead and size > 0)
            n = _put_if(inputs, n, NIL_BEHIND_4 + i, not ahead)
    n = _put_if(inputs, n, IS_USUAL, card == usual)
    n = _put(inputs, n, BESIDE_USUAL, 14, min(max(card - usual, -6), 6) + 6 if usual >> 4 == suit else 13)
    n = _put_if(inputs, n, INSTEAD, usual_ahead and not ahead)
    n = _put_if(inputs, n, INSTEAD + 1, ahead and not usual_ahead)
    n = _put_if(inputs, n, INSTEAD + 2, usual >> 4 == SPADES and not spade)
    return _put(inputs, n, CHOICES, 10, count)


def _put(inputs: Any, n: int, first: int, size: int, number: int) -> int:
    # Write the input of a group of ``size`` inputs that stands for ``number``; return how many inputs are written.
    inputs[n] = first + min(max(number, 0), size - 1)
    return n + 1


def _put_if(inputs: Any, n: int, number: int, is_one: bool) -> int:
    # Write the input ``number`` if it is 1.
    if is_one:
        inputs[n] = number
        return n + 1
    return n


def _put_bits(inputs: Any, n: int, first: int, bits: int) -> int:
    # Write the inputs of a set of ranks.
    while bits:
        inputs[n] = first + highest(bits & -bits)
        n += 1
        bits &= bits - 1
    return n


def _above_all(held: int, unseen: int) -> int:
    # Return how many cards of a suit are above all unseen ones; both are sets of ranks.
    above = held & ~((1 << unseen.bit_length()) - 1)
    return above.bit_count()


def _reach(state: PlayState, seat: int) -> int:
    # Return the points of the seat's side if it makes its contract and its nils that are alive.
    rules, bid, partner = written_rules(state), state.bid[seat], state.bid[seat ^ 2]
    contract = contract_of(bid) + contract_of(partner)
    points = state.score[seat & 1] + contract_factor(bid, partner) * contract_points(contract, rules)
    alive, partner_alive = nil_alive(state, seat), nil_alive(state, seat ^ 2)
    if alive and partner_alive:
        return points + side_nil_stake(bid, partner, rules)
    if alive:
        points += nil_stake(bid, rules)
    if partner_alive:
        points += nil_stake(partner, rules)
    return points
