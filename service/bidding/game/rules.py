"""Rule sets: the fields of the contract's `rules`, the presets, and what is supported.

`Rules` is a flat tuple of ints, so that kernels take it as it is in both worlds. Data comes from the
request (`make_rules`) or a command line; it goes to every kernel that scores or decides.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from service.bidding.errors import RulesError

NO_LOSING_GOAL = -(10**6)  # `lose` where there is no losing goal
UNLIMITED = 26  # `team_max` where there is none
BAGS, CONTRACT, NONE = 0, 1, 2  # failed_nil_tricks
FAILED_NIL_TRICKS = ("bags", "contract", "none")
PARTNERSHIP, CUTTHROAT, MIRROR, WHIZ, WHIZ_STRICT, SUICIDE, JOKERS = range(7)
VARIANTS = ("partnership", "cutthroat", "mirror", "whiz", "whiz_strict", "suicide", "jokers")


class Rules(NamedTuple):
    """One rule set; units are points and tricks, flags are 0 or 1. Defaults are preset `classic`."""

    win: int = 500
    lose: int = NO_LOSING_GOAL
    nil_points: int = 100
    blind_nil_points: int = 200
    double_nil: int = 1
    blind_nil: int = 0
    blind_nil_deficit: int = 100
    bags: int = 1
    bag_limit: int = 10
    bag_penalty: int = 100
    failed_nil_tricks: int = BAGS
    min_bid: int = 0  # the least bid that is no nil
    team_min: int = 0  # the least contract of a side; a nil adds nothing to it
    team_max: int = UNLIMITED
    ten_for_200: int = 0  # a contract of exactly ten stakes 200
    variant: int = PARTNERSHIP


PRESETS = {
    "classic": Rules(),
    # ECAI 2020, section 5.1 (goals) and section 2 (the worked score: the ten bags' own points go too)
    "bis-paper": Rules(win=200, lose=-100, bag_penalty=110),
    # Settings that apps offer, named by what they are.
    "short": Rules(win=250),
    "quick": Rules(win=200, lose=-200),
    "single-nil": Rules(double_nil=0),
    "blind-nil": Rules(blind_nil=1),
    "no-bags": Rules(bags=0),
    "five-bags": Rules(bag_limit=5, bag_penalty=50),
    "nil-50": Rules(nil_points=50, blind_nil_points=100),
    "board-4": Rules(team_min=4),
    "ten-for-200": Rules(ten_for_200=1),
    "cutthroat": Rules(win=300, variant=CUTTHROAT),
    "mirror": Rules(variant=MIRROR),
    "whiz": Rules(variant=WHIZ),
    "whiz-strict": Rules(variant=WHIZ_STRICT),
    # The bid beside the nil is four or more. A side wins two points a round on average, so without a losing goal most
    # games would not end.
    "suicide": Rules(lose=-200, variant=SUICIDE, team_min=4),
    "jokers": Rules(variant=JOKERS),
}

# What a request may override with, inclusive (None: a closed set, checked apart).
SUPPORTED_RANGES: dict[str, tuple[int, int]] = {
    "win": (1, 10_000),
    "lose": (-10_000, -1),
    "nil_points": (0, 1000),
    "blind_nil_points": (0, 2000),
    "double_nil": (0, 1),
    "blind_nil": (0, 1),
    "blind_nil_deficit": (0, 10_000),
    "bags": (0, 1),
    "bag_limit": (1, 100),
    "bag_penalty": (0, 1000),
    "min_bid": (0, 6),
    "team_min": (0, 6),
    "team_max": (7, 13),
    "ten_for_200": (0, 1),
}
_NULLS = {"lose": NO_LOSING_GOAL, "team_max": UNLIMITED}  # null: none
_WORDS = {"failed_nil_tricks": FAILED_NIL_TRICKS, "variant": VARIANTS}

# Fields that a variant has no use for keep their default there: what would have no effect is refused, not ignored.
_FORCED = ("double_nil", "blind_nil", "min_bid", "team_min", "team_max", "ten_for_200")
FIXED_FIELDS: dict[int, tuple[str, ...]] = {
    PARTNERSHIP: (),
    CUTTHROAT: ("double_nil", "blind_nil", "failed_nil_tricks", "team_min", "team_max", "ten_for_200"),
    MIRROR: _FORCED,
    WHIZ: _FORCED,
    WHIZ_STRICT: _FORCED,
    SUICIDE: ("double_nil", "blind_nil"),
    JOKERS: (),
}


def make_rules(preset: str = "classic", overrides: Mapping[str, object] | None = None) -> Rules:
    """Rules from a preset's name and the contract's field values.

    Raises `RulesError` naming the field for an unknown preset or field, a value of the wrong type or out of
    range, and for a combination that is not supported: nothing is silently ignored.
    """
    rules = PRESETS.get(preset)
    if rules is None:
        raise RulesError("preset", f"unknown preset {preset!r}; expected one of {', '.join(PRESETS)}")
    if not overrides:
        return rules
    made = rules._replace(**{field: _value(field, value) for field, value in overrides.items()})
    _check_together(made)
    return made


def _value(field: str, value: object) -> int:
    if value is None and field in _NULLS:
        return _NULLS[field]
    if field in SUPPORTED_RANGES:
        low, high = SUPPORTED_RANGES[field]
        flag = (low, high) == (0, 1)
        if (flag and isinstance(value, bool)) or (not flag and type(value) is int and low <= value <= high):
            return int(value)
        expected = "true or false" if flag else f"an integer {low}..{high}"
        raise RulesError(field, f"{field} is {value!r}; expected {expected}")
    words = _WORDS.get(field)
    if words is None:
        raise RulesError(field, f"unknown rule {field!r}; expected one of {', '.join(Rules._fields)}")
    if value in words:
        return words.index(str(value))
    raise RulesError(field, f"{field} is {value!r}; expected one of {', '.join(words)}")


def _check_together(rules: Rules) -> None:
    """Raise `RulesError` for values that are each supported, but not together."""
    plain, found = Rules(), describe(rules)
    for field in FIXED_FIELDS[rules.variant]:
        if getattr(rules, field) != getattr(plain, field):
            only = describe(plain)[field]
            raise RulesError(
                field,
                f"{field} is {json.dumps(found[field])} with variant {found['variant']}; "
                f"expected {json.dumps(only)} there",
            )
    least = max(2 * rules.min_bid, rules.team_min)
    if rules.team_max < least:
        raise RulesError(
            "team_max",
            f"team_max is {rules.team_max} with min_bid {rules.min_bid} and team_min {rules.team_min}; "
            f"expected {least} or more",
        )


def describe(rules: Rules) -> dict[str, object]:
    """The inverse of `make_rules`: the contract's fields and JSON values."""
    values: dict[str, object] = dict(rules._asdict())
    for field in ("double_nil", "blind_nil", "bags", "ten_for_200"):
        values[field] = bool(values[field])
    for field, none in _NULLS.items():
        values[field] = None if values[field] == none else values[field]
    values["failed_nil_tricks"] = FAILED_NIL_TRICKS[rules.failed_nil_tricks]
    values["variant"] = VARIANTS[rules.variant]
    return values
