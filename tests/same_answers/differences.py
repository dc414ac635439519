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

_NEW_FIELDS = {"/game", "/tables", "/player"}
_SERVED = {("/readyz", "/tables"), ("/version", "/table_sets"), ("/version", "/canary_share")}
_WORDS = {"nil", "blind_nil", "none", "big5", "big6", "auto"}


class Declared(NamedTuple):
    """An intended difference; ``applies`` recognises it."""

    name: str
    why: str
    applies: Callable[[Difference], bool]


def _at(data: Any, pointer: str) -> Any:
    """The value at a JSON pointer; `MISSING` where there is none."""
    for part in pointer.split("/")[1:]:
        try:
            data = data[int(part)] if isinstance(data, list) else data[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return MISSING
    return data


def _is_a_word_now(difference: Difference) -> bool:
    """Whether a request was refused only for words in another case."""
    if difference.answers is None or not isinstance(difference.question, Request):
        return False
    base, new = difference.answers
    if base.status != 422 or difference.where not in ("status", "faults"):
        return False
    gone = [_at(difference.question.data, at) for at, _ in set(base.faults) - set(new.faults)]
    return bool(gone) and all(isinstance(word, str) and word != word.lower() in _WORDS for word in gone)


def _text_in_a_batch(difference: Difference) -> bool:
    """Whether only a fault's text differs, in the answer to a batch of which no item is a request by itself."""
    return difference.where.startswith("/answers/") and difference.where.endswith("/detail")


def _names_a_new_field(difference: Difference) -> bool:
    """Whether a request has fields that the base did not know; all other faults must be the same."""
    if difference.answers is None or not isinstance(difference.question, Request):
        return False
    base, new = difference.answers
    if difference.where not in ("status", "faults") or new.status not in (200, 422):
        return False
    unknown = {at for at, code in base.faults if code == "unknown-field"} & _NEW_FIELDS
    rest = [[fault for fault in answer.faults if fault[0] not in unknown] for answer in (base, new)]
    return bool(unknown) and rest[0] == rest[1]


def _is_gone(at: str, code: str, value: Any) -> bool:
    """Whether a fault is one that requests no longer have, or that has another code now."""
    if at == "/seat":
        return value in (None, MISSING) and code in ("missing-field", "wrong-type")
    if at == "/hand":
        return code == "hand-size" and isinstance(value, str)
    is_word = at == "/policy" or at.startswith(("/rules/", "/players/"))
    return is_word and isinstance(value, str) and value != value.lower()


def _is_new(at: str, code: str, value: Any) -> bool:
    """Whether a fault is one that requests did not have, or that had another code."""
    if at == "/hand":
        return code == "hand-form" and isinstance(value, str)
    return at.startswith("/scores/") and code == "out-of-range"


def _has_other_faults(difference: Difference) -> bool:
    """Whether only faults of seats, words, hands and scores came or went."""
    if difference.answers is None or difference.where not in ("status", "faults"):
        return False
    assert isinstance(difference.question, Request)
    data, (base, new) = difference.question.data, difference.answers
    if not {base.status, new.status} <= {200, 422}:
        return False
    gone, came = set(base.faults) - set(new.faults), set(new.faults) - set(base.faults)
    return all(_is_gone(at, code, _at(data, at)) for at, code in gone) and all(
        _is_new(at, code, _at(data, at)) for at, code in came
    )


def _needs_no_seat(difference: Difference) -> bool:
    """Whether a command, or a batch with an item that is no request, only has no fault of its missing seat."""
    if isinstance(difference.question, Command):
        base, new = difference.base, difference.new
        return difference.where == "/faults" and [fault for fault in base if fault[0] != "/seat"] == new
    if not re.fullmatch(r"/answers/\d+/body/errors", difference.where):
        return False
    rest = [fault["pointer"] for fault in difference.base if fault["pointer"] != "/seat"]
    return rest == [fault["pointer"] for fault in difference.new]


def _route(difference: Difference) -> str:
    """The path of a request, "" for a command."""
    return difference.question.path.partition("?")[0] if isinstance(difference.question, Request) else ""


DECLARED: tuple[Declared, ...] = (
    Declared(
        "sentences",
        "the sentences of explanations are clearer; codes and numbers are compared at their own places",
        lambda d: bool(re.search(r"/explanation/(sentence|adjustments/\d+/why)$", d.where)),
    ),
    Declared(
        "text of the command line",
        "the printed explanation shows the same sentences",
        lambda d: (
            isinstance(d.question, Command) and "bid" in d.question.arguments and "--json" not in d.question.arguments
        ),
    ),
    Declared("words in any case", "bids and conventions may be in any case, such as NIL", _is_a_word_now),
    Declared(
        "fields for table sets and searches", "requests may have `game`, `tables` and `player`", _names_a_new_field
    ),
    Declared(
        "codes of table sets and searches",
        "faults may have the codes unknown-tables and unsupported-player",
        lambda d: (
            d.where == "/codes"
            and _route(d) == "/problems/invalid-request"
            and sorted({*d.base, "unknown-tables", "unsupported-player"}) == d.new
        ),
    ),
    Declared(
        "table sets that are served",
        "/version and /readyz say which table sets are served",
        lambda d: d.base is MISSING and (_route(d), d.where) in _SERVED,
    ),
    Declared(
        "rules catalogue",
        "it has the meaning of each rule, and the cards of the decks",
        lambda d: d.base is MISSING and _route(d) == "/v1/rules" and bool(re.search(r"^/decks$|/meaning$", d.where)),
    ),
    Declared(
        "deals in a batch of inferences",
        "the fault of `deals` and `seed` says that only /v1/inference has them",
        lambda d: (
            _route(d) == "/v1/inferences"
            and d.where.endswith("/code")
            and (d.base, d.new) == ("unknown-field", "unsupported-field")
        ),
    ),
    Declared(
        "texts of the catalogue",
        "the texts about grades, presets and rules are clearer",
        lambda d: (
            bool(re.search(r"^/(grades|descriptions)/|/meaning$", d.where))
            and _route(d) in ("/v1/policies", "/v1/rules")
        ),
    ),
    Declared(
        "reasons of nils",
        "the catalogue of reasons has those of ruled out nils and of blind nils, and their numbers",
        lambda d: _route(d) == "/v1/reasons" and d.base == MISSING,
    ),
    Declared(
        "errors measured again",
        "without bags, the nearest win table is 0.7 percentage points off, measured on tables 2026.11.10",
        lambda d: (
            d.where.startswith("/assumed/")
            and (d.base, d.new) == ("rules.bags=true, error 0.8", "rules.bags=true, error 0.7")
        ),
    ),
    Declared(
        "other faults",
        "seat may be left out; policies and rules may be in any case; a hand may have the fault hand-form; scores "
        "after which the game is over are refused",
        _has_other_faults,
    ),
    Declared("seat", "it may be left out", _needs_no_seat),
    Declared(
        "code hand-form",
        "the text of a hand has its own code",
        lambda d: (
            d.where == "/codes"
            and _route(d) == "/problems/invalid-request"
            and sorted({*d.base, "hand-form"}) == sorted(d.new)
        ),
    ),
    Declared(
        "input p_win_minus_p_loss_before",
        "its name was p_win_before, but it is no probability",
        lambda d: (
            (d.where.endswith("/inputs/p_win_before") and d.new is MISSING)
            or (d.where.endswith("/inputs/p_win_minus_p_loss_before") and d.base is MISSING)
        ),
    ),
    Declared(
        "sentences of cards",
        "the sentences of card reasons are plainer; codes and numbers are compared at their own places",
        lambda d: bool(re.fullmatch(r"/reasons/\d+/sentence", d.where)) and _route(d) in ("/v1/card", "/v1/cards"),
    ),
    Declared("pages", "/ is the playground, and both pages are files", lambda d: _route(d) in ("/", "/docs")),
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
