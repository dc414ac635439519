"""Policy `winprob` in the service: numpy's matrix products for the net (`weights`), kernels for everything else.

A decision has three steps: which bids are compared and what the net sees of them (`_compared_bids`), the win
probability of each (`_win_probabilities`), and the choice (`_choice`). The simulator computes the same sums with loops
(`arena.engine.winprob`); a parity test compares the two.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from spades.bis.estimates import Nil, Regular
from spades.cards import RANKS, spades_of, suits_of
from spades.legal import EVERY_BID, NIL_BIT, TRICKS, contract_of
from spades.passing import suits_after_pass
from spades.position import EXPLAINED, Auction, Turn
from spades.tables import Tables
from spades.winprob.blind_numbers import number_for_net, with_blind_number
from spades.winprob.candidates import best_bid, best_far_bid, last_bag_bid
from spades.winprob.features import (
    INPUTS,
    VALUES,
    ModelPosition,
    as_worthless_bags,
    bid_inputs,
    expected_beside,
    expected_bids,
    model_nil,
    model_position,
    p_win_before,
    shifted,
)
from spades.winprob.outcome_values import GameValues, OutcomeValues, Side, outcome_value_matrix
from spades.winprob.outcomes import (
    OURS,
    OUTCOMES,
    THEIRS,
    WIN_SCALE,
    our_impossible_ways,
    their_impossible_ways,
    win_array,
)
from spades.winprob.weights import Floats, Weights, outcome_odds

_ONES = np.ones(OUTCOMES, np.float32)
_CERTAIN_WINS = np.full(OUTCOMES, WIN_SCALE, np.float32)  # the values of a bid that wins in every outcome


class WinDecision(NamedTuple):
    """A bid by its win probability, with the numbers behind it."""

    bid: int
    regular: Regular
    nil: Nil  # as the model sees it; if an explanation is wanted, as BIS sees it (`nil_of_all_spades`)
    inputs: Sequence[float]  # of the position, in the order of features.POSITION_NAMES
    # The bids in `p_win`: all allowed legal bids for a full explanation, otherwise those in `weighed` and all far bids.
    bids: Sequence[int]
    contracts: list[int]  # for each bid: tricks of our side's contract, as the outcomes count them
    opposing: list[int]  # for each bid: tricks of the opponents' contract
    stake: int  # points at stake on partner's nil, NO_NIL if there is none
    stake_with_nil: int  # points at stake on our side's nils if the hand bids nil
    their_stake: int  # points at stake on the opponents' nils, NO_NIL if there is none
    p_win: list[float]  # for each bid: win probability
    odds: Floats  # (bids, OUTCOMES): unnormalized outcome probabilities (divide by the row's sum)
    weighed: int  # bit mask of the bids that are compared, one of which is bid; at most one of them is far


class ComparedBids(NamedTuple):
    """The bids of a decision, with what the net sees of them. Sets of bids are bit masks."""

    weighed: int  # the set of usual bids
    far: int  # the set of bids that are chosen only if they are much better than all usual ones
    bids: Sequence[int]  # in increasing order: those in both sets, and for a full explanation all allowed legal bids
    contracts: list[int]  # for each bid: tricks of our side's contract
    opposing: list[int]  # for each bid: tricks of the opponents' contract
    inputs: list[tuple[float, ...]]  # for each bid: its inputs, in the order of features.BID_NAMES, up to VALUES


def win_decision(turn: Turn, weights: Weights) -> WinDecision:
    """Return the bid with the highest win probability, as `best_bid` chooses it.

    With a full explanation, all allowed legal bids are reported, not only those that are compared. `Games.nearest`
    must return a table for the rules of the turn.
    """
    rules, policy = turn.position.rules, turn.policy
    game = weights.games[rules]
    others = policy.left, policy.partner, policy.right
    win = win_array(game.win_slice, turn.tables)
    before = p_win_before(turn.auction.seat, turn.standing, game.win_slice, rules, win)
    auction = _with_room(turn)
    seen = as_worthless_bags(rules)
    position = model_position(turn.hand, auction, turn.standing, turn.allowed, others, before, seen, turn.tables)
    compared = _compared_bids(turn, position, weights)
    p_win, odds = _win_probabilities(position, compared, game, weights)
    bid, weighed = _choice(turn, position, compared, p_win)
    bids = compared.bids
    if position.shift:  # back to the numbers of the turn
        bid, bids = max(0, bid - position.shift), [max(0, one - position.shift) for one in bids]
        weighed = (weighed & ~NIL_BIT) >> position.shift | weighed & NIL_BIT
    return WinDecision(
        bid=bid,
        regular=position.regular,
        nil=_nil_to_explain(turn, position) if turn.explain else position.nil,
        inputs=position.inputs,
        bids=bids,
        contracts=compared.contracts,
        opposing=compared.opposing,
        stake=position.stake,
        stake_with_nil=position.stake_with_nil,
        their_stake=position.their_stake,
        p_win=p_win,
        odds=odds,
        weighed=weighed,
    )


def blind_win_probabilities(turn: Turn, numbers: Sequence[int], weights: Weights) -> list[float]:
    """Return the win probability of each of ``numbers`` if the hand of ``turn`` bids it blind (`blind_numbers`)."""
    rules, policy = turn.position.rules, turn.policy
    game, auction = weights.games[rules], with_blind_number(turn.auction)
    before = p_win_before(auction.seat, turn.standing, game.win_slice, rules, win_array(game.win_slice, turn.tables))
    others = policy.left, policy.partner, policy.right
    seen = as_worthless_bags(rules)
    position = model_position(turn.hand, auction, turn.standing, turn.allowed, others, before, seen, turn.tables)
    bids = [number_for_net(number, position, rules, turn.tables) for number in numbers]
    compared = _with_inputs(bids, position, turn.tables, weights)
    p_win, _ = _win_probabilities(position, compared, game, weights)
    return p_win


def _with_room(turn: Turn) -> Auction:
    """Return the auction of ``turn``; without its blind numbers if all legal bids are too high beside partner's."""
    auction = turn.auction
    if not auction.blind or turn.legal is None:
        return auction
    room = TRICKS - max(0, contract_of(auction.partner_bid))
    return auction if min(turn.legal) <= room else auction._replace(blind=0)


