"""Rounds that the outcome model learns from, as compiled loops: played, and labelled with win probabilities.

One deal, one seat, every candidate bid played out on it: `candidate_rounds`. What a round brought both sides is kept
without the score; `label` makes inputs and targets of it for any score and game. The training is
`tables.learning.net`'s.
"""

from typing import Any, NamedTuple

import numpy as np

from service.bidding.bis.nil import LOW_FOUR, consider_nil
from service.bidding.bis.regular import previous_bids_factor, regular_takes
from service.bidding.game.auction import sequence_index
from service.bidding.game.legal import EVERY_BID, allowed_bids
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import game_winner
from service.bidding.policies import FULL, Policy
from service.bidding.winprob.candidates import MOST_CANDIDATES, candidates
from service.bidding.winprob.features import (
    CARD_INPUTS,
    VALUED,
    VALUES,
    bid_inputs,
    card_inputs,
    expected_bids,
    holdings,
    position_inputs,
)
from service.bidding.winprob.outcomes import contract_tens, nearest_outcome, nil_stakes, outcome_values, score_after
from service.bidding.winprob.win_table import slice_of, win_array, win_probability_after
from tables.engine.deal import Deals, below, deal_round, open_table, seat_players, seed_rng, uniform
from tables.engine.game import Lineup, bid_seat, play_out, score_of_side, with_noise
from tables.engine.jit import entry, round_loop
from tables.engine.play import carry_rules
from tables.engine.play_state import PlayState, copy_state
from tables.engine.scratch import put

NONE = -1  # where a position has no more candidates
PARTNER = 0.95  # share of rounds where she bids by the first policy; else all are as likely
FIRST_PLAYER = 0.96  # of rounds played by the first player in every seat; else each seat draws one
MOST_TRIED = MOST_CANDIDATES + 1
RARE = 0.2  # weight of a candidate that no bidder would bid
NOISE = 0.03  # share of earlier number bids that are moved one up or down
SEATS = (0, 1, 2, 2, 3)  # of positions in turn; the third has most to learn, see the report's regret by seat


class Positions(NamedTuple):
    """n positions, with up to MOST_TRIED candidate bids of each played out on the same deal."""

    hands: Any  # int64 (n,)
    bids: Any  # int64 (n, 4): the seat, and the bids before
    tried: Any  # int64 (n, MOST_TRIED): candidates; NONE after the last
    results: Any  # int64 (n, MOST_TRIED, 4): points without bags, and bags; ours, then theirs


class Labels(NamedTuple):
    """What the net learns from B positions with M candidates each."""

    x: Any  # (B, INPUTS): inputs of the position
    c: Any  # (B, M, BID_INPUTS): inputs of the candidates
    values: Any  # (B, M, OUTCOMES): what each outcome is worth
    target: Any  # (B, M): what the round's result was worth
    real: Any  # (B, M): the candidate's weight
    outcome: Any  # (B, M): the nearest outcome


def _candidate_rounds(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    free: Rules,
    lineup: Lineup,
    profiles: Any,
    scores: Any,
    positions: Positions,
) -> None:
    # free: the rules without a bag penalty. lineup: any number of policies and of players. scores (n, 4): points and
    # bags, ours and theirs.
    policies, players = lineup.policies, lineup.players
    state, rest = open_table(states, rules), states[1]
    carry_rules(state, rules)
    t = profiles[0]
    for number in range(deals.first, deals.last):
        row = number - deals.first
        deal_round(state, deals.seed, number, 0)
        me = SEATS[number % len(SEATS)]
        for side in range(2):
            state.score[me + side & 1] = scores[row, 2 * side]
            state.bags[me + side & 1] = scores[row, 2 * side + 1]
        odd = uniform(state)
        for seat in range(4):
            which = 0 if odd < FIRST_PLAYER else below(state, players.shape[0])
            state.player[seat] = players[which, 0]
            state.pieces[seat] = players[which, 1]
        ours = 0 if uniform(state) < PARTNER else below(state, len(policies))
        theirs = below(state, len(policies))
        for seat in range(me):
            bid = bid_seat(state, seat, rules, policies[theirs if seat + me & 1 else ours], profiles)
            if bid > 0:
                bid = with_noise(state, bid, NOISE)
            allowed = allowed_bids(state.hand[seat], seat, state.bid[0], state.bid[1], rules)
            state.bid[seat] = bid if allowed >> bid & 1 else max(1, bid - 1)
        hand = state.hand[me]
        b0, b1, b2 = state.bid[0], state.bid[1], state.bid[2]
        regular = regular_takes(hand, me, b0, b1, b2, previous_bids_factor(me, b0, b1, b2, t), 0.0, t)
        allowed = allowed_bids(hand, me, b0, b1, rules)
        sequence = sequence_index(me, b0, b1, b2)
        nil = consider_nil(hand, me, b0, b1, sequence, FULL, 0.0, LOW_FOUR, 1, rules.nil_points, allowed, t)
        wanted = candidates(regular.takes, me, b0, b1, nil.ruled_out, allowed)
        others = allowed & ~wanted
        lots = below(state, 1 << 20)
        odd_one = 0
        if others:  # and one that another policy bids, or none does, so that it is known
            odd_one = 1 << bid_seat(state, me, rules, policies[-1], profiles) & others
            if not odd_one:
                for _ in range(below(state, others.bit_count())):
                    others &= others - 1
                odd_one = others & -others
        wanted |= odd_one
        positions.hands[row] = hand
        positions.bids[row, 0] = me
        positions.bids[row, 1], positions.bids[row, 2], positions.bids[row, 3] = b0, b1, b2
        n = 0
        for bid in range(14):
            if n == MOST_TRIED or not wanted >> bid & 1:
                continue
            copy_state(state, rest)
            rest.bid[me] = bid
            seed_rng(rest, deals.seed ^ 0x55AA55, lots, number & 0xFFFFF)
            for seat in range(me + 1, 4):
                rest.bid[seat] = bid_seat(rest, seat, rules, policies[theirs if seat + me & 1 else ours], profiles)
            play_out(rest)
            positions.tried[row, n] = bid
            for side in range(2):
                a = (me + side) & 1
                points, bags = score_of_side(rest, a, 0, free)
                positions.results[row, n, 2 * side] = points - bags
                positions.results[row, n, 2 * side + 1] = bags
            n += 1
        while n < MOST_TRIED:
            positions.tried[row, n] = NONE
            n += 1


