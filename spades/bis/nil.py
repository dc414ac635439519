"""The nil part of a decision, as kernels: nil value, success probability and expected points.

It computes them from the tables `cnil` and `curves` (docs/explanation/how-bis-bids.md, "Nil"). This module decides
whether to bid nil; the end of the game may still change that bid.
"""

from typing import NamedTuple

from spades.cards import ACE, KING, QUEEN, TEN
from spades.legal import BLIND_NIL, NIL_BIT, contract_of
from spades.options import FULL, SINGLE
from spades.passing import suits_after_pass
from spades.position import Auction
from spades.rules import Rules
from spades.tables import Tables, View

VOID_FACTOR = 1.15  # factor of the nil value with a void side suit (ECAI 2020, section 4.2)
LOW_FOUR = 2  # value of `NilTerms.honours`: as 1, and four spades below the king do not rule a nil out either
SURE_LOSER = 0.25  # success probability below which only a bidder at full strength bids nil
NIL_STAKE = 100  # points of a nil for which the nil threshold was fitted
GRID = 100  # a curve has GRID + 1 points for nil values 0..1

# Why a nil is ruled out.
NOT_RULED_OUT, PARTNER_NIL, ACE_OF_SPADES, KING_QUEEN, THREE_HIGH, FOUR_SPADES, HONOUR, SWITCHED_OFF, AGAINST_RULES = (
    range(9)
)
BIG_JOKER, JOKER_ACE, THREE_ABOVE_JACK, JOKER_HONOUR = range(9, 13)  # with jokers, these replace four reasons above
# The code of each in the catalogue (`spades.reasons`).
RULED_OUT_CODES = (
    "",
    "partner",
    "ace-of-spades",
    "king-queen",
    "three-high",
    "four-spades",
    "honour",
    "switched-off",
    "rules",
    "big-joker",
    "joker-ace",
    "three-above-jack",
    "joker-honour",
)


class Nil(NamedTuple):
    """A nil decision with the numbers behind it; units are probabilities 0..1 and points."""

    clubs: float  # cnil of the suit, 0..1: probability that its three lowest cards take no trick
    diamonds: float
    hearts: float
    spades: float
    void_factor: float  # VOID_FACTOR with a void side suit, otherwise 1
    value: float  # nil value, 0..1: product of the five numbers above, at most 1
    probability: float  # probability that the nil is made, from the success curve
    expected_points: float  # what the nil itself wins or loses on average
    threshold: float  # points; a nil is chosen if its expected points exceed it
    ruled_out: int  # NOT_RULED_OUT, or the reason (index in RULED_OUT_CODES)
    chosen: bool


class NilTerms(NamedTuple):
    """The conditions under which a nil is considered."""

    threshold: float  # points that the nil's expected points must exceed
    curves: int = FULL  # which success curve: options.FULL, SINGLE or RAW
    honours: int = 0  # 1: a king or queen of spades does not rule a nil out; LOW_FOUR: nor do four low spades
    nils: int = 1  # 0: never bid nil
    extra_spades: int = 0  # number of spades beyond 13: 2 or 3 with jokers (`legal.extra_spades_of`)


def ruled_out(spades: int, partner_bid: int, honours: int, nils: int, allowed: int, extra_spades: int = 0) -> int:
    """Return NOT_RULED_OUT, or the reason why a nil is not possible (index in RULED_OUT_CODES).

    ``spades``: the hand's holding; ``partner_bid``: NO_BID if partner has not bid yet; ``allowed``: the set of bids
    that the rules allow; ``honours``, ``nils`` and ``extra_spades`` as in `NilTerms`. The limits for high spades are
    ``extra_spades`` ranks higher.
    """
    if partner_bid == 0 or partner_bid == BLIND_NIL:
        return PARTNER_NIL
    if not allowed & NIL_BIT:
        return AGAINST_RULES
    tops = spades >> extra_spades
    if tops >= 1 << QUEEN:
        if tops >= 1 << ACE:
            return BIG_JOKER if extra_spades else ACE_OF_SPADES
        if tops >> QUEEN == 3:
            return JOKER_ACE if extra_spades else KING_QUEEN
    if tops >= 7 << TEN and (tops >> TEN).bit_count() >= 3:
        return THREE_ABOVE_JACK if extra_spades else THREE_HIGH
    n = spades.bit_count()
    if n > 4 or (n == 4 and (honours != LOW_FOUR or tops >= 1 << KING)):
        return FOUR_SPADES
    if tops >= 1 << QUEEN and not honours:
        return JOKER_HONOUR if extra_spades else HONOUR
    return NOT_RULED_OUT if nils else SWITCHED_OFF


