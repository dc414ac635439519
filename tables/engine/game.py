"""Whole rounds and games on a play state, as kernels: bid, play, score, record.

Chairs are fixed places at the table (a0, b0, a1, b1); seats are places in a round's bidding order, which
moves on by one chair a round. The compiled loops over these are in `tables.engine.selfplay`.
"""

from typing import Any

from service.bidding.bis.blind_nil import decide_blind_nil, hash_uniform
from service.bidding.game.rules import CUTTHROAT, Rules
from service.bidding.game.scoring import BLIND_NIL, contract_of, game_winner, is_nil, score_side
from service.bidding.levels import LARGEST_SEED, perturbed
from service.bidding.policies import WINPROB, Policy
from service.bidding.table_profile import profile_of, tables_of_profile
from service.bidding.winprob.games import WinTableSlice
from service.bidding.winprob.win_table import win_probability_after
from tables.engine.choose_bid import choose_bid, choose_cutthroat_bid
from tables.engine.deal import below, deal, seed_rng, uniform
from tables.engine.play import (
    BAG,
    BID,
    BROKEN,
    CARD,
    CHOICES,
    COUNT,
    FOLLOWED,
    HAND,
    LEADER,
    PIECES,
    PLAYED,
    PLAYER,
    RNG,
    SCORE,
    SEAT_BAG,
    SEAT_SCORE,
    SIGNAL,
    TAKEN,
    VOID,
    legal_cards,
    play_card,
)
from tables.engine.winprob import skilled_seat, winprob_seat
from tables.players.choose_card import choose_card

MOST_ROUNDS = 200  # a game longer than this is a draw (never seen; guards against endless ties)

# Cells of the sums a match returns; side 0 is a, side 1 is b.
GAMES, ROUNDS, WINS_A, DRAWS = 0, 1, 2, 3
POINTS, NILS, NILS_MADE, BIDS, SETS, BAGS, CONTRACTS = 4, 6, 8, 10, 12, 14, 16
SUM_OF_BIDS, SUM_OF_CHOICES, PLAYS = 18, 19, 20
# Over duplicate pairs, d = points of a less points of b in both games, r = rounds of both: sums of d*d, d*r, r*r.
PAIR_DD, PAIR_DR, PAIR_RR = 21, 22, 23
# (2, 27, 4) by side and contract: rounds, made, overtricks when made, tricks short when set
BIDS_BY_CONTRACT = 24
# (2, 15, 3) by side and bid (14: blind nil): bids, the bidder's tricks, contracts made (nils made, for 0 and 14)
RESULTS_BY_BID = BIDS_BY_CONTRACT + 2 * 27 * 4
# (16, 5) by who bid nil, a bit a chair (a0, b0, a1, b1): rounds, points of a, of b, nils made by a, by b
NIL_PATTERNS = RESULTS_BY_BID + 2 * 15 * 3
# (53, 4) by sum of the four bids: rounds, and of rounds without nils: rounds, points of a, of b
BID_SUMS = NIL_PATTERNS + 16 * 5
SUMS = BID_SUMS + 53 * 4


def start_round(state: Any) -> None:
    """Clear everything of a state but hands, players, scores and the generator."""
    for seat in range(4):
        state[BID + seat] = -1
        state[TAKEN + seat] = 0
        state[VOID + seat] = 0
        state[FOLLOWED + seat] = 0
        state[SIGNAL + seat] = 0
    state[PLAYED] = 0
    state[COUNT] = 0
    state[LEADER] = 0
    state[BROKEN] = 0
    state[CHOICES] = 0


def bid_seat(state: Any, seat: int, rules: Rules, policy: Policy, profiles: Any) -> int:
    """The bid of ``policy`` from ``seat`` in the state; a blind nil comes before the hand.

    The lots of a level follow from the deal, as drawn on by nobody.
    """
    if policy.level and policy.kind != WINPROB:
        policy = perturbed(policy, state[RNG + seat] & LARGEST_SEED)
    if rules.variant == CUTTHROAT:
        scores = (state[SEAT_SCORE], state[SEAT_SCORE + 1], state[SEAT_SCORE + 2], state[SEAT_SCORE + 3])
        hand, bags = state[HAND + seat], state[SEAT_BAG + seat]
        return choose_cutthroat_bid(
            hand, seat, state[BID], state[BID + 1], state[BID + 2], scores, bags, rules, policy, profiles
        )
    if policy.blind and rules.blind_nil and bids_blind_nil(state, seat, rules, policy, profiles):
        return BLIND_NIL
    if policy.kind == WINPROB:
        if policy.level:
            return skilled_seat(state, seat, rules, policy, state[RNG + seat] & LARGEST_SEED, profiles[0])
        return winprob_seat(state, seat, rules, profiles[0])
    us = seat & 1
    return choose_bid(
        state[HAND + seat],
        seat,
        state[BID],
        state[BID + 1],
        state[BID + 2],
        state[SCORE + us],
        state[SCORE + 1 - us],
        state[BAG + us],
        rules,
        policy,
        profiles,
    )