def _label(rows: Any, positions: Positions, scores: Any, games: Any, rules: Any, profiles: Any, labels: Labels) -> None:
    # rows (B,): positions to take; scores (B, 4) and games (B,) of each; rules: a tuple by game. labels:
    # zeros before.
    t = profiles[0]
    hands, bids, tried, results = positions
    x, c, values, target, real, outcome = labels
    cells = np.zeros(values.shape[2])
    for b in range(rows.shape[0]):
        k = rows[b]
        me, b0, b1, b2 = bids[k, 0], bids[k, 1], bids[k, 2], bids[k, 3]
        hand = hands[k]
        game = rules[games[b]]
        regular = regular_takes(hand, me, b0, b1, b2, previous_bids_factor(me, b0, b1, b2, t), 0.0, t)
        sequence = sequence_index(me, b0, b1, b2)
        nil = consider_nil(hand, me, b0, b1, sequence, FULL, 0.0, LOW_FOUR, 1, game.nil_points, EVERY_BID, t)
        weighed = candidates(regular.takes, me, b0, b1, nil.ruled_out, allowed_bids(hand, me, b0, b1, game))
        win_slice = slice_of(game, t)
        win = win_array(win_slice, t)
        us, us_bags, them, them_bags = scores[b, 0], scores[b, 1], scores[b, 2], scores[b, 3]
        held = holdings(hand)
        card_inputs(held, x[b])
        seen = position_inputs(
            held, me, b0, b1, b2, sequence, us, them, us_bags, them_bags, win_slice, game, regular, nil, t
        )
        put(seen, CARD_INPUTS, x[b])
        for m in range(MOST_TRIED):
            bid = tried[k, m]
            if bid == NONE:
                continue
            real[b, m] = 1.0 if weighed >> bid & 1 else RARE
            partner, theirs = expected_bids(me, b0, b1, b2, sequence, bid, t)
            put(bid_inputs(bid, me, partner, theirs, game.win - us, regular, nil.probability), 0, c[b, m])
            stake, their_stake = nil_stakes(me, b0, b1, b2, bid, game)
            contract, opposing = contract_tens(bid + int(partner + 0.5), game), contract_tens(int(theirs + 0.5), game)
            score, bags = score_after(us, us_bags, results[k, m, 0], results[k, m, 1], game)
            other, their_bags = score_after(them, them_bags, results[k, m, 2], results[k, m, 3], game)
            target[b, m] = win_probability_after(score, bags, other, their_bags, me & 1, win_slice, game, win)
            outcome_values(
                contract,
                opposing,
                stake,
                their_stake,
                us,
                them,
                us_bags,
                them_bags,
                me & 1,
                win_slice,
                game,
                win,
                cells,
            )
            values[b, m, :] = cells
            for i in range(len(VALUED)):
                c[b, m, VALUES + i] = cells[VALUED[i]]
            outcome[b, m] = nearest_outcome(
                results[k, m, 0],
                results[k, m, 1],
                results[k, m, 2],
                results[k, m, 3],
                contract,
                opposing,
                stake,
                their_stake,
            )


def _seen_scores(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, seen: Any
) -> None:
    # Games from 0-0 by one policy; seen (n, 4): points and bags before each round, of one side by lot and the other.
    state = open_table(states, rules)
    carry_rules(state, rules)
    before = np.zeros(4, np.int64)
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        side = below(state, 2)
        for cell in range(4):
            seen[number, cell] = before[(cell + 2 * side) & 3]
        seat_players(state, players)
        for seat in range(4):
            for side in range(2):
                state.score[side], state.bags[side] = before[2 * side], before[2 * side + 1]
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        play_out(state)
        for side in range(2):
            points, bags = score_of_side(state, side, before[2 * side + 1], rules)
            before[2 * side] += points
            before[2 * side + 1] = bags
        if game_winner(before[0], before[2], rules) != 0:
            before[:] = 0
        else:
            before[0], before[1], before[2], before[3] = before[2], before[3], before[0], before[1]  # the deal moves on


candidate_rounds = round_loop(_candidate_rounds, states=2)
seen_scores = round_loop(_seen_scores)
label = entry(_label)
