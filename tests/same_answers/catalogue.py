"""What the base service says that it takes: presets, rules, policies, fault codes, problem types.

All of it is read over HTTP, and only from the base, so that both services get the same requests. The documents may
change their form: numbers and words are picked out of them wherever they stand, and what is not found is made up for by
values that are worth trying anyway.
"""

import json
import re
from typing import Any, NamedTuple

from tests.same_answers.client import Connection, Request

Values = dict[str, Any]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
# Of rule fields: values that apps use, beside the ends of the supported range.
_COMMON: dict[str, tuple[int | None, ...]] = {
    "win": (200, 250, 300, 350, 500),
    "lose": (None, -100, -200),
    "bag_limit": (5, 10),
    "bag_penalty": (50, 100, 110),
    "nil_points": (50, 100),
    "blind_nil_points": (100, 200),
}
# Of policy options, by the unit that stands for their value.
_SAMPLES: dict[str, tuple[str, ...]] = {
    "POINTS": ("-60", "-5.5", "0", "12.5", "40", "1000"),
    "TRICKS": ("-1", "0", "0.15", "1.25", "5"),
    "PROBABILITY": ("0", "0.1", "0.45", "1"),
    "X-Y-Z": ("5-8-T", "2-2-2", "A-K-Q", "t-j-q"),
}
_NO_VALUES = ("", "banana", "nan", "inf", "1e9", "-1e9", " 1", "0x1")


class Catalogue(NamedTuple):
    """What may be asked for."""

    presets: dict[str, Values]  # by name: every rule's value
    default_preset: str
    fields: dict[str, list[Any]]  # by rule: values that are supported by themselves
    beyond: dict[str, list[Any]]  # by rule: values that are not
    variants: tuple[str, ...]
    policies: tuple[str, ...]  # names without options
    options: dict[str, list[str]]  # by policy: options with a value that is taken, such as "endgame=off"
    bad_options: dict[str, list[str]]
    conventions: tuple[str, ...]
    codes: tuple[str, ...]  # of faults
    problems: tuple[str, ...]  # names of problem types
    paths: tuple[str, ...]  # of endpoints


def read_catalogue(port: int) -> Catalogue:
    """Read the documents of the service on ``port``."""
    connection = Connection(port)
    paths = ("/v1/rules", "/v1/policies", "/problems/invalid-request", "/openapi.json")
    try:
        answers = [connection.ask(Request("catalogue", path, method="GET", headers=())) for path in paths]
    finally:
        connection.close()
    rules, policies, invalid, openapi = (answer.json for answer in answers)
    return catalogue_of(rules, policies, invalid, json.dumps(openapi))


def catalogue_of(rules: Values, policies: Values, invalid: Values, openapi: str) -> Catalogue:
    """The catalogue that the documents make; ``openapi`` is the text of /openapi.json."""
    presets = {name: {k: v for k, v in row.items() if k != "preset"} for name, row in rules["presets"].items()}
    fields, beyond = {}, {}
    for field, row in rules["fields"].items():
        used = {preset.get(field) for preset in presets.values()}
        fields[field], beyond[field] = _rule_values(field, row, used)
    options: dict[str, list[str]] = {}
    bad_options: dict[str, list[str]] = {}
    for row in policies["policies"]:
        name = row["policy"].partition(":")[0]
        if name not in options:
            pairs = [_option_values(option) for option in row["options"] if isinstance(option, str)]
            options[name] = [text for good, _ in pairs for text in good]
            bad_options[name] = [text for _, bad in pairs for text in bad]
    conventions = [text.partition("=")[2] for texts in options.values() for text in texts if "convention=" in text]
    return Catalogue(
        presets,
        rules["default"],
        fields,
        beyond,
        tuple(fields["variant"]),
        tuple(options),
        options,
        bad_options,
        tuple(dict.fromkeys(conventions)),
        tuple(invalid["codes"]),
        tuple(sorted(set(re.findall(r"/problems/([a-z][a-z-]+)", openapi)) - {"name"})),
        tuple(sorted(set(re.findall(r'"(/v1/[a-z/]+)"', openapi)))),
    )


def _rule_values(field: str, row: Values, used: set[Any]) -> tuple[list[Any], list[Any]]:
    """Values of a rule that are supported, and values that are not."""
    default = row["default"]
    said = json.dumps(row.get("supported", {k: v for k, v in row.items() if k not in ("default", "description")}))
    if isinstance(default, bool):
        return [True, False], [0, 1, "true"]
    texts = sorted(value for value in used if isinstance(value, str))
    if default is None and texts:
        return [None, *texts], ["all", "", texts[0].upper()]
    if isinstance(default, str):
        return list(dict.fromkeys([default, *_WORD.findall(said)])), ["all", "", default.upper()]
    numbers = [int(float(number)) for number in _NUMBER.findall(said.replace("..", " "))]
    low, high = (min(numbers), max(numbers)) if numbers else (0, 100)
    inner = [value for value in (low + 1, (low + high) // 2, high - 1) if low <= value <= high]
    tried = [default, low, high, *inner, *_COMMON.get(field, ()), *sorted(used - {None})]
    good = [value for value in tried if value is None or low <= value <= high]
    if "null" in said and None not in good:
        good.append(None)
    bad: list[Any] = [low - 1, high + 1, float(low), str(high), 10**19]
    return list(dict.fromkeys(good)), bad if None in good else [*bad, None]


def _option_values(option: str) -> tuple[list[str], list[str]]:
    """Texts of a policy's option that are taken, and texts that are not."""
    name, equals, form = option.partition("=")
    if not equals:
        return [name], [f"{name}=1"]
    bad = [f"{name}={value}" for value in _NO_VALUES]
    if form in _SAMPLES:
        return [f"{name}={value}" for value in _SAMPLES[form]], [*bad, name]
    if ".." in form:
        low, high = (float(number) for number in form.split(".."))
        inner = (low, high, low + (high - low) * 0.35, low + (high - low) * 0.8)
        return [f"{name}={value:g}" for value in inner], [*bad, f"{name}={low - 0.5:g}", f"{name}={high + 0.5:g}"]
    return [f"{name}={word}" for word in form.split("|")], [*bad, name]
