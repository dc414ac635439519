"""Faults: what is wrong with a request, as plain values: a JSON pointer, a code and a sentence.

A validator raises `refusal(...)` with all faults of its field. `faults_in` turns the errors of pydantic and of the
validators into faults, and the readers of requests raise `RequestError` with all of them. The codes are the keys of
`CODES`. A caller's values are quoted and cut short (`quote`).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from spades.errors import BiddingError, Contradiction

MAX_FAULTS: Final = 64  # faults listed for one request, because a hostile body could hold thousands
_QUOTE_CHARS: Final = 60

CODES: Final[dict[str, str]] = {
    "missing-field": "a required field is missing",
    "unknown-field": "there is no field of that name",
    "unsupported-field": "the field exists, but not for this endpoint, or it has no meaning with these rules or fields",
    "wrong-type": "the value has the wrong JSON type",
    "out-of-range": "the value is outside the field's range",
    "too-many-items": "the list or object has too many items",
    "hand-form": "the text of a hand is not four suits with dots between them",
    "hand-size": "a hand, a trick, or a list of exchanged or played cards has the wrong number of cards",
    "unknown-card": "this variant has no such card",
    "duplicate-card": "a card appears twice, in the hand or in another list",
    "bid-out-of-range": "these rules do not allow this bid",
    "seat-mismatch": "seat differs from the number of previous bids, or it is another seat's turn to play",
    "team-over-limit": "the bids of one side add up to more than 13, or must exceed rules.team_max",
    "team-under-limit": "the bids of one side add up to less than rules.team_min, or can't reach it",
    "illegal-bids": "legal_bids is empty, holds a bid twice, or holds a bid that the rules do not allow",
    "unknown-policy": "there is no such policy, or inference can't use it, or it has no such option",
    "unknown-tables": "no tables of this version are open",
    "unsupported-player": "this server, or the tables that decide, do not have this card player",
    "unsupported-convention": "there is no such convention, or this policy or variant has none",
    "contradiction": "two things that the request says cannot both be true",
    "unsupported-rules": "a rule's value or a combination of rules is not supported; GET /v1/rules lists what is",
}


class Fault(NamedTuple):
    """One fault of a request: a JSON pointer (RFC 6901) to it, its code (a key of `CODES`), and a sentence."""

    pointer: str
    code: str
    detail: str


def fault_of(contradiction: Contradiction, *field: str) -> Fault:
    """Return the fault for what a check of the library has found in ``field`` (none: in the whole request)."""
    return Fault(pointer(*field, *contradiction.place), contradiction.code, contradiction.detail)


class RequestError(BiddingError):
    """A request that can't be used, with one or more faults.

    >>> str(RequestError([Fault("/seat", "missing-field", "seat is missing")] * 2))
    'seat is missing (the first of 2 faults)'
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        text = faults[0].detail
        if len(faults) > 1:
            left_out = len(faults) - MAX_FAULTS
            listed = f", {left_out} of them not listed" if left_out > 0 else ""
            text += f" (the first of {len(faults)} faults{listed})"
        super().__init__(text)


Place = tuple[str | int, ...]  # place of a value within its field: names and indices
# Of pydantic's own errors, by the beginning of their type.
_EXPECTED = {
    "int": "an integer",
    "bool": "true or false",
    "float": "a number",
    "string": "a string",
    "dict": "an object",
    "list": "an array",
    "explain": 'true, false, "brief" or "curve"',
}
# By name of the model: the names of the fields of each object that callers send (`fields.request_object`).
FIELD_NAMES: dict[str, tuple[str, ...]] = {}
# By field of a request that is an object: the name of its model.
MODELS = {"scores": "Scores", "rules": "RuleSet", "style": "Style", "players": "Players"}
# By required field: what is accepted.
REQUIRED: Final = {
    "hand": "13 cards, or one PBN text",
    "previous_bids": "the bids made so far, first bidder first, or []",
    "bids": "the bids so far, first bidder first; all four after the bidding",
    "seat": "0..3",
    "hands": "four hands, by seat",
    "plays": "all 52 cards in the order of play",
    "requests": "an array of requests",
    "results": "an array of results",
    "policy": "the policy that made the bid",
    "tables": "the version of the tables in the answer",
}
TABLE_OF_FOUR = "because a table has four players"
# What an object of the request holds, where a caller may expect something else: by field.
_OBJECTS = {"players": f"an object that says how left, partner and right bid, {TABLE_OF_FOUR}"}
# The code of a word that is not in a field's list of words, by field; of other fields: out-of-range.
_WORD_CODES = {"rules": "unsupported-rules", "convention": "unsupported-convention", "policy": "unknown-policy"}


