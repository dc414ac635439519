"""Differences that are intended: the only place that declares them.

A row names a difference, says why it is wanted, and has a function that recognises it. A difference that no row
recognises fails `make same-answers`. Rows that recognised nothing are listed as a warning: the change may be lost, or
may have landed in the base commit. Remove them once the base has the change.

Write the function as narrow as the change. It gets one `Difference`: ``question`` (a `Request` with `path` and `data`,
or a `Command`), ``where``, ``base``, ``new``, and both whole ``answers``. For example, if null scores are to be read as
absent ones, and were a wrong type before::

    Declared(
        "null scores",
        "null and absent mean the same for every optional field",
        lambda d: d.where == "status"
        and isinstance(d.question, Request)
        and isinstance(d.question.data, dict)
        and d.question.data.get("scores", MISSING) is None
        and d.answers[0].faults == [("/scores", "wrong-type")]
        and d.answers[1].status == 200,
    )
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tests.same_answers.client import Request
from tests.same_answers.commands import Command
from tests.same_answers.comparison import Difference


class Declared(NamedTuple):
    """An intended difference; ``applies`` recognises it."""

    name: str
    why: str
    applies: Callable[[Difference], bool]


DECLARED: tuple[Declared, ...] = ()


class Tally:
    """Differences found so far, each put with the first row that recognises it."""

    def __init__(self, rows: Sequence[Declared] = DECLARED) -> None:
        self.undeclared: list[Difference] = []
        self._rows = rows
        self._questions: dict[str, set[Request | Command]] = {row.name: set() for row in rows}

    def add(self, found: Iterable[Difference]) -> None:
        """Put each difference with its row, or with the undeclared ones."""
        for difference in found:
            row = next((row for row in self._rows if row.applies(difference)), None)
            if row is None:
                self.undeclared.append(difference)
            else:
                self._questions[row.name].add(difference.question)

    def lines(self) -> list[str]:
        """A line for each row: how many questions showed its difference; a warning where none did."""
        return [
            f"{row.name}: {count} questions ({row.why})"
            if (count := len(self._questions[row.name]))
            else f"WARNING: declared, but never seen: {row.name} ({row.why})"
            for row in self._rows
        ]
