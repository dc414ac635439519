"""Sections about `winprob`: matches against the other bidders, and whether its stated chances to win are right.

For the second part, four `winprob` bidders play games from 0-0. At each bid the stated chance is recorded, and before
each round the win table's chance, together with the winner of the game.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from service.bidding.game.rules import PRESETS, Rules, make_rules
from service.bidding.game.scoring import game_winner
from service.bidding.policies import parse_policy
from service.bidding.winprob.win_table import win_array, win_probability
from tables.builders.extra_win_tables import SHIPPED_MORE
from tables.engine.choose_bid import standing_at
from tables.engine.deal import Deals, deal_round, open_table, seat_players
from tables.engine.game import MOST_ROUNDS, Lineup, play_out, score_of_side
from tables.engine.jit import round_loop
from tables.engine.play import carry_rules
from tables.engine.play_state import PlayState
from tables.engine.simulate import player_rows, policies_by_chair
from tables.engine.winprob import BIDS, slice_of, weighed_seat
from tables.markdown import table
from tables.report import plots
from tables.report.setup import PAPER, Players, Setup, by_points, percent, share

LONG = make_rules("classic")
PAIRS = 10  # a match of this section plays this many times the report's pairs
WAYS = 2  # games of the calibration for each pair of the report, at 200/-100 and at 500 each
BINS = 20


class Row(NamedTuple):
    """A match, and the minimum for the lower end of its interval in percent."""

    name: str
    b: str
    mark: float | None = None
    players: Players = "srp"
    rules: Rules = PAPER
    mixed: bool = False


ROWS = (
    Row("`bis`", "bis", 61.0),
    Row("`bis:tuned`", "bis:tuned", 59.0),
    Row("`rb`", "rb", 62.0),
    Row("`rb:nil=5-8-T`", "rb:nil=5-8-T"),
    Row("`ms`", "ms", 73.0),
    Row("`io`", "io", 78.0),
    Row("`bis`, all seats play WRP", "bis", 60.0, "wrp"),
    Row("`bis`, with a `bis` as partner", "bis", 55.0, mixed=True),
    Row("`bis`, goal 500", "bis", 65.5, rules=LONG),
    Row("`bis:tuned`, goal 500", "bis:tuned", rules=LONG),
    Row("`bis`, goal 250, losing goal -200", "bis", rules=make_rules("classic", {"win": 250, "lose": -200})),
    Row("`bis`, preset bis-paper", "bis", rules=make_rules("bis-paper")),
    Row("`bis`, preset bis-paper, goal 500", "bis", rules=make_rules("bis-paper", {"win": 500, "lose": None})),
)


def against(setup: Setup) -> str:
    """Return the win rates of `winprob`, over `PAIRS` times the report's pairs."""
    rows: list[tuple[Any, ...]] = []
    for row in ROWS:
        result = setup.match("winprob", row.b, row.players, row.rules, pairs=PAIRS * setup.pairs, mixed=row.mixed)
        mark = "-" if row.mark is None else f"{row.mark:g}"
        nils, made = result.nil_rate, result.nil_success
        rows.append((row.name, percent(result), mark, by_points(result), *(_both(each) for each in (nils, made))))
    sizes = f"{PAIRS * setup.pairs:,} duplicate pairs per row."
    return sizes + "\n\n" + table("against | wins, % | minimum | points per round | nils, % | made, %", rows)


def presets(setup: Setup) -> str:
    """Return the win rates against `bis` under presets with rules that the net was not trained on."""
    rows: list[tuple[Any, ...]] = []
    for name, rules in PRESETS.items():
        if rules in SHIPPED_MORE:
            result = setup.match("winprob", "bis", rules=rules)
            nils, made = result.nil_rate, result.nil_success
            rows.append((name, percent(result), by_points(result), *(_both(each) for each in (nils, made))))
    return table("preset | wins, % | points per round | nils, % | made, %", rows)


