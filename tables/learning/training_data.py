"""The positions that the outcome net learns from: played in batches, then labelled with win probabilities.

`candidate_rounds` takes one seat of each deal and plays the round once for every candidate bid. Its results are points
and bags that do not include the score before. So `label` can make inputs and targets from them for any score and game.
`tables.learning.net` trains the net on these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.bidding import noisy_bid
from arena.engine.choose_bid import auction_at, tables_of
from arena.engine.deal import NO_ANSWER, below, give_spades, random_bit, seed_rng, uniform
from arena.engine.jit import entry
from arena.engine.rounds import BATCH, Batch, Ints, bids_of
from arena.engine.simulate import KernelTables, policy_rows
from arena.engine.winprob import nearest_outcome, score_after, slice_of, write_bid, write_position
from spades.cards import suits_of
from spades.legal import BLIND_NIL, NIL_BIT
from spades.levels import kind_of_player
from spades.options import Policy
from spades.play import rule_values
from spades.position import allowed_at_turn, read_auction
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import plain_profile
from spades.winprob import (
    BID_INPUTS,
    INPUTS,
    MOST_CANDIDATES,
    OUTCOMES,
    bids_to_weigh,
    model_position,
    p_win_before,
    win_array,
    win_probability_after,
)
from tables.win import points_and_bags

NONE = -1  # fills a row of candidates after the last one
PARTNER = 0.9  # share of rounds in which partner bids by the first policy; in the others by a random policy
ALIKE = 0.5  # share of rounds in which both opponents bid by one random policy; in the others each draws one
SPADES = 0.04  # share of deals in which the bidder gets spades for other cards, up to 11
REDEALT = 0.5  # share of deals without a nil to consider that are dealt again, once: wrong close nils cost most games
FIRST_PLAYER = 0.96  # share of rounds with the first card player in every seat; in the others each seat draws one
MOST_TRIED = MOST_CANDIDATES + 1  # the bids that `winprob` considers, and one more
RARE = 0.2  # weight of a bid that `winprob` would not compare
BLIND = 0.04  # share of rounds in which a random earlier seat, if there is one, bids blind nil
NOISE = 0.03  # share of previous number bids that are moved up or down by one
SEATS = (0, 1, 2, 2, 3)  # the positions' seats in turn; seat 2 comes twice, because it has the most to learn


class Played(NamedTuple):
    """Positions, and the result of each candidate bid; arrays by position."""

    hands: Any  # int64 (n,)
    bids: Any  # int8 (n, 4): the bidder's seat, then the bids of seats 0 to 2
    kinds: Any  # int8 (n, 3): how left opponent, partner and right opponent bid, as indices of PLAYER_KINDS
    tried: Any  # int8 (n, MOST_TRIED): candidate bids, then NONE
    results: Any  # int16 (n, MOST_TRIED, 4): points without bags, and bags, of us and then of them


class Labels(NamedTuple):
    """The inputs and targets of a batch of B positions; `label` writes them."""

    x: Any  # float32 (B, INPUTS): inputs of the positions
    c: Any  # float32 (B, MOST_TRIED, BID_INPUTS): inputs of the candidates
    values: Any  # float32 (B, MOST_TRIED, OUTCOMES): win probability after each outcome
    target: Any  # float32 (B, MOST_TRIED): win probability after the round's result
    real: Any  # float32 (B, MOST_TRIED): each candidate's weight
    outcome: Any  # int64 (B, MOST_TRIED): outcome nearest to the round's result


def empty_labels(n: int) -> Labels:
    """Return the labels of ``n`` positions, all zeros."""
    shapes = ((INPUTS,), (MOST_TRIED, BID_INPUTS), (MOST_TRIED, OUTCOMES), (MOST_TRIED,), (MOST_TRIED,))
    floats = [np.zeros((n, *shape), np.float32) for shape in shapes]
    return Labels._make([*floats, np.zeros((n, MOST_TRIED), np.int64)])


class Drawn(NamedTuple):
    """What is drawn for n deals before the bids."""

    bidders: Any  # int64 (n, 3): the policies of left opponent, partner and right opponent
    blind: Any  # int64 (n,): the seat that bids blind nil, or the bidder's own


def _draw_round(states: Any, rounds: Any, active: Any, me: Any, players: Any, policies: int, drawn: Drawn) -> None:
    # me (n,): the seat whose bid is learnt. players (k, 2): to draw from. policies: their number.
    for i in range(len(rounds)):
        if not active[i]:
            continue
        state, seat = states[i], me[i]
        if uniform(state) < SPADES:
            give_spades(state, seat, below(state, 12))
        for other in range(4):
            rounds[i].hands[other] = state.hand[other]
        odd = uniform(state)
        for other in range(4):
            which = 0 if odd < FIRST_PLAYER else below(state, players.shape[0])
            state.player[other] = players[which, 0]
            state.pieces[other] = players[which, 1]
        drawn.bidders[i, 1] = 0 if uniform(state) < PARTNER else below(state, policies)
        drawn.bidders[i, 0] = below(state, policies)
        drawn.bidders[i, 2] = drawn.bidders[i, 0] if uniform(state) < ALIKE else below(state, policies)
        drawn.blind[i] = below(state, seat) if seat > 0 and uniform(state) < BLIND else seat


def _disturb_bid(states: Any, rounds: Any, active: Any, seat: int, me: Any, blind: Any, rules: Rules) -> None:
    # Add noise to the bids of ``seat`` where it bids before ``me`` (n,), or make them blind nils.
    for i in range(len(rounds)):
        if active[i] and seat < me[i]:
            state = states[i]
            bid = noisy_bid(state, seat, state.bid[seat], rules, NOISE)
            if seat == blind[i] and allowed_at_turn(0, auction_at(state, seat), rules) & NIL_BIT:
                bid = BLIND_NIL
            state.bid[seat] = bid
            rounds[i].bids[seat] = bid


def _weigh(states: Any, active: Any, me: Any, rules: Rules, profiles: Any, wanted: Any, again: Any) -> None:
    # wanted (n,): get the bids to try; again (n,): 1 if the deal is dealt again, because it has no nil to consider.
    for i in range(len(states)):
        if active[i]:
            state, seat = states[i], me[i]
            hand, auction = state.hand[seat], auction_at(state, seat)
            allowed = allowed_at_turn(hand, auction, rules)
            tables = tables_of(profiles, plain_profile(rules))
            _, _, wanted[i], _ = bids_to_weigh(suits_of(hand), auction, allowed, rules, tables)
            again[i] = 0 if wanted[i] & NIL_BIT or uniform(state) >= REDEALT else 1


def _add_odd_one(states: Any, me: Any, bids: Any, rules: Rules, wanted: Any, lots: Any) -> None:
    # Also try one more bid, so that the net knows it: the one in ``bids`` (n,), or a random one.
    for i in range(len(states)):
        state, seat = states[i], me[i]
        allowed = allowed_at_turn(state.hand[seat], auction_at(state, seat), rules)
        others = allowed & ~wanted[i]
        lots[i] = below(state, 1 << 20)
        if others:
            odd_one = 1 << bids[i] & others
            wanted[i] |= odd_one if odd_one else random_bit(state, others)


def _seed_rounds(states: Any, rounds: Any, seed: int, lots: Any) -> None:
    for i in range(len(states)):
        seed_rng(states[i], seed, lots[i], rounds[i].deal & 0xFFFFF)


_draw_rounds, _disturb_bids, _weigh_all = entry(_draw_round), entry(_disturb_bid), entry(_weigh)
_add_odd_ones, _seed_all = entry(_add_odd_one), entry(_seed_rounds)


def candidate_rounds(
    seed: int, rules: Rules, policies: Sequence[Policy], players: Ints, profiles: KernelTables, scores: Ints
) -> Played:
    """Return positions, one for each row of ``scores`` (n, 4): points and bags of us, then of them.

    ``policies`` and ``players`` (k, 2) are those to draw from; the first of each is the most frequent.
    """
    parts = [
        _candidates(seed, first, rules, policies, players, profiles, scores[first : first + BATCH])
        for first in range(0, len(scores), BATCH)
    ]
    return Played(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _candidates(
    seed: int, first: int, rules: Rules, policies: Sequence[Policy], players: Ints, profiles: KernelTables, scores: Ints
) -> Played:
    rows, n = policy_rows(policies), len(scores)
    numbers = np.arange(first, first + n)
    me, every = np.array(SEATS)[numbers % len(SEATS)], np.arange(n)
    batch = Batch(rules, numbers)
    ours, theirs = (me & 1)[:, None] == np.arange(4) & 1, (me & 1)[:, None] != np.arange(4) & 1
    for field, own, other in (("scores", 0, 2), ("bags", 1, 3)):
        batch.rounds[field] = np.where(ours, scores[:, [own]], 0) + np.where(theirs, scores[:, [other]], 0)
    drawn = Drawn(np.zeros((n, 3), np.int64), np.zeros(n, np.int64))
    wanted, again = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for dealt in range(2):
        batch.rounds["number"][batch.active] = dealt
        batch.deal(seed, np.zeros((4, 2), np.int64))
        _draw_rounds(batch.states, batch.rounds, batch.active, me, players, len(rows), drawn)
        for seat in range(3):
            before = batch.active & (seat < me)
            batch.next_bid[:] = np.where(before, seat, 4)
            bidders = np.full((n, 4), NO_ANSWER, np.int64)
            bidders[:, seat] = np.where(before, drawn.bidders[every, (seat - me & 3) - 1], NO_ANSWER)
            batch.bid(rows, profiles, bidders)
            _disturb_bids(batch.states, batch.rounds, batch.active, seat, me, drawn.blind, rules)
        _weigh_all(batch.states, batch.active, me, rules, profiles, wanted, again)
        batch.active &= again == 1
    lots = np.zeros(n, np.int64)
    last = bids_of(batch.states, me, rules, policies[-1], profiles)
    _add_odd_ones(batch.states, me, last, rules, wanted, lots)
    kinds = np.array([kind_of_player(policy) for policy in policies])[drawn.bidders]
    bids = np.concatenate([me[:, None], batch.states["bid"][:, :3]], axis=1)
    asked = wanted[:, None] >> np.arange(14) & 1 == 1
    asked &= asked.cumsum(axis=1) <= MOST_TRIED
    tried, results = np.full((n, MOST_TRIED), NONE, np.int8), np.zeros((n, MOST_TRIED, 4), np.int16)
    deals, candidates = np.nonzero(asked)
    places = asked.cumsum(axis=1)[deals, candidates] - 1
    tried[deals, places] = candidates
    results[deals, places] = _played_out(batch, deals, candidates, seed ^ 0x55AA55, lots, me, drawn, rows, profiles)
    return Played(batch.states["hand"][every, me], bids.astype(np.int8), kinds.astype(np.int8), tried, results)


def _played_out(
    batch: Batch,
    deals: Ints,
    candidates: Ints,
    seed: int,
    lots: Ints,
    me: Ints,
    drawn: Drawn,
    policies: NDArray[np.void],
    profiles: KernelTables,
) -> Ints:
    # The results (m, 4) of bidding ``candidates`` (m,) in ``deals`` (m,): points without bags, and bags, of both sides.
    rest, seats = batch.copies(deals), me[deals]
    _seed_all(rest.states, rest.rounds, seed, lots[deals])
    after = np.arange(4) > seats[:, None]
    at = (np.arange(4) - seats[:, None] & 3) - 1
    bidders = np.where(after, np.take_along_axis(drawn.bidders[deals], at % 3, axis=1), NO_ANSWER)
    rest.next_bid[:], rest.next_card[:] = seats, 0
    rest.bid(policies, profiles, bidders, candidates)
    rest.exchange()
    rest.play()
    sides = np.stack([seats & 1, 1 - (seats & 1)], axis=1)
    return points_and_bags(rest)[np.arange(len(deals))[:, None], sides].reshape(-1, 4)


def _label(
    rows: Any,
    played: Played,
    scores: Any,
    games: Any,
    kinds: Any,
    rules: Any,
    profiles: Any,
    labels: Labels,
) -> None:
    # rows (B,): indices in ``played``; scores (B, 4), games (B,) and kinds (B, 3): those of each row; rules: int64
    # (games, fields of `Rules`).
    x, c, values, target, real, outcome = labels
    cells = np.zeros(values.shape[2])
    for b in range(rows.shape[0]):
        k = rows[b]
        bids, results = played.bids[k], played.results[k]
        me, hand, game = bids[0], played.hands[k], Rules(*rule_values(rules[games[b]]))
        auction = read_auction(me, bids[1], bids[2], bids[3])
        standing = Standing(scores[b, 0], scores[b, 2], scores[b, 1], scores[b, 3])
        allowed = allowed_at_turn(hand, auction, game)
        t = tables_of(profiles, plain_profile(game))
        win_slice = slice_of(game, profiles)
        win = win_array(win_slice, profiles)
        others = (kinds[b, 0], kinds[b, 1], kinds[b, 2])
        before = p_win_before(me, standing, win_slice, game, win)
        position = model_position(hand, auction, standing, allowed, others, before, game, t)
        write_position(position, x[b])
        for m in range(MOST_TRIED):
            bid = played.tried[k, m]
            if bid == NONE:
                continue
            real[b, m] = 1.0 if (position.weighed | position.far) >> bid & 1 else RARE
            contracts = write_bid(bid, position, win_slice, game, t, win, c[b, m], cells)
            values[b, m, :] = cells
            us, us_bags = score_after(standing.us, standing.us_bags, results[m, 0], results[m, 1], game)
            them, them_bags = score_after(standing.them, standing.them_bags, results[m, 2], results[m, 3], game)
            after = Standing(us, them, us_bags, them_bags)
            target[b, m] = win_probability_after(after, me & 1, win_slice, game, win)
            outcome[b, m] = nearest_outcome(results[m, 0], results[m, 1], results[m, 2], results[m, 3], contracts)


label = entry(_label)