def nil_value(clubs: float, diamonds: float, hearts: float, spades: float, void: bool) -> float:
    """Return the hand's nil value, 0..1, from the `cnil` of its four suits.

    ``void``: whether a side suit is void.
    """
    value = clubs * diamonds * hearts * spades
    if void:
        value *= VOID_FACTOR
    return value if value < 1.0 else 1.0


def expected_contract_points(contract: int, nil: int, tables: Tables) -> float:
    """Return the expected points of a contract, from the share of such contracts that are made.

    ``nil``: 1 if partner plays a nil, otherwise 0.
    """
    points: float = 10.0 * contract * (2.0 * tables.contract_made[nil, contract] - 1.0)
    return points


def partnership_threshold(takes: int, auction: Auction, tables: Tables) -> float:
    """Return the nil threshold of BIS* (ECAI 2020, section 5.3.3), in points.

    It is the difference between the side's expected contract points if the hand bids ``takes`` tricks, and if it bids
    nil. If partner has not bid yet, the mean bid of the seat two later counts as partner's.
    """
    partner_bid = auction.partner_bid
    bid = contract_of(partner_bid) if partner_bid >= 0 else int(tables.mean_bids[auction.sequence, 2] + 0.5)
    return expected_contract_points(takes + bid, 0, tables) - expected_contract_points(bid, 1, tables)


def scaled_nil_threshold(threshold: float, forced: int, forced_trick: float, rules: Rules) -> float:
    """Return the nil threshold, in points, as the rules change it.

    It shrinks in proportion if a nil is worth less than NIL_STAKE points. It also falls if the smallest bid is above
    the regular takes: ``forced`` is the number of tricks by which `min_bid` exceeds the takes, and ``forced_trick`` is
    the points that a nil saves for each of them.
    """
    if rules.nil_points < NIL_STAKE:
        threshold = threshold * rules.nil_points / NIL_STAKE
    if rules.min_bid and forced > 0:
        threshold -= forced_trick * forced
    return threshold


def shifted_threshold(threshold: float, off: float, nil_points: int) -> float:
    """Return the nil threshold of a bidder who underrates a nil by ``off`` points (negative: overrates it).

    The result is at least the expected points of a nil that is made with probability SURE_LOSER. See `levels`.
    """
    return max(threshold + off, nil_points * (2.0 * SURE_LOSER - 1.0))


def interpolate(curve: View, row: int, x: float) -> float:
    """Return the value of the curve in a ``row`` of ``curve`` at ``x`` in 0..1, linear between the grid's points.

    ``curve`` has shape (rows, GRID + 1).
    """
    at = x * GRID
    i = int(at)
    if i >= GRID:
        last: float = curve[row, GRID]
        return last
    low: float = curve[row, i]
    step: float = curve[row, i + 1] - low
    return low + step * (at - i)


def consider_nil(
    suits: tuple[int, int, int, int], auction: Auction, terms: NilTerms, allowed: int, rules: Rules, tables: Tables
) -> Nil:
    """Return the value, probability and expected points of a nil, and whether it is chosen.

    ``suits``: from `suits_of`; ``allowed``: the set of bids that the rules allow. With LOW_FOUR, only the three highest
    of four spades count, because `cnil` is 0 for four spades. This overrates such nils. If the nil bidder gives cards
    to partner (rule `nil_pass`), only the cards that the hand keeps count.
    """
    partner_bid, sequence = auction.partner_bid, auction.sequence
    threshold, curves, honours, nils, extra_spades = terms
    c_cards, d_cards, h_cards, s_cards = suits_after_pass(suits, rules) if rules.nil_pass else suits
    cnil = tables.cnil
    clubs = cnil[0, c_cards]
    diamonds = cnil[-2, d_cards]  # a row of its own if diamonds have 13 cards and clubs and hearts 12 (ADR 30)
    hearts = cnil[0, h_cards]
    if honours == LOW_FOUR and s_cards.bit_count() == 4:
        spades = cnil[-1, s_cards & s_cards - 1]
    else:
        spades = cnil[-1, s_cards]
    void = not (c_cards and d_cards and h_cards)
    value = nil_value(clubs, diamonds, hearts, spades, void)
    if curves == FULL:
        probability = interpolate(tables.curves, sequence, value)
    elif curves == SINGLE:
        probability = interpolate(tables.single_curve, 0, value)
    else:
        probability = value
    expected = rules.nil_points * (2.0 * probability - 1.0)
    reason = ruled_out(s_cards, partner_bid, honours, nils, allowed, extra_spades)
    chosen = reason == NOT_RULED_OUT and expected > threshold
    return Nil(
        clubs=clubs,
        diamonds=diamonds,
        hearts=hearts,
        spades=spades,
        void_factor=VOID_FACTOR if void else 1.0,
        value=value,
        probability=probability,
        expected_points=expected,
        threshold=threshold,
        ruled_out=reason,
        chosen=chosen,
    )
