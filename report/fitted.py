"""What the builds of the tables kept: rounds of training, and calibration of success curves and blind nils."""

from typing import Any, cast

from report.figures import query
from report.reads import NET
from report.setup import Setup, share
from spades.bis import HIGH_SUM
from spades.position import auction_after


@query("curves", "single_curve", "held_out")
def held_out(setup: Setup) -> dict[str, Any]:
    """Return how well the curves predict nils that they were not fitted on."""
    figures = setup.opened.families["curves"].figures
    of_curves = [
        (label, f"{figures[key + 'log_loss']:.4f}", f"{figures[key + 'brier']:.4f}")
        for label, key in (("2,955 curves", "held_out_"), ("one curve", "held_out_single_"))
    ]
    held = setup.opened.research["held_out"]
    rows = [(f"{stated:.3f}", f"{made:.3f}", f"{int(n):,}") for n, stated, made in held if n > 0]
    return {
        "fitted": f"{int(figures['nil_rounds'] - figures['held_out_nils']):,}",
        "judged": f"{int(figures['held_out_nils']):,}",
        "calibration_error": f"{figures['held_out_calibration_error']:.4f}",
        "of_curves": of_curves,
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


@query(*NET)
def winprob_training(setup: Setup) -> dict[str, Any]:
    """Return the result of each round of training, as the builds of both nets recorded it."""
    rows = []
    for family in (setup.opened.families[name] for name in ("net0", "net")):
        for name, *_ in cast(list[list[Any]], family.parameters["rounds"]):
            figures = (family.figures[f"{name}_{what}"] for what in ("wins_bis", "held_out_lost"))
            won, lost = (f"{100 * figure:.2f}" for figure in figures)
            rows.append((name, f"{family.sizes[f'{name}_positions']:,}", won, f"{family.sizes['pairs']:,}", lost))
    return {"rows": rows}
