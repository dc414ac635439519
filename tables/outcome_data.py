"""Rounds that the outcome model learns from, as compiled loops: played, and labelled with win probabilities.

One deal, one seat, every candidate bid played out on it: `candidate_rounds`. What a round brought both sides is kept
without the score; `label` makes inputs and targets of it for any score and game. The training is `tables.net`'s.
"""

from typing import Any

import numpy as np

from service.bidding.auction import sequence_index
from service.bidding.features import bid_inputs, expected_bids, position_inputs
from service.bidding.legal import EVERY_BID, allowed_bids
from service.bidding.nil import consider_nil
from service.bidding.outcome import after, nearest_outcome, outcome_values, stakes
from service.bidding.policies import FULL
from service.bidding.regular import previous_bids_factor, regular_takes
from service.bidding.rules import Rules
from service.bidding.scoring import score_side
from service.bidding.winning import place_of, worth
from service.bidding.winprob import MOST_CANDIDATES, candidates
from tables.deal import below, deal, deck_of, seed_rng, uniform
from tables.game import bid_seat, disturbed, play_out, start_round
from tables.jit import entry
from tables.rules import BAG, BID, DECK_CELL, HAND, PIECES, PLAYER, SCORE, SIZE, TAKEN

NONE = -1  # where a position has no more candidates
FIRST_POLICY = 0.6  # share of earlier bids by the first policy; the others share the rest
LATER_POLICY = 0.75  # of later bids
FIRST_PLAYER = 0.75  # of rounds played by the first player in every seat; else each seat draws one
RARE = 0.2  # weight of a candidate that no bidder would bid
NOISE = 0.08  # share of earlier number bids that are moved one up or down


def _candidate_rounds(
    seed: int,
    first: int,
    last: int,
    rules: Rules,
    free: Rules,
    policies: Any,
    players: Any,
    ts: Any,
    scores: Any,
    hands: Any,
    bids: Any,
    tried: Any,
    results: Any,
) -> None:
    # free: the rules without a bag penalty. policies: a tuple; players (k, 2). scores (n, 4): points and bags, ours and
    # theirs. Written: hands (n,); bids (n, 4), the seat and the bids before; tried (n, MOST_CANDIDATES), NONE where
    # there is no more; results (n, MOST_CANDIDATES, 4), points without bags and bags, ours and theirs.
    s = np.zeros(SIZE, np.int64)
    cards = np.zeros(64, np.int64)
    s[DECK_CELL] = deck_of(rules)
    t = ts[0]
    for number in range(first, last):
        row = number - first
        seed_rng(s, seed, number, 0)
        deal(s, cards)
        start_round(s)
        me = number & 3
        for side in range(2):
            s[SCORE + (me + side & 1)] = scores[row, 2 * side]
            s[BAG + (me + side & 1)] = scores[row, 2 * side + 1]
        odd = uniform(s)
        for seat in range(4):
            which = 0 if odd < FIRST_PLAYER else below(s, players.shape[0])
            s[PLAYER + seat] = players[which, 0]
            s[PIECES + seat] = players[which, 1]
        for seat in range(me):
            bid = bid_seat(s, seat, rules, policies[0 if uniform(s) < FIRST_POLICY else below(s, len(policies))], ts)
            if bid > 0:
                bid = disturbed(s, bid, NOISE)
            allowed = allowed_bids(s[HAND + seat], seat, s[BID], s[BID + 1], rules)
            s[BID + seat] = bid if allowed >> bid & 1 else max(1, bid - 1)
        hand = s[HAND + me]
        b0, b1, b2 = s[BID], s[BID + 1], s[BID + 2]
        regular = regular_takes(hand, me, b0, b1, b2, previous_bids_factor(me, b0, b1, b2, t), 0.0, t)
        allowed = allowed_bids(hand, me, b0, b1, rules)
        sequence = sequence_index(me, b0, b1, b2)
        nil = consider_nil(hand, me, b0, b1, sequence, FULL, 0.0, 1, 1, rules.nil_points, allowed, t)
        wanted = candidates(regular.takes, me, b0, b1, nil.ruled_out, allowed)
        others = allowed & ~wanted
        if wanted.bit_count() < MOST_CANDIDATES and others:  # and one that no bidder would bid, so that it is known
            for _ in range(below(s, others.bit_count())):
                others &= others - 1
            wanted |= others & -others
        hands[row] = hand
        bids[row, 0] = me
        bids[row, 1], bids[row, 2], bids[row, 3] = b0, b1, b2
        lots = below(s, 1 << 20)
        n = 0
        for bid in range(14):
            if n == MOST_CANDIDATES or not wanted >> bid & 1:
                continue
            rest = s.copy()
            rest[BID + me] = bid
            seed_rng(rest, seed ^ 0x55AA55, lots, number & 0xFFFFF)
            for seat in range(me + 1, 4):
                policy = policies[0 if uniform(rest) < LATER_POLICY else below(rest, len(policies))]
                rest[BID + seat] = bid_seat(rest, seat, rules, policy, ts)
            play_out(rest)
            tried[row, n] = bid
            for side in range(2):
                a = (me + side) & 1
                points, bags = score_side(
                    rest[BID + a], rest[TAKEN + a], rest[BID + a + 2], rest[TAKEN + a + 2], 0, free
                )
                results[row, n, 2 * side] = points - bags
                results[row, n, 2 * side + 1] = bags
            n += 1
        while n < MOST_CANDIDATES:
            tried[row, n] = NONE
            n += 1


