"""Regular takes: the number of tricks that a hand is likely to take, and how the rules change it, as kernels.

The tables `side_high`, `spade_high`, `spade_takes` and `ruffs` hold the expected tricks of the cards of each suit, and
of ruffs. `tables.builders.derived` makes them from `p_length`. So a decision is three look-ups for the side suits, and
one short loop, which decides how many spades to use for ruffs and how many for tricks in spades (ECAI 2020, section
4.1; docs/explanation/how-bis-bids.md, "Regular takes").

If a bag costs more, the estimate rises. If a contract of ten is worth 200 points, the second partner may bid what makes
the contract ten. `python -m tables fit rules` fits the constants of such changes; docs/strength.md shows their effect.
"""

from typing import NamedTuple

from spades.legal import NO_BID, contract_of, nearest_allowed
from spades.options import Policy
from spades.rules import Rules
from spades.scoring import TEN_TRICKS
from spades.tables import Tables

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
    offset = BAG_SLOPE * (rules.bag_penalty / rules.bag_limit - BAG_PRICE)
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
