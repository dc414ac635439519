"""The positions that the outcome net learns from, as compiled loops: played, then labelled with win probabilities.

`candidate_rounds` takes one seat of each deal and plays the round once for every candidate bid. Its results are points
and bags that do not include the score before. So `label` can make inputs and targets from them for any score and game.
`tables.learning.net` trains the net on these.
"""

from typing import Any, NamedTuple

import numpy as np

from arena.engine.choose_bid import auction_at
from arena.engine.deal import (
    Deals,
    below,
    deal_round,
    give_spades,
    prepare_state,
    random_bit,
    seed_rng,
    uniform,
)
from arena.engine.game import Lineup, bid_seat, noisy_bid, play_out, score_of_side
from arena.engine.jit import entry, round_loop
from arena.engine.outcomes import nearest_outcome, score_after
from arena.engine.states import copy_state
from arena.engine.winprob import slice_of, write_bid, write_position
from spades.cards import suits_of
from spades.legal import BLIND_NIL, NIL_BIT, allowed_bids
from spades.levels import kind_of_player
from spades.play import PlayState, rule_values, write_rules
from spades.position import read_auction
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
    win_array,
    win_probability_after,
)

NONE = -1  # fills a row of candidates after the last one
PARTNER = 0.9  # share of rounds in which partner bids by the first policy; in the others by a random policy
ALIKE = 0.5  # share of rounds in which both opponents bid by one random policy; in the others each draws one
SPADES = 0.04  # share of deals in which the bidder gets spades for other cards, up to 11
REDEALT = 0.5  # share of deals without a nil to consider that are dealt again, once: wrong close nils cost most games
FIRST_PLAYER = 0.96  # share of rounds with the first card player in every seat; in the others each seat draws one
MOST_TRIED = MOST_CANDIDATES + 1  # the bids that `winprob` considers, and one more
RARE = 0.2  # weight of a bid that `winprob` would not consider
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


def _candidate_rounds(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    free: Rules,
    lineup: Lineup,
    profiles: Any,
    scores: Any,
    played: Played,
) -> None:
    # free: the rules without a bag penalty. lineup: the policies and the players (k, 2) to draw from; the first of each
    # is the most frequent. scores (n, 4): points and bags of us, then of them. played: gets the positions.
    policies, players = lineup.policies, lineup.players
    state, rest = prepare_state(states, rules), states[1]
    write_rules(state, rules)
    for number in range(deals.first, deals.last):
        row = number - deals.first
        me = SEATS[number % len(SEATS)]
        bidders = (0, 0, 0)  # by place after the bidder: left opponent, partner, right opponent
        hand, allowed, wanted = 0, 0, 0
        for dealt in range(2):
            deal_round(state, deals.seed, number, dealt)
            if uniform(state) < SPADES:
                give_spades(state, me, below(state, 12))
            for side in range(2):
                state.score[me + side & 1] = scores[row, 2 * side]
                state.bags[me + side & 1] = scores[row, 2 * side + 1]
            odd = uniform(state)
            for seat in range(4):
                which = 0 if odd < FIRST_PLAYER else below(state, players.shape[0])
                state.player[seat] = players[which, 0]
                state.pieces[seat] = players[which, 1]
            ours = 0 if uniform(state) < PARTNER else below(state, len(policies))
            left = below(state, len(policies))
            right = left if uniform(state) < ALIKE else below(state, len(policies))
            bidders = (left, ours, right)
            blind = below(state, me) if me > 0 and uniform(state) < BLIND else me
            for seat in range(me):
                policy = policies[bidders[(seat - me & 3) - 1]]
                state.bid[seat] = noisy_bid(state, seat, rules, policy, profiles, NOISE)
                if seat == blind and allowed_bids(0, auction_at(state, seat).partner_bid, rules) & NIL_BIT:
                    state.bid[seat] = BLIND_NIL
            hand, auction = state.hand[me], auction_at(state, me)
            t = profiles[plain_profile(rules)]
            allowed = allowed_bids(hand, auction.partner_bid, rules)
            _, _, wanted, _ = bids_to_weigh(suits_of(hand), auction, allowed, rules, t)
            if wanted & NIL_BIT or uniform(state) >= REDEALT:
                break
        others = allowed & ~wanted
        lots = below(state, 1 << 20)
        odd_one = 0
        if others:  # also try one more bid, so that the net knows it
            odd_one = 1 << bid_seat(state, me, rules, policies[-1], profiles) & others
            if not odd_one:
                odd_one = random_bit(state, others)
        wanted |= odd_one
        played.hands[row] = hand
        played.bids[row, 0] = me
        played.bids[row, 1], played.bids[row, 2], played.bids[row, 3] = state.bid[0], state.bid[1], state.bid[2]
        for place in range(3):
            played.kinds[row, place] = kind_of_player(policies[bidders[place]])
        n = 0
        for bid in range(14):
            if n == MOST_TRIED or not wanted >> bid & 1:
                continue
            copy_state(state, rest)
            rest.bid[me] = bid
            seed_rng(rest, deals.seed ^ 0x55AA55, lots, number & 0xFFFFF)
            for seat in range(me + 1, 4):
                policy = policies[bidders[(seat - me & 3) - 1]]
                rest.bid[seat] = bid_seat(rest, seat, rules, policy, profiles)
            play_out(rest)
            played.tried[row, n] = bid
            for side in range(2):
                a = (me + side) & 1
                points, bags = score_of_side(rest, a, 0, free)
                played.results[row, n, 2 * side] = points - bags
                played.results[row, n, 2 * side + 1] = bags
            n += 1
        while n < MOST_TRIED:
            played.tried[row, n] = NONE
            n += 1


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
        allowed = allowed_bids(hand, auction.partner_bid, game)
        t = profiles[plain_profile(game)]
        win_slice = slice_of(game, t)
        win = win_array(win_slice, t)
        others = (kinds[b, 0], kinds[b, 1], kinds[b, 2])
        position = model_position(hand, auction, standing, allowed, others, win_slice, game, t)
        write_position(position, x[b])
        for m in range(MOST_TRIED):
            bid = played.tried[k, m]
            if bid == NONE:
                continue
            real[b, m] = 1.0 if position.weighed >> bid & 1 else RARE
            contracts = write_bid(bid, auction, position, win_slice, game, t, c[b, m], cells)
            values[b, m, :] = cells
            us, us_bags = score_after(standing.us, standing.us_bags, results[m, 0], results[m, 1], game)
            them, them_bags = score_after(standing.them, standing.them_bags, results[m, 2], results[m, 3], game)
            after = Standing(us, them, us_bags, them_bags)
            target[b, m] = win_probability_after(after, me & 1, win_slice, game, win)
            outcome[b, m] = nearest_outcome(results[m, 0], results[m, 1], results[m, 2], results[m, 3], contracts)


candidate_rounds = round_loop(_candidate_rounds, states=2)
label = entry(_label)
