"""What all readers of requests share: fields as pydantic reads them, other spellings, batches, the limit of fields.

Other spellings of a request's values are tried only after the canonical ones have failed. Those of cards and bids are
not here: their own validators (`cards_and_bids`, `cards_and_bids`) read them.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from pydantic import ValidationError, WithJsonSchema

from spades.contract.faults import Fault, RequestError, faults_in, is_huge, json_type
from spades.contract.fields import RulesRead, policy_fault, read_rules
from spades.options import CONVENTIONS, PLAYER_KINDS
from spades.rules import FIELDS, PRESETS, Rules

MAX_KEYS: Final = 64  # maximum number of fields in a request, including those in its objects
_OBJECTS: Final = ("scores", "rules", "style", "players")  # fields of a request that are objects


class Fields(NamedTuple):
    """The fields of a request, as far as they could be read."""

    data: dict[str, Any]  # the request, in its canonical form if it was not accepted as it is
    values: dict[str, Any]  # as pydantic reads them; empty if there is a fault
    rules: RulesRead
    faults: list[Fault]


def fields_of(data: Any, validate: Any, rules: RulesRead | None = None) -> Fields:
    """Read the rules of a request, and then its fields with ``validate``; ``rules``: for requests without such a field.

    Raises `RequestError` for what is no object, or has too many fields.
    """
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the request is {json_type(data)}; accepted: an object")])
    read = read_rules(data.get("rules")) if rules is None else rules
    faults, values = [*read.faults], {}
    try:
        values = validate(data, context=read.rules)
    except ValidationError as error:
        faults += faults_in(error)
    if faults:
        check_field_count(data)
        if (respelled := in_canonical_form(data)) is not None:
            return fields_of(respelled, validate, rules)
    return Fields(data, values, read, faults)


def read_fields(data: Any, validate: Any, rules: RulesRead | None = None) -> tuple[dict[str, Any], Rules]:
    """Return the fields of a request and the rules in force; arguments: see `fields_of`. Raises `RequestError`."""
    fields = fields_of(data, validate, rules)
    if fields.faults:
        raise RequestError(fields.faults)
    return fields.values, fields.rules.rules


def items_schema(model: str, most: int) -> WithJsonSchema:
    """Return the schema of a batch's items, which `read_batch` does not read: up to ``most`` of ``model``."""
    return WithJsonSchema({"type": "array", "items": {"$ref": f"#/components/schemas/{model}"}, "maxItems": most})


def read_batch(data: Any, validate: Any, field: str = "requests") -> list[Any]:
    """Return the unread items of ``field`` in the body of a batch, as ``validate`` reads it. Raises `RequestError`."""
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the body is {json_type(data)}; accepted: an object")])
    check_field_count(data)
    try:
        return validate(data)[field]  # type: ignore[no-any-return]
    except ValidationError as error:
        raise RequestError(faults_in(error)) from None


def check_field_count(data: Any) -> None:
    """Refuse a request with more than MAX_KEYS fields; for large bodies, before the fields are read."""
    if type(data) is not dict:
        return
    if len(data) <= MAX_KEYS:
        fields = len(data)
        for value in data.values():
            if type(value) is dict:
                fields += len(value)
        if fields <= MAX_KEYS:
            return
    sizes = {"": len(data)}
    sizes |= {f"/{name}": len(data[name]) for name in _OBJECTS if type(data.get(name)) is dict}
    for where, size in sizes.items():
        if size > MAX_KEYS:
            detail = f"{size} fields; accepted: at most {MAX_KEYS}"
            raise RequestError([Fault(where, "too-many-items", detail)])
    if sum(sizes.values()) > MAX_KEYS:
        detail = f"{sum(sizes.values())} fields, those of {', '.join(_OBJECTS)} included; accepted: at most {MAX_KEYS}"
        raise RequestError([Fault("", "too-many-items", detail)])


# ---- other spellings -------------------------------------------------------------------------------------------------


_MOST_ITEMS: Final = 15  # of the longest list of numbers in a request
_WORDS: Final[dict[str, Collection[str]]] = {"convention": CONVENTIONS, "explain": ("brief", "curve")}
_DEPTH: Final = 3  # levels of a request that hold numbers
_RULE_WORDS: Final[dict[str, Collection[Any]]] = {"preset": PRESETS} | {
    name: getattr(rule.values, "json_words", ()) for name, rule in FIELDS.items()
}
_PLAYER_WORDS: Final = dict.fromkeys(("left", "partner", "right"), PLAYER_KINDS)


def in_canonical_form(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return ``request`` with whole numbers as integers and known words in lower case; None if that changes nothing.

    JSON has one kind of number, and some languages write 120 as 120.0. The words are those of policy, convention,
    explain, rules and players. The ranks in a policy get upper case.

    >>> in_canonical_form({"seat": 2.0, "policy": "BIS", "rules": {"preset": "Short"}}), in_canonical_form({"seat": 2})
    ({'seat': 2, 'policy': 'bis', 'rules': {'preset': 'short'}}, None)
    """
    numbers: dict[str, Any] = _with_integers(request, _DEPTH) or request
    words: dict[str, Any] = {**_in_lower_case(numbers, _WORDS)}
    policy = request.get("policy")
    if type(policy) is str and policy_fault(policy) is not None and policy_fault(policy.lower()) is None:
        words["policy"] = re.sub("(?<=:nil=|,nil=)[^,]*", lambda ranks: ranks[0].upper(), policy.lower())
    for field, accepted in (("rules", _RULE_WORDS), ("players", _PLAYER_WORDS)):
        members = numbers.get(field)
        if type(members) is dict and (lower := _in_lower_case(members, accepted)):
            words[field] = members | lower
    return None if numbers is request and not words else numbers | words


def _in_lower_case(members: Mapping[str, Any], accepted: Mapping[str, Collection[Any]]) -> dict[str, str]:
    """Return those of ``members`` that are ``accepted`` words only in lower case, by name, in lower case."""
    return {
        name: value.lower()
        for name, value in members.items()
        if type(value) is str and value != value.lower() and value.lower() in accepted.get(name, ())
    }


def _with_integers(value: Any, depth: int) -> Any:
    """Return ``value`` with integers instead of whole numbers; None if there are no such numbers."""
    if type(value) is float:
        return int(value) if value.is_integer() and not is_huge(value) else None
    if depth == 0:
        return None
    if type(value) is dict:
        members = {name: _with_integers(member, depth - 1) for name, member in value.items() if name != "style"}
        changed = {name: member for name, member in members.items() if member is not None}
        return value | changed if changed else None
    if type(value) is list and len(value) <= _MOST_ITEMS:
        items = [_with_integers(item, depth - 1) for item in value]
        if any(item is not None for item in items):
            return [old if new is None else new for old, new in zip(value, items, strict=True)]
    return None
