"""What a hand is worth, as kernels: its regular takes, how the rules change them, and its nil.

The regular takes are the number of tricks that a hand is likely to take. The tables `side_high`, `spade_high`,
`spade_takes` and `ruffs` hold the expected tricks of the cards of each suit, and of ruffs. `tables.exact` makes
them from `p_length`. So a decision is three look-ups for the side suits, and one short loop, which decides how
many spades to use for ruffs and how many for tricks in spades (ECAI 2020, section 4.1;
docs/explanation/how-bis-bids.md, "Regular takes"). The value of a nil, its success probability and its expected points
come from the tables `cnil` and `curves` (the same page, "Nil").

If a bag costs more, the estimate rises. If a contract of ten is worth 200 points, the second partner may bid what makes
the contract ten. docs/strength.md shows the effect of the constants of such changes.
"""

from typing import NamedTuple

from spades.cards import ACE, KING, QUEEN, TEN
from spades.legal import BLIND_NIL, NIL_BIT, NO_BID, contract_of, nearest_allowed
from spades.options import FULL, SINGLE, Policy
from spades.passing import suits_after_pass
from spades.position import Auction
from spades.rules import Rules
from spades.scoring import TEN_TRICKS
from spades.tables import Tables, View

# ---- the takes -------------------------------------------------------------------------------------------------------

MOST_RUFFS = 9  # only the first three tricks of a side suit are counted, and there are three side suits


class Regular(NamedTuple):
    """A regular bid with the numbers behind it; all in tricks."""

    clubs: float  # tricks of the suit's high cards; diamonds and hearts likewise
    diamonds: float
    hearts: float
    spade_high: int  # tricks of the high cards among the spades that do not ruff
    spade_long: int  # tricks of length: one for each spade beyond the fourth, among the spades that do not ruff
    ruffs: float  # tricks that the other spades win by ruffing
    factor: float  # previous-bids factor: adjustment for the sum of the bids made so far
    offset: float  # adjustment by the policy and the rules
    estimate: float  # the sum of the above
    takes: int  # the bid: the estimate, rounded and limited


def regular_takes(
    suits: tuple[int, int, int, int], ruffers: int, partner_bid: int, factor: float, offset: float, tables: Tables
) -> Regular:
    """Return the regular bid with the numbers behind it.

    ``suits``: from `suits_of`; ``ruffers``: number of opponents who might ruff; ``partner_bid``: NO_BID if partner has
    not bid yet; ``factor``: the previous-bids factor, `factor[seat, sum]` of the tables, or 0 if the policy does not
    use the factor. ``factor`` and ``offset`` are in tricks.
    """
    clubs, diamonds, hearts, spades = suits
    side_high = tables.side_high
    c = side_high[ruffers, clubs]
    # The last four rows are those of diamonds. With the decks `jokers` and `jokers-deuce` they are rows of their own,
    # because diamonds have 13 cards there and the other side suits 12 (ADR 30).
    d = side_high[ruffers - 4, diamonds]
    h = side_high[ruffers, hearts]
    n_clubs = clubs.bit_count()
    n_diamonds = diamonds.bit_count()
    n_hearts = hearts.bit_count()
    # Index in `ruffs`: the lengths of clubs, diamonds and hearts, at most 3 each, as base-4 digits.
    lengths_index = (
        (n_clubs if n_clubs < 3 else 3)
        + 4 * (n_diamonds if n_diamonds < 3 else 3)
        + 16 * (n_hearts if n_hearts < 3 else 3)
    )
    ruffs = tables.ruffs
    spade_takes = tables.spade_takes
    best = spade_takes[spades, 0] + 0.0
    best_ruffs = 0.0
    ruffing = 0
    # The k lowest spades take the k best ruffs. If one more ruff adds nothing, no later ruff adds anything.
    worth = 0.0
    n = spades.bit_count()
    if n > MOST_RUFFS:
        n = MOST_RUFFS
    for k in range(1, n + 1):
        before = worth
        worth = ruffs[ruffers, lengths_index, k]
        if worth == before:
            break
        value = worth + spade_takes[spades, k]
        if value > best:
            best = value
            best_ruffs = worth
            ruffing = k
    estimate = c + d + h + best + factor + offset
    high = tables.spade_high[spades, ruffing]
    long = spade_takes[spades, ruffing] - high
    return Regular(
        clubs=c,
        diamonds=d,
        hearts=h,
        spade_high=high,
        spade_long=long,
        ruffs=best_ruffs,
        factor=factor,
        offset=offset,
        estimate=estimate,
        takes=limit_takes(estimate, partner_bid),
    )


