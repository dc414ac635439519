"""What a finished round brings, as kernels: points, win probability, and the winner in cutthroat."""

from typing import Any

from arena.engine.jit import entry, register
from spades.play import PlayState
from spades.rules import CUTTHROAT, Rules
from spades.scoring import Standing, game_winner, score_seat, score_side
from spades.winprob import WinTableSlice, win_probability_after


def win_probability_after_round(state: PlayState, me: int, rules: Rules, win_slice: WinTableSlice, win: Any) -> float:
    """Return the win probability of the side of seat ``me`` after a finished round."""
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_of_side(state, us, state.bags[us], rules)
    their_points, their_bags = score_of_side(state, them, state.bags[them], rules)
    after = Standing(
        us=state.score[us] + points, them=state.score[them] + their_points, us_bags=bags, them_bags=their_bags
    )
    return win_probability_after(after, us, win_slice, rules, win)


def score_of_side(state: PlayState, side: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points of a finished round for the seats of ``side`` (0 or 1), and the bags after it."""
    return score_side(state.bid[side], state.taken[side], state.bid[side + 2], state.taken[side + 2], bags, rules)


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


register(__name__)


def _score(states: Any, rounds: Any, active: Any, sides: Any, rules: Rules, results: Any) -> None:
    # sides (4,): by chair, 0 for side a, 1 for side b. results (n,): get 1 if the round ends the game for side a, -1
    # for side b, 0 if the game goes on.
    for i in range(len(rounds)):
        if not active[i]:
            continue
        state, row = states[i], rounds[i]
        row.choices = state.choices
        for seat in range(4):
            row.tricks[seat] = state.taken[seat]
            if rules.variant == CUTTHROAT:
                points, bags = score_seat(state.bid[seat], state.taken[seat], row.bags[seat], rules)
            else:
                points, bags = score_of_side(state, seat & 1, row.bags[seat], rules)
            row.points[seat] = points
            row.bags_after[seat] = bags
            state.seat_score[seat] = row.scores[seat] + points
        if rules.variant == CUTTHROAT:
            winner = cutthroat_winner(state, rules)
            results[i] = 0 if winner < 0 else 1 - 2 * sides[(row.first_chair + winner) & 3]
        else:
            results[i] = game_winner(state.seat_score[0], state.seat_score[1], rules)
            if sides[row.first_chair]:
                results[i] = -results[i]


def _go_on(rounds: Any, active: Any) -> None:
    for i in range(len(rounds)):
        if not active[i]:
            continue
        row = rounds[i]
        first_score = row.scores[0] + row.points[0]
        first_bags = row.bags_after[0]
        for seat in range(3):
            row.scores[seat] = row.scores[seat + 1] + row.points[seat + 1]
            row.bags[seat] = row.bags_after[seat + 1]
        row.scores[3] = first_score
        row.bags[3] = first_bags
        row.first_chair = (row.first_chair + 1) & 3
        row.number += 1


score_all, go_on_all = entry(_score), entry(_go_on)