def bids_blind_nil(state: Any, seat: int, rules: Rules, policy: Policy, profiles: Any) -> bool:
    """Whether ``policy`` bids blind nil from ``seat``; its lot follows from the deal, as drawn on by nobody."""
    us = state[SCORE + (seat & 1)]
    them = state[SCORE + 1 - (seat & 1)]
    t = tables_of_profile(profiles, profile_of(rules, policy, us, them))
    drawn = hash_uniform(state[RNG + seat])
    return bool(
        decide_blind_nil(seat, state[BID], state[BID + 1], state[BID + 2], us, them, rules, policy, drawn, t).chosen
    )


def with_noise(state: Any, bid: int, noise: float) -> int:
    """A bid moved one up or down with probability ``noise``, within 1..13; blind nil stays.

    Never to nil: a nil by accident is more than noise. Draws on the state's generator.
    """
    if uniform(state) >= noise or bid > 13:
        return bid
    bid += 2 * below(state, 2) - 1
    return min(max(bid, 1), 13)


def play_out(state: Any) -> None:
    """Play the 13 tricks of a round; every seat has bid."""
    for _ in range(52):
        seat = (state[LEADER] + state[COUNT]) & 3
        state[CHOICES] += legal_cards(state[HAND + seat], state[COUNT], state[CARD], state[BROKEN]).bit_count()
        play_card(state, seat, choose_card(state, seat))


def start_mid_game(state: Any, cards: Any, seed: int, number: int, scores: Any, players: Any) -> None:
    """Deal and seat a round at ``scores`` (4,): points and bags of seats 0 and 2, of seats 1 and 3."""
    seed_rng(state, seed, number, 0)
    deal(state, cards)
    start_round(state)
    for side in range(2):
        state[SCORE + side] = scores[2 * side]
        state[BAG + side] = scores[2 * side + 1]
    for seat in range(4):
        state[PLAYER + seat] = players[seat, 0]
        state[PIECES + seat] = players[seat, 1]


def win_probability_after_round(state: Any, me: int, rules: Rules, win_slice: WinTableSlice, win: Any) -> float:
    """What a finished round is worth to the side of seat ``me``: its win probability after it."""
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_side(
        state[BID + us], state[TAKEN + us], state[BID + us + 2], state[TAKEN + us + 2], state[BAG + us], rules
    )
    against, their = score_side(
        state[BID + them], state[TAKEN + them], state[BID + them + 2], state[TAKEN + them + 2], state[BAG + them], rules
    )
    return win_probability_after(
        state[SCORE + us] + points, bags, state[SCORE + them] + against, their, us, win_slice, rules, win
    )


def begin_round(
    state: Any,
    cards: Any,
    seed: int,
    pair: int,
    number: int,
    turn: int,
    players: Any,
    score_a: int,
    score_b: int,
    bags_a: int,
    bags_b: int,
) -> None:
    """Deal round ``number`` of a pair's game and set scores and players; ``turn`` is the chair of seat 0."""
    seed_rng(state, seed, pair, number)
    deal(state, cards)
    start_round(state)
    a = turn & 1  # seats of this parity are side a's
    state[SCORE + a] = score_a
    state[SCORE + 1 - a] = score_b
    state[BAG + a] = bags_a
    state[BAG + 1 - a] = bags_b
    for seat in range(4):
        chair = (turn + seat) & 3
        state[PLAYER + seat] = players[chair, 0]
        state[PIECES + seat] = players[chair, 1]


