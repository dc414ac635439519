"""The win probability of a score, as kernels: a look-up in the table of the side that bids first.

A game's table is a part of `win` (see `win_games`): uint16 (T, T, B, B) by tens of points of the side that bids first
and of the other, and by the bags of both; a cell counts 65,535ths. Points are 10 x tens + bags: in a game from 0-0 that
is so by itself (a bag adds one, a penalty takes a multiple of ten with the bags); other scores count as the nearest.
"""

from typing import Any

from service.bidding.rules import Rules
from service.bidding.scoring import game_winner
from service.bidding.win_games import BAGS, ROWS, Place

ONE = 65535.0


def place_of(rules: Rules) -> Place:
    """Where the game's table stands; ``start`` -1 where there is none."""
    for row in ROWS:
        if row[0] == rules.win and row[1] == rules.lose and row[2] == rules.bag_penalty:
            return Place(row[3], row[4], row[5])
    return Place(0, 0, -1)


def tens_row(score: int, bags: int, place: Place) -> int:
    """The row of a score with its bags; the first and the last stand for all beyond them."""
    row = (score - bags + 5) // 10 - place.floor
    return 0 if row < 0 else (place.size - 1 if row >= place.size else row)


def win_probability(us: int, us_bags: int, them: int, them_bags: int, place: Place, win: Any) -> float:
    """P(the side that bids first in the coming round wins); no side is at its goal."""
    cell = tens_row(us, us_bags, place) * place.size + tens_row(them, them_bags, place)
    p: float = win[place.start + (cell * BAGS + us_bags) * BAGS + them_bags] / ONE
    return p


def worth(
    us: int, us_bags: int, them: int, them_bags: int, next_first: int, place: Place, rules: Rules, win: Any
) -> float:
    """P(we win) with both scores and bags after a round; ``next_first`` 1: our side bids first in the next."""
    winner = game_winner(us, them, rules)
    if winner != 0:
        return 1.0 if winner > 0 else 0.0
    if next_first:
        return win_probability(us, us_bags, them, them_bags, place, win)
    return 1.0 - win_probability(them, them_bags, us, us_bags, place, win)
