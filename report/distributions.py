"""Sections about rounds: nils, sums of bids, points, legal cards, the ace of spades (Table 3, Figs. 2, 4 to 7)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.markdown import table
from report import paper
from report.recorded_rounds import Rounds
from report.setup import Setup, by_points, person_match, share
from spades.cards import ACE, FIRST_SPADE
from studio import plots

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


def shape(setup: Setup) -> str:
    """Return the main figures of BIS in all four seats."""
    result = setup.match("bis", "bis")
    rows: list[tuple[Any, ...]] = [
        ("bids that are nil, %", paper.NIL_BIDS, paper.NIL_BIDS_OF_PEOPLE, share(result.nil_rate[0])),
        ("nils made, %", paper.NILS_MADE, paper.NILS_MADE_BY_PEOPLE, share(result.nil_success[0])),
        ("mean sum of the four bids", paper.SUM_OF_BIDS, "-", f"{result.sum_of_bids:.2f}"),
        ("mean legal cards per play", paper.LEGAL_CARDS, "-", f"{result.legal_cards:.2f}"),
        ("points per round", "-", "-", by_points(result)),
    ]
    return table("BIS against BIS, SRP | paper: BIS, with people at the table | paper: people | ours: BIS", rows)


def round_types(setup: Setup) -> str:
    """Return the table of BIS + BIS against a partnership of a person and BIS, by who bid nil (Table 3).

    RB with WRP takes the person's place.
    """
    result = person_match(setup, "rb", "bis")
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
    head = "nil of | rounds, % | points | nils made, % | rounds, % (ours) | points (ours) | nils made, % (ours)"
    return table(head, rows)


def points_by_sum(setup: Setup) -> str:
    """Return the points per round by the sum of the four bids, over rounds without nils (Fig. 4)."""
    found = [row for row in person_match(setup, "rb", "bis").sums_of_bids if row["without_nil"] >= FEWEST]
    x = np.array([row["sum"] for row in found], float)
    series = [
        plots.Series(name, x, np.array([row["points"][side] for row in found]))
        for name, side in (("BIS + BIS", 1), ("RB + BIS", 0))
    ]
    text = "Points per round by the sum of the four bids, rounds without nils"
    image = setup.image("points-by-sum", plots.lines(series, "sum of the four bids", "points per round"), text)
    rows: list[tuple[Any, ...]] = [
        (row["sum"], f"{row['without_nil']:,}", f"{row['points'][1]:.1f} : {row['points'][0]:.1f}") for row in found
    ]
    return image + "\n\n" + table("sum of bids | rounds | BIS + BIS : RB + BIS", rows)


def points_of_nils(rounds: Rounds) -> tuple[bytes, str]:
    """Return plot and table of a side's points in a round, by whether a given player of it bid nil (Fig. 2)."""
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
    head = "the player bid | hands | mean points of the side | lower quartile | median | upper quartile | below 0, %"
    drawn = plots.lines(series, "points of the side in the round", "% of its rounds", markers=False)
    return drawn, table(head, rows)


def sums_of_bids(rounds: Rounds) -> tuple[bytes, str]:
    """Return plot and text about how often each sum of the four bids occurs (Fig. 5)."""
    total = rounds.bids.sum(axis=1, dtype=np.int64)
    counts = np.bincount(total) / len(total)
    x = np.arange(len(counts), dtype=float)
    shown = counts > 0
    mean = float(total.mean())
    drawn = plots.bars(x[shown], 100 * counts[shown], "sum of the four bids", "% of rounds", mean, f"mean {mean:.2f}")
    return drawn, f"Mean {mean:.2f} (paper {paper.SUM_OF_BIDS}), standard deviation {total.std():.2f}."


def legal_cards(rounds: Rounds) -> tuple[bytes, str]:
    """Return plot and text about how often each number of cards is legal (Fig. 6)."""
    shares = rounds.choices.sum(axis=0) / rounds.choices.sum()
    x = np.arange(len(shares), dtype=float)
    mean = float(shares @ x)
    drawn = plots.bars(x[1:], 100 * shares[1:], "legal cards", "% of plays", mean, f"mean {mean:.2f}")
    text = f"Mean {mean:.2f} (paper {paper.LEGAL_CARDS}). In {100 * shares[1]:.1f}% of plays only one card is legal."
    return drawn, text


def ace_of_spades(rounds: Rounds, fitted: NDArray[np.float64]) -> tuple[bytes, str]:
    """Return plot and table of the probability that the last bidder holds the ace of spades (Fig. 7).

    The rows are sums of the three bids before. ``fitted`` is the shipped table's probability, by the sum.
    """
    total = rounds.bids[:, :3].sum(axis=1, dtype=np.int64)
    held = rounds.hands[:, 3] >> (FIRST_SPADE + ACE) & 1
    x, y, error, n = _rate_by(total, held)
    stated = fitted[x.astype(int)]
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
    return drawn, table("sum of the first three bids | rounds | P(ace of spades in fourth seat) | table `p_ace`", rows)


def _rate_by(
    group: NDArray[np.int64], hit: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    # Return the groups of at least FEWEST rounds, their rate, half of its 95% interval, and their size.
    n = np.bincount(group).astype(float)
    hits = np.bincount(group, hit)
    x = np.flatnonzero(n >= FEWEST)
    rate = hits[x] / n[x]
    return x.astype(float), rate, 1.96 * np.sqrt(rate * (1 - rate) / n[x]), n[x]
