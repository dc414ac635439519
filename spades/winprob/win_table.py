"""The win probability of a score, as kernels: a look-up in the win table of the side that bids first.

A game's table is a slice of the array `win` or `extra_win` (see `games`), uint16 of shape (size, size, bags, bags). The
axes are the score rows of the side that bids first and of the other side, then the bags of both. A cell is a
probability in 65,535ths. A score has 10 x row + bags points: a bag adds one point, and a penalty takes a multiple of
ten points together with its bags. In a game that starts at 0-0 every score has this form; other scores use the nearest
row. If some points won or lost are not multiples of ten, one row covers fewer than ten points (`unit`).

A table may also value a game with another bag limit (`games.nearest_game`). Then the cell is chosen by the number of
bags that are missing until the penalty.
"""

from spades.rules import Rules
from spades.scoring import Standing, game_winner
from spades.tables import Tables, View
from spades.winprob.games import WinTableSlice

WIN_SCALE = 65535.0


def win_array(win_slice: WinTableSlice, tables: Tables) -> View:
    """Return the array that contains the game's table."""
    return tables.extra_win if win_slice.extra else tables.win


def score_row(score: int, bags: int, win_slice: WinTableSlice) -> int:
    """Return the table row of a score with its bags.

    The first and the last row also serve all scores beyond them.
    """
    row = (score - bags + win_slice.unit // 2) // win_slice.unit - win_slice.floor
    return 0 if row < 0 else (win_slice.size - 1 if row >= win_slice.size else row)


def table_bags(bags: int, win_slice: WinTableSlice) -> int:
    """Return the table's bag count for a side with ``bags``: as many bags are missing until the penalty, if possible.

    >>> table_bags(6, WinTableSlice(0, 20, 0, bags=10, bag_shift=3))
    9
    """
    counted = bags + win_slice.bag_shift
    return counted if counted > 0 else 0


def win_probability(standing: Standing, win_slice: WinTableSlice, win: View) -> float:
    """Return the probability that we win if our side bids first in the next round; no side may have reached a goal."""
    us, them, us_bags, them_bags = standing
    cell = score_row(us, us_bags, win_slice) * win_slice.size + score_row(them, them_bags, win_slice)
    cell = (cell * win_slice.bags + table_bags(us_bags, win_slice)) * win_slice.bags
    p: float = win[win_slice.start + cell + table_bags(them_bags, win_slice)] / WIN_SCALE
    return p


def win_probability_after(
    standing: Standing, next_first: int, win_slice: WinTableSlice, rules: Rules, win: View
) -> float:
    """Return the probability that we win with this standing after a round.

    ``next_first`` is 1 if our side bids first in the next round.
    """
    us, them, us_bags, them_bags = standing
    winner = game_winner(us, them, rules)
    if winner != 0:
        return 1.0 if winner > 0 else 0.0
    if next_first:
        return win_probability(standing, win_slice, win)
    return 1.0 - win_probability(Standing(us=them, them=us, us_bags=them_bags, them_bags=us_bags), win_slice, win)
