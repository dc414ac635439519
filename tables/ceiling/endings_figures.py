"""Measured decisions as a table: how many have a bid that looks better, and what the bids gain on simulated deals."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from spades.rules import describe, overrides_of
from tables.ceiling.endings import ENDINGS, FEWEST, Decisions, Question
from tables.ceiling.figures import percent
from tables.markdown import table

BETTER = 0.05  # win probability by which another bid looks better
SURE = 2.0  # standard errors by which a simulated gain is surely positive or negative


def markdown(question: Question, found: Decisions) -> str:
    """Return the table of a question's decisions; gains are in percentage points of win probability."""
    usual, made = found.bids[:, 0], found.bids[:, 1]
    gains, errors = simulated_gains(found)
    if question.kind == ENDINGS:
        best = found.p_win.argmax(axis=1)
        groups = [
            ("another bid looks better than the usual one", best, _behind(found, usual), usual),
            ("another bid looks better than the one made", best, _behind(found, made), made),
            ("the bid made is not the usual one", made, made != usual, usual),
        ]
    else:
        nil = np.zeros_like(made)
        groups = [
            ("hands with a certain trick: a nil instead of the best number", nil, np.ones(len(nil), bool), usual),
            ("a nil is bid", nil, made == 0, usual),
            ("a number is bid", nil, made > 0, usual),
        ]
    rows = [[*_row(name, bids, which, against, gains, errors)] for name, bids, which, against in groups]
    head = "decisions | number | of | judged | gain by simulation | surely better | surely worse"
    return f"Rules: {_rules_text(question)}.\n\n{table(head, rows)}"


def simulated_gains(found: Decisions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gains (n, BIDS) over the usual bid, and their standard errors: means over the kinds of the others.

    A kind with too few deals does not count. Without any kind, and for bids that were not played, both are NaN.
    """
    deals, sums, squares = (found.sums[..., column] for column in range(3))
    enough = deals >= FEWEST
    count = np.where(enough, deals, 1.0)
    mean = sums / count
    variance = np.maximum(squares / count - mean**2, 0.0) / count
    kinds = enough.sum(axis=1)
    some = np.where(kinds > 0, kinds, np.nan)
    gains = np.where(enough, mean, 0.0).sum(axis=1) / some
    errors = np.sqrt(np.where(enough, variance, 0.0).sum(axis=1)) / some
    rows = np.arange(len(gains))
    gains[rows, found.bids[:, 0]] = errors[rows, found.bids[:, 0]] = 0.0
    return gains, errors


def _behind(found: Decisions, bids: NDArray[np.int64]) -> NDArray[np.bool_]:
    chances: NDArray[np.float64] = found.p_win
    behind: NDArray[np.bool_] = chances.max(axis=1) - chances[np.arange(len(bids)), bids] > BETTER
    return behind


def _row(
    name: str,
    bids: NDArray[np.int64],
    which: NDArray[np.bool_],
    against: NDArray[np.int64],
    gains: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> Iterator[object]:
    rows = np.flatnonzero(which)
    gain = gains[rows, bids[rows]] - gains[rows, against[rows]]
    error = np.hypot(errors[rows, bids[rows]], errors[rows, against[rows]])
    judged = ~np.isnan(gain)
    gain, error = gain[judged], error[judged]
    yield from (name, len(rows), len(which), len(gain))
    yield percent(gain, np.ones(len(gain))) if len(gain) else "-"
    yield from ((gain > SURE * error).sum(), (gain < -SURE * error).sum())


def _rules_text(question: Question) -> str:
    changed: Sequence[str] = [f"{name} {describe(question.rules)[name]}" for name in overrides_of(question.rules)]
    return ", ".join(changed) or "classic"
