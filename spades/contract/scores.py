"""`scores`: the points and bags before the round, of two sides or, with variant cutthroat, of the four seats."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Field, PlainValidator, StrictInt, ValidationInfo, WithJsonSchema, with_config
from typing_extensions import TypedDict

from spades.contract.faults import TABLE_OF_FOUR, Fault, Place, json_type, pointer, refusal
from spades.contract.rules import REQUEST_CONFIG, Context
from spades.position import is_over
from spades.rules import CUTTHROAT, VARIANTS, Rules

SCORE_LIMIT: Final = 10_000  # points, either way
MAX_BAGS: Final = 99
SIDE_FIELDS: Final = ("us", "them", "us_bags", "them_bags")  # in games of two sides
SEAT_FIELDS: Final = ("seats", "bags")  # in games of four seats
_SIDE_BAGS: Final = ("us_bags", "them_bags")
NO_SCORES: Final = (0, 0, 0, 0)
FourInts: TypeAlias = tuple[int, int, int, int]
_NOTHING: Final[dict[str, Any]] = {}


def bags_below(rules: Rules) -> int:
    """Return the number of bags that a side never reaches, because the penalty removes them at that number."""
    return rules.bag_limit if rules.bags else MAX_BAGS + 1


def four_numbers(name: str, values: Any, low: int, high: int) -> FourInts | None:
    """Read four numbers of the field ``name``, one for each seat in bidding order; None for null."""
    if values is None:
        return None
    faults: list[tuple[Place, str, str]] = []
    if type(values) is not list:
        faults.append(((), "wrong-type", f"{name} is {json_type(values)}; accepted: an array"))
    elif len(values) != 4:
        code = "missing-field" if len(values) < 4 else "too-many-items"
        faults.append(((), code, f"{name} has {len(values)} numbers; accepted: 4, first bidder first, {TABLE_OF_FOUR}"))
    else:
        for index, value in enumerate(values):
            where = f"{name}.{index}"
            if type(value) is not int:
                faults.append(((index,), "wrong-type", f"{where} is {json_type(value)}; accepted: an integer"))
            elif not low <= value <= high:
                faults.append(((index,), "out-of-range", f"{where} is {value}; accepted: {low}..{high}"))
    if faults:
        raise refusal(*faults)
    return values[0], values[1], values[2], values[3]


def _read_seats(values: Any, info: ValidationInfo[Context]) -> Any:
    """Return the points of four seats. In games of two sides, return them unread: `score_faults` refuses them."""
    rules = info.context.rules
    return four_numbers("scores.seats", values, -SCORE_LIMIT, SCORE_LIMIT) if rules.variant == CUTTHROAT else values


def _read_bags(values: Any, info: ValidationInfo[Context]) -> Any:
    rules = info.context.rules
    return four_numbers("scores.bags", values, 0, bags_below(rules) - 1) if rules.variant == CUTTHROAT else values


def _four_schema(what: str, low: int, high: int) -> WithJsonSchema:
    numbers = {"type": "integer", "minimum": low, "maximum": high}
    return WithJsonSchema(
        {
            "anyOf": [{"type": "array", "items": numbers, "minItems": 4, "maxItems": 4}, {"type": "null"}],
            "description": f"Variant cutthroat: {what} of the four seats, first bidder first. Default: four times 0.",
        }
    )


_Points = Annotated[StrictInt, Field(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]
_Bags = Annotated[StrictInt, Field(ge=0, le=MAX_BAGS)]
_FOUR_POINTS = _four_schema("points", -SCORE_LIMIT, SCORE_LIMIT)
_FOUR_BAGS = _four_schema("bags since the last penalty", 0, MAX_BAGS)
_BAGS = "since the last penalty, fewer than rules.bag_limit. Default: 0."


@with_config(REQUEST_CONFIG)
class Scores(TypedDict, total=False):
    """The score before the round: of two sides, or with variant cutthroat of the four seats."""

    us: Annotated[_Points | None, Field(description="Points of the bidder's side. Default: 0.")]
    them: Annotated[_Points | None, Field(description="Points of the other side. Default: 0.")]
    us_bags: Annotated[_Bags | None, Field(description=f"Bags of the bidder's side {_BAGS}")]
    them_bags: Annotated[_Bags | None, Field(description=f"Bags of the other side {_BAGS}")]
    seats: Annotated[FourInts | None, PlainValidator(_read_seats), _FOUR_POINTS]
    bags: Annotated[FourInts | None, PlainValidator(_read_bags), _FOUR_BAGS]


OptionalScores = Annotated[Scores | None, Field(description="The score before the round. Default: all 0.")]


def score_faults(scores: Any, rules: Rules) -> list[Fault]:
    """Return the faults of `scores` that depend on the rules.

    These are too many bags, points after which the game is over, and fields of no use in the variant.
    """
    if type(scores) is not dict:
        return []
    faults = _game_over_faults(scores, rules)
    value_of, solo = scores.get, rules.variant == CUTTHROAT
    if rules.bags:
        below = rules.bag_limit
        for field in _SIDE_BAGS:
            bags = value_of(field)
            if type(bags) is int and bags >= below and bags <= MAX_BAGS:
                accepted = f"0..{below - 1}, because the penalty comes at rules.bag_limit"
                detail = f"scores.{field} is {bags}; accepted: {accepted}"
                faults.append(Fault(f"/scores/{field}", "out-of-range", detail))
    for field in SIDE_FIELDS if solo else SEAT_FIELDS:
        if value_of(field) is not None:
            fields = SEAT_FIELDS if solo else SIDE_FIELDS
            accepted = f"{', '.join(fields)} with variant {VARIANTS[rules.variant]}"
            detail = f"scores.{field} has no meaning in this variant; accepted: {accepted}"
            faults.append(Fault(pointer("scores", field), "unsupported-field", detail))
    return faults


def _game_over_faults(scores: Mapping[str, Any], rules: Rules) -> list[Fault]:
    """Return a fault for each score that is at or beyond a goal if the game is over."""
    solo = rules.variant == CUTTHROAT
    points: Any = scores.get("seats") if solo else (scores.get("us") or 0, scores.get("them") or 0)
    if type(points) not in (list, tuple) or any(type(value) is not int for value in points):
        return []  # missing, or of a wrong form
    if len(points) != (4 if solo else 2) or not is_over(points, rules):
        return []
    faults = []
    low, high = max(rules.lose + 1, -SCORE_LIMIT), rules.win - 1
    tie = "a highest score that two seats share" if solo else "the same points for both sides"
    for place, value in enumerate(points):
        if not low <= value <= high:
            where: Place = ("scores", "seats", place) if solo else ("scores", SIDE_FIELDS[place])
            goal = f"{rules.win} (rules.win)" if value > high else f"{rules.lose} (rules.lose)"
            detail = f"{'.'.join(map(str, where))} is {value}, but the game ends at {goal}; accepted: {low}..{high}"
            faults.append(Fault(pointer(*where), "out-of-range", f"{detail}, or {tie}"))
    return faults


def scores_in(request: Mapping[str, Any], rules: Rules, data: Mapping[str, Any]) -> tuple[list[Any], list[str]]:
    """Return the values of SIDE_FIELDS, or in cutthroat of SEAT_FIELDS, and the missing fields of rules and scores."""
    assumed = []
    given = data.get("rules")
    if given is None or given.get("preset") is None:
        assumed.append("rules.preset")
    scores = request.get("scores")
    solo = rules.variant == CUTTHROAT
    if scores is None:
        assumed.append("scores")
        scores = _NOTHING
    names = SEAT_FIELDS if solo else SIDE_FIELDS
    values: list[Any] = [*map(scores.get, names)]
    if None in values:
        if scores is not _NOTHING:
            assumed += [f"scores.{name}" for name, value in zip(names, values, strict=True) if value is None]
        none = NO_SCORES if solo else 0
        values = [none if value is None else value for value in values]
    return values, assumed
