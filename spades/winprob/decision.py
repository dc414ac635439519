"""Policy `winprob` in the service: numpy's matrix products for the net (`weights`), kernels for everything else.

The simulator computes the same sums with loops (`tables.engine.winprob`); a parity test compares the two.
"""

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np

from spades.bis.nil import Nil
from spades.bis.regular import Regular
from spades.cards import spades_of, suits_of
from spades.legal import EVERY_BID
from spades.passing import suits_after_pass
from spades.position import EXPLAINED, Turn
from spades.winprob.candidates import best_bid, best_far_bid, last_bag_bid
from spades.winprob.features import (
    POSITION_NAMES,
    VALUES,
    bid_inputs,
    expected_bids,
    model_nil,
    model_position,
)
from spades.winprob.outcome_values import Side, outcome_value_matrix
from spades.winprob.outcomes import (
    OURS,
    OUTCOMES,
    THEIRS,
    our_impossible_ways,
    their_impossible_ways,
)
from spades.winprob.weights import Floats, Weights, outcome_odds
from spades.winprob.win_table import WIN_SCALE

# Inputs of the net as bytes, which numpy reads in one call. `_LOW` and `_HIGH` give the inputs of a suit's seven low
# and six high cards, by bit mask. The two functions pack the inputs of a position and of a bid. The packed bid leaves
# space for its outcome values.
_LOW, _HIGH = (
    [Struct(f"{width}f").pack(*(cards >> rank & 1 for rank in range(width))) for cards in range(1 << width)]
    for width in (7, 6)
)
_pack_position = Struct(f"{len(POSITION_NAMES) + 1}f").pack
_pack_bid = Struct(f"{VALUES}f{4 * OUTCOMES}x").pack
# Bit mask of bids 0 to 6 -> list of these bids; from index 128 on, the same for bids 7 to 13.
_BIDS = [[bid for bid in range(7) if bids >> bid & 1] for bids in range(128)]
_BIDS += [[bid + 7 for bid in bids] for bids in _BIDS]
_ONE = np.ones((), np.float32)
_ONES = np.ones(OUTCOMES, np.float32)
_TOPS = np.full(OUTCOMES, WIN_SCALE, np.float32)


def _possible(ours: int, theirs: int) -> Floats:
    """Return 0 for each outcome that contains an excluded way, 1 for the others: shape (OUTCOMES,).

    ``ours`` and ``theirs``: sets of excluded ways, as bit masks.
    """
    out = [ours >> our & 1 or theirs >> their & 1 for our in range(OURS) for their in range(THEIRS)]
    return np.array([not excluded for excluded in out], np.float32)


_POSSIBLE = {(ours, theirs): _possible(ours, theirs) for ours in range(1 << OURS) for theirs in range(1 << THEIRS)}


class WinDecision(NamedTuple):
    """A bid by its win probability, with the numbers behind it."""

    bid: int
    regular: Regular
    nil: Nil  # as the model sees it; if an explanation is wanted, from `whole_nil`
    inputs: Sequence[float]  # of the position, in the order of features.POSITION_NAMES
    # The bids in `p_win`: all allowed legal bids for a full explanation, otherwise those in `weighed` and all far bids.
    bids: list[int]
    contracts: list[int]  # for each bid: tricks of our side's contract, as the outcomes count them
    opposing: list[int]  # for each bid: tricks of the opponents' contract
    stake: int  # points at stake on partner's nil, 0 if there is none
    their_stake: int  # points at stake on the opponents' nils
    p_win: list[float]  # for each bid: win probability
    odds: Floats  # (bids, OUTCOMES): unnormalized outcome probabilities (divide by the row's sum)
    weighed: int  # bit mask of the bids that are compared, one of which is bid; at most one of them is far


