"""The nil side of a decision: value, success probability, expected points (bis.md sections 2 and 3), as kernels.

`cnil` and `curves` come from the tables; the rest is arithmetic. Whether a nil is bid is decided here; what
the end of the game makes of it, in `endgame`.
"""

from typing import Any, NamedTuple

from service.bidding.game.auction import partner_bid
from service.bidding.game.cards import ACE, KING, QUEEN, TEN
from service.bidding.game.legal import NIL_BIT
from service.bidding.game.scoring import BLIND_NIL, contract_of
from service.bidding.policies import FULL, SINGLE
from service.bidding.record import record

VOID_FACTOR = 1.15  # ECAI 2020, section 4.2
LOW_FOUR = 2  # of `ruled_out`'s honours: as 1, and four spades below the king rule no nil out
SURE_LOSER = 0.25  # probability below which a nil is bid at full strength only
GRID = 100  # a curve has GRID + 1 points over nil values 0..1

# Why a nil is ruled out.
NOT_RULED_OUT, PARTNER_NIL, ACE_OF_SPADES, KING_QUEEN, THREE_HIGH, FOUR_SPADES, HONOUR, SWITCHED_OFF, AGAINST_RULES = (
    range(9)
)
BIG_JOKER, JOKER_ACE, THREE_ABOVE_JACK, JOKER_HONOUR = range(9, 13)  # with jokers, in the place of four of these
NIL_REASONS = (
    "",
    "partner bid nil",
    "ace of spades",
    "king and queen of spades",
    "three spades above the nine",
    "four or more spades",
    "king or queen of spades",
    "nils are switched off",
    "the rules allow no nil here",
    "big joker",
    "little joker and ace of spades",
    "three spades above the jack",
    "little joker or ace of spades",
)


class Nil(NamedTuple):
    """What makes a nil decision; probabilities 0..1, points."""

    clubs: float  # cnil of each suit
    diamonds: float
    hearts: float
    spades: float
    void_factor: float
    value: float
    probability: float
    expected_points: float
    threshold: float
    ruled_out: int  # OPEN, or the reason
    chosen: bool


def ruled_out(spades: int, partner: int, honours: int, nils: int, allowed: int, above: int = 0) -> int:
    """OPEN, or the reason why a nil is out of the question; ``allowed``: the set of bids that the rules allow.

    ``partner``: her bid, NO_BID where she has yet to bid; ``above``: spade ranks above the ace, 2 with jokers; the
    rules for high spades move up by as many. ``honours``: 0 where a king or queen of spades rules a nil out, 1 where it
    does not, or LOW_FOUR.
    """
    if partner == 0 or partner == BLIND_NIL:
        return PARTNER_NIL
    if not allowed & NIL_BIT:
        return AGAINST_RULES
    tops = spades >> above
    if tops >= 1 << QUEEN:
        if tops >= 1 << ACE:
            return BIG_JOKER if above else ACE_OF_SPADES
        if tops >> QUEEN == 3:
            return JOKER_ACE if above else KING_QUEEN
    if tops >= 7 << TEN and (tops >> TEN).bit_count() >= 3:
        return THREE_ABOVE_JACK if above else THREE_HIGH
    n = spades.bit_count()
    if n > 4 or (n == 4 and (honours != LOW_FOUR or tops >= 1 << KING)):
        return FOUR_SPADES
    if tops >= 1 << QUEEN and not honours:
        return JOKER_HONOUR if above else HONOUR
    return NOT_RULED_OUT if nils else SWITCHED_OFF


def nil_value(clubs: float, diamonds: float, hearts: float, spades: float, void: bool) -> float:
    """The hand's nil value from its suits' cnil."""
    value = clubs * diamonds * hearts * spades
    if void:
        value *= VOID_FACTOR
    return value if value < 1.0 else 1.0


def expected_contract_points(contract: int, nil: int, tables: Any) -> float:
    """Expected points of a contract from the share of such contracts that are made; ``nil``: 1 beside a nil."""
    points: float = 10.0 * contract * (2.0 * tables.contract_made[nil, contract] - 1.0)
    return points


def partnership_threshold(takes: int, partner: int, sequence: int, tables: Any) -> float:
    """BIS*'s threshold (ECAI 2020, section 5.3.3): what the side's contract is worth with ``takes`` and without.

    ``partner`` is her bid; where she has yet to bid, the mean bid two seats after this ``sequence``.
    """
    bid = contract_of(partner) if partner >= 0 else int(tables.mean_bids[sequence, 2] + 0.5)
    return expected_contract_points(takes + bid, 0, tables) - expected_contract_points(bid, 1, tables)


def shifted_threshold(threshold: float, off: float, nil_points: int) -> float:
    """The threshold of a bidder who takes a nil for worse by ``off`` points (better: negative), see `levels`.

    Never below what a sure loser is worth.
    """
    return max(threshold + off, nil_points * (2.0 * SURE_LOSER - 1.0))


def interpolate(curve: Any, row: int, x: float) -> float:
    """A curve's value at ``x`` in 0..1, linear between the grid's points; ``curve`` (rows, GRID + 1)."""
    at = x * GRID
    i = int(at)
    if i >= GRID:
        last: float = curve[row, GRID]
        return last
    low: float = curve[row, i]
    step: float = curve[row, i + 1] - low
    return low + step * (at - i)


def consider_nil(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    sequence: int,
    curves: int,
    threshold: float,
    honours: int,
    nils: int,
    nil_points: int,
    allowed: int,
    tables: Any,
    above: int = 0,
) -> Nil:
    """Value, probability and expected points of a nil, and whether it is chosen; ``above`` as in `ruled_out`."""
    suits = hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48
    partner = partner_bid(seat, b0, b1)
    return weigh_nil(suits, partner, sequence, curves, threshold, honours, nils, nil_points, allowed, tables, above)


def weigh_nil(
    suits: tuple[int, int, int, int],
    partner: int,
    sequence: int,
    curves: int,
    threshold: float,
    honours: int,
    nils: int,
    nil_points: int,
    allowed: int,
    tables: Any,
    above: int = 0,
) -> Nil:
    """`consider_nil` of holdings, clubs first, beside ``partner``'s bid (NO_BID: none yet).

    With LOW_FOUR four spades count as the three highest, for `cnil` counts no more; so it says too much of such nils.
    """
    c_cards, d_cards, h_cards, s_cards = suits
    cnil = tables.cnil
    clubs = cnil[0, c_cards]
    diamonds = cnil[-2, d_cards]  # from the end: with jokers only diamonds have 13 cards (ADR 30)
    hearts = cnil[0, h_cards]
    if honours == LOW_FOUR and s_cards.bit_count() == 4:
        spades = cnil[-1, s_cards & s_cards - 1]
    else:
        spades = cnil[-1, s_cards]
    factor = 1.0
    value = clubs * diamonds * hearts * spades
    if not (c_cards and d_cards and h_cards):
        factor = VOID_FACTOR
        value *= VOID_FACTOR
        if value > 1.0:
            value = 1.0
    if curves == FULL:
        probability = interpolate(tables.curves, sequence, value)
    elif curves == SINGLE:
        probability = interpolate(tables.single_curve, 0, value)
    else:
        probability = value
    expected = nil_points * (2.0 * probability - 1.0)
    reason = ruled_out(s_cards, partner, honours, nils, allowed, above)
    chosen = reason == NOT_RULED_OUT and expected > threshold
    return record(
        Nil,
        (clubs, diamonds, hearts, spades, factor, value, probability, expected, threshold, reason, chosen),
    )
