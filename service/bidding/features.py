"""What the outcome model sees of a position and of a bid, as kernels: numbers near 0..1.

Of the score it sees what is left to the goals, bags and chances to win, for those who bid later go by the score too;
in these one model serves every game that has a win table. Data comes from the hand, the bids so far, the scores and
the tables; it goes to the net (`net`, compiled in `tables.winprob`).
"""

from typing import Any

from service.bidding.auction import sequence_index
from service.bidding.nil import interpolate
from service.bidding.regular import Regular
from service.bidding.rules import Rules
from service.bidding.scoring import contract_of, is_nil
from service.bidding.win_games import Place
from service.bidding.winning import worth

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


def top_spades(spades: int) -> int:
    """How many of the highest spades the hand holds without a gap.

    >>> top_spades(0b1101000000000)
    2
    """
    return 13 - (0x1FFF & ~spades).bit_length()


def position_inputs(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    place: Place,
    rules: Rules,
    regular: Regular,
    value: float,
    t: Any,
    x: Any,
) -> None:
    """Write a position's numbers to ``x`` (INPUTS,), zeros before.

    ``place`` is the game's (`winning.place_of`), ``regular`` and the nil ``value`` as BIS reckons them. Cards first,
    in the order of POSITION_NAMES then.
    """
    first, second, third = side_order(hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF)
    spades = hand >> 48
    cell = 0
    for cards in (first, second, third, spades):
        x[CARD_INPUTS + cell // 13] = cards.bit_count() / 6.0
        while cards:
            x[cell + (cards & -cards).bit_length() - 1] = 1.0
            cards &= cards - 1
        cell += 13
    cell += 4
    cnil = t.cnil
    x[cell] = cnil[0, first]
    x[cell + 1] = cnil[0, second]
    x[cell + 2] = cnil[0, third]
    x[cell + 3] = cnil[-1, spades]
    sequence = sequence_index(seat, b0, b1, b2)
    x[cell + 4] = regular.estimate / 5.0
    x[cell + 5] = regular.takes / 5.0
    x[cell + 6] = value
    x[cell + 7] = interpolate(t.curves, sequence, value)
    x[cell + 8] = top_spades(spades) / 3.0
    x[cell + 9] = regular.ruffs / 2.0
    x[cell + 10 + seat] = 1.0
    cell += 14
    known = 0
    for step in range(4 - seat, 4):  # those who have bid: LHO, partner, RHO are 1, 2, 3 on
        other = (seat + step) & 3
        bid = b0 if other == 0 else (b1 if other == 1 else b2)
        at = cell + 3 * (step - 1)
        x[at] = 1.0
        if is_nil(bid):
            x[at + 1] = 1.0
        else:
            x[at + 2] = bid / 5.0
            known += bid
    cell += 9
    x[cell] = known / 10.0
    x[cell + 1] = (known + regular.takes) / 13.0
    for later in range(3):
        x[cell + 2 + later] = t.mean_bids[sequence, later] / 5.0
    cell += 5
    for score in (us, them):
        left = max(rules.win - score, 0)
        x[cell] = left / 100.0 if left < 300 else 3.0
        x[cell + 1] = left / 100.0 if left < 100 else 1.0
        x[cell + 2] = left / 50.0 if left < 50 else 1.0
        cell += 3
    x[cell] = us_bags / 10.0
    x[cell + 1] = them_bags / 10.0
    x[cell + 2] = max(us - rules.lose, 0) / 100.0 if us < rules.lose + 150 else 1.5
    x[cell + 3] = max(them - rules.lose, 0) / 100.0 if them < rules.lose + 150 else 1.5
    lead = us - them
    x[cell + 4] = -2.0 if lead < -200 else (2.0 if lead > 200 else lead / 100.0)
    x[cell + 5] = 2.0 * worth(us, us_bags, them, them_bags, 1 - (seat & 1), place, rules, t.win) - 1.0


def expected_bids(seat: int, b0: int, b1: int, b2: int, bid: int, t: Any) -> tuple[float, float]:
    """Tricks that the partner and both opponents have bid, or will on the mean once we have bid ``bid``."""
    if seat == 0:
        row = sequence_index(1, bid, -1, -1)
        return t.mean_bids[row, 1] + 0.0, t.mean_bids[row, 0] + t.mean_bids[row, 2]
    if seat == 1:
        row = sequence_index(2, b0, bid, -1)
        return t.mean_bids[row, 1] + 0.0, contract_of(b0) + t.mean_bids[row, 0]
    if seat == 2:
        row = sequence_index(3, b0, b1, bid)
        return contract_of(b0) + 0.0, contract_of(b1) + t.mean_bids[row, 0]
    return contract_of(b1) + 0.0, contract_of(b0) + contract_of(b2) + 0.0


def bid_inputs(
    bid: int, seat: int, partner: float, theirs: float, left: int, regular: Regular, probability: float, x: Any
) -> None:
    """Write a candidate's numbers to ``x`` (BID_INPUTS,), zeros before, but for those from VALUES on.

    ``partner`` and ``theirs`` as `expected_bids` gives them; ``left``: our points to the goal; ``probability`` that a
    nil of this hand is made.
    """
    total = bid + partner + theirs
    if bid:
        over = bid - regular.estimate
        x[0] = bid / 5.0
        x[2] = over / 2.0
        x[3] = over * over / 4.0
        step = bid - regular.takes + 3
        x[10 + (0 if step < 0 else (6 if step > 6 else step))] = 1.0
    else:
        x[1] = 1.0
        x[4] = probability
        x[8] = 1.0 if seat > 1 else 0.0
        x[9] = partner / 4.0
    x[5] = (bid + partner) / 6.0
    x[6] = theirs / 6.0
    x[7] = (total - 11.0) / 3.0
    if total >= 13.0:
        x[17] = 1.0
    elif total < 10.0:
        x[18] = 1.0
    if bid + partner > 7.0:
        x[19] = (bid + partner - 7.0) / 3.0
    past = 10.0 * (bid + partner) - left
    if past >= 0.0:
        x[20] = past / 50.0 if past < 50.0 else 1.0
        x[21] = 1.0
    else:
        x[20] = past / 50.0 if past > -50.0 else -1.0
