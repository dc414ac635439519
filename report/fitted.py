"""Sections about fitted values: success curves and their calibration."""

import numpy as np

from arena.markdown import table
from arena.players.names import TABLES_PLAYER
from arena.stats import wilson
from report.paper import CURVE_EXAMPLE
from report.recorded_rounds import SEQUENCES, third_seat_nils
from report.setup import Setup
from spades.bis import interpolate
from spades.legal import NO_BID
from spades.position import read_auction
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


def curve(setup: Setup) -> str:
    """Return the probability that the paper's example nil is made, and how it depends on the card players."""
    ours = interpolate(setup.tables[PARTNERSHIP_PROFILE].curves, read_auction(2, 1, 3, NO_BID).sequence, 0.8)
    head = table(
        "third seat after (1, 3), nil value .8 | paper | ours",
        [("probability that the nil is made", f"{CURVE_EXAMPLE:.2f}", f"{ours:.3f}")],
    )
    rows = []
    for name, (partner, opponents) in CASTS.items():
        deals = CAST_DEALS * setup.pairs
        counts = third_seat_nils(setup.tables, deals, setup.seed, setup.jobs, partner, opponents)
        near, all_three = counts[0, 75:85].sum(axis=0), counts[:, 40:].sum(axis=(0, 1))
        rows.append((name, _made_of(*near), _made_of(*all_three)))
    title = "players | made after 1, 3 at value .75-.85, % | made after 1, 3 or 3, 3 or 8, 3 at value over .4, %"
    return head + "\n\n" + table(title, rows)


def _made_of(n: int, made: int) -> str:
    return f"{100 * made / n:.1f} of {n:,}" if n else "-"


def curves_and_data(setup: Setup) -> str:
    """Return the success curves of the paper's three sequences, with the results of newly played nils (Fig. 3)."""
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
    image = setup.image(
        "success-curves",
        plots.curves(drawn, "nil value", "nils made", (0.8, CURVE_EXAMPLE)),
        "Success curves in third seat after partner's 1, 3 or 8 and RHO's 3, with the results of newly played nils",
    )
    return image + "\n\n" + table("third seat | nils | stated by the curve, % | made, %", rows)


def held_out(setup: Setup) -> str:
    """Return how well the curves predict nils that they were not fitted on, and the three readings of cnil."""
    figures = setup.opened.families["curves"].figures
    of_curves = [
        (label, f"{figures[key + 'log_loss']:.4f}", f"{figures[key + 'brier']:.4f}")
        for label, key in (("2,955 curves", "held_out_"), ("one curve", "held_out_single_"))
    ]
    held = setup.opened.research["held_out"]
    rows = [(f"{stated:.3f}", f"{made:.3f}", f"{int(n):,}") for n, stated, made in held if n > 0]
    readings = [(name, f"{figures['log_loss_reading_' + name]:.4f}") for name in ("and", "or", "any")]
    counts = (
        f"The curves were fitted on {int(figures['nil_rounds'] - figures['held_out_nils']):,} nil rounds and judged on "
        f"{int(figures['held_out_nils']):,} others. The readings were compared on "
        f"{int(figures['unselected_nils']):,} unselected nils. "
        f"Expected calibration error {figures['held_out_calibration_error']:.4f}."
    )
    return "\n\n".join(
        (
            counts,
            table("held out | log-loss | Brier", of_curves),
            table("reading of cnil | log-loss of the calibrated value", readings),
            table("stated | made | nils", rows),
        )
    )
