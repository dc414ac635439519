"""Whole rounds and games on a play state, as kernels: bid, play, score, record.

Chairs are fixed places at the table (a0, b0, a1, b1); seats are places in a round's bidding order, which
moves on by one chair a round. The compiled loops over these are in `tables.engine.selfplay`.
"""

from typing import Any

from service.bidding.bis.blind import consider_blind, lot
from service.bidding.choose import choose_bid, choose_solo
from service.bidding.game.rules import CUTTHROAT, Rules
from service.bidding.game.scoring import BLIND_NIL, contract_of, game_winner, is_nil, score_side
from service.bidding.levels import SEEDS, misjudged
from service.bidding.policies import WINPROB, Policy
from service.bidding.setting import at_setting, setting_of
from service.bidding.winprob.win_games import Place
from service.bidding.winprob.winning import worth
from tables.engine.deal import below, deal, seed_rng, uniform
from tables.engine.rules import (
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
from tables.engine.winprob import graded_seat, winprob_seat
from tables.players.choose import choose_card

MOST_ROUNDS = 200  # a game longer than this is a draw (never seen; guards against endless ties)

# Cells of the sums a match returns; side 0 is a, side 1 is b.
GAMES, ROUNDS, WINS_A, DRAWS = 0, 1, 2, 3
POINTS, NILS, NILS_MADE, BIDS, SETS, BAGS, CONTRACTS = 4, 6, 8, 10, 12, 14, 16
SUM_OF_BIDS, SUM_OF_CHOICES, PLAYS = 18, 19, 20
# Over duplicate pairs, d = points of a less points of b in both games, r = rounds of both: sums of d*d, d*r, r*r.
PAIR_DD, PAIR_DR, PAIR_RR = 21, 22, 23
# (2, 27, 4) by side and contract: rounds, made, overtricks when made, tricks short when set
LEVELS = 24
# (2, 15, 3) by side and bid (14: blind nil): bids, the bidder's tricks, contracts made (nils made, for 0 and 14)
BID_LEVELS = LEVELS + 2 * 27 * 4
# (16, 5) by who bid nil, a bit a chair (a0, b0, a1, b1): rounds, points of a, of b, nils made by a, by b
NIL_PATTERNS = BID_LEVELS + 2 * 15 * 3
# (53, 4) by sum of the four bids: rounds, and of rounds without nils: rounds, points of a, of b
BID_SUMS = NIL_PATTERNS + 16 * 5
SUMS = BID_SUMS + 53 * 4


def start_round(s: Any) -> None:
    """Clear everything of a state but hands, players, scores and the generator."""
    for seat in range(4):
        s[BID + seat] = -1
        s[TAKEN + seat] = 0
        s[VOID + seat] = 0
        s[FOLLOWED + seat] = 0
        s[SIGNAL + seat] = 0
    s[PLAYED] = 0
    s[COUNT] = 0
    s[LEADER] = 0
    s[BROKEN] = 0
    s[CHOICES] = 0


def bid_seat(s: Any, seat: int, rules: Rules, policy: Policy, ts: Any) -> int:
    """The bid of ``policy`` from ``seat`` in the state; a blind nil comes before the hand.

    The lots of a level follow from the deal, as drawn on by nobody.
    """
    if policy.level and policy.kind != WINPROB:
        policy = misjudged(policy, s[RNG + seat] & SEEDS)
    if rules.variant == CUTTHROAT:
        scores = (s[SEAT_SCORE], s[SEAT_SCORE + 1], s[SEAT_SCORE + 2], s[SEAT_SCORE + 3])
        hand, bags = s[HAND + seat], s[SEAT_BAG + seat]
        return choose_solo(hand, seat, s[BID], s[BID + 1], s[BID + 2], scores, bags, rules, policy, ts)
    if policy.blind and rules.blind_nil and blind_seat(s, seat, rules, policy, ts):
        return BLIND_NIL
    if policy.kind == WINPROB:
        if policy.level:
            return graded_seat(s, seat, rules, policy, s[RNG + seat] & SEEDS, ts[0])
        return winprob_seat(s, seat, rules, ts[0])
    us = seat & 1
    return choose_bid(
        s[HAND + seat],
        seat,
        s[BID],
        s[BID + 1],
        s[BID + 2],
        s[SCORE + us],
        s[SCORE + 1 - us],
        s[BAG + us],
        rules,
        policy,
        ts,
    )


def blind_seat(s: Any, seat: int, rules: Rules, policy: Policy, ts: Any) -> bool:
    """Whether ``policy`` bids blind nil from ``seat``; its lot follows from the deal, as drawn on by nobody."""
    us = s[SCORE + (seat & 1)]
    them = s[SCORE + 1 - (seat & 1)]
    t = at_setting(ts, setting_of(rules, policy, us, them))
    drawn = lot(s[RNG + seat])
    return bool(consider_blind(seat, s[BID], s[BID + 1], s[BID + 2], us, them, rules, policy, drawn, t).chosen)


def disturbed(s: Any, bid: int, noise: float) -> int:
    """A bid moved one up or down with probability ``noise``, within 1..13; blind nil stays.

    Never to nil: a nil by accident is more than noise. Draws on the state's generator.
    """
    if uniform(s) >= noise or bid > 13:
        return bid
    bid += 2 * below(s, 2) - 1
    return min(max(bid, 1), 13)


def play_out(s: Any) -> None:
    """Play the 13 tricks of a round; every seat has bid."""
    for _ in range(52):
        seat = (s[LEADER] + s[COUNT]) & 3
        s[CHOICES] += legal_cards(s[HAND + seat], s[COUNT], s[CARD], s[BROKEN]).bit_count()
        play_card(s, seat, choose_card(s, seat))


def deal_under_way(s: Any, cards: Any, seed: int, number: int, scores: Any, players: Any) -> None:
    """Deal and seat a round at ``scores`` (4,): points and bags of seats 0 and 2, of seats 1 and 3."""
    seed_rng(s, seed, number, 0)
    deal(s, cards)
    start_round(s)
    for side in range(2):
        s[SCORE + side] = scores[2 * side]
        s[BAG + side] = scores[2 * side + 1]
    for seat in range(4):
        s[PLAYER + seat] = players[seat, 0]
        s[PIECES + seat] = players[seat, 1]


def worth_after(s: Any, me: int, rules: Rules, place: Place, win: Any) -> float:
    """What a finished round is worth to the side of seat ``me``: its win probability after it."""
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_side(s[BID + us], s[TAKEN + us], s[BID + us + 2], s[TAKEN + us + 2], s[BAG + us], rules)
    against, their = score_side(
        s[BID + them], s[TAKEN + them], s[BID + them + 2], s[TAKEN + them + 2], s[BAG + them], rules
    )
    return worth(s[SCORE + us] + points, bags, s[SCORE + them] + against, their, us, place, rules, win)


def begin_round(
    s: Any,
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
    seed_rng(s, seed, pair, number)
    deal(s, cards)
    start_round(s)
    a = turn & 1  # seats of this parity are side a's
    s[SCORE + a] = score_a
    s[SCORE + 1 - a] = score_b
    s[BAG + a] = bags_a
    s[BAG + 1 - a] = bags_b
    for seat in range(4):
        chair = (turn + seat) & 3
        s[PLAYER + seat] = players[chair, 0]
        s[PIECES + seat] = players[chair, 1]


def close_round(s: Any, turn: int, bags_a: int, bags_b: int, rules: Rules, sums: Any) -> tuple[int, int, int, int]:
    """Score and record a finished round: points of a and b, and their bags after it."""
    a = turn & 1
    b = 1 - a
    points_a, bags_a = score_side(s[BID + a], s[TAKEN + a], s[BID + a + 2], s[TAKEN + a + 2], bags_a, rules)
    points_b, bags_b = score_side(s[BID + b], s[TAKEN + b], s[BID + b + 2], s[TAKEN + b + 2], bags_b, rules)
    record_round(s, turn, points_a, points_b, sums)
    return points_a, points_b, bags_a, bags_b


def turn_of(pair: int, swap: int, number: int) -> int:
    """The chair of seat 0 in a round of a pair's game.

    Odd pairs start two chairs on, so that where partners differ each of them sits in every seat as often.
    """
    return (number + swap + 2 * (pair & 1)) & 3


def play_game(
    s: Any, cards: Any, seed: int, pair: int, swap: int, rules: Rules, policies: Any, players: Any, ts: Any, sums: Any
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
        begin_round(s, cards, seed, pair, number, turn, players, score_a, score_b, bags_a, bags_b)
        for seat in range(4):
            s[BID + seat] = bid_seat(s, seat, rules, policies[(turn + seat) & 3], ts)
        play_out(s)
        points_a, points_b, bags_a, bags_b = close_round(s, turn, bags_a, bags_b, rules, sums)
        score_a += points_a
        score_b += points_b
        winner = game_winner(score_a, score_b, rules)
        if winner != 0:
            return winner
    return 0


def record_round(s: Any, turn: int, points_a: int, points_b: int, sums: Any) -> None:
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
        contract = contract_of(s[BID + first]) + contract_of(s[BID + first + 2])
        total += contract
        made = 0
        for seat in range(first, 4, 2):
            taken = s[TAKEN + seat]
            if is_nil(s[BID + seat]):
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
            bid = s[BID + seat]
            taken = s[TAKEN + seat]
            cell = BID_LEVELS + (side * 15 + bid) * 3
            sums[cell] += 1
            sums[cell + 1] += taken
            if is_nil(bid):
                sums[cell + 2] += 1 if taken == 0 else 0
            else:
                sums[cell + 2] += kept
        sums[BIDS + side] += 2
        cell = LEVELS + (side * 27 + contract) * 4
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
    sums[SUM_OF_CHOICES] += s[CHOICES]
    sums[PLAYS] += 52
