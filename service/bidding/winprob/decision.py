"""The `winprob` policy in the service: the net's sums as numpy's matrix products (`weights`), all else by kernels.

The simulator has the same in loops (`tables.engine.winprob`); a parity test holds the two together.
"""

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np

from service.bidding.bis.nil import LOW_FOUR, Nil, weigh_nil
from service.bidding.bis.regular import Regular, count_suits
from service.bidding.game.auction import read_auction
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import BLIND_NIL, NIL
from service.bidding.policies import FULL
from service.bidding.record import record
from service.bidding.table_views import Tables
from service.bidding.winprob.candidates import MARGIN, TIE_TOLERANCE, candidates
from service.bidding.winprob.features import POSITION_NAMES, VALUES, bid_inputs, holdings, position_inputs
from service.bidding.winprob.games import key_of
from service.bidding.winprob.outcome_values import OUR_WAYS, THEIR_WAYS, Side, outcome_value_matrix
from service.bidding.winprob.outcomes import OUTCOMES, contract_tens, nil_stakes
from service.bidding.winprob.weights import Floats, Weights, expected_tricks, outcome_odds
from service.bidding.winprob.win_table import WIN_SCALE

# Numbers as bytes, which numpy takes in one go: a suit's seven low cards and its six high ones, a position's, a bid's.
_LOW, _HIGH = (
    [Struct(f"{width}f").pack(*(cards >> rank & 1 for rank in range(width))) for cards in range(1 << width)]
    for width in (7, 6)
)
_pack_position = Struct(f"{len(POSITION_NAMES) + 1}f").pack
_pack_bid = Struct(f"{VALUES}f{4 * OUTCOMES}x").pack
_BIDS = [[bid for bid in range(7) if bids >> bid & 1] for bids in range(128)]  # by set, of the seven lower bids
_BIDS += [[bid + 7 for bid in bids] for bids in _BIDS]  # and then of the seven higher
_ONES = np.ones(OUTCOMES, np.float32)
_TOPS = np.full(OUTCOMES, WIN_SCALE, np.float32)


class WinDecision(NamedTuple):
    """A bid by its win probability, with all that made it."""

    bid: int
    regular: Regular
    nil: Nil  # as BIS sees it, also where it rules out a nil that is weighed here
    inputs: Sequence[float]  # of the position, in the order of features.POSITION_NAMES
    bids: list[int]  # those weighed, and where asked for those that stand beside them
    contracts: list[int]  # beside each bid: our side's tricks as the outcomes count them
    opposing: list[int]  # and theirs
    stake: int  # points on the nils that partner bid
    their_stake: int  # and the opponents did
    p_win: list[float]  # of each bid
    odds: Floats  # (bids, OUTCOMES): probabilities, but that they sum to anything
    weighed: int  # the set of bids weighed


