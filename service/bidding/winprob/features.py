"""What the outcome model sees of a position and of a bid, as kernels: numbers near 0..1.

Of the score it sees what is left to the goals, bags and chances to win, for those who bid later go by the score too;
in these one model serves every game that has a win table. Data comes from the hand, the bids so far, the scores and
the tables; it goes to the net (`net`, compiled in `tables.engine.winprob`).
"""

from typing import Any

from service.bidding.bis.nil import Nil
from service.bidding.bis.regular import Regular
from service.bidding.game.auction import NO_BID, sum_of_bids
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import contract_of
from service.bidding.winprob.games import WinTableSlice
from service.bidding.winprob.win_table import win_array, win_probability_after

CARD_INPUTS = 52  # 13 ranks of the side suits, longest first, and of spades
POSITION_NAMES = (
    *(f"length_{suit}" for suit in ("longest", "middle", "shortest", "spades")),
    *(f"cnil_{suit}" for suit in ("longest", "middle", "shortest", "spades")),
    *("estimate", "takes", "nil_value", "nil_probability", "top_spades", "ruffs"),
    *(f"seat_{seat}" for seat in range(4)),
    *(f"{other}_{what}" for other in ("lho", "partner", "rho") for what in ("has_bid", "nil", "bid")),
    *("sum_of_bids", "sum_with_takes", "mean_next", "mean_second", "mean_third"),
    *(f"{side}_to_goal{within}" for side in ("us", "them") for within in ("", "_within_100", "_within_50")),
    *("us_bags", "them_bags", "us_to_losing", "them_to_losing", "lead", "p_win_before"),
)
BID_NAMES = (
    *("bid", "is_nil", "over", "over_squared", "nil_probability", "side", "opponents", "sum", "late_nil"),
    *("nil_beside", "under_3", "under_2", "under_1", "takes", "over_1", "over_2", "over_3"),
    *("sum_13", "sum_below_10", "side_above_7", "past_goal", "reaches_goal"),
    *("p_win_made", "p_win_made_other_set", "p_win_bags", "p_win_set"),
)
INPUTS = CARD_INPUTS + len(POSITION_NAMES)  # of a position
BID_INPUTS = len(BID_NAMES)  # of a candidate bid
VALUES = BID_NAMES.index("p_win_made")  # where those of a bid's numbers begin that are worths of outcomes
VALUED = (0, 3, 8, 16)  # the outcomes (`outcome`) whose worth they are

# What is seen of a seat's bid, from NO_BID to a blind nil: whether it has bid, nil, fifths of the bid.
_SEEN = ((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), *((1.0, 0.0, bid / 5.0) for bid in range(1, 14)), (1.0, 1.0, 0.0))
# By a bid less the takes, from -12 on: under_3 to over_3.
_STEPS = tuple(tuple(1.0 if at == max(-3, min(3, step)) else 0.0 for at in range(-3, 4)) for step in range(-12, 13))
_NO_STEP = (0.0,) * 7


def side_order(clubs: int, diamonds: int, hearts: int) -> tuple[int, int, int]:
    """The three side holdings, longest first, the higher one first of two as long: side suits are alike.

    >>> side_order(0b1, 0b110, 0b1000)
    (6, 8, 1)
    """
    a = clubs.bit_count() << 16 | clubs
    b = diamonds.bit_count() << 16 | diamonds
    c = hearts.bit_count() << 16 | hearts
    if a < b:
        a, b = b, a
    if b < c:
        b, c = c, b
    if a < b:
        a, b = b, a
    return a & 0xFFFF, b & 0xFFFF, c & 0xFFFF


def holdings(hand: int) -> tuple[int, int, int, int]:
    """A hand's holdings as the model sees them: side suits in `side_order`, spades last."""
    first, second, third = side_order(hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF)
    return first, second, third, hand >> 48


def top_spades(spades: int) -> int:
    """How many of the highest spades the hand holds without a gap.

    >>> top_spades(0b1101000000000)
    2
    """
    return 13 - (0x1FFF & ~spades).bit_length()


def card_inputs(held: tuple[int, int, int, int], x: Any) -> None:
    """Write the cards of `holdings` to ``x`` (CARD_INPUTS,), zeros before."""
    cell = 0
    for cards in held:
        while cards:
            x[cell + (cards & -cards).bit_length() - 1] = 1.0
            cards &= cards - 1
        cell += 13


