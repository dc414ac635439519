"""Rule sets: the fields of the contract's `rules`, the presets, and what is supported.

`Rules` is a flat tuple of ints, so that kernels take it as it is in both worlds. Data comes from the
request (`make_rules`) or a command line; it goes to every kernel that scores or decides.
"""

from collections.abc import Mapping
from typing import NamedTuple

from service.bidding.errors import RulesError

NEVER = -(10**6)  # `lose` where there is no losing goal
UNLIMITED = 26  # `team_max` where there is none
BAGS, CONTRACT, NONE = 0, 1, 2  # failed_nil_tricks
FAILED_NIL_TRICKS = ("bags", "contract", "none")
VARIANTS = ("partnership", "cutthroat", "mirror", "whiz", "whiz_strict", "suicide", "jokers")


class Rules(NamedTuple):
    """One rule set; units are points and tricks, flags are 0 or 1. Defaults are preset `classic`."""

    win: int = 500
    lose: int = NEVER
    nil_points: int = 100
    blind_nil_points: int = 200
    double_nil: int = 1
    blind_nil: int = 0
    blind_nil_deficit: int = 100
    bags: int = 1
    bag_limit: int = 10
    bag_penalty: int = 100
    failed_nil_tricks: int = BAGS
    min_bid: int = 0
    team_min: int = 0
    team_max: int = UNLIMITED
    ten_for_200: int = 0
    variant: int = 0


PRESETS = {
    "classic": Rules(),
    # ECAI 2020, section 5.1 (goals) and section 2 (the worked score: the ten bags' own points go too)
    "bis-paper": Rules(win=200, lose=-100, bag_penalty=110),
}

# Fields a request may override today, with their inclusive ranges (None: a closed set, checked apart).
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
}


def make_rules(preset: str = "classic", overrides: Mapping[str, object] | None = None) -> Rules:
    """Rules from a preset's name and the contract's field values.

    Raises `RulesError` naming the field for an unknown preset or field, a value of the wrong type or out of
    range, and for what is not supported yet: nothing is silently ignored.
    """
    rules = PRESETS.get(preset)
    if rules is None:
        raise RulesError("preset", f"unknown preset {preset!r}; expected one of {', '.join(PRESETS)}")
    if not overrides:
        return rules
    return rules._replace(**{field: _value(field, value) for field, value in overrides.items()})


def _value(field: str, value: object) -> int:
    if field == "lose" and value is None:
        return NEVER
    if field in SUPPORTED_RANGES:
        low, high = SUPPORTED_RANGES[field]
        flag = (low, high) == (0, 1)
        if (flag and isinstance(value, bool)) or (not flag and type(value) is int and low <= value <= high):
            return int(value)
        expected = "true or false" if flag else f"an integer {low}..{high}"
        raise RulesError(field, f"{field} is {value!r}; expected {expected}")
    if field == "failed_nil_tricks":
        if value in FAILED_NIL_TRICKS:
            return FAILED_NIL_TRICKS.index(str(value))
        raise RulesError(field, f"{field} is {value!r}; expected one of {', '.join(FAILED_NIL_TRICKS)}")
    if field in Rules._fields:
        only = describe(Rules())[field]
        if value == only and type(value) is type(only):
            return int(Rules()[Rules._fields.index(field)])
        raise RulesError(field, f"{field} {value!r} is not supported yet; expected {only!r}")
    raise RulesError(field, f"unknown rule {field!r}; expected one of {', '.join(Rules._fields)}")


def describe(rules: Rules) -> dict[str, object]:
    """The inverse of `make_rules`: the contract's fields and JSON values."""
    values: dict[str, object] = dict(rules._asdict())
    for field in ("double_nil", "blind_nil", "bags", "ten_for_200"):
        values[field] = bool(values[field])
    values["lose"] = None if rules.lose == NEVER else rules.lose
    values["team_max"] = None if rules.team_max == UNLIMITED else rules.team_max
    values["failed_nil_tricks"] = FAILED_NIL_TRICKS[rules.failed_nil_tricks]
    values["variant"] = VARIANTS[rules.variant]
    return values
