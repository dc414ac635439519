"""The win probability of a score, as kernels: a look-up in the table of the side that bids first.

A game's table is a part of `win` or `more_win` (see `games`): uint16 (T, T, B, B) by tens of points of the side
that bids first and of the other, and by the bags of both; a cell counts 65,535ths. Points are 10 x tens + bags: in a
game from 0-0 that is so by itself (a bag adds one, a penalty takes a multiple of ten with the bags); other scores count
as the nearest. Where not all that is won and lost is whole tens, a row is fewer points (`unit`).
"""

from typing import Any

from service.bidding.game.rules import Rules
from service.bidding.game.scoring import game_winner
from service.bidding.winprob.games import IDLE, KEY_CELLS, KEY_FLAGS, WinTableSlice

WIN_SCALE = 65535.0


def slice_of(rules: Rules, tables: Any) -> WinTableSlice:
    """Where the win table for ``rules`` is (`games.key_of`); ``start`` is -1 if there is none."""
    games = tables.games
    first = len(KEY_CELLS)
    for i in range(len(games)):
        if _is_game(rules, i, games):
            return WinTableSlice(
                games[i, first],
                games[i, first + 1],
                games[i, first + 2],
                games[i, first + 3],
                games[i, first + 4],
                games[i, first + 5],
            )
    return WinTableSlice(0, 0, -1, 1, 1, 0)


def _is_game(rules: Rules, row: int, games: Any) -> bool:
    for column in range(len(KEY_CELLS)):
        flag = KEY_FLAGS[column]
        value = rules[KEY_CELLS[column]] if flag < 0 or rules[flag] else IDLE
        if games[row, column] != value:
            return False
    return True


def win_array(win_slice: WinTableSlice, tables: Any) -> Any:
    """The array in which the game's table stands."""
    return tables.more_win if win_slice.more else tables.win


def score_row(score: int, bags: int, win_slice: WinTableSlice) -> int:
    """The row of a score with its bags; the first and the last stand for all beyond them."""
    row = (score - bags + win_slice.unit // 2) // win_slice.unit - win_slice.floor
    return 0 if row < 0 else (win_slice.size - 1 if row >= win_slice.size else row)


def win_probability(us: int, us_bags: int, them: int, them_bags: int, win_slice: WinTableSlice, win: Any) -> float:
    """P(the side that bids first in the coming round wins); no side is at its goal."""
    cell = score_row(us, us_bags, win_slice) * win_slice.size + score_row(them, them_bags, win_slice)
    p: float = win[win_slice.start + (cell * win_slice.bags + us_bags) * win_slice.bags + them_bags] / WIN_SCALE
    return p


def win_probability_after(
    us: int, us_bags: int, them: int, them_bags: int, next_first: int, win_slice: WinTableSlice, rules: Rules, win: Any
) -> float:
    """P(we win) with both scores and bags after a round; ``next_first`` 1: our side bids first in the next."""
    winner = game_winner(us, them, rules)
    if winner != 0:
        return 1.0 if winner > 0 else 0.0
    if next_first:
        return win_probability(us, us_bags, them, them_bags, win_slice, win)
    return 1.0 - win_probability(them, them_bags, us, us_bags, win_slice, win)
