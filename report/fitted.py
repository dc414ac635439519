"""Figures of fitted values: success curves, blind nils, and their calibration."""

from typing import Any

import numpy as np

from arena.players.names import TABLES_PLAYER
from arena.stats import wilson
from report.figures import query
from report.paper import CURVE_EXAMPLE
from report.reads import BIS_FIELDS
from report.recorded_rounds import SEQUENCES, third_seat_nils
from report.setup import Setup, share
from spades.bis import HIGH_SUM, interpolate
from spades.legal import NO_BID
from spades.position import auction_after, read_auction
from spades.tables import PARTNERSHIP_PROFILE
from studio import plots

DEALS = 800  # deals for each pair of the report, to find the three sequences of Fig. 3
CAST_DEALS = 400  # the same for each entry of CASTS
CASTS = {  # card players of partner and of the opponents; the nil bidder plays SRP
    "SRP all": (TABLES_PLAYER, TABLES_PLAYER),
    "SRP, partner WRP": ("wrp", TABLES_PLAYER),
    "SRP, opponents WRP": (TABLES_PLAYER, "wrp"),
    "SRP, all others WRP": ("wrp", "wrp"),
}
BIN = 10  # width of a bin of nil values in plot and table, hundredths
FEWEST = 30  # minimum number of nils for a bin to be shown


@query(*BIS_FIELDS)
def curve(setup: Setup) -> dict[str, Any]:
    """Return the probability that the paper's example nil is made, and how it depends on the card players."""
    ours = interpolate(setup.tables[PARTNERSHIP_PROFILE].curves, read_auction(2, 1, 3, NO_BID).sequence, 0.8)
    rows = []
    for name, (partner, opponents) in CASTS.items():
        deals = CAST_DEALS * setup.pairs
        counts = third_seat_nils(setup.tables, deals, setup.seed, setup.jobs, partner, opponents)
        near, all_three = counts[0, 75:85].sum(axis=0), counts[:, 40:].sum(axis=(0, 1))
        rows.append((name, _made_of(*near), _made_of(*all_three)))
    return {"ours": f"{ours:.3f}", "rows": rows}


def _made_of(n: int, made: int) -> str:
    return f"{100 * made / n:.1f} of {n:,}" if n else "-"


@query(*BIS_FIELDS)
def curves_and_data(setup: Setup) -> dict[str, Any]:
    """Return and plot the success curves of the paper's three sequences, with the results of new nils (Fig. 3)."""
    counts = third_seat_nils(setup.tables, DEALS * setup.pairs, setup.seed, setup.jobs)
    drawn, rows = [], []
    for (partner, rho), by_value in zip(SEQUENCES, counts, strict=True):
        row = read_auction(2, partner, rho, NO_BID).sequence
        values = np.linspace(0.0, 1.0, by_value.shape[0])
        fitted = setup.tables[PARTNERSHIP_PROFILE].curves[row]
        # The last cell holds only the value 1. It is added to the bin below.
        cells = np.minimum(np.arange(len(values)), len(values) - 2) // BIN
        n = np.bincount(cells, by_value[:, 0])
        made = np.bincount(cells, by_value[:, 1])
        at = np.bincount(cells, by_value[:, 0] * values) / np.maximum(n, 1)
        stated = np.bincount(cells, by_value[:, 0] * fitted) / np.maximum(n, 1)
        shown = n >= FEWEST
        rate = made[shown] / n[shown]
        bounds = np.array([wilson(p, k) for p, k in zip(rate, n[shown], strict=True)]).reshape(-1, 2)
        error = np.array([rate - bounds[:, 0], bounds[:, 1] - rate])
        name = f"after {partner}, {rho}"
        drawn.append((plots.Series(name, values, fitted), plots.Series(name, at[shown], rate, error)))
        if n.sum() == 0:
            rows.append((name, "0", "-", "-"))
            continue
        by_curve, by_play = stated @ n / n.sum(), made.sum() / n.sum()
        rows.append((name, f"{int(n.sum()):,}", f"{100 * by_curve:.1f}", f"{100 * by_play:.1f}"))
    setup.plot("success-curves", plots.curves(drawn, "nil value", "nils made", (0.8, CURVE_EXAMPLE)))
    return {"rows": rows}


@query("curves", "single_curve", "held_out")
def held_out(setup: Setup) -> dict[str, Any]:
    """Return how well the curves predict nils that they were not fitted on, and the three readings of cnil."""
    figures = setup.opened.families["curves"].figures
    of_curves = [
        (label, f"{figures[key + 'log_loss']:.4f}", f"{figures[key + 'brier']:.4f}")
        for label, key in (("2,955 curves", "held_out_"), ("one curve", "held_out_single_"))
    ]
    held = setup.opened.research["held_out"]
    rows = [(f"{stated:.3f}", f"{made:.3f}", f"{int(n):,}") for n, stated, made in held if n > 0]
    readings = [(name, f"{figures['log_loss_reading_' + name]:.4f}") for name in ("and", "or", "any")]
    return {
        "fitted": f"{int(figures['nil_rounds'] - figures['held_out_nils']):,}",
        "judged": f"{int(figures['held_out_nils']):,}",
        "unselected": f"{int(figures['unselected_nils']):,}",
        "calibration_error": f"{figures['held_out_calibration_error']:.4f}",
        "of_curves": of_curves,
        "readings": readings,
        "rows": rows,
    }


@query("blind_nil", "p_ace")
def blind_nils(setup: Setup) -> dict[str, Any]:
    """Return the probability that a blind nil is made, after some previous bids.

    Beside it is the probability that the bidder holds the ace of spades. Both are from the shipped tables.
    """
    rows: list[tuple[Any, ...]] = []
    figures = setup.opened.families["blind"].figures
    p_made = setup.opened.arrays["blind_nil"]
    for bids in ((), (3,), (5,), (3, 3), (5, 4), (2, 2, 2), (2, 3, 3), (3, 3, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)):
        p_ace = setup.opened.arrays["p_ace"][len(bids), sum(bids)]
        rows.append((", ".join(map(str, bids)) or "none", share(p_ace), share(p_made[auction_after(bids).sequence])))
    return {
        "stated": share(figures["held_out_stated"]),
        "made": share(figures["held_out_made"]),
        "brier": f"{figures['held_out_brier']:.4f}",
        "high_sum": HIGH_SUM,
        "rows": rows,
    }


@query(lambda setup, profile: [f"{profile}_curves", f"{profile}_held_out"])
def calibration(setup: Setup, profile: str) -> dict[str, Any]:
    """Return how well the curves of a profile predict nils that they were not fitted on; rows by stated chance."""
    figures = setup.opened.families[f"{profile}_curves"].figures
    held = setup.opened.research[f"{profile}_held_out"]
    n, stated, made = held[:, 0].sum(), held[:, 0] @ held[:, 1], held[:, 0] @ held[:, 2]
    return {
        "all": f"{int(figures['nil_rounds']):,}",
        "fitted": f"{int(figures['nil_rounds'] - figures['held_out_nils']):,}",
        "judged": f"{int(n):,}",
        "stated": f"{100 * stated / n:.1f}",
        "made": f"{100 * made / n:.1f}",
        "calibration_error": f"{figures['held_out_calibration_error']:.4f}",
        "brier": f"{figures['held_out_brier']:.4f}",
        "rows": [(f"{int(n):,}", f"{100 * stated:.1f}", f"{100 * made:.1f}") for n, stated, made in held if n],
    }