def win_decision(turn: Turn, weights: Weights) -> WinDecision:
    """Return the bid with the highest win probability, as `best_bid` chooses it.

    With a full explanation, all allowed legal bids are reported, not only those that are compared. `Games.nearest`
    must return a table for the rules of the turn.
    """
    hand, at, auction, standing, allowed, policy, tables, given, explain = turn
    rules = at.rules
    legal = EVERY_BID if given is None else sum(1 << bid for bid in given)
    game = weights.games[rules]
    players = policy.left, policy.partner, policy.right
    position = model_position(hand, auction, standing, allowed, players, game.win_slice, rules, tables)
    seat, (us, them, us_bags, them_bags), regular, nil, weighed, held, inputs, _, stake, their_stake, *_ = position
    certain, certain_nil = position.certain, position.certain_nil
    if explain:
        kept = suits_after_pass(suits_of(hand), rules)[3] if rules.nil_pass else spades_of(hand)
        if kept.bit_count() == 4:  # the model looks at only three of the four spades
            nil = whole_nil(turn)
    weighed = weighed & legal or allowed & legal or legal
    far = position.far & legal & ~weighed
    told = (allowed & legal or legal) if explain == EXPLAINED else weighed | far
    bids = _BIDS[told & 127] + _BIDS[told >> 7 | 128]
    expected = weights.expected(tables)[auction.sequence] if seat < 3 else [expected_bids(0, auction, tables)] * 14
    rows, contracts, opposing = [], [], []
    for bid in bids:
        others = _, _, partner_tricks, opponents_tricks = expected[bid]
        rows.append(_pack_bid(*bid_inputs(bid, others, position)))
        contracts.append(bid + partner_tricks)
        opposing.append(opponents_tricks)
    our_tens, their_tens = contracts, opposing
    if game.tens:
        our_tens, their_tens = ([game.tens[contract] for contract in side] for side in (contracts, opposing))
    our_bids, reach = [(our_tens, stake)], 10 * max(our_tens) + stake
    if not bids[0]:
        our_bids = [(our_tens[:1], stake + rules.nil_points), (our_tens[1:], stake)]
        reach += rules.nil_points
    same = opposing.count(opposing[0]) == len(opposing)  # usual case: our bid does not change the opponents' contract
    their_bids = [(their_tens[:1] if same else their_tens, their_stake)]
    ours = Side(score=us, held=us_bags, bids=our_bids, reach=reach)
    theirs = Side(score=them, held=them_bags, bids=their_bids, reach=10 * max(their_tens) + their_stake)
    seen = np.frombuffer(bytearray().join(rows), np.float32).reshape(-1, VALUES + OUTCOMES)
    values = seen[:, VALUES:]
    values[...] = outcome_value_matrix(ours, theirs, seat & 1, rules, game)
    x = np.frombuffer(_cards(held) + _pack_position(*inputs, 1.0), np.float32)
    odds = outcome_odds(x, seen, weights)
    # Outcomes that the known bids and certain tricks exclude get probability 0. Few decisions have such outcomes.
    if seat > 1 and (
        contracts[-1] > 13
        or (seat == 3 and opposing[0] + certain > 13)
        or (certain and (not bids[0] or certain >= contracts[0]))
    ):
        for row, bid in enumerate(bids):
            at_stake = stake if bid else stake + rules.nil_points
            sure = certain if bid else certain_nil
            ours_out = our_impossible_ways(bid, contracts[row], at_stake, stake, sure)
            theirs_out = their_impossible_ways(opposing[row], their_stake, sure) if seat == 3 else 0
            odds[row] *= _POSSIBLE[ours_out, theirs_out]
    p_win = []
    by_bid = [-1.0] * 14
    for bid, value, whole in zip(bids, np.vecdot(odds, values).tolist(), odds.dot(_TOPS).tolist()):
        p = value / whole if value < whole else 1.0  # the quotient may exceed 1 by rounding
        p_win.append(p)
        if (weighed | far) >> bid & 1:
            by_bid[bid] = p
    if far:
        kept = best_far_bid(by_bid, weighed, far, position.needed, policy)
        weighed |= kept
        for bid in range(14):
            if (far & ~kept) >> bid & 1:
                by_bid[bid] = -1.0
    best = best_bid(by_bid, regular.takes, policy)
    best = last_bag_bid(best, by_bid, position.needed, us_bags, auction, rules)
    return WinDecision(
        bid=best,
        regular=regular,
        nil=nil,
        inputs=inputs,
        bids=bids,
        contracts=contracts,
        opposing=opposing,
        stake=stake,
        their_stake=their_stake,
        p_win=p_win,
        odds=odds,
        weighed=weighed,
    )


def whole_nil(turn: Turn) -> Nil:
    """Return the hand's nil as BIS sees it: all spades count. Of four low spades, the model counts only three."""
    return model_nil(suits_of(turn.hand), turn.auction, 1, turn.allowed, turn.position.rules, turn.tables)


def _cards(held: tuple[int, int, int, int]) -> bytes:
    """Return the inputs of a hand's cards as bytes; ``held``: from `features.holdings`."""
    a, b, c, d = held
    low, high = _LOW, _HIGH
    side_suits = low[a & 127], high[a >> 7], low[b & 127], high[b >> 7], low[c & 127], high[c >> 7]
    return b"".join((*side_suits, low[d & 127], high[d >> 7]))


def sum_outcomes(odds: Floats, which: Floats) -> list[list[float]]:
    """Return, for each bid and each group of outcomes in ``which``, the probability of the group.

    ``odds`` has shape (bids, OUTCOMES); ``which`` comes from `outcome_columns`. The result has one row for each bid.
    """
    sums = odds.dot(which) / odds.dot(_ONES).reshape(-1, 1)
    rows: list[list[float]] = np.minimum(sums, _ONE).tolist()  # a sum may exceed 1 by rounding
    return rows


def outcome_columns(columns: list[list[int]]) -> Floats:
    """Return the groups of outcomes as a matrix for `sum_outcomes`, of shape (OUTCOMES, len(columns)).

    Each column has 1 for the outcomes in the group and 0 for the others.
    """
    return np.array(columns, np.float32).T.copy()
