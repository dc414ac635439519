"""Compare two answers to one question: what must be equal, and what may differ.

Must be equal: the status, the headers except `FREE_HEADERS`, the whole JSON of an answer that is no error, and of an
error its type and the pointer and code of every fault, in order. The texts of errors are free. So are the contents of
/docs and /metrics.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.same_answers.client import MISSING, Answer, Request
from tests.same_answers.commands import Command

FREE_HEADERS = ("date", "content-length", "x-request-id")
_SHOWN_CHARS = 200


@dataclass(frozen=True, eq=False)
class Difference:
    """One place in which the answers to a question differ; ``base`` and ``new`` are what stands there.

    ``where`` is "status", "type", "faults", "header NAME", or a JSON pointer: into the answer, or of a command into its
    "exit code", "output" and "faults". ``answers`` are the two whole answers to a request.
    """

    question: Request | Command
    where: str
    base: Any
    new: Any
    answers: tuple[Answer, Answer] | None = None

    @property
    def kind(self) -> str:
        """What the report groups by.

        Of a request the place without indices, the statuses, and the fault codes that came or went; of a command its
        label, because one changed bid changes all figures of a match.
        """
        if isinstance(self.question, Command):
            return self.question.label
        parts = [re.sub(r"/\d+(?=/|$)", "/#", self.where)]
        if self.answers is not None and self.where in ("status", "faults"):
            base, new = self.answers
            parts += [f"{base.status} to {new.status}"] if self.where == "status" else []
            parts += sorted({code for _, code in set(base.faults) ^ set(new.faults)})
        return " ".join(parts)

    def __str__(self) -> str:
        if self.where == "faults":
            gone = [fault for fault in self.base if fault not in self.new]
            came = [fault for fault in self.new if fault not in self.base]
            return f"faults: gone {_shown(gone)}, new {_shown(came)}" if gone or came else "faults: in another order"
        return f"{self.where or '(the whole answer)'}: {_shown(self.base)} became {_shown(self.new)}"


class _Place(NamedTuple):
    where: str
    base: Any
    new: Any


def differences_of(request: Request, base: Answer, new: Answer) -> list[Difference]:
    """All differences between two answers; of a batch they are those of its items."""
    if request.items and base.status == new.status == 200:
        bases, news = _items(base), _items(new)
        if len(bases) == len(news) == len(request.items):
            pairs = zip(request.items, bases, news, strict=True)
            return _of_one(request, base, new, body=False) + [
                difference for item, a, b in pairs for difference in _of_one(item, a, b)
            ]
    return _of_one(request, base, new)


def _of_one(request: Request, base: Answer, new: Answer, body: bool = True) -> list[Difference]:
    places = list(_places(request, base, new, body))
    return [Difference(request, *place, (base, new)) for place in places]


def _places(request: Request, base: Answer, new: Answer, body: bool) -> Iterator[_Place]:
    if base.status != new.status:
        yield _Place("status", _outcome(base), _outcome(new))
        return
    for name in sorted(base.headers.keys() | new.headers.keys()):
        found = base.headers.get(name, MISSING), new.headers.get(name, MISSING)
        if found[0] != found[1] and (name not in FREE_HEADERS or MISSING in found):
            yield _Place(f"header {name}", *found)
    if not body or base.body == new.body:
        return
    kind = base.headers.get("content-type", "")
    if base.status >= 400:
        yield from _places_of_problem(base, new)
    elif kind.startswith("application/json"):
        free = request.path.startswith("/problems/")
        pair = (_without_texts(base.json), _without_texts(new.json)) if free else (base.json, new.json)
        yield from places_of(*pair)


def _places_of_problem(base: Answer, new: Answer) -> Iterator[_Place]:
    if MISSING in (base.json, new.json):
        yield _Place("", base.body, new.body)
        return
    for name in ("type", "status"):
        if base.json.get(name) != new.json.get(name):
            yield _Place(name, base.json.get(name), new.json.get(name))
    if base.faults != new.faults:
        yield _Place("faults", base.faults, new.faults)


def places_of(base: Any, new: Any, where: str = "") -> Iterator[_Place]:
    """Where two JSON values differ. 1, 1.0 and true are three different values; the order of members is free.

    >>> [place.where for place in places_of({"a": [1, 2], "b": 1}, {"b": 1.0, "a": [1, 3]})]
    ['/a/1', '/b']
    """
    if isinstance(base, dict) and isinstance(new, dict):
        for name in [*base, *(name for name in new if name not in base)]:
            part = name.replace("~", "~0").replace("/", "~1")
            yield from places_of(base.get(name, MISSING), new.get(name, MISSING), f"{where}/{part}")
    elif isinstance(base, list) and isinstance(new, list) and len(base) == len(new):
        for index, pair in enumerate(zip(base, new, strict=True)):
            yield from places_of(*pair, f"{where}/{index}")
    elif type(base) is not type(new) or base != new:
        yield _Place(where, base, new)


def _items(answer: Answer) -> list[Answer]:
    """The answers in the answer to a batch, as if each had come alone; none when it has not that form."""
    try:
        items = [(item["status"], item["body"]) for item in answer.json["answers"]]
    except (KeyError, TypeError):
        return []
    headers = {"content-type": "application/json"}
    return [Answer(status, headers, json.dumps(body).encode()) for status, body in items]


def _without_texts(value: Any) -> Any:
    """What GET /problems/{name} answers, without its sentences."""
    codes = value.get("codes", {})
    return {"type": value.get("type"), "status": value.get("status"), "codes": sorted(codes)}


def _outcome(answer: Answer) -> str:
    """Status with bid, type or faults, for the report."""
    if not isinstance(answer.json, dict):
        return str(answer.status)
    rest = answer.faults or answer.json.get("type") or answer.json.get("bid", "")
    return f"{answer.status} {rest}".strip()


def _shown(value: object) -> str:
    text = repr(value) if value is MISSING else value if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
