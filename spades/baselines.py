"""The rule-based bidders RB, MS and IO as kernels. The paper (ECAI 2020) compares BIS with them.

RB's card values (table `rb_suit`) and nil ranks (`Policy.nil_x` to `nil_z`) are fitted to our engine. MS and IO are as
published, except for the rounding of IO, which the paper does not state. These bidders do not use the score.
"""

from typing import NamedTuple

from spades.bis.estimates import limit_takes
from spades.cards import ACE, KING, QUEEN, TEN, spades_of
from spades.legal import BLIND_NIL
from spades.options import Policy
from spades.tables import Tables


class Baseline(NamedTuple):
    """A rule-based bid and its parts, in tricks."""

    bid: int  # 0 for a nil, otherwise ``takes``
    clubs: float  # tricks that the cards of the suit count; the other suits likewise
    diamonds: float
    hearts: float
    spades: float
    shape: float  # the corrections of MS for short suits
    estimate: float  # the sum of the above and of the policy's offset
    takes: int  # the estimate, rounded (by IO: rounded down) and limited by `limit_takes`
    nil: bool  # whether the bidder's nil rule holds


def lowest_at_most(cards: int, x: int, y: int, z: int) -> bool:
    """Return whether the lowest rank of a holding is at most ``x``, the next at most ``y`` and the third at most ``z``.

    Ranks that the holding does not have are not checked.
    """
    if cards == 0:
        return True
    if (cards & -cards) > 1 << x:
        return False
    cards &= cards - 1
    if cards == 0:
        return True
    if (cards & -cards) > 1 << y:
        return False
    cards &= cards - 1
    return cards == 0 or (cards & -cards) <= 1 << z


def naive_nil(hand: int, partner_bid: int, policy: Policy) -> bool:
    """Return whether the nil rule of RB holds: low cards in every suit, at most three spades, no nil by partner.

    ``partner_bid``, here and below: NO_BID if partner has not bid yet. `Policy.nil_x` to `nil_z` say how low.
    """
    if partner_bid == 0 or partner_bid == BLIND_NIL or not policy.nils or spades_of(hand).bit_count() > 3:
        return False
    for suit in range(4):
        if not lowest_at_most(hand >> 16 * suit & 0xFFFF, policy.nil_x, policy.nil_y, policy.nil_z):
            return False
    return True


def rb(hand: int, partner_bid: int, policy: Policy, tables: Tables) -> Baseline:
    """Return the bid of RB: the sum of card values that depend on the suit's length (table `rb_suit`)."""
    c = tables.rb_suit[0, hand & 0xFFFF]
    d = tables.rb_suit[0, hand >> 16 & 0xFFFF]
    h = tables.rb_suit[0, hand >> 32 & 0xFFFF]
    s = tables.rb_suit[1, spades_of(hand)]
    estimate = c + d + h + s + policy.offset
    takes = limit_takes(estimate, partner_bid)
    nil = naive_nil(hand, partner_bid, policy)
    return Baseline(0 if nil else takes, c, d, h, s, 0.0, estimate, takes, nil)


def ms_side(cards: int) -> float:
    """Return the tricks that MS counts in a side suit: the ace, and the king unless it is alone."""
    return float((cards >> ACE & 1) + (1 if cards >> KING & 1 and cards.bit_count() > 1 else 0))


def ms(hand: int, partner_bid: int, policy: Policy, tables: Tables) -> Baseline:
    """Return the bid of MS: the simple bidding of Master Spades (ECAI 2020, appendix F.1), with the nil rule of RB.

    Each of the two corrections for short suits counts once, however many suits are short.
    """
    c_cards = hand & 0xFFFF
    d_cards = hand >> 16 & 0xFFFF
    h_cards = hand >> 32 & 0xFFFF
    s_cards = spades_of(hand)
    c = ms_side(c_cards)
    d = ms_side(d_cards)
    h = ms_side(h_cards)
    n = s_cards.bit_count()
    s = ms_side(s_cards)
    if s_cards >> QUEEN & 1 and (n > 2 or (n == 2 and s_cards >> ACE & 1)):
        s += 1.0
    if n > 3:
        s += n - 3.0
    shape = 0.0
    if n < 2:
        shape = -1.0
    elif n == 3 and (c_cards & (c_cards - 1) == 0 or d_cards & (d_cards - 1) == 0 or h_cards & (h_cards - 1) == 0):
        shape = 1.0
    estimate = c + d + h + s + shape + policy.offset
    takes = limit_takes(estimate, partner_bid)
    nil = naive_nil(hand, partner_bid, policy)
    return Baseline(0 if nil else takes, c, d, h, s, shape, estimate, takes, nil)


def io_side(cards: int) -> float:
    """Return the tricks that IO counts in a side suit: ace 1; ace and king 2; king with another card 0.5."""
    if cards >> ACE & 1:
        return 2.0 if cards >> KING & 1 else 1.0
    return 0.5 if cards >> KING & 1 and cards.bit_count() > 1 else 0.0


def io(hand: int, partner_bid: int, policy: Policy, tables: Tables) -> Baseline:
    """Return the bid of IO, the bidder of cardgames.io (ECAI 2020, section 5.1).

    A spade from the ten up counts 1 trick, a lower one 0.4. The sum is rounded down. The paper does not state how it
    rounds; this is inferred from its Table 2, see docs/reference/policies.md.
    """
    c_cards = hand & 0xFFFF
    d_cards = hand >> 16 & 0xFFFF
    h_cards = hand >> 32 & 0xFFFF
    s_cards = spades_of(hand)
    c = io_side(c_cards)
    d = io_side(d_cards)
    h = io_side(h_cards)
    high = (s_cards >> TEN).bit_count()
    n = s_cards.bit_count()
    s = high + 0.4 * (n - high)
    estimate = c + d + h + s + policy.offset
    takes = limit_takes(float(int(estimate)), partner_bid)
    honours = (c_cards | d_cards | h_cards | s_cards) >> KING
    nil = policy.nils != 0 and takes <= 3 and 4 <= partner_bid < BLIND_NIL and honours == 0 and high == 0 and n <= 3
    return Baseline(0 if nil else takes, c, d, h, s, 0.0, estimate, takes, nil)


def fixed(partner_bid: int, policy: Policy) -> Baseline:
    """Return the number ``policy.bid`` for every hand, limited as `limit_takes` does; for tests and the arena."""
    estimate = float(policy.bid)
    takes = limit_takes(estimate, partner_bid)
    return Baseline(takes, 0.0, 0.0, 0.0, 0.0, 0.0, estimate, takes, False)
