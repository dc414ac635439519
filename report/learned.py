"""Figures of the appendix, learned-player.md: the nets of the spAIdes report."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.bid_deals import NO_PLAYERS
from arena.engine.rounds import Batch
from arena.learned import choose
from arena.players.q_names import REPORT_REWARDS, REWARDS, QPlayer
from arena.result import MatchResult
from report.figures import query
from report.reads import BIS_FIELDS
from report.setup import Setup, by_points, percent
from studio import plots
from tables.learning.q1_training import BIDS_COLUMN, DECISIONS, KEPT, PLAYERS, POINTS_COLUMN, RULES

HANDS = 5_000
OPPONENTS = {"random": "random cards", "wrp": "`wrp`"}
PARTS = np.arange(1.0, KEPT + 1)


_NETS = ("q1_linear", "q1_conv")


def tricks_a_round(result: MatchResult) -> float:
    """Return the mean tricks of a player of side a in a round."""
    rows = [row for row in result.bids if row["side"] == "a"]
    return float(sum(row["bids"] * row["tricks"] for row in rows) / sum(row["bids"] for row in rows))


def _bids(player: QPlayer, setup: Setup) -> tuple[float, float, float]:
    # Mean and standard deviation of the first bids of a round, and their correlation with the high cards of the hand.
    batch = Batch(RULES, np.arange(HANDS))
    batch.deal(setup.seed, NO_PLAYERS)
    states = batch.states
    seats = np.zeros(HANDS, np.int64)
    bids = choose(player, setup.opened.research, states, seats, True)
    hands = states["hand"][:, 0]
    high = sum((hands >> 16 * suit + rank & 1) * (rank - 9) for suit in range(4) for rank in range(10, 13))
    spread = float(bids.std())
    return float(bids.mean()), spread, float(np.corrcoef(bids, high)[0, 1]) if spread else 0.0


def _pairs(setup: Setup) -> int:
    return max(1, setup.pairs // 10)


def _tricks(setup: Setup, player: QPlayer, opponent: str) -> float:
    return tricks_a_round(setup.play(setup.match("bis", "bis", (str(player), opponent), pairs=_pairs(setup))))


@query(*_NETS, *BIS_FIELDS)
def learned_beside_report(setup: Setup) -> dict[str, Any]:
    """Return the figures that the report states, and those of its nets here with the same reward."""
    players = [player for player in PLAYERS if player.reward == "tricks"]
    tricks = {name: [_tricks(setup, player, opponent) for player in players] for opponent, name in OPPONENTS.items()}
    more = {name: [100 * (of / (6.5 - of) - 1) for of in row] for name, row in tricks.items()}  # a side's half: 6.5
    rows = []
    for (name, row), stated in zip(tricks.items(), ("3.5", "-"), strict=True):
        rows.append((f"tricks in a round, against {name}", stated, *(f"{found:.2f}" for found in row)))
    for (name, row), stated in zip(more.items(), ("roughly 20", "-"), strict=True):
        rows.append((f"tricks more than {name}, %", stated, *(f"{found:+.0f}" for found in row)))
    return {"pairs": f"{_pairs(setup):,}", "rows": rows}


@query(*_NETS, *BIS_FIELDS, "rb_suit")
def learned_published(setup: Setup) -> dict[str, Any]:
    """Return what each net of the report learned: its bids, its tricks and its games."""
    rows = []
    for player in PLAYERS:
        mean, spread, related = _bids(player, setup)
        tricks = [_tricks(setup, player, opponent) for opponent in OPPONENTS]
        whole = setup.play(setup.match(str(player), "rb", (str(player), "wrp"), pairs=_pairs(setup)))
        rows.append(
            (
                player.net,
                player.reward,
                f"{mean:.1f} ± {spread:.1f}",
                f"{related:+.2f}",
                *(f"{found:.2f}" for found in tricks),
                percent(whole),
                by_points(whole),
            )
        )
    return {"pairs": f"{_pairs(setup):,}", "rows": rows}


@query("q1_history")
def learned_errors(setup: Setup) -> dict[str, Any]:
    """Return the mean squared errors of the nets by decision, at the start and at the end of the training."""
    rows = []
    for player, history in zip(PLAYERS, setup.opened.research["q1_history"], strict=True):
        for name, row in (("first", history[0]), ("last", history[-1])):
            bid, early, late = row[0], row[1 : DECISIONS - 1].mean(), row[DECISIONS - 1]
            figures = (f"{value:.2f}" for value in (bid, early, late, row[POINTS_COLUMN], row[BIDS_COLUMN]))
            rows.append((player.net, player.reward, name, *figures))
    return {"parts": KEPT, "rows": rows}


def _curves(
    setup: Setup, rewards: tuple[str, ...], figure: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> list[plots.Series]:
    # A line for each net and reward, from its history; those of the linear nets are dashed.
    series = []
    for player, history in zip(PLAYERS, setup.opened.research["q1_history"].astype(np.float64), strict=True):
        if player.reward in rewards:
            colour, style = plots.COLOURS[rewards.index(player.reward)], "--" if player.net == "linear" else "o-"
            name = f"{player.net}, {player.reward}"
            series.append(plots.Series(name, PARTS, figure(history), style=style, colour=colour))
    return series


@query("q1_history", "rb_suit")
def learned_score(setup: Setup) -> dict[str, Any]:
    """Plot the points during the training, beside those of `rb` with `wrp`."""
    series = _curves(setup, REWARDS, lambda history: history[:, POINTS_COLUMN])
    simple = setup.play(setup.match("rb", "rb", "wrp", RULES, pairs=_pairs(setup)))
    points = np.full(KEPT, np.mean(simple.points_per_round))
    series.append(plots.Series("rb with wrp", PARTS, points, style="-", colour="black"))
    svg = plots.lines(series, "part of the training", "points of a side per round", level=0.0)
    setup.plot("learned-score", svg)
    return {}


@query("q1_history")
def learned_loss(setup: Setup) -> dict[str, Any]:
    """Plot the mean squared error during the training."""

    def losses(history: NDArray[np.float64]) -> NDArray[np.float64]:
        found = history[:, :DECISIONS].mean(axis=1)
        shares: NDArray[np.float64] = found / found.max()
        return shares

    series = _curves(setup, REPORT_REWARDS, losses)
    svg = plots.lines(series, "part of the training", "mean squared error, share of the largest")
    setup.plot("learned-loss", svg)
    return {}
