"""Plots of the report as SVG: functions from numbers to bytes that give the same bytes each time.

Text stays text, which keeps files small. Ids are hashed with a fixed salt, and no date or program name is written.
"""

import io
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "spades",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
WIDTH_IN, HEIGHT_IN = 6.4, 3.4
OURS, THEIRS = "#1f5fa8", "#c2571a"
COLOURS = (OURS, THEIRS, "#4d8c3f", "#7a4fa3")

Floats = NDArray[np.float64]


class Mark(NamedTuple):
    """A line of a forest plot, in percent."""

    name: str
    rate: float
    low: float
    high: float
    paper: float | None


class Series(NamedTuple):
    """A named line: x, y and optionally error bars."""

    name: str
    x: Floats
    y: Floats
    error: Floats | None = None  # half the height of each bar, or (2, n): its height below and above the point


def _drawn(draw: Callable[[Any], None], x_label: str, y_label: str = "", height_in: float = HEIGHT_IN) -> bytes:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def forest(marks: Sequence[Mark]) -> bytes:
    """Return a plot of win rates with intervals, one per line, with the paper's values as open marks."""

    def draw(axes: Any) -> None:
        for i, mark in enumerate(marks):
            y = len(marks) - i
            axes.plot([mark.low, mark.high], [y, y], color=OURS, linewidth=1.5)
            axes.plot(mark.rate, y, "o", color=OURS, markersize=4, label=None if i else "ours, 95% interval")
            if mark.paper is not None:
                axes.plot(mark.paper, y, "D", mfc="none", color=THEIRS, markersize=6, label=None if i else "paper")
        axes.axvline(50, color="black", linewidth=0.8)
        axes.set_yticks(range(len(marks), 0, -1), [mark.name for mark in marks])
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

    return _drawn(draw, "games won by bis, %", height_in=0.26 * len(marks) + 0.9)


def lines(series: Sequence[Series], x_label: str, y_label: str) -> bytes:
    """Return a plot of lines, with error bars if a series has them."""

    def draw(axes: Any) -> None:
        for one, colour in zip(series, cycle(COLOURS)):
            axes.errorbar(one.x, one.y, one.error, fmt="o-", color=colour, markersize=3, linewidth=1.2, label=one.name)
        beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        axes.legend(**beside if len(series) > len(COLOURS) else {})

    return _drawn(draw, x_label, y_label)