def win_decision(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    rules: Rules,
    allowed: int,
    legal: int,
    every: bool,
    tables: Tables,
    weights: Weights,
) -> WinDecision:
    """The bid with the highest win probability, a higher number if by MARGIN; rules as `games` takes them.

    ``allowed``: the set of bids that the rules allow; ``legal``: those that the request does, which has the last word.
    ``every``: tell of all of them, not only of those that are weighed. ``tables``: memoryviews; ``weights``: of the
    same tables.
    """
    partner, nils, total, sequence = read_auction(seat, b0, b1, b2)
    suits = hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48
    regular = count_suits(suits, 2 - nils, partner, tables.factor[seat, total], 0.0, tables)
    nil = seen_nil = weigh_nil(suits, partner, sequence, FULL, 0.0, 1, 1, rules.nil_points, allowed, tables)
    if suits[3].bit_count() == 4:
        seen_nil = weigh_nil(suits, partner, sequence, FULL, 0.0, LOW_FOUR, 1, rules.nil_points, allowed, tables)
    weighed = candidates(regular.takes, seat, b0, b1, seen_nil.ruled_out, allowed)
    weighed = weighed & legal or allowed & legal or legal
    told = (allowed & legal or legal) if every else weighed
    bids = _BIDS[told & 127] + _BIDS[told >> 7 | 128]

    win_slice = weights.games[key_of(rules)]
    if win_slice.bags == 1:  # none are counted, whatever a request says
        us_bags = them_bags = 0
    held = holdings(hand)
    inputs = position_inputs(
        held, seat, b0, b1, b2, sequence, us, them, us_bags, them_bags, win_slice, rules, regular, seen_nil, tables
    )
    left = rules.win - us
    probability = seen_nil.probability
    expected = weights.expected[sequence] if seat < 3 else [expected_tricks(seat, b0, b1, b2, sequence, 0, tables)] * 14
    rows, contracts, opposing = [], [], []
    for bid in bids:
        partners, others, partner_tricks, their_tricks = expected[bid]
        rows.append(_pack_bid(*bid_inputs(bid, seat, partners, others, left, regular, probability)))
        contracts.append(bid + partner_tricks)
        opposing.append(their_tricks)

    stake, their_stake = 0, 0  # on the nils that others bid
    if nils or partner == NIL or partner == BLIND_NIL:
        stake, their_stake = nil_stakes(seat, b0, b1, b2, 1, rules)
    our_tens, their_tens = contracts, opposing
    if rules.ten_for_200:
        our_tens, their_tens = ([contract_tens(contract, rules) for contract in side] for side in (contracts, opposing))
    our_bids, reach = [(our_tens, stake)], 10 * max(our_tens) + stake
    if not bids[0]:
        our_bids = [(our_tens[:1], stake + rules.nil_points), (our_tens[1:], stake)]
        reach += rules.nil_points
    same = opposing.count(opposing[0]) == len(opposing)  # as it mostly is, whatever we bid
    their_bids = [(their_tens[:1] if same else their_tens, their_stake)]
    ours = record(Side, (OUR_WAYS[win_slice.bags], us, us_bags, our_bids, reach))
    theirs = record(Side, (THEIR_WAYS[win_slice.bags], them, them_bags, their_bids, 10 * max(their_tens) + their_stake))
    worths = outcome_value_matrix(ours, theirs, seat & 1, rules, win_slice, weights.wins[win_slice.more])

    seen = np.frombuffer(bytearray().join(rows), np.float32).reshape(-1, VALUES + OUTCOMES)
    values = seen[:, VALUES:]
    values[...] = worths
    x = np.frombuffer(b"".join((*_cards(held), _pack_position(*inputs, 1.0))), np.float32)
    odds = outcome_odds(x, seen, weights)
    p_win = []
    best, most = -1, -1.0
    for bid, worth, whole in zip(bids, np.vecdot(odds, values).tolist(), odds.dot(_TOPS).tolist()):
        p = worth / whole if worth < whole else 1.0  # by rounding it may be more
        p_win.append(p)
        if weighed >> bid & 1 and p > most + (MARGIN if best > 0 else TIE_TOLERANCE):
            best, most = bid, p
    return record(
        WinDecision,
        (best, regular, nil, inputs, bids, contracts, opposing, stake, their_stake, p_win, odds, weighed),
    )


def _cards(held: tuple[int, int, int, int]) -> tuple[bytes, ...]:
    """`features.card_inputs` as bytes."""
    a, b, c, d = held
    low, high = _LOW, _HIGH
    return (
        low[a & 127],
        high[a >> 7],
        low[b & 127],
        high[b >> 7],
        low[c & 127],
        high[c >> 7],
        low[d & 127],
        high[d >> 7],
    )


def sum_outcomes(odds: Floats, which: Floats) -> list[list[float]]:
    """For each row of ``odds`` (bids, OUTCOMES) the probabilities of the outcomes that `outcome_columns` tells of."""
    sums: list[list[float]] = (odds.dot(which) / odds.dot(_ONES).reshape(-1, 1)).tolist()
    return sums


def outcome_columns(columns: list[list[int]]) -> Floats:
    """(OUTCOMES, len(columns)): which outcomes count for what, as `sum_outcomes` takes it."""
    return np.array(columns, np.float32).T.copy()
