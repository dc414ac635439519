"""Other spellings of a request's values, tried only after the canonical ones have failed.

The spellings of cards and bids are not here: their own validators (`hand`, `bids`) read them.
"""

from typing import Any, Final

from service.bidding.policy import CONVENTIONS
from service.contract.faults import is_huge

_MOST_ITEMS: Final = 15  # of the longest list of numbers in a request
_DEPTH: Final = 3  # levels of a request that hold numbers


def in_canonical_form(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return ``request`` with whole numbers as integers and the convention in lower case; None if that changes nothing.

    JSON has one kind of number, and some languages write 120 as 120.0.

    >>> in_canonical_form({"seat": 2.0, "convention": "Big5"}), in_canonical_form({"seat": 2})
    ({'seat': 2, 'convention': 'big5'}, None)
    """
    changed: dict[str, Any] = _with_integers(request, _DEPTH) or {}
    convention = request.get("convention")
    if type(convention) is str and convention not in CONVENTIONS and convention.lower() in CONVENTIONS:
        changed = {**(changed or request), "convention": convention.lower()}
    return changed or None


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