def position_inputs(
    held: tuple[int, int, int, int],
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    sequence: int,
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    win_slice: WinTableSlice,
    rules: Rules,
    regular: Regular,
    nil: Nil,
    tables: Any,
) -> tuple[float, ...]:
    """A position's numbers but for its cards, in the order of POSITION_NAMES; ``held``: its `holdings`.

    ``sequence`` is the row of the bids so far, ``win_slice`` the game's (`win_table.slice_of`), ``regular`` and
    ``nil`` as BIS reckons them.
    """
    first, second, third, spades = held
    lho = b0 if seat == 3 else NO_BID
    partner = b1 if seat == 3 else (b0 if seat == 2 else NO_BID)
    rho = b2 if seat == 3 else (b1 if seat == 2 else (b0 if seat == 1 else NO_BID))
    known = sum_of_bids(seat, b0, b1, b2)
    cnil, mean_bids = tables.cnil, tables.mean_bids
    takes = regular.takes
    lead = us - them
    p_win = win_probability_after(
        us, us_bags, them, them_bags, 1 - (seat & 1), win_slice, rules, win_array(win_slice, tables)
    )
    return (
        (
            first.bit_count() / 6.0,
            second.bit_count() / 6.0,
            third.bit_count() / 6.0,
            spades.bit_count() / 6.0,
            cnil[0, first],
            cnil[0, second],
            cnil[0, third],
            cnil[-1, spades],
            regular.estimate / 5.0,
            takes / 5.0,
            nil.value,
            nil.probability,
            top_spades(spades) / 3.0,
            regular.ruffs / 2.0,
            1.0 if seat == 0 else 0.0,
            1.0 if seat == 1 else 0.0,
            1.0 if seat == 2 else 0.0,
            1.0 if seat == 3 else 0.0,
        )
        + _SEEN[lho + 1]
        + _SEEN[partner + 1]
        + _SEEN[rho + 1]
        + (
            known / 10.0,
            (known + takes) / 13.0,
            mean_bids[sequence, 0] / 5.0,
            mean_bids[sequence, 1] / 5.0,
            mean_bids[sequence, 2] / 5.0,
        )
        + to_goal(us, rules.win)
        + to_goal(them, rules.win)
        + (
            us_bags / win_slice.bags,
            them_bags / win_slice.bags,
            to_losing(us, rules.lose),
            to_losing(them, rules.lose),
            -2.0 if lead < -200 else (2.0 if lead > 200 else lead / 100.0),
            2.0 * p_win - 1.0,
        )
    )


def to_goal(score: int, goal: int) -> tuple[float, float, float]:
    """What is left to the goal, in hundreds up to three, in hundreds up to one, in fifties up to one."""
    left = goal - score
    if left >= 300:
        return 3.0, 1.0, 1.0
    if left < 0:
        left = 0
    return left / 100.0, left / 100.0 if left < 100 else 1.0, left / 50.0 if left < 50 else 1.0


def to_losing(score: int, lose: int) -> float:
    """What is left to the losing goal, in hundreds up to one and a half."""
    left = score - lose
    if left >= 150:
        return 1.5
    return left / 100.0 if left > 0 else 0.0


def expected_bids(seat: int, b0: int, b1: int, b2: int, sequence: int, bid: int, tables: Any) -> tuple[float, float]:
    """Tricks that the partner and both opponents have bid, or will on the mean once we have bid ``bid``.

    ``sequence``: the row of the bids before ours.
    """
    if seat == 3:
        return contract_of(b1) + 0.0, contract_of(b0) + contract_of(b2) + 0.0
    mean_bids = tables.mean_bids
    row = 14 * sequence + 1 + bid  # `sequence_index` with our bid
    if seat == 2:
        return contract_of(b0) + 0.0, contract_of(b1) + mean_bids[row, 0]
    if seat == 1:
        return mean_bids[row, 1] + 0.0, contract_of(b0) + mean_bids[row, 0]
    return mean_bids[row, 1] + 0.0, mean_bids[row, 0] + mean_bids[row, 2]


def bid_inputs(
    bid: int, seat: int, partner: float, theirs: float, left: int, regular: Regular, probability: float
) -> tuple[float, ...]:
    """A candidate's numbers, in the order of BID_NAMES up to VALUES.

    ``partner`` and ``theirs`` as `expected_bids` gives them; ``left``: our points to the goal; ``probability`` that a
    nil of this hand is made.
    """
    side = bid + partner
    total = side + theirs
    past = 10.0 * side - left
    rest = (
        1.0 if total >= 13.0 else 0.0,
        1.0 if total < 10.0 else 0.0,
        (side - 7.0) / 3.0 if side > 7.0 else 0.0,
        past / 50.0 if -50.0 < past < 50.0 else (1.0 if past > 0.0 else -1.0),
        1.0 if past >= 0.0 else 0.0,
    )
    if bid:
        over = bid - regular.estimate
        near = _STEPS[bid - regular.takes + 12]
        of_bid = (
            bid / 5.0,
            0.0,
            over / 2.0,
            over * over / 4.0,
            0.0,
            side / 6.0,
            theirs / 6.0,
            (total - 11.0) / 3.0,
            0.0,
            0.0,
        )
        return of_bid + near + rest
    late = 1.0 if seat > 1 else 0.0
    of_nil = 0.0, 1.0, 0.0, 0.0, probability, side / 6.0, theirs / 6.0, (total - 11.0) / 3.0, late, partner / 4.0
    return of_nil + _NO_STEP + rest
