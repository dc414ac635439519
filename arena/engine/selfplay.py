"""Self-play: the compiled loops over rounds and duplicate pairs, for the arena and the builders.

Every deal depends only on (seed, pair or round number), so the number of threads or machines cannot change a result.
"""

from typing import Any

from arena.engine.cutthroat import play_cutthroat_game
from arena.engine.deal import Deals, deal_round, prepare_state
from arena.engine.game import (
    DRAWS,
    GAMES,
    PAIR_DD,
    PAIR_DR,
    PAIR_RR,
    POINTS,
    ROUNDS,
    WINS_A,
    Game,
    Lineup,
    bid_seat,
    play_game,
    play_out,
    record_round,
    score_of_side,
)
from arena.engine.jit import round_loop
from spades.play import PlayState, write_rules
from spades.rules import CUTTHROAT, Rules


def _play_pairs(
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Lineup, profiles: Any, scores: Any, sums: Any
) -> None:
    # deals: numbers of duplicate pairs. scores (pairs, 2): gets each game's result by swap, 1 if side a won, -1 if side
    # b won, 0 for a draw. sums (SUMS,), see `arena.engine.game`: the figures of the games are added.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    for pair in range(deals.first, deals.last):
        points = sums[POINTS] - sums[POINTS + 1]
        rounds = sums[ROUNDS]
        for swap in range(2):
            game = Game(deals.seed, pair, swap)
            if rules.variant == CUTTHROAT:
                result = play_cutthroat_game(state, game, rules, lineup, profiles, sums)
            else:
                result = play_game(state, game, rules, lineup, profiles, sums)
            scores[pair - deals.first, swap] = result
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
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Lineup, profiles: Any, points: Any, sums: Any
) -> None:
    # Each round is played twice at score 0, the second time with all players one seat further. points (rounds, 2): gets
    # the points of side a minus those of side b, by swap. sums (SUMS,), as in `_play_pairs`.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    for number in range(deals.first, deals.last):
        for swap in range(2):
            deal_round(state, deals.seed, number, 0)
            for seat in range(4):
                chair = (seat + swap) & 3
                state.player[seat] = lineup.players[chair, 0]
                state.pieces[seat] = lineup.players[chair, 1]
                state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[chair], profiles)
            play_out(state)
            points_a, _ = score_of_side(state, swap, 0, rules)
            points_b, _ = score_of_side(state, 1 - swap, 0, rules)
            record_round(state, swap, points_a, points_b, sums)
            points[number - deals.first, swap] = points_a - points_b


play_pairs = round_loop(_play_pairs)
play_rounds = round_loop(_play_rounds)