def _nil_to_explain(turn: Turn, position: ModelPosition) -> Nil:
    rules = turn.position.rules
    spades = suits_after_pass(suits_of(turn.hand), rules)[3] if rules.nil_pass else spades_of(turn.hand)
    return nil_of_all_spades(turn) if spades.bit_count() == 4 else position.nil


def nil_of_all_spades(turn: Turn) -> Nil:
    """Return the hand's nil as BIS sees it. Of four low spades, the model counts only three."""
    return model_nil(suits_of(turn.hand), turn.auction, 1, turn.allowed, turn.position.rules, turn.tables)


def _compared_bids(turn: Turn, position: ModelPosition, weights: Weights) -> ComparedBids:
    shift, tables = position.shift, turn.tables
    allowed = shifted(turn.allowed, shift)
    legal = EVERY_BID if turn.legal is None else shifted(sum(1 << bid for bid in turn.legal), shift)
    weighed = position.weighed & legal or allowed & legal or legal
    far = position.far & legal & ~weighed
    reported = (allowed & legal or legal) if turn.explain == EXPLAINED else weighed | far
    compared = _with_inputs(_bids_in(reported), position, tables, weights)
    return compared._replace(weighed=weighed, far=far)


def _with_inputs(bids: Sequence[int], position: ModelPosition, tables: Tables, weights: Weights) -> ComparedBids:
    """Return ``bids`` with what the net sees of them; `weighed` and `far` are empty."""
    auction = position.auction
    if auction.seat < 3:
        expected = weights.expected(tables)[auction.sequence]
    else:  # all others have bid
        expected = [expected_bids(0, auction, tables)] * 14
    contracts, opposing, inputs = [], [], []
    for bid in bids:
        others = expected_beside(bid, expected[bid], position)
        contracts.append(bid + others.partner_tricks)
        opposing.append(others.opponents_tricks)
        inputs.append(bid_inputs(bid, others, position))
    return ComparedBids(weighed=0, far=0, bids=bids, contracts=contracts, opposing=opposing, inputs=inputs)


@cache  # at most 16,384 sets
def _bids_in(bids: int) -> tuple[int, ...]:
    """Return the bids in a set, in increasing order."""
    return tuple(bid for bid in range(14) if bids >> bid & 1)


def _win_probabilities(
    position: ModelPosition, compared: ComparedBids, game: GameValues, weights: Weights
) -> tuple[list[float], Floats]:
    """Return the win probability of each bid, and the odds of its outcomes (`WinDecision.odds`)."""
    values = _outcome_values(position, compared, game)
    count = len(compared.bids)
    inputs = np.fromiter(chain.from_iterable(compared.inputs), np.float32, count * VALUES).reshape(count, VALUES)
    rows = np.concatenate((inputs, values), axis=1, dtype=np.float32)
    longest, middle, shortest, spades = map(_ranks_held, position.held)
    x = np.fromiter((*longest, *middle, *shortest, *spades, *position.inputs, 1.0), np.float32, INPUTS + 1)
    odds = outcome_odds(x, rows, weights)
    _exclude_impossible(odds, position, compared, game)
    sums = np.vecdot(odds, rows[:, VALUES:]).tolist()
    most = odds.dot(_CERTAIN_WINS).tolist()
    return [value / total if value < total else 1.0 for value, total in zip(sums, most)], odds  # 1.0: by rounding


