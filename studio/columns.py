"""Rounds of a log as a frame, and the columns of such a frame as arrays, without a record for each row.

This is many times as fast as reading records, but it accepts only rows that match the JSON Schema of `round_log`.
`reading` reads the other rows as records. It accepts more ways to write a value, and names the faults that it finds.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import orjson
import polars
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from spades.errors import RulesError
from studio.round_log import (
    FIELDS,
    HAND_CHARACTERS,
    LABEL_FIELDS,
    PLAYS,
    SEATS,
    TEXTS,
    Label,
    RoundLog,
    json_schema,
)
from studio.rounds import (
    NO_BAGS,
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
    round_keys,
)

# The columns of a frame, and of a Parquet log.
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
_BY_VALUE = ("rules", "labels")  # columns with few different values, each of which is read once
_NOT_RIGHT = -2
_LABEL: TypeAdapter[Any] = TypeAdapter(Label | None)
_NULL = re.compile(rb'"(\w+)": ?null')
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a character, written as an escape; alone, it is no text


def frame_of(records: Iterable[RoundLog]) -> polars.DataFrame:
    """Return records as a frame."""
    return _read_lines(b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records))


def frame_of_lines(lines: bytes) -> polars.DataFrame | None:
    """Return JSON Lines as a frame; None if they are not all records whose values have the right types."""
    try:
        frame = _read_lines(lines)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException):
        return None
    return frame if _says(frame, lines) else None


def frame_of_cells(cells: polars.DataFrame) -> polars.DataFrame | None:
    """Return the cells of a CSV log as a frame; None if a cell is wrong. See `round_log`."""
    texts = polars.struct(name for name in cells.columns if name in TEXTS).struct.json_encode().str.head(-1)
    others = [
        polars.concat_str(polars.lit(f',"{name}":'), polars.col(name).fill_null("null"))
        for name in cells.columns
        if name not in TEXTS
    ]
    lines = cells.select(polars.concat_str(texts, *others, polars.lit("}"))).to_series().str.join("\n").item() or ""
    frame = frame_of_lines(lines.encode())
    return frame if frame is not None and len(frame) == len(cells) else None


def _read_lines(lines: bytes) -> polars.DataFrame:
    return with_columns(polars.read_ndjson(lines, schema=_JSON_SCHEMA))


def _wide(kind: Any) -> Any:
    # The type in which Polars reads JSON: it cannot read smaller integers.
    if isinstance(kind, polars.List):
        return polars.List(_wide(kind.inner))
    return polars.Int64 if kind.is_integer() else kind


_JSON_SCHEMA = {name: _wide(kind) for name, kind in SCHEMA.items()}


def _says(frame: polars.DataFrame, lines: bytes) -> bool:
    # Whether the lines plainly say what the frame has, and nothing else. Polars reads any value as a text, and leaves
    # out unknown fields, and a field that comes again.
    labels = frame["labels"].explode().struct.unnest()
    for column, first in ((frame["rules"], "{"), (frame["game"], '"'), *((name, '"') for name in labels)):
        if column.count() != _count(lines, f'"{column.name}":', first):
            return False
    n_nulls = _count(lines, '":', "null")
    nulls = {name.decode() for name in _NULL.findall(lines)} if n_nulls else set()
    n_values = sum(part.count().sum_horizontal().item() for part in (frame, labels))
    n_values += frame["rules"].str.count_matches('":', literal=True).sum()
    plain = nulls <= {*FIELDS, *LABEL_FIELDS} and b'" :' not in lines and not _HALF.search(lines)
    return plain and lines.count(b'":') == n_values + n_nulls


def _count(lines: bytes, name: str, value: str) -> int:
    return sum(lines.count(f"{name}{space}{value}".encode()) for space in ("", " "))


def with_columns(frame: polars.DataFrame) -> polars.DataFrame:
    """Return ``frame`` with all columns of SCHEMA, in their types, where a wrong value is null."""
    absent = [polars.lit(None).alias(name) for name in SCHEMA if name not in frame.columns]
    return frame.with_columns(absent).select(polars.col(name).cast(kind, strict=False) for name, kind in SCHEMA.items())


def readable(types: Mapping[str, Any]) -> bool:
    """Return whether columns of these types can be read as arrays."""
    return all(_alike(types[name], kind) for name, kind in SCHEMA.items() if name in types)


def rounds_of_frame(frame: polars.DataFrame, names: Names) -> tuple[NDArray[np.bool_], Rounds]:
    """Return which rows of ``frame`` have the right form and rules, and these rows as arrays.

    The types of its columns are `readable`.
    """
    whole = with_columns(frame)
    rules, labels = _rules(whole["rules"], names), _labels(whole["labels"], names)
    formed = whole.select(polars.all_horizontal(_RIGHT)).to_series().fill_null(value=False).to_numpy()
    if "winner" in frame.columns:  # a number that its type cannot hold has become null
        formed = formed & (frame["winner"].is_null() == whole["winner"].is_null()).to_numpy()
    right: NDArray[np.bool_] = formed & (rules != _NOT_RIGHT) & (labels != _NOT_RIGHT).all(axis=1)
    rows = whole if right.all() else whole.filter(right)
    games = _hashes(rows["game"])
    return right, Rounds(
        hands=hand_masks(_characters(rows["hands"], NOT_KNOWN, SEATS).reshape(-1, SEATS, HAND_CHARACTERS)),
        bids=_integers(rows["bids"], [0] * SEATS),
        tricks=_integers(rows["tricks"], [NO_TRICKS] * SEATS),
        plays=card_numbers(_characters(rows["plays"], "  ", PLAYS).reshape(-1, PLAYS, 2)),
        scores=_integers(rows["scores"], [NO_POINTS] * 2),
        bags=_integers(rows["bags"], [NO_BAGS] * 2),
        winner=rows["winner"].fill_null(NO_WINNER).to_numpy(),
        rules=rules[right],
        labels=labels[right],
        games=games,
        keys=round_keys(games, rows["round"].to_numpy()),
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
        (form,) = (one for one in schema["anyOf"] if one != {"type": "null"})
        return value.is_null() | _is_right(value, form)
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

    different = column.unique(maintain_order=True)
    numbers = polars.Series([number(text) for text in different.to_list()], dtype=polars.Int32)
    found: NDArray[np.int32] = column.replace_strict(different, numbers).cast(polars.Int32).to_numpy()
    return found


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


def _hashes(games: polars.Series) -> NDArray[np.uint64]:
    # The hash of each row's game.
    different = games.unique(maintain_order=True)
    hashes = polars.Series([hash_of(game) for game in different.to_list()], dtype=polars.UInt64)
    found: NDArray[np.uint64] = games.replace_strict(different, hashes).cast(polars.UInt64).to_numpy()
    return found


def _integers(column: polars.Series, unknown: list[int]) -> NDArray[Any]:
    # The items of the rows (n, length), ``unknown`` for a row without a list, as a copy, which kernels may write to.
    items = column.fill_null(polars.Series([unknown], dtype=column.dtype)).explode()
    return np.array(items).reshape(-1, len(unknown))


def _characters(column: polars.Series, unknown: str, length: int) -> NDArray[np.uint8]:
    # The texts of all lists one after another; ``unknown`` for null, ``length`` times for a row without a list.
    texts = column.list.eval(polars.element().fill_null(unknown)).list.join("").fill_null(unknown * length)
    return np.frombuffer((texts.str.join("").item() or "").encode(), np.uint8)
