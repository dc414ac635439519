"""Regular takes: the tricks a hand is likely to take (bis.md section 3, ECAI 2020 section 4.1), as kernels.

What one suit's holding is worth is tabulated (`side_high`, `spade_high`, `spade_long`, `ruffs`, made by
`tables.builders.exact` from `p_length` with `side_value`, `spade_counts` and `ruff_values` below), so a decision is
three look-ups and one short loop over the split of the spades between ruffs and tricks of their own.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.bidding.game.auction import opponents_nils, partner_bid, sum_of_bids
from service.bidding.game.cards import ACE, JACK, KING, QUEEN
from service.bidding.game.scoring import contract_of
from service.bidding.record import record

MOST_RUFFS = 9  # three voids' three tricks each


class Regular(NamedTuple):
    """What makes a regular bid; all in tricks."""

    clubs: float  # high cards of each side suit
    diamonds: float
    hearts: float
    spade_high: int
    spade_long: int
    ruffs: float
    factor: float  # for the sum of the previous bids
    offset: float  # the policy's
    estimate: float  # the sum of the above
    takes: int  # rounded and limited: the bid


def side_value(cards: int, ruffers: int, p_length: Any) -> float:
    """Tricks of a side suit's ace, king and queen when ``ruffers`` opponents might cut; ``p_length`` (4, 14, 4)."""
    n = cards.bit_count()
    value = 0.0
    if cards >> ACE & 1:
        value += p_length[ruffers, n, 1]
    if n >= 2 and cards >> KING & 1:
        value += p_length[ruffers, n, 2]
    if n >= 3 and cards >> QUEEN & 1:
        value += p_length[ruffers, n, 3]
    return value


def spade_counts(cards: int, above: int = 0) -> tuple[int, int]:
    """Spade tricks of a holding by high cards (mostly protected A K Q J) and by length (beyond the fourth).

    ``above``: ranks above the ace; with 2, the jokers, the four highest are BJ LJ A K.

    >>> spade_counts(0b1101000010001)  # AKJ62
    (3, 1)
    """
    n = cards.bit_count()
    tops = cards >> above
    high = tops >> ACE & 1
    for rank, guards in ((KING, 1), (QUEEN, 2), (JACK, 3)):
        if tops >> rank & 1 and n > guards:
            high += 1
    return high, max(0, n - 4)


def ruff_values(lengths: Sequence[int], ruffers: int, p_length: Any) -> list[float]:
    """Worth of each ruff that side suits of these lengths offer, best first."""
    return sorted(
        (float(p_length[ruffers, n, k]) for n in lengths for k in range(n + 1, 4)),
        reverse=True,
    )


def ruff_row(clubs: int, diamonds: int, hearts: int) -> int:
    """The row of `ruffs` for three side holdings: lengths capped at 3, in base 4."""
    c = clubs.bit_count()
    d = diamonds.bit_count()
    h = hearts.bit_count()
    return (c if c < 3 else 3) + 4 * (d if d < 3 else 3) + 16 * (h if h < 3 else 3)


def regular_takes(
    hand: int, seat: int, b0: int, b1: int, b2: int, factor: float, offset: float, tables: Any
) -> Regular:
    """The regular bid and what it is made of.

    ``factor``: the previous-bids factor to add; ``tables``: `table_views.Tables`.
    """
    ruffers = 2 - opponents_nils(seat, b0, b1, b2) if seat else 2
    return count_takes(hand, ruffers, partner_bid(seat, b0, b1), factor, offset, tables)


def count_takes(hand: int, ruffers: int, partner: int, factor: float, offset: float, tables: Any) -> Regular:
    """`regular_takes` with ``ruffers`` opponents who might cut, beside ``partner``'s bid (NO_BID: none)."""
    suits = hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48
    return count_suits(suits, ruffers, partner, factor, offset, tables)


def count_suits(
    suits: tuple[int, int, int, int], ruffers: int, partner: int, factor: float, offset: float, tables: Any
) -> Regular:
    """`count_takes` of holdings, clubs first."""
    clubs, diamonds, hearts, spades = suits
    side_high = tables.side_high
    c = side_high[ruffers, clubs]
    d = side_high[ruffers - 4, diamonds]  # from the end: with jokers only diamonds have 13 cards (ADR 30)
    h = side_high[ruffers, hearts]
    n_clubs = clubs.bit_count()
    n_diamonds = diamonds.bit_count()
    n_hearts = hearts.bit_count()
    row = (
        (n_clubs if n_clubs < 3 else 3)
        + 4 * (n_diamonds if n_diamonds < 3 else 3)
        + 16 * (n_hearts if n_hearts < 3 else 3)
    )  # `ruff_row`, spelt out for speed
    ruffs = tables.ruffs
    spade_takes = tables.spade_takes
    best = spade_takes[spades, 0] + 0.0
    best_ruffs = 0.0
    ruffing = 0
    # The k lowest spades take the k best ruffs; once a further ruff is worth nothing, none after it is worth more.
    worth = 0.0
    n = spades.bit_count()
    if n > MOST_RUFFS:
        n = MOST_RUFFS
    for k in range(1, n + 1):
        before = worth
        worth = ruffs[ruffers, row, k]
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
    return record(Regular, (c, d, h, high, long, best_ruffs, factor, offset, estimate, limit_takes(estimate, partner)))


def limit_takes(estimate: float, partner: int) -> int:
    """Round an estimate half up; at most 13 less partner's bid, at least 1 (the minimum wins)."""
    takes = int(estimate + 0.5) if estimate > 0.5 else 1
    most = 13 - contract_of(partner) if partner > 0 else 13
    if takes > most:
        takes = most
    return takes if takes > 1 else 1


def previous_bids_factor(seat: int, b0: int, b1: int, b2: int, tables: Any) -> float:
    """Tricks to add for the sum of the previous bids; `factor` has shape (4 seats, 40 sums)."""
    value: float = tables.factor[seat, sum_of_bids(seat, b0, b1, b2)]
    return value