def _outcome_values(position: ModelPosition, compared: ComparedBids, game: GameValues) -> OutcomeValues:
    """Return the value of each outcome of each bid, (bids, OUTCOMES), in 65,535ths."""
    standing = position.standing
    ours = Side(
        score=standing.us,
        bags=standing.us_bags,
        contracts=compared.contracts,
        stakes=[position.stake if bid else position.stake_with_nil for bid in compared.bids],
        later=position.later,
        factor=position.factors[0],
    )
    theirs = Side(
        score=standing.them,
        bags=standing.them_bags,
        contracts=compared.opposing,
        stakes=[position.their_stake] * len(compared.bids),
        later=position.their_later,
        factor=position.factors[1],
    )
    return outcome_value_matrix(ours, theirs, position.seat & 1, game)


def _exclude_impossible(odds: Floats, position: ModelPosition, compared: ComparedBids, game: GameValues) -> None:
    """Set the odds of outcomes that the known bids and the hand's certain tricks exclude to 0."""
    if position.seat < 2:
        return  # partner's bid is not known
    certain = max(position.certain, position.certain_nil)
    few_certain = certain == 0 or (compared.bids[0] and certain < compared.contracts[0])
    if few_certain and compared.contracts[-1] <= 13 and compared.opposing[0] + certain <= 13:
        return  # nothing is excluded, as in most decisions
    for row, (bid, contract, opposing) in enumerate(zip(compared.bids, compared.contracts, compared.opposing)):
        stake = position.stake if bid else position.stake_with_nil
        own_certain = position.certain if bid else position.certain_nil
        ours = our_impossible_ways(bid, contract, stake, position.stake, own_certain)
        theirs = their_impossible_ways(opposing, position.their_stake, own_certain) if position.seat == 3 else 0
        odds[row] *= _possible(ours, theirs)


@cache  # at most 2,048 sets
def _possible(ours: int, theirs: int) -> Floats:
    """Return 0 for each outcome that contains an excluded way, 1 for the others: shape (OUTCOMES,).

    ``ours`` and ``theirs``: sets of excluded ways, as bit masks.
    """
    excluded = [ours >> our & 1 or theirs >> their & 1 for our in range(OURS) for their in range(THEIRS)]
    return np.array([not one for one in excluded], np.float32)


@cache  # at most 8,192 holdings
def _ranks_held(cards: int) -> tuple[float, ...]:
    """Return 1 for each rank of a suit that is in the holding ``cards``, 0 for the others, lowest rank first."""
    return tuple(float(cards >> rank & 1) for rank in range(len(RANKS)))


def _choice(turn: Turn, position: ModelPosition, compared: ComparedBids, p_win: list[float]) -> tuple[int, int]:
    """Return the bid, and the set of bids from which it was chosen (`WinDecision.weighed`)."""
    weighed, far = compared.weighed, compared.far
    p_by_bid = [-1.0] * 14
    for bid, p in zip(compared.bids, p_win):
        if (weighed | far) >> bid & 1:
            p_by_bid[bid] = p
    if far:
        chosen_far = best_far_bid(p_by_bid, weighed, far, position.needed, turn.policy)
        weighed |= chosen_far
        for bid in range(14):
            if (far & ~chosen_far) >> bid & 1:
                p_by_bid[bid] = -1.0
    best = best_bid(p_by_bid, position.regular.takes, turn.policy)
    us_bags, rules = position.standing.us_bags, turn.position.rules
    return last_bag_bid(best, p_by_bid, position.needed, us_bags, position.auction, rules), weighed


def sum_outcomes(odds: Floats, which: Floats) -> list[list[float]]:
    """Return, for each bid and each group of outcomes in ``which``, the probability of the group.

    ``odds`` has shape (bids, OUTCOMES); ``which`` comes from `outcome_columns`. The result has one row for each bid.
    """
    sums = odds.dot(which) / odds.dot(_ONES).reshape(-1, 1)
    rows: list[list[float]] = np.minimum(sums, 1).tolist()  # a sum may exceed 1 by rounding
    return rows


def outcome_columns(columns: list[list[int]]) -> Floats:
    """Return the groups of outcomes as a matrix for `sum_outcomes`, of shape (OUTCOMES, len(columns)).

    Each column has 1 for the outcomes in the group and 0 for the others.
    """
    return np.array(columns, np.float32).T.copy()
