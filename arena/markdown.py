"""Markdown tables for reports."""

from collections.abc import Iterable, Sequence

from tabulate import tabulate


def table(head: str, rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; ``head`` holds the column titles, separated by bars.

    >>> print(table("bidder | wins, %", [("bis", 51.40), ("rb", None)]))
    | bidder | wins, % |
    |----------|-----------|
    | bis | 51.4 |
    | rb | None |
    """
    titles = [title.strip() for title in head.split("|")]
    cells = [[str(cell) for cell in row] for row in rows]
    return tabulate(cells, titles, tablefmt="github", stralign=None, disable_numparse=True)


def gain(mean: float, interval: Sequence[float] | None, digits: int) -> str:
    """Return a gain with its sign, and its interval if there is one.

    >>> gain(1.5, (-0.5, 3.0), 1), gain(0.0, None, 2)
    ('+1.5 [-0.5, +3.0]', '+0.00')
    """
    ends = "" if interval is None else " [{:+.{digits}f}, {:+.{digits}f}]".format(*interval, digits=digits)
    return f"{mean:+.{digits}f}{ends}"


def rate_with_interval(rate: float, low: float, high: float) -> str:
    """Return a rate with the ends of its interval, in percent.

    >>> rate_with_interval(0.52, 0.5, 0.541)
    '52.0 [50.0, 54.1]'
    """
    return f"{100 * rate:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
