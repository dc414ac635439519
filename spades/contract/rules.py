"""`rules`: a preset and overrides, made from the rows that declare each rule (`bidding.game.rules.FIELDS`).

Other fields of a request depend on the rules, which determine the deck and the possible bids. So `rules` is read first
and put into the `Context`, which the validators of the other fields get. Faulty rules are read as far as possible, so
that the same answer can list the faults of the other fields.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import (
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    with_config,
)
from typing_extensions import TypedDict

from spades.contract.faults import joined, lines_of, rule_line
from spades.errors import RulesError
from spades.rules import FIELDS, PRESETS, Flag, Integer, Rule, Rules, make_rules

DEFAULT_PRESET: Final = "classic"
CLASSIC: Final = PRESETS[DEFAULT_PRESET]
REQUEST_CONFIG = ConfigDict(extra="forbid", strict=True)  # of every object that callers send


class Context:
    """The data that the validators of one request share."""

    rules = CLASSIC  # in force, as far as they could be read
    approximate = True  # whether a win table for similar rules may be used


def _type_of(rule: Rule) -> Any:
    """Return the type of a rule, with null: the preset's value, unless null is one of the rule's own values."""
    values = rule.values
    if isinstance(values, Flag):
        accepted: Any = StrictBool
    elif isinstance(values, Integer):
        accepted = Annotated[StrictInt, Field(ge=values.low, le=values.high)]
    else:
        accepted = Literal[values.json_words]
    otherwise = "Default: the preset's value."
    return Annotated[accepted | None, Field(description=f"{rule.meaning} {otherwise}")]


_Preset: Any = Annotated[
    Literal[tuple(PRESETS)] | None,
    Field(description=f"The rule set that the other fields change. Default: {DEFAULT_PRESET}."),
]
_Approximate: Any = Annotated[
    StrictBool | None,
    Field(
        description="Whether a policy that needs a win table may use the one for the most similar rules. If it does, "
        "`assumed` names the rules that differ. Default: true."
    ),
]
_FIELDS = {"preset": _Preset, "approximate": _Approximate, **{name: _type_of(rule) for name, rule in FIELDS.items()}}
RuleSet: Any = with_config(REQUEST_CONFIG)(TypedDict("RuleSet", _FIELDS, total=False))  # type: ignore[operator]
RuleSet.__doc__ = (
    "A preset and the rules that differ from it. GET /v1/rules lists all with what each accepts. Upper and lower case "
    "are equal."
)
_VALIDATE = TypeAdapter[dict[str, Any]](RuleSet).validator.validate_python


# Rules that were read before, by their JSON text, because reading them takes longer than any other field. Few rule sets
# are in use. When this cache is full, other rules are read each time.
_KNOWN: dict[bytes, tuple[Rules, bool]] = {}
_MOST_KNOWN: Final = 1024
_MOST_KNOWN_BYTES: Final = 1024  # longest text; longer rules are useless


def _read(given: Any, info: ValidationInfo[Context]) -> Rules:
    """Return the rules in force; they are put into the context even if some rules are refused."""
    try:
        text = orjson.dumps(given)
    except orjson.JSONEncodeError:  # nested too deeply, although rules are not nested
        text = b""
    context = info.context
    if text in _KNOWN:
        context.rules, context.approximate = _KNOWN[text]
        return context.rules
    lines = []
    try:
        fields = _VALIDATE(given)
    except ValidationError as error:
        if type(given) is not dict:
            raise
        lines = lines_of(error)
        broken = {line["loc"][0] for line in lines}
        fields = {name: value for name, value in given.items() if name not in broken}
    try:
        rules = _made(fields)
    except RulesError as error:  # each value is supported, but not the combination
        lines.append(rule_line(error.field, str(error)))
        rules = PRESETS[fields.get("preset") or DEFAULT_PRESET]
    context.rules, context.approximate = rules, fields.get("approximate") is not False
    if lines:
        raise joined(lines)
    if len(_KNOWN) < _MOST_KNOWN and len(text) <= _MOST_KNOWN_BYTES:
        _KNOWN[text] = rules, context.approximate
    return rules


def _made(fields: Mapping[str, Any]) -> Rules:
    overrides = {name: value for name, value in fields.items() if value is not None or takes_null(name)}
    overrides.pop("approximate", None)
    return make_rules(overrides.pop("preset", DEFAULT_PRESET), overrides)


def takes_null(name: str) -> bool:
    """Return whether null is a value of the rule ``name``: no losing goal, no largest contract."""
    return name in FIELDS and getattr(FIELDS[name].values, "null", None) is not None


# A plain validator, because a wrap validator would make an object for each request.
RulesInForce: TypeAlias = Annotated[Any, PlainValidator(_read, json_schema_input_type=RuleSet)]
OptionalRules = Annotated[RulesInForce | None, Field(description="The rules of the game. Default: preset classic.")]
