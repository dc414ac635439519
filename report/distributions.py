"""Figures of rounds: nils, sums of bids, points, legal cards, the ace of spades (Table 3, Figs. 2, 4 to 7)."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from report import paper
from report.figures import query
from report.reads import BIS_FIELDS
from report.recorded_rounds import Rounds, self_play
from report.setup import Setup, person_match, share
from spades.cards import ACE, FIRST_SPADE
from studio import plots

ROUNDS = 40  # rounds of self-play recorded for each pair of the report
FEWEST = 200  # minimum number of rounds for one point of a plot
POINTS_BIN = 10
# Rows of Table 3, and the names of ours in `arena.result.round_type` (side a: the person first, BIS second).
TYPES = {
    "BIS + BIS": "nil of b",
    "H": "nil of a, first",
    "partner of H": "nil of a, second",
    "nil v nil": "nil v nil",
    "double nil": "double nil of a",
    "no nil": "no nil",
}


@lru_cache(maxsize=1)  # several queries use the same rounds, about 40 MB
def recorded(setup: Setup) -> Rounds:
    """Return the report's recorded rounds of self-play."""
    return self_play(setup.tables, ROUNDS * setup.pairs, setup.seed, setup.jobs)


@query(*BIS_FIELDS, "rb_suit")
def round_types(setup: Setup) -> dict[str, Any]:
    """Return rows of BIS + BIS against a partnership of a person and BIS, by who bid nil (Table 3).

    RB with WRP takes the person's place.
    """
    result = setup.play(person_match(setup, "rb", "bis"))
    ours = {row["type"]: row for row in result.round_types}
    all_paper = sum(row.rounds for row in paper.TABLE_3)
    rows: list[tuple[Any, ...]] = []
    for row in paper.TABLE_3:
        published = (
            f"{100 * row.rounds / all_paper:.1f}",
            f"{row.bis_points} : {row.points}",
            " : ".join("-" if x is None else f"{x:.1f}" for x in (row.bis_nils_made, row.nils_made)),
        )
        found = ours.get(TYPES[row.name])
        if found is None:
            rows.append((row.name, *published, "0.0", "-", "-"))
            continue
        a, b = found["points"]
        nils_a, nils_b = found["nil_success"]
        made = f"{share(nils_b)} : {share(nils_a)}"
        rows.append((row.name, *published, share(found["share"]), f"{b:.1f} : {a:.1f}", made))
    return {"rows": rows}


@query(*BIS_FIELDS, "rb_suit")
def points_by_sum(setup: Setup) -> dict[str, Any]:
    """Return the points per round by the sum of the four bids, over rounds without nils (Fig. 4), and plot them."""
    result = setup.play(person_match(setup, "rb", "bis"))
    found = [row for row in result.sums_of_bids if row["without_nil"] >= FEWEST]
    x = np.array([row["sum"] for row in found], float)
    series = [
        plots.Series(name, x, np.array([row["points"][side] for row in found]))
        for name, side in (("BIS + BIS", 1), ("RB + BIS", 0))
    ]
    setup.plot("points-by-sum", plots.lines(series, "sum of the four bids", "points per round"))
    rows: list[tuple[Any, ...]] = [
        (row["sum"], f"{row['without_nil']:,}", f"{row['points'][1]:.1f} : {row['points'][0]:.1f}") for row in found
    ]
    return {"rows": rows}


@query(*BIS_FIELDS)
def points_of_nils(setup: Setup) -> dict[str, Any]:
    """Return rows of a side's points in a round, by whether a given player of it bid nil (Fig. 2); plot it."""
    rounds = recorded(setup)
    nil = rounds.bids == 0
    points = np.stack([rounds.points[:, seat & 1] for seat in range(4)], axis=1)
    edges = np.arange(-305, 306, POINTS_BIN)
    middle = (edges[:-1] + edges[1:]) / 2
    series, rows = [], []
    for name, chosen in (("nil", nil), ("no nil", ~nil)):
        inside = points[chosen]
        counts = np.histogram(inside, edges)[0]
        series.append(plots.Series(name, middle, 100 * counts / max(1, len(inside))))
        quarter = np.percentile(inside, [25, 50, 75]) if len(inside) else np.zeros(3)
        set_share = 100 * np.mean(inside < 0) if len(inside) else 0.0
        rows.append(
            (name, f"{len(inside):,}", f"{inside.mean():.1f}", *(f"{q:.0f}" for q in quarter), f"{set_share:.1f}")
        )
    setup.plot("points-nil", plots.lines(series, "points of the side in the round", "% of its rounds", markers=False))
    return {"rows": rows}


@query(*BIS_FIELDS)
def sums_of_bids(setup: Setup) -> dict[str, Any]:
    """Return mean and standard deviation of the sum of the four bids, and plot how often each occurs (Fig. 5)."""
    rounds = recorded(setup)
    total = rounds.bids.sum(axis=1, dtype=np.int64)
    counts = np.bincount(total) / len(total)
    x = np.arange(len(counts), dtype=float)
    shown = counts > 0
    mean = float(total.mean())
    drawn = plots.bars(x[shown], 100 * counts[shown], "sum of the four bids", "% of rounds", mean, f"mean {mean:.2f}")
    setup.plot("sums-of-bids", drawn)
    return {"mean": f"{mean:.2f}", "deviation": f"{total.std():.2f}"}


@query(*BIS_FIELDS)
def legal_cards(setup: Setup) -> dict[str, Any]:
    """Return the mean number of legal cards and the share of forced ones, and plot the numbers (Fig. 6)."""
    rounds = recorded(setup)
    shares = rounds.choices.sum(axis=0) / rounds.choices.sum()
    x = np.arange(len(shares), dtype=float)
    mean = float(shares @ x)
    drawn = plots.bars(x[1:], 100 * shares[1:], "legal cards", "% of plays", mean, f"mean {mean:.2f}")
    setup.plot("legal-cards", drawn)
    return {"mean": f"{mean:.2f}", "forced": f"{100 * shares[1]:.1f}"}


@query(*BIS_FIELDS)
def ace_of_spades(setup: Setup) -> dict[str, Any]:
    """Return rows of the probability that the last bidder holds the ace of spades (Fig. 7), and plot it.

    The rows are sums of the three bids before.
    """
    rounds = recorded(setup)
    total = rounds.bids[:, :3].sum(axis=1, dtype=np.int64)
    held = rounds.hands[:, 3] >> (FIRST_SPADE + ACE) & 1
    x, y, error, n = _rate_by(total, held)
    stated = setup.opened.arrays["p_ace"][3][x.astype(int)]
    drawn = plots.lines(
        [plots.Series("stated by the table", x, stated), plots.Series("counted, 95% interval", x, y, error)],
        "sum of the first three bids",
        "P(fourth holds the ace of spades)",
        level=0.25,
    )
    rows = [
        (int(s), f"{int(k):,}", f"{p:.3f} ± {e:.3f}", f"{f:.3f}")
        for s, p, e, k, f in zip(x, y, error, n, stated, strict=True)
    ]
    setup.plot("ace-of-spades", drawn)
    return {"rows": rows}


def _rate_by(
    group: NDArray[np.int64], hit: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    # Return the groups of at least FEWEST rounds, their rate, half of its 95% interval, and their size.
    n = np.bincount(group).astype(float)
    hits = np.bincount(group, hit)
    x = np.flatnonzero(n >= FEWEST)
    rate = hits[x] / n[x]
    return x.astype(float), rate, 1.96 * np.sqrt(rate * (1 - rate) / n[x]), n[x]
