"""Self-play: the compiled loops over rounds and duplicate pairs that the arena and the builders call.

Every deal follows from (seed, pair or round number) alone, so threads and machines can't change a result.
"""

from typing import Any

import numpy as np

from service.bidding.game.rules import CUTTHROAT, Rules
from service.bidding.game.scoring import score_side
from tables.engine.cutthroat import play_cutthroat_game
from tables.engine.deal import deal, deck_of, seed_rng
from tables.engine.game import (
    DRAWS,
    GAMES,
    PAIR_DD,
    PAIR_DR,
    PAIR_RR,
    POINTS,
    ROUNDS,
    WINS_A,
    bid_seat,
    play_game,
    play_out,
    record_round,
    start_round,
)
from tables.engine.jit import entry
from tables.engine.play import BID, DECK_CELL, PIECES, PLAYER, SIZE, TAKEN, carry_rules


def _play_pairs(
    seed: int, first: int, last: int, rules: Rules, policies: Any, players: Any, profiles: Any, scores: Any, sums: Any
) -> None:
    s = np.zeros(SIZE, np.int64)
    cards = np.zeros(64, np.int64)
    s[DECK_CELL] = deck_of(rules)
    carry_rules(s, rules)
    for pair in range(first, last):
        points = sums[POINTS] - sums[POINTS + 1]
        rounds = sums[ROUNDS]
        for swap in range(2):
            if rules.variant == CUTTHROAT:
                result = play_cutthroat_game(s, cards, seed, pair, swap, rules, policies, players, profiles, sums)
            else:
                result = play_game(s, cards, seed, pair, swap, rules, policies, players, profiles, sums)
            scores[pair - first, swap] = result
            sums[GAMES] += 1
            if result == 1:
                sums[WINS_A] += 1
            elif result == 0:
                sums[DRAWS] += 1
        points = sums[POINTS] - sums[POINTS + 1] - points
        rounds = sums[ROUNDS] - rounds
        sums[PAIR_DD] += points * points
        sums[PAIR_DR] += points * rounds
        sums[PAIR_RR] += rounds * rounds


def _play_rounds(
    seed: int, first: int, last: int, rules: Rules, policies: Any, players: Any, profiles: Any, points: Any, sums: Any
) -> None:
    s = np.zeros(SIZE, np.int64)
    cards = np.zeros(64, np.int64)
    s[DECK_CELL] = deck_of(rules)
    carry_rules(s, rules)
    for number in range(first, last):
        for swap in range(2):
            seed_rng(s, seed, number, 0)
            deal(s, cards)
            start_round(s)
            for seat in range(4):
                chair = (seat + swap) & 3
                s[PLAYER + seat] = players[chair, 0]
                s[PIECES + seat] = players[chair, 1]
                s[BID + seat] = bid_seat(s, seat, rules, policies[chair], profiles)
            play_out(s)
            a = swap
            b = 1 - swap
            points_a, _ = score_side(s[BID + a], s[TAKEN + a], s[BID + a + 2], s[TAKEN + a + 2], 0, rules)
            points_b, _ = score_side(s[BID + b], s[TAKEN + b], s[BID + b + 2], s[TAKEN + b + 2], 0, rules)
            record_round(s, swap, points_a, points_b, sums)
            points[number - first, swap] = points_a - points_b


play_pairs = entry(_play_pairs)
play_rounds = entry(_play_rounds)
