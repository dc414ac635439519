"""Rounds at scores under way, for the sections on what `winprob` leaves on the table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.bidding.rules import Rules
from service.bidding.scoring import score_side
from service.bidding.winning import worth
from tables.deal import deal, seed_rng
from tables.game import start_round
from tables.jit import entry
from tables.net_fit import GAMES, random_scores
from tables.report.setup import PAPER
from tables.rules import BAG, BID, PIECES, PLAYER, SCORE, TAKEN


def _begin(s: Any, cards: Any, seed: int, number: int, scores: Any, players: Any) -> None:
    # Deal and seat; scores (4,): points and bags of seats 0 and 2, of seats 1 and 3.
    seed_rng(s, seed, number, 0)
    deal(s, cards)
    start_round(s)
    for side in range(2):
        s[SCORE + side] = scores[2 * side]
        s[BAG + side] = scores[2 * side + 1]
    for seat in range(4):
        s[PLAYER + seat] = players[seat, 0]
        s[PIECES + seat] = players[seat, 1]


def _worth_to(s: Any, me: int, rules: Rules, place: Any, win: Any) -> float:
    # What a finished round is worth to the side of seat `me`.
    us, them = me & 1, 1 - (me & 1)
    points, bags = score_side(s[BID + us], s[TAKEN + us], s[BID + us + 2], s[TAKEN + us + 2], s[BAG + us], rules)
    against, their = score_side(
        s[BID + them], s[TAKEN + them], s[BID + them + 2], s[TAKEN + them + 2], s[BAG + them], rules
    )
    return worth(s[SCORE + us] + points, bags, s[SCORE + them] + against, their, us, place, rules, win)


begin, worth_to = entry(_begin), entry(_worth_to)


def scores_under_way(seed: int, n: int) -> NDArray[np.int64]:
    """(n, 4): points and bags of seats 0 and 2, of seats 1 and 3, in games to 200 with a losing goal of -100."""
    number = GAMES.index((PAPER.win, PAPER.lose, PAPER.bag_penalty))
    return random_scores(np.random.default_rng(seed), np.full(n, number))