def refusal(*faults: tuple[Place, str, str]) -> ValidationError:
    """Return an error with faults of one field; each fault is a place in the field, a code and a sentence."""
    # pydantic adds the place of the field.
    return ValidationError.from_exception_data(
        "request", [_line(place, code, detail) for place, code, detail in faults]
    )


def faults_in(error: ValidationError, place: Place = ()) -> list[Fault]:
    """Return each fault with its pointer, its code, and a sentence: what was found and what is accepted.

    ``place``: of the value that was validated, if it is not the whole request.
    """
    return [_fault(line, place + line["loc"], error.title) for line in error.errors(include_url=False)]


def _line(place: Place, code: str, detail: str) -> InitErrorDetails:
    # The sentence is a value of the template, because a caller's text in it may contain braces.
    return InitErrorDetails(type=PydanticCustomError(code, "{detail}", {"detail": detail}), loc=place, input=None)


def _fault(line: Any, place: Place, title: str) -> Fault:
    kind, value, context = line["type"], line["input"], line.get("ctx", {})
    where, name = pointer(*place), ".".join(quote(part) for part in place)
    if kind in CODES:
        return Fault(where, kind, context["detail"])
    if kind == "missing":
        return Fault(where, "missing-field", f"{name} is missing; accepted: {REQUIRED[str(place[-1])]}")
    if kind == "extra_forbidden":
        return Fault(where, "unknown-field", f"{name} is not a field of the request; accepted: {_names(title, place)}")
    if kind in ("greater_than_equal", "less_than_equal"):
        limit = f"at least {context['ge']}" if kind[0] == "g" else f"at most {context['le']}"
        code = "unsupported-rules" if place[0] == "rules" else "out-of-range"
        return Fault(where, code, f"{name} is {quote(value)}; accepted: {limit}")
    if kind == "too_long":
        detail = f"{name} has {context['actual_length'] or 'more'} items; accepted: at most {context['max_length']}"
        return Fault(where, "too-many-items", detail)
    if kind == "too_short":
        detail = f"{name} has {context['actual_length']} items; accepted: at least {context['min_length']}"
        return Fault(where, "missing-field", detail)
    if kind in ("string_too_short", "string_too_long"):
        limit = f"at least {context['min_length']}" if "min_length" in context else f"at most {context['max_length']}"
        return Fault(where, "out-of-range", f"{name} has {len(value)} characters; accepted: {limit}")
    if kind == "literal_error" and type(value) is str:
        return Fault(
            where,
            _WORD_CODES.get(str(place[0]), "out-of-range"),
            f"{name} is {quote(value)}; accepted: {context['expected']}",
        )
    wanted = context["expected"] if kind == "literal_error" else _EXPECTED.get(kind.partition("_")[0])
    if kind == "dict_type":
        wanted = _OBJECTS.get(name, wanted)
    assert wanted is not None, f"pydantic reports {kind} at {where}; add a code for it here"
    return Fault(where, "wrong-type", f"{name} is {json_type(value)}; accepted: {wanted}")


def _names(title: str, place: Place) -> str:
    """Return the names that are accepted at ``place``; ``title``: the name of the model that was validated."""
    if title == MODELS["rules"]:  # too many to name
        return "preset, approximate, and the rules that docs/reference/rules.md and GET /v1/rules list"
    return ", ".join(FIELD_NAMES[title if len(place) == 1 else MODELS[str(place[-2])]])


def json_type(value: object) -> str:
    """Return the JSON type of a value in words.

    >>> json_type(None), json_type(1.5), json_type([])
    ('null', 'a number with a fraction', 'an array')
    """
    if is_huge(value):
        return "a number beyond 64 bits"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    names = {int: "an integer", float: "a number with a fraction", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def is_huge(value: object) -> bool:
    """Return whether a number is beyond 64 bits. The JSON reader turns such an integer into a float."""
    return type(value) is float and abs(value) >= 2.0**63


def pointer(*tokens: object) -> str:
    """Return a JSON pointer (RFC 6901) made from field names and indices.

    >>> pointer("rules", "a/b", 0)
    '/rules/a~1b/0'
    """
    return "".join("/" + quote(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def quote(value: object) -> str:
    """Return a caller's value as text, cut short.

    >>> quote("nil"), quote(""), len(quote("x" * 1000))
    ('nil', '""', 60)
    """
    if type(value) is str:
        text = value or '""'
    else:
        text = str(value) if isinstance(value, (int, float, type(None))) else type(value).__name__
    return text if len(text) <= _QUOTE_CHARS else text[: _QUOTE_CHARS - 1] + "…"
