"""Regular takes: the number of tricks that a hand is likely to take (ECAI 2020, section 4.1), as kernels.

The tables `side_high`, `spade_high`, `spade_takes` and `ruffs` hold the expected tricks of the cards of each suit, and
of ruffs. `tables.builders.derived` makes them from `p_length`. So a decision is three look-ups for the side suits, and
one short loop, which decides how many spades to use for ruffs and how many for tricks in spades. See
docs/explanation/how-bis-bids.md, "Regular takes".
"""

from typing import NamedTuple

from spades.scoring import contract_of
from spades.tables import Tables

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