def _label(
    rows: Any,
    hands: Any,
    bids: Any,
    tried: Any,
    results: Any,
    scores: Any,
    games: Any,
    rules: Any,
    ts: Any,
    x: Any,
    c: Any,
    values: Any,
    target: Any,
    real: Any,
    outcome: Any,
) -> None:
    # rows (B,): positions to take; scores (B, 4) and games (B,) of each; rules: a tuple by game. Written, zeros before:
    # x (B, INPUTS), c (B, M, BID_INPUTS), values (B, M, OUTCOMES), what each outcome is worth; target (B, M), what the
    # round's result was; real (B, M), each candidate's weight; outcome (B, M), the nearest.
    t = ts[0]
    cells = np.zeros(values.shape[2])
    for b in range(rows.shape[0]):
        k = rows[b]
        me, b0, b1, b2 = bids[k, 0], bids[k, 1], bids[k, 2], bids[k, 3]
        hand = hands[k]
        game = rules[games[b]]
        regular = regular_takes(hand, me, b0, b1, b2, previous_bids_factor(me, b0, b1, b2, t), 0.0, t)
        sequence = sequence_index(me, b0, b1, b2)
        nil = consider_nil(hand, me, b0, b1, sequence, FULL, 0.0, 1, 1, game.nil_points, EVERY_BID, t)
        weighed = candidates(regular.takes, me, b0, b1, nil.ruled_out, allowed_bids(hand, me, b0, b1, game))
        position_inputs(hand, me, b0, b1, b2, regular, nil.value, t, x[b])
        place = place_of(game)
        us, us_bags, them, them_bags = scores[b, 0], scores[b, 1], scores[b, 2], scores[b, 3]
        for m in range(MOST_CANDIDATES):
            bid = tried[k, m]
            if bid == NONE:
                continue
            real[b, m] = 1.0 if weighed >> bid & 1 else RARE
            partner, theirs = expected_bids(me, b0, b1, b2, bid, t)
            bid_inputs(bid, me, partner, theirs, regular, nil.probability, c[b, m])
            stake, their_stake = stakes(me, b0, b1, b2, bid, game)
            contract, opposing = bid + int(partner + 0.5), int(theirs + 0.5)
            score, bags = after(us, us_bags, results[k, m, 0], results[k, m, 1], game)
            other, their_bags = after(them, them_bags, results[k, m, 2], results[k, m, 3], game)
            target[b, m] = worth(score, bags, other, their_bags, me & 1, place, game, t.win)
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
                place,
                game,
                t.win,
                cells,
            )
            values[b, m, :] = cells
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


candidate_rounds = entry(_candidate_rounds)
label = entry(_label)