def close_round(state: Any, turn: int, bags_a: int, bags_b: int, rules: Rules, sums: Any) -> tuple[int, int, int, int]:
    """Score and record a finished round: points of a and b, and their bags after it."""
    a = turn & 1
    b = 1 - a
    points_a, bags_a = score_side(
        state[BID + a], state[TAKEN + a], state[BID + a + 2], state[TAKEN + a + 2], bags_a, rules
    )
    points_b, bags_b = score_side(
        state[BID + b], state[TAKEN + b], state[BID + b + 2], state[TAKEN + b + 2], bags_b, rules
    )
    record_round(state, turn, points_a, points_b, sums)
    return points_a, points_b, bags_a, bags_b


def turn_of(pair: int, swap: int, number: int) -> int:
    """The chair of seat 0 in a round of a pair's game.

    Odd pairs start two chairs on, so that where partners differ each of them sits in every seat as often.
    """
    return (number + swap + 2 * (pair & 1)) & 3


def play_game(
    state: Any,
    cards: Any,
    seed: int,
    pair: int,
    swap: int,
    rules: Rules,
    policies: Any,
    players: Any,
    profiles: Any,
    sums: Any,
) -> int:
    """One game; 1 when side a wins, -1 when b does, 0 for a draw.

    ``policies`` and ``players`` (id, pieces) are by chair: a0, b0, a1, b1; ``swap`` 1 moves all on by one chair.
    """
    score_a = 0
    score_b = 0
    bags_a = 0
    bags_b = 0
    for number in range(MOST_ROUNDS):
        turn = turn_of(pair, swap, number)
        begin_round(state, cards, seed, pair, number, turn, players, score_a, score_b, bags_a, bags_b)
        for seat in range(4):
            state[BID + seat] = bid_seat(state, seat, rules, policies[(turn + seat) & 3], profiles)
        play_out(state)
        points_a, points_b, bags_a, bags_b = close_round(state, turn, bags_a, bags_b, rules, sums)
        score_a += points_a
        score_b += points_b
        winner = game_winner(score_a, score_b, rules)
        if winner != 0:
            return winner
    return 0


def record_round(state: Any, turn: int, points_a: int, points_b: int, sums: Any) -> None:
    """Add a finished round to ``sums``; ``turn`` is the chair of seat 0.

    Bags are overtricks and, as in the rules' default, the tricks of failed nils.
    """
    sums[ROUNDS] += 1
    sums[POINTS] += points_a
    sums[POINTS + 1] += points_b
    total = 0
    pattern = 0
    nils_made_a = 0
    nils_made_b = 0
    for side in range(2):
        first = (turn & 1) ^ side  # the side's first seat
        contract = contract_of(state[BID + first]) + contract_of(state[BID + first + 2])
        total += contract
        made = 0
        for seat in range(first, 4, 2):
            taken = state[TAKEN + seat]
            if is_nil(state[BID + seat]):
                pattern |= 1 << ((turn + seat) & 3)
                sums[NILS + side] += 1
                sums[BAGS + side] += taken
                if taken == 0:
                    sums[NILS_MADE + side] += 1
                    if side == 0:
                        nils_made_a += 1
                    else:
                        nils_made_b += 1
            else:
                made += taken
        kept = 1 if made >= contract else 0
        for seat in range(first, 4, 2):
            bid = state[BID + seat]
            taken = state[TAKEN + seat]
            cell = RESULTS_BY_BID + (side * 15 + bid) * 3
            sums[cell] += 1
            sums[cell + 1] += taken
            if is_nil(bid):
                sums[cell + 2] += 1 if taken == 0 else 0
            else:
                sums[cell + 2] += kept
        sums[BIDS + side] += 2
        cell = BIDS_BY_CONTRACT + (side * 27 + contract) * 4
        sums[cell] += 1
        sums[cell + 1] += kept
        if contract > 0:
            sums[CONTRACTS + side] += 1
            sums[SETS + side] += 1 - kept
        if kept == 1:
            sums[BAGS + side] += made - contract
            sums[cell + 2] += made - contract
        else:
            sums[cell + 3] += contract - made
    sums[SUM_OF_BIDS] += total
    cell = NIL_PATTERNS + pattern * 5
    sums[cell] += 1
    sums[cell + 1] += points_a
    sums[cell + 2] += points_b
    sums[cell + 3] += nils_made_a
    sums[cell + 4] += nils_made_b
    cell = BID_SUMS + total * 4
    sums[cell] += 1
    if pattern == 0:
        sums[cell + 1] += 1
        sums[cell + 2] += points_a
        sums[cell + 3] += points_b
    sums[SUM_OF_CHOICES] += state[CHOICES]
    sums[PLAYS] += 52
