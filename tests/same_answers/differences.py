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

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tests.same_answers.client import MISSING, Request
from tests.same_answers.commands import Command
from tests.same_answers.comparison import Difference

_WORDS = {"nil", "blind_nil", "none", "big5", "big6", "auto"}


class Declared(NamedTuple):
    """An intended difference; ``applies`` recognises it."""

    name: str
    why: str
    applies: Callable[[Difference], bool]


def _numbers_and_nulls(value: Any) -> bool:
    """Whether a request holds a null, or a whole number with a fraction such as 120.0, anywhere."""
    if isinstance(value, dict):
        return any(map(_numbers_and_nulls, value.values()))
    if isinstance(value, list):
        return any(map(_numbers_and_nulls, value))
    return value is None or (isinstance(value, float) and value.is_integer())


def _at(data: Any, pointer: str) -> Any:
    """The value at a JSON pointer; `MISSING` where there is none."""
    for part in pointer.split("/")[1:]:
        try:
            data = data[int(part)] if isinstance(data, list) else data[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return MISSING
    return data


def _is_read_now(difference: Difference) -> bool:
    """Whether a request was refused for nulls and whole numbers with a fraction, and for nothing that remains.

    What had hidden behind such a fault, or follows from the number, may be refused now; winprob names the first rule
    without a win table, and that may be the rule that is read now.
    """
    if difference.answers is None or not isinstance(difference.question, Request):
        return False
    base, new = difference.answers
    if base.status != 422 or difference.where not in ("status", "faults"):
        return False
    data = difference.question.data
    gone = set(base.faults) - set(new.faults)
    read = {(at, code) for at, code in gone if code == "wrong-type" and _numbers_and_nulls(_at(data, at))}
    named = {(at, code) for at, code in gone if code == "unsupported-rules"}
    return bool(read) and gone == read | (named if any(at.startswith("/rules/") for at, _ in read) else set())


def _is_a_word_now(difference: Difference) -> bool:
    """Whether a request was refused only for words in another case."""
    if difference.answers is None or not isinstance(difference.question, Request):
        return False
    base, new = difference.answers
    if base.status != 422 or difference.where not in ("status", "faults"):
        return False
    gone = [_at(difference.question.data, at) for at, _ in set(base.faults) - set(new.faults)]
    return bool(gone) and all(isinstance(word, str) and word != word.lower() in _WORDS for word in gone)


def _in_another_order(difference: Difference) -> bool:
    return difference.where == "faults" and sorted(difference.base) == sorted(difference.new)


def _text_in_a_batch(difference: Difference) -> bool:
    """Whether only a fault's text differs, in the answer to a batch of which no item is a request by itself."""
    return difference.where.startswith("/answers/") and difference.where.endswith("/detail")


def _of_an_interval(difference: Difference) -> bool:
    """Whether a match has a method now, or had an interval that was a point: .5, or the difference in points 0."""
    place = difference.where.removeprefix("/output/")
    return (
        (place == "ci95_method" and difference.base is MISSING)
        or (place in ("ci95/0", "ci95/1") and difference.base == 0.5)
        or (place == "points_difference_ci95" and difference.base == [0.0, 0.0] and difference.new is None)
    )


_CHOICE = re.compile(r"/(bid|kind|explanation/(adjustments|candidates|nil/chosen|regular/takes).*)$")


def _of_the_choice(difference: Difference) -> bool:
    """Whether a bid of bis or winprob changed, or the numbers behind it."""
    if not isinstance(difference.question, Request) or not _CHOICE.search(difference.where):
        return False
    return not any(name in repr(difference.question.data) for name in ("'rb", "'ms", "'io"))


def _best_is_known(difference: Difference) -> bool:
    """Whether a request was refused because it names the policy best."""
    return (
        isinstance(difference.question, Request)
        and difference.where in ("status", "faults")
        and difference.answers is not None
        and ("/policy", "unknown-policy") in difference.answers[0].faults
        and str(_at(difference.question.data, "/policy")).startswith("best")
    )


DECLARED: tuple[Declared, ...] = (
    Declared(
        "choice of the bid",
        "no trick less when ahead, signals stay, certain tricks are bid and stated as certain, and nils have a margin",
        _of_the_choice,
    ),
    Declared("policy best in requests", "requests may name it", _best_is_known),
    Declared(
        "reasons",
        "explanations have coded reasons, and the sentence and the reasons of steps are made from them",
        lambda d: bool(re.search(r"/explanation/(reasons|sentence|p_win|adjustments/\d+/why)$", d.where)),
    ),
    Declared(
        "text of the command line",
        "the printed explanation shows the sentence of the reasons, and the steps with their reasons",
        lambda d: (
            isinstance(d.question, Command) and "bid" in d.question.arguments and "--json" not in d.question.arguments
        ),
    ),
    Declared(
        "policy best",
        "the catalogue lists best first, with supported rules, times and win rates",
        lambda d: (
            isinstance(d.question, Request)
            and d.question.path == "/v1/policies"
            and d.where in ("/policies", "/win_tables")
        ),
    ),
    Declared(
        "null and 120.0",
        "null counts as left out, and whole numbers may have a fraction of zero, as JSON schema says",
        _is_read_now,
    ),
    Declared("words in any case", "bids and conventions may be in any case, such as NIL", _is_a_word_now),
    Declared("order of faults", "faults come in the order of the contract's fields", _in_another_order),
    Declared(
        "page named by a policy",
        "the description of winprob names its page where it is now",
        lambda d: (
            isinstance(d.question, Request)
            and d.question.path == "/v1/policies"
            and d.where.endswith("/description")
            and d.base.replace("2-winprob.md", "explanation/how-winprob-bids.md") == d.new
        ),
    ),
    Declared(
        "intervals",
        "a match names its interval's method, and a match without a difference has one with a width",
        lambda d: isinstance(d.question, Command) and _of_an_interval(d),
    ),
    Declared(
        "rules catalogue",
        "it has the meaning of each rule, and the cards of the decks",
        lambda d: (
            isinstance(d.question, Request)
            and d.question.path.startswith("/v1/rules")
            and (d.where.startswith("/decks") or d.where.endswith("/meaning"))
        ),
    ),
    Declared(
        "pages",
        "/ is the playground, and both pages are files",
        lambda d: isinstance(d.question, Request) and d.question.path in ("/", "/docs"),
    ),
    Declared("texts in a batch", "texts of faults are free", _text_in_a_batch),
)


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
