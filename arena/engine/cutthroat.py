"""Rounds and games of variant `cutthroat`, in which each player plays alone, as kernels.

Deals, bids and plays are those of `arena.engine.game`, but there are four scores instead of two. Once a seat has
reached the goal or the losing goal, the highest score wins. While two seats share the highest score, the game goes on.

In a match, each side has two bidders, and a side wins if one of its bidders wins. So equal bidders win half of the
games. The bidders of a side sit next to each other, not opposite, because bidders and card players made for
partnerships help the player opposite.

The sums are those of `game`, except that a contract is one seat's. Points are those of a side's two seats together.
"""

from typing import Any

from arena.engine.deal import deal_round
from arena.engine.game import (
    BAGS,
    BIDS,
    BIDS_BY_CONTRACT,
    CONTRACTS,
    MOST_ROUNDS,
    NILS,
    NILS_MADE,
    RESULTS_BY_BID,
    SETS,
    Game,
    Lineup,
    RoundSummary,
    bid_seat,
    play_out,
    record_summary,
    score_of_side,
)
from spades.legal import contract_of, is_nil
from spades.play import PlayState
from spades.rules import CUTTHROAT, Rules
from spades.scoring import score_seat

SEATING = (0, 2, 1, 3)  # by chair: index in a lineup (a0, b0, a1, b1); so the players sit in the order a0, a1, b0, b1


def play_cutthroat_game(state: PlayState, game: Game, rules: Rules, lineup: Lineup, profiles: Any, sums: Any) -> int:
    """Play one game; return 1 if a bidder of side a wins, -1 if one of side b wins, 0 for a draw.

    The players of ``lineup`` sit as SEATING says. If ``game.swap`` is 1, each sits two seats further in every round.
    """
    # Between rounds, scores and bags are by chair instead of by seat.
    for chair in range(4):
        state.seat_score[chair] = 0
        state.seat_bags[chair] = 0
    for number in range(MOST_ROUNDS):
        first_chair = (number + 2 * game.swap + (game.pair & 1)) & 3  # the chair that bids first
        deal_round(state, game.seed, game.pair, number)
        rotate_seats(state, first_chair)
        for seat in range(4):
            who = SEATING[(first_chair + seat) & 3]
            state.player[seat] = lineup.players[who, 0]
            state.pieces[seat] = lineup.players[who, 1]
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[SEATING[(first_chair + seat) & 3]], profiles)
        play_out(state)
        close_cutthroat_round(state, first_chair, rules, sums)
        rotate_seats(state, 4 - first_chair)
        winner = cutthroat_winner(state, rules)
        if winner >= 0:
            return -1 if SEATING[winner] & 1 else 1
    return 0


def rotate_seats(state: PlayState, by: int) -> None:
    """Give seat 0 the score and bags of seat ``by``, seat 1 those of the next seat, and so on around the table."""
    for _ in range(by & 3):
        score, bags = state.seat_score[0], state.seat_bags[0]
        for seat in range(3):
            state.seat_score[seat] = state.seat_score[seat + 1]
            state.seat_bags[seat] = state.seat_bags[seat + 1]
        state.seat_score[3] = score
        state.seat_bags[3] = bags


def close_cutthroat_round(state: PlayState, first_chair: int, rules: Rules, sums: Any) -> None:
    """Score a finished round, add it to the state's scores and record it; ``first_chair`` is the chair of seat 0."""
    total = 0
    pattern = 0
    points_a = 0
    points_b = 0
    nils_made_a = 0
    nils_made_b = 0
    for seat in range(4):
        bid = state.bid[seat]
        taken = state.taken[seat]
        who = SEATING[(first_chair + seat) & 3]
        side = who & 1
        points, bags = score_seat(bid, taken, state.seat_bags[seat], rules)
        state.seat_score[seat] += points
        state.seat_bags[seat] = bags
        if side == 0:
            points_a += points
        else:
            points_b += points
        contract = contract_of(bid)
        total += contract
        kept = 1 if taken >= contract else 0
        if is_nil(bid):
            pattern |= 1 << who
            kept = 1 if taken == 0 else 0
            sums[NILS + side] += 1
            sums[NILS_MADE + side] += kept
            sums[BAGS + side] += taken
            if side == 0:
                nils_made_a += kept
            else:
                nils_made_b += kept
        else:
            cell = BIDS_BY_CONTRACT + (side * 27 + contract) * 4
            sums[cell] += 1
            sums[cell + 1] += kept
            sums[CONTRACTS + side] += 1
            sums[SETS + side] += 1 - kept
            if kept == 1:
                sums[BAGS + side] += taken - contract
                sums[cell + 2] += taken - contract
            else:
                sums[cell + 3] += contract - taken
        cell = RESULTS_BY_BID + (side * 15 + bid) * 3
        sums[cell] += 1
        sums[cell + 1] += taken
        sums[cell + 2] += kept
        sums[BIDS + side] += 1
    record_summary(state, RoundSummary(points_a, points_b, total, pattern, nils_made_a, nils_made_b), sums)


def cutthroat_winner(state: PlayState, rules: Rules) -> int:
    """Return the index in ``state.seat_score`` of the winner, or -1 while the game goes on."""
    over = False
    best = 0
    level = False
    for place in range(4):
        score = state.seat_score[place]
        if score >= rules.win or score <= rules.lose:
            over = True
        if place > 0:
            if score > state.seat_score[best]:
                best = place
                level = False
            elif score == state.seat_score[best]:
                level = True
    return best if over and not level else -1


def points_gained(state: PlayState, me: int, rules: Rules) -> float:
    """Return the points of a finished round for the side of ``me`` minus those of the other side, from 0 bags on.

    In cutthroat, return the points of ``me`` minus the mean of the other three players.
    """
    if rules.variant == CUTTHROAT:
        gain = 0.0
        for seat in range(4):
            points, _ = score_seat(state.bid[seat], state.taken[seat], 0, rules)
            gain += points if seat == me else -points / 3.0
        return gain
    a = me & 1
    b = 1 - a
    ours, _ = score_of_side(state, a, 0, rules)
    theirs, _ = score_of_side(state, b, 0, rules)
    return float(ours - theirs)
