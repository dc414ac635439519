"""The win probability of a score, as kernels: a look-up in the table of the side that bids first.

A game's table is a part of `win` or `more_win` (see `win_games`): uint16 (T, T, B, B) by tens of points of the side
that bids first and of the other, and by the bags of both; a cell counts 65,535ths. Points are 10 x tens + bags: in a
game from 0-0 that is so by itself (a bag adds one, a penalty takes a multiple of ten with the bags); other scores count
as the nearest. Where not all that is won and lost is whole tens, a row is fewer points (`unit`).
"""

from typing import Any

from service.bidding.game.rules import Rules
from service.bidding.game.scoring import bags_counted, game_winner
from service.bidding.winprob.win_games import Place

ONE = 65535.0


def place_of(rules: Rules, t: Any) -> Place:
    """Where the table of the game stands that ``rules`` tell (`win_games.key_of`); ``start`` -1 where there is none."""
    games = t.games
    limit, penalty = bags_counted(rules)
    for i in range(len(games)):
        if (
            games[i, 0] == rules.win
            and games[i, 1] == rules.lose
            and games[i, 2] == rules.bags
            and games[i, 3] == limit
            and games[i, 4] == rules.nil_points
            and games[i, 5] == rules.failed_nil_tricks
            and games[i, 6] == rules.min_bid
            and games[i, 7] == rules.team_min
            and games[i, 8] == rules.team_max
            and games[i, 9] == rules.ten_for_200
            and games[i, 10] == rules.variant
            and games[i, 11] == penalty
        ):
            return Place(games[i, 12], games[i, 13], games[i, 14], games[i, 15], games[i, 16], games[i, 17])
    return Place(0, 0, -1, 1, 1, 0)


def cells_of(place: Place, t: Any) -> Any:
    """The array in which the game's table stands."""
    return t.more_win if place.more else t.win


def tens_row(score: int, bags: int, place: Place) -> int:
    """The row of a score with its bags; the first and the last stand for all beyond them."""
    row = (score - bags + place.unit // 2) // place.unit - place.floor
    return 0 if row < 0 else (place.size - 1 if row >= place.size else row)


def win_probability(us: int, us_bags: int, them: int, them_bags: int, place: Place, win: Any) -> float:
    """P(the side that bids first in the coming round wins); no side is at its goal."""
    cell = tens_row(us, us_bags, place) * place.size + tens_row(them, them_bags, place)
    p: float = win[place.start + (cell * place.bags + us_bags) * place.bags + them_bags] / ONE
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