def spade_tricks_against(spades: int, unseen: int) -> int:
    """Return how many tricks ``spades`` must win if one opponent holds all ``unseen`` spades and we always lead.

    Both arguments are holdings. We lead our highest spade first. The opponent beats each card with the lowest card that
    can, or else plays the lowest card. This is the worst case of ECAI 2020, appendix D.1, which cites Wästlund,
    "Two-person symmetric whist", Electronic Journal of Combinatorics 12, 2005.
    """
    sure = 0
    while spades:
        card = 1 << (spades.bit_length() - 1)
        higher = unseen & ~(card * 2 - 1)
        if higher.bit_count() >= spades.bit_count():
            return sure  # the opponent can beat each card that is left
        spades ^= card
        if higher:
            unseen ^= higher & -higher
        else:
            sure += 1
            unseen &= unseen - 1
    return sure


def certain_tricks(spades: int, extra_spades: int) -> int:
    """Return how many tricks the ``spades`` of a hand win in any case, whoever holds the other spades.

    ``spades``: the hand's holding; ``extra_spades``: number of spades of the deck beyond 13: 2 or 3 with jokers,
    otherwise 0.

    >>> certain_tricks(0b1100000000001, 0), certain_tricks(0b1000000000001, 0)
    (2, 1)
    """
    return spade_tricks_against(spades, (1 << 13 + extra_spades) - 1 & ~spades)


def limit_takes(estimate: float, partner_bid: int) -> int:
    """Round an estimate, halves up. The result is at least 1, and at most 13 minus partner's bid.

    ``partner_bid``: NO_BID if partner has not bid yet; then the result is at most 13. If partner bid 13, it is 1.
    """
    takes = int(estimate + 0.5) if estimate > 0.5 else 1
    most = 13 - contract_of(partner_bid) if partner_bid > 0 else 13
    if takes > most:
        takes = most
    return takes if takes > 1 else 1


# ---- what the rules change -------------------------------------------------------------------------------------------

# What decided the number: the regular takes, the bids that the rules allow, the contract of ten, certain tricks.
AS_COUNTED, BY_RULES, FOR_TEN, CERTAIN = range(4)
NUMBER_RULES = ("", "table-rules", "ten-for-200", "certain-tricks")

BAG_PRICE = 11.0  # points that a bag costs in the paper (110 for ten); the table `factor` was fitted at 10
BAG_SLOPE = 0.03  # tricks to add for each point above BAG_PRICE
MOST_BAG_OFFSET = 0.75  # tricks


def bag_offset(rules: Rules) -> float:
    """Return the tricks to add to an estimate because bags cost points, 0 to MOST_BAG_OFFSET."""
    if not rules.bags:
        return 0.0
    # The price is beside a bag's own point, which is the default.
    offset = BAG_SLOPE * (rules.bag_penalty / rules.bag_limit + (1 - rules.bag_points) - BAG_PRICE)
    if offset <= 0.0:
        return 0.0
    return offset if offset < MOST_BAG_OFFSET else MOST_BAG_OFFSET


def number_under_rules(
    regular: Regular, partner_bid: int, allowed: int, rules: Rules, policy: Policy
) -> tuple[int, int]:
    """Return the regular takes as the rules change them, and what changed them.

    The second number is AS_COUNTED, BY_RULES or FOR_TEN. ``partner_bid``: NO_BID if partner has not bid yet;
    ``allowed``: the set of bids that the rules allow.
    """
    takes = regular.takes
    if rules.ten_for_200 and partner_bid != NO_BID:
        bid = TEN_TRICKS - contract_of(partner_bid)
        tricks = TEN_TRICKS - bid + regular.estimate
        if bid > 0 and bid != takes and tricks >= policy.ten_from and allowed >> bid & 1:
            return bid, FOR_TEN
    if allowed >> takes & 1:
        return takes, AS_COUNTED
    return nearest_allowed(takes, takes, allowed), BY_RULES


def contract_is_ten(number: int, partner_bid: int, rules: Rules) -> bool:
    """Return whether ``number`` makes a contract of exactly ten, and the rules reward such a contract."""
    return rules.ten_for_200 > 0 and partner_bid != NO_BID and contract_of(partner_bid) + number == TEN_TRICKS


def at_least_certain(takes: int, spades: int, extra_spades: int, partner_bid: int, allowed: int) -> int:
    """Return ``takes``, or the certain spade tricks of the hand if they are more.

    The certain tricks count as 13 less partner's bid if they are more than that, and as the nearest number in the set
    ``allowed``. ``spades`` and ``extra_spades``: as in `certain_tricks`.
    """
    certain = certain_tricks(spades, extra_spades)
    if partner_bid > 0 and certain > 13 - contract_of(partner_bid):
        certain = 13 - contract_of(partner_bid)
    certain = nearest_allowed(certain, takes, allowed) if certain > takes else takes
    return certain if certain > takes else takes


# ---- nil -------------------------------------------------------------------------------------------------------------

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
