"""Whether the win probabilities that `winprob` states come true, by its opponents and whether it knows how they bid.

Two `winprob` bidders play whole games from 0-0 against two of each opponent of the training mix. With each of their
bids the stated probability is recorded, and before each round the value in the win table. They are compared with the
win table's value after the round, which is what the net predicts, and with the winner of the game. The winner also
depends on the later rounds: the win table is for two equal sides, so a side with weaker opponents wins more games than
it states.

Self-play in a few games with random rules shows the same far from the usual goals. The hash of the tables draws these
rules, so nobody knows them before the tables are built.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import standing_at
from arena.engine.deal import Deals, deal_round, prepare_state, seat_players
from arena.engine.game import MOST_ROUNDS, Lineup, bid_seat, play_out, score_of_side, win_probability_after_round
from arena.engine.jit import round_loop
from arena.engine.simulate import player_rows, policies_by_chair, tables_for
from arena.engine.winprob import BIDS, slice_of, weighed_seat
from arena.markdown import table
from report.nearest_tables import in_code, in_words
from report.setup import LONG, PAPER, Setup
from report.winprob import informed
from spades.play import PlayState, write_rules
from spades.policies import parse_policy
from spades.rules import Rules, make_rules
from spades.scoring import game_winner
from spades.winprob import win_array, win_probability
from studio import plots
from tables.learning.training import LATER_POLICIES

BINS = 20
MOST_STATED = MOST_ROUNDS * 3  # probabilities in a game: two bids and the win table's in each round
OPPONENTS = Counter(LATER_POLICIES)  # each with its weight in the training mix
ENOUGH = 100  # a bin with fewer probabilities is not judged
DRAWN = 6  # number of games with random rules
JUDGED = (  # columns of `_judged`
    "stated | too high after the round, points | too high in the game, points | "
    "mean distance of the bins, points | greatest distance | Brier score"
)
ELSEWHERE: dict[str, tuple[object, ...]] = {
    "win": tuple(range(50, 1001, 50)),
    "lose": (None, -100, -200, -300, -500),
    "bags": (True, False),
    "bag_limit": (5, 7, 10),
    "nil_points": (50, 100, 200),
}


class Stated(NamedTuple):
    """What was stated in many games; the first axis is the source: 0 a bid, 1 the win table."""

    bins: NDArray[np.float64]  # (2, BINS, 4) by stated probability: how many, their sum, games won, values after
    errors: NDArray[np.float64]  # (2,): sum of squared errors
    games: int


def _watched(
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Lineup, profiles: Any, bins: Any, errors: Any
) -> None:
    # The first side of the lineup is `winprob`. bins and errors: the fields of `Stated`.
    policies = lineup.policies
    p_win = np.zeros(BIDS)
    kept = np.zeros((MOST_STATED, 4))  # source, probability, side, value after the round
    state = prepare_state(states, rules)
    write_rules(state, rules)
    t = profiles[0]
    place = slice_of(rules, t)
    win = win_array(place, t)
    for game in range(deals.first, deals.last):
        n = 0
        score = np.zeros(2, np.int64)  # by side: 0 bids first in even rounds
        bags = np.zeros(2, np.int64)
        winner = 0
        for number in range(MOST_ROUNDS):
            turn = number & 1
            first = n
            deal_round(state, deals.seed, game, number)
            for side in range(2):
                state.score[side] = score[side ^ turn]
                state.bags[side] = bags[side ^ turn]
            kept[n, 0] = 1.0
            kept[n, 1] = win_probability(standing_at(state, 0), place, win)
            kept[n, 2] = turn
            n += 1
            seat_players(state, lineup.players)
            for seat in range(4):
                chair = (seat + number) & 3
                if chair & 1:
                    state.bid[seat] = bid_seat(state, seat, rules, policies[chair], profiles)
                    continue
                state.bid[seat] = weighed_seat(state, seat, rules, policies[chair], t, p_win)
                kept[n, 0] = 0.0
                kept[n, 1] = p_win[state.bid[seat]]
                kept[n, 2] = 0.0
                n += 1
            play_out(state)
            for i in range(first, n):
                seat = turn if kept[i, 0] == 0.0 else 0  # of our side, or of the side that the table's value is for
                kept[i, 3] = win_probability_after_round(state, seat, rules, place, win)
            for side in range(2):
                points, left = score_of_side(state, side, state.bags[side], rules)
                score[side ^ turn] += points
                bags[side ^ turn] = left
            winner = game_winner(score[0], score[1], rules)
            if winner != 0:
                break
        for i in range(n):
            source = int(kept[i, 0])
            p = kept[i, 1]
            won = 1.0 if (winner > 0) == (kept[i, 2] == 0.0) else 0.0
            cell = min(int(p * BINS), BINS - 1)
            bins[source, cell, 0] += 1.0
            bins[source, cell, 1] += p
            bins[source, cell, 2] += won
            bins[source, cell, 3] += kept[i, 3]
            errors[source] += (p - won) ** 2


watched = round_loop(_watched)


def reliability(setup: Setup) -> str:
    """Return a plot, and a table of stated win probabilities against games won."""
    series, rows = [], []
    for goals, rules in (("200/-100", PAPER), ("500", LONG)):
        for known in (False, True):
            against = {opponent: _stated(setup, opponent, known, rules) for opponent in OPPONENTS}
            if rules is PAPER:
                rows += [(goals, f"`{name}`", known, *_judged(stated, 0)) for name, stated in against.items()]
            mix = _mixed(against)
            rows.append((goals, "the training mix", known, *_judged(mix, 0)))
            series.append(_series(f"{goals}, {'known' if known else 'unknown'} opponents", mix, 0))
            if not known:
                rows.append((goals, "the training mix, by the win table", known, *_judged(mix, 1)))
                series.append(_series(f"{goals}, win table", mix, 1))
    svg = plots.lines(series, "win probability, as stated", "games won")
    image = setup.image("winprob-reliability", svg, "Win probabilities that winprob states, against games won")
    shown = [(goals, name, "yes" if known else "no", *rest) for goals, name, known, *rest in rows]
    return image + "\n\n" + table(f"goals | opponents | known | {JUDGED}", shown)


def elsewhere(setup: Setup) -> str:
    """Return tables of stated win probabilities against games won, in games drawn by the hash of the tables.

    The first is about the bids; the second says which win table values each game, and judges its values.
    """
    rng = np.random.default_rng(int(setup.opened.sha256[:16], 16))
    rows, tables = [], []
    for _ in range(DRAWN):
        overrides = {field: values[rng.integers(len(values))] for field, values in ELSEWHERE.items()}
        text = in_code(overrides)
        rules = make_rules("classic", overrides)
        unknown, known = (_stated(setup, "winprob", knows, rules) for knows in (False, True))
        rows += [(text, "no", *_judged(unknown, 0)), (text, "yes", *_judged(known, 0))]
        nearest = setup.opened.games.nearest(rules)
        assert nearest is not None, "every partnership game is valued"
        instead = in_code(in_words(nearest.instead)) if nearest.instead else "its own"
        tables.append((text, instead, *_judged(known, 1)))
    bids = table(f"game, in self-play | opponents known | {JUDGED}", rows)
    values = table(f"game, in self-play | rules of the win table | {JUDGED}", tables)
    return f"Tables {setup.opened.version}, {setup.pairs:,} games each, seed {setup.seed}.\n\n{bids}\n\n{values}"


def _stated(setup: Setup, opponent: str, known: bool, rules: Rules) -> Stated:
    a = informed(opponent) if known else "winprob"
    lineup = Lineup(policies_by_chair(parse_policy(a), parse_policy(opponent)), player_rows("srp", "srp"))
    profiles = tables_for(setup.tables, rules, lineup.policies)
    stated = Stated(np.zeros((2, BINS, 4)), np.zeros(2), setup.pairs)
    watched(setup.seed, 0, setup.pairs, rules, lineup, profiles, stated.bins, stated.errors)
    return stated


def _mixed(against: Mapping[str, Stated]) -> Stated:
    """Return what was stated against all opponents, each with its weight in the training mix."""
    bins = sum((weight * against[name].bins for name, weight in OPPONENTS.items()), np.zeros((2, BINS, 4)))
    errors = sum((weight * against[name].errors for name, weight in OPPONENTS.items()), np.zeros(2))
    return Stated(bins, errors, sum(stated.games for stated in against.values()))


def _series(name: str, stated: Stated, source: int) -> plots.Series:
    times, chances, won, _ = stated.bins[source].T
    seen = times >= ENOUGH
    x, y = chances[seen] / times[seen], won[seen] / times[seen]
    # Use the number of games, not of positions: all positions of a game have the same result.
    error = 1.96 * np.sqrt(y * (1 - y) / np.minimum(times[seen], stated.games))
    return plots.Series(name, x, y, error)


def _judged(stated: Stated, source: int) -> tuple[str, ...]:
    times, chances, won, after = stated.bins[source].T
    seen = times >= ENOUGH
    away = np.abs(chances[seen] - won[seen]) / times[seen]
    total = times.sum()
    return (
        f"{total:,.0f}",
        f"{100 * (chances.sum() - after.sum()) / total:+.1f}",
        f"{100 * (chances.sum() - won.sum()) / total:+.1f}",
        f"{100 * np.average(away, weights=times[seen]):.1f}" if seen.any() else "-",
        f"{100 * away.max():.1f}" if seen.any() else "-",
        f"{stated.errors[source] / total:.4f}",
    )