def rounds(setup: Setup) -> str:
    """Return the result of each round of training, as the build recorded it."""
    family = setup.opened.families["net"]
    names = [str(stage[0]) for stage in cast(list[list[Any]], family.parameters["rounds"])]
    rows = []
    for name in names:
        figures = (family.figures[f"{name}_{what}"] for what in ("wins_bis", "held_out_lost"))
        won, lost = (f"{100 * figure:.2f}" for figure in figures)
        rows.append((name, f"{family.sizes[f'{name}_positions']:,}", won, lost))
    pairs = f"{family.sizes['pairs']:,}"
    return table(
        f"round | new positions | wins against `bis`, %, {pairs} pairs | % lost to the best bid in hindsight", rows
    )


def _both(rates: Any) -> str:
    return " : ".join(share(rate) for rate in rates)


def _watched(
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Lineup, profiles: Any, stated: Any, sums: Any
) -> None:
    # stated (2, BINS, 3): by source (0 a bid, 1 the win table) and stated chance: times, sum of chances, wins.
    # sums (2,): squared errors by source.
    policy = lineup.policies[0]
    p_win = np.zeros(BIDS)
    kept = np.zeros((MOST_ROUNDS * 5, 3))  # source, chance, side
    state = open_table(states, rules)
    carry_rules(state, rules)
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
                state.bid[seat] = weighed_seat(state, seat, rules, policy, t, p_win)
                kept[n, 0] = 0.0
                kept[n, 1] = p_win[state.bid[seat]]
                kept[n, 2] = (seat & 1) ^ turn
                n += 1
            play_out(state)
            for side in range(2):
                points, left = score_of_side(state, side, state.bags[side], rules)
                score[side ^ turn] += points
                bags[side ^ turn] = left
            winner = game_winner(score[0], score[1], rules)
            if winner != 0:
                break
        for i in range(n):
            what = int(kept[i, 0])
            p = kept[i, 1]
            won = 1.0 if (winner > 0) == (kept[i, 2] == 0.0) else 0.0
            cell = min(int(p * BINS), BINS - 1)
            stated[what, cell, 0] += 1.0
            stated[what, cell, 1] += p
            stated[what, cell, 2] += won
            sums[what] += (p - won) ** 2


watched = round_loop(_watched)


def reliability(setup: Setup) -> str:
    """Return plot and table of stated chances to win against games won."""
    series, words = [], []
    winprob = parse_policy("winprob")
    lineup = Lineup(policies_by_chair(winprob, winprob), player_rows("srp", "srp"))
    for name, rules in (("200/-100", PAPER), ("500", LONG)):
        stated, sums = np.zeros((2, BINS, 3)), np.zeros(2)
        watched(setup.seed, 0, WAYS * setup.pairs, rules, lineup, setup.tables, stated, sums)
        for what, spoke in enumerate(("stated with the bid", "win table")):
            times, chances, won = stated[what].T
            seen = times >= 100
            x, y = chances[seen] / times[seen], won[seen] / times[seen]
            # Use the number of games, not of positions: all positions of a game have the same result.
            error = 1.96 * np.sqrt(y * (1 - y) / np.minimum(times[seen], WAYS * setup.pairs))
            series.append(plots.Series(f"{name}, {spoke}", x, y, error))
            away = float((times[seen] * np.abs(x - y)).sum() / times[seen].sum())
            words.append(
                (
                    name,
                    spoke,
                    f"{times.sum():,.0f}",
                    f"{100 * away:.1f}",
                    f"{100 * np.abs(x - y).max():.1f}",
                    f"{sums[what] / times.sum():.4f}",
                )
            )
    svg = plots.lines(series, "chance to win, as stated", "games won")
    image = setup.image("winprob-reliability", svg, "Chances to win that winprob states, against games won")
    head = "goal | chance | times | mean distance, percentage points | greatest distance | Brier score"
    return image + "\n\n" + table(head, words)
