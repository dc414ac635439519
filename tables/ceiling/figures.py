"""The ceiling as a table: by seat for one decision, and for a whole game."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from spades.rules import describe
from tables.arena.stats import ratio_of_sums
from tables.ceiling.positions import AT_MOST, DECISIONS, ENOUGH, KNOWN, KNOWN_WEIGHED, SEAT, UNKNOWN, Found, Question
from tables.markdown import gain, table

SHOWN = (KNOWN, AT_MOST, KNOWN_WEIGHED, UNKNOWN)
HEAD = (
    "against | goals | seat | decisions | opponents known, at least | at most | at least, of the bids weighed |"
    " opponents unknown, at least"
)


def markdown(measured: Iterable[tuple[Question, Found]]) -> str:
    """Return the table of all that was measured, in percentage points of win probability.

    The rows by seat are means over decisions. The last row of each question is the sum over a game: the games in a
    hundred that the search would win.
    """
    return table(HEAD, (row for question, found in measured for row in _rows(question, found)))


def _rows(question: Question, found: Found) -> Iterator[Sequence[object]]:
    goals = describe(question.rules)
    name = f"`{question.against}`", f"{goals['win']}/{'none' if goals['lose'] is None else goals['lose']}"
    weights = found.counts[:, DECISIONS].astype(np.float64)
    for seat, which in enumerate(("first", "second", "third", "fourth", "any")):
        of_seat = (found.counts[:, SEAT] == seat) | (which == "any")
        enough = f"{found.counts[of_seat, ENOUGH].sum()} of {of_seat.sum()}"
        gains = found.gains[of_seat] * weights[of_seat, None]
        yield *name, which, enough, *(percent(gains[:, column], weights[of_seat]) for column in SHOWN)
    gains = found.gains * weights[:, None]
    games = (percent(gains[:, column], np.ones(len(weights))) for column in SHOWN)
    yield *name, "whole game", f"{weights.mean():.1f} a game", *games


def percent(gains: NDArray[np.float64], weights: NDArray[np.float64]) -> str:
    """Return the sum of ``gains`` per sum of ``weights`` in percent, with its 95% interval if there is one.

    >>> percent(np.array([0.02, 0.0, 0.04, 0.02]), np.array([1.0, 1.0, 1.0, 1.0]))
    '+2.00 [+0.40, +3.60]'
    """
    d, r = gains.sum(), weights.sum()
    mean = ratio_of_sums(d, r, (gains**2).sum(), (gains * weights).sum(), (weights**2).sum(), len(gains))
    ends = mean.interval and tuple(100 * end for end in mean.interval)
    return gain(100 * mean.mean, ends, 2)
