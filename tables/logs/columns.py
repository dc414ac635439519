"""Read the columns of a Parquet log as arrays, without a record for each row.

This is many times as fast as reading records, but it accepts only rows that match the JSON Schema of `round_log`.
`reading` reads the other rows as records: it names their faults, or finds none, because records may be written in more
ways.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import orjson
import polars
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from service.bidding.errors import RulesError
from tables.logs.round_log import FIELDS, LABEL_FIELDS, SEATS, Label, RoundLog, json_schema
from tables.logs.rounds import (
    NO_BAGS,
    NO_CARDS,
    NO_LABEL,
    NO_POINTS,
    NO_TRICKS,
    NO_WINNER,
    NOT_KNOWN,
    Names,
    Rounds,
    card_numbers,
    hand_masks,
    hash_of,
)

# The columns of a Parquet log.
SCHEMA: dict[str, Any] = {
    "format": polars.Int8,
    "game": polars.String,
    "round": polars.Int32,
    "bids": polars.List(polars.Int8),
    "time": polars.String,
    "rules": polars.String,
    "hands": polars.List(polars.String),
    "tricks": polars.List(polars.Int8),
    "plays": polars.List(polars.String),
    "scores": polars.List(polars.Int16),
    "bags": polars.List(polars.Int8),
    "labels": polars.List(polars.Struct(dict.fromkeys(LABEL_FIELDS, polars.String))),
    "winner": polars.Int8,
}
assert tuple(SCHEMA) == FIELDS, "a Parquet log has the columns of `RoundLog`"
_BY_VALUE = ("rules", "labels")  # columns with few different values, each of which is read once
_NOT_RIGHT = -2
_LABEL: TypeAdapter[Any] = TypeAdapter(Label | None)


def frame_of(records: Iterable[RoundLog]) -> polars.DataFrame:
    """Return records as a frame with the columns of a Parquet log."""
    rows = [
        {**record, "rules": json.dumps(record["rules"], sort_keys=True)} if record.get("rules") is not None else record
        for record in records
    ]
    return polars.DataFrame(rows, schema=SCHEMA)


def with_columns(frame: polars.DataFrame) -> polars.DataFrame:
    """Return ``frame`` with all columns of a Parquet log, in their types, where a wrong value is null."""
    absent = [polars.lit(None).alias(name) for name in SCHEMA if name not in frame.columns]
    return frame.with_columns(absent).select(polars.col(name).cast(kind, strict=False) for name, kind in SCHEMA.items())


def readable(types: Mapping[str, Any]) -> bool:
    """Return whether columns of these types can be read as arrays."""
    return all(_alike(types[name], kind) for name, kind in SCHEMA.items() if name in types)


def rounds_of_frame(frame: polars.DataFrame, names: Names) -> tuple[NDArray[np.bool_], Rounds]:
    """Return which rows of ``frame`` match the schema, and these rows as arrays. Its types are `readable`."""
    whole = with_columns(frame)
    rules, labels = _rules(whole["rules"], names), _labels(whole["labels"], names)
    formed = whole.select(polars.all_horizontal(_RIGHT)).to_series().fill_null(value=False).to_numpy()
    right: NDArray[np.bool_] = formed & (rules != _NOT_RIGHT) & (labels != _NOT_RIGHT).all(axis=1)
    rows = whole.filter(right)
    n, games = len(rows), rows["game"].to_list()
    hashes = {game: hash_of(game) for game in set(games)}
    keys = [hash_of(f"{number}/{game}") for number, game in zip(rows["round"].to_list(), games, strict=True)]
    hands = _items(rows["hands"], SEATS).fill_null(NOT_KNOWN).to_list()
    return right, Rounds(
        hand_masks(np.frombuffer("".join(hands).encode(), np.uint8).reshape(n, SEATS, len(NOT_KNOWN))),
        _integers(rows["bids"], SEATS, 0).astype(np.int8),
        _integers(rows["tricks"], SEATS, NO_TRICKS).astype(np.int8),
        card_numbers("".join(rows["plays"].list.join("").fill_null(NO_CARDS).to_list()), n),
        _integers(rows["scores"], 2, NO_POINTS).astype(np.int16),
        _integers(rows["bags"], 2, NO_BAGS).astype(np.int8),
        rows["winner"].fill_null(NO_WINNER).to_numpy().astype(np.int8),
        rules[right],
        labels[right],
        np.array([hashes[game] for game in games], np.uint64),
        np.array(keys, np.uint64),
    )


def _alike(found: Any, kind: Any) -> bool:
    # Whether values of the type ``found`` have the meaning of ``kind``, and at most another size.
    if isinstance(kind, polars.List):
        return isinstance(found, polars.List) and _alike(found.inner, kind.inner)
    if isinstance(kind, polars.Struct):
        return isinstance(found, polars.Struct) and found == kind
    return bool(found.is_integer() if kind.is_integer() else found == kind) or found == polars.Null


def _is_right(value: Any, schema: Mapping[str, Any]) -> Any:
    # An expression: whether ``value`` has the form of a JSON Schema.
    if "anyOf" in schema:
        forms = [one for one in schema["anyOf"] if one != {"type": "null"}]
        return value.is_null() | _is_right(value, forms[0])
    known = value.is_not_null()
    if schema["type"] == "array":
        assert schema["minItems"] == schema["maxItems"], "lists have a fixed length"
        items = value.list.eval(_is_right(polars.element(), schema["items"])).list.all()
        return known & (value.list.len() == schema["minItems"]) & items
    if schema["type"] == "string":
        lengths = value.str.len_chars().is_between(schema.get("minLength", 0), schema.get("maxLength", 1 << 30))
        return known & (value.str.contains(schema["pattern"]) if "pattern" in schema else lengths)
    assert schema["type"] == "integer", f"found {schema['type']}; accepted: array, string and integer"
    return known & value.is_between(schema["minimum"], schema["maximum"])


_RIGHT = [
    _is_right(polars.col(name), schema) for name, schema in json_schema()["properties"].items() if name not in _BY_VALUE
]


def _rules(column: polars.Series, names: Names) -> NDArray[np.int32]:
    # The number of each row's rules in ``names``, or _NOT_RIGHT.
    def number(text: str | None) -> int:
        try:
            given = None if text is None else orjson.loads(text)
        except orjson.JSONDecodeError:
            return _NOT_RIGHT
        found = names.rules_number(given) if given is None or isinstance(given, dict) else _NOT_RIGHT
        return _NOT_RIGHT if isinstance(found, RulesError) else found

    numbers = {text: number(text) for text in column.unique(maintain_order=True).to_list()}
    return np.array([numbers[text] for text in column.to_list()], np.int32)


def _labels(column: polars.Series, names: Names) -> NDArray[np.int32]:
    # The numbers of each row's labels in ``names`` (n, SEATS), or _NOT_RIGHT.
    found = np.full((len(column), SEATS), NO_LABEL, np.int32)
    found[(column.is_not_null() & (column.list.len() != SEATS)).to_numpy()] = _NOT_RIGHT
    rows = np.flatnonzero((column.is_not_null() & (column.list.len() == SEATS)).to_numpy())
    if len(rows):
        items = column.gather(rows).explode()
        different = items.unique(maintain_order=True)
        numbers = [_label_number(label, names) for label in different.to_list()]
        by_label = polars.DataFrame({"label": different, "number": numbers})
        codes = items.to_frame("label").join(by_label, "label", "left", nulls_equal=True, maintain_order="left")
        found[rows] = codes["number"].to_numpy().reshape(-1, SEATS)
    return found


def _label_number(label: Any, names: Names) -> int:
    try:
        return names.label_number(_LABEL.validate_python(label))
    except ValidationError:
        return _NOT_RIGHT


def _items(column: polars.Series, length: int) -> polars.Series:
    # The items of all rows; ``length`` nulls for a row without a list.
    return column.fill_null(polars.Series([[None] * length], dtype=column.dtype)).explode()


def _integers(column: polars.Series, length: int, unknown: int) -> NDArray[np.int64]:
    return _items(column, length).fill_null(unknown).to_numpy().astype(np.int64).reshape(-1, length)
