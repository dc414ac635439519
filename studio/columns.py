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
    NO_CARD,
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
assert tuple(SCHEMA) == FIELDS, "a Parquet log has the columns of `RoundLog`"
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
    read = {
        "hands": _hands(rows["hands"]),
        "plays": _plays(rows["plays"]),
        "bids": _integers(rows["bids"], "bids", 0),
        "tricks": _integers(rows["tricks"], "tricks", NO_TRICKS),
        "scores": _integers(rows["scores"], "scores", NO_POINTS),
        "bags": _integers(rows["bags"], "bags", NO_BAGS),
    }
    items: dict[str, Any] = {name: array for name, (array, _) in read.items()}
    fine = np.array([own for _, own in read.values()]).all(axis=0)
    games = _hashes(rows["game"])
    rounds = Rounds(
        **items,
        winner=rows["winner"].fill_null(NO_WINNER).to_numpy(),
        rules=rules[right],
        labels=labels[right],
        games=games,
        keys=round_keys(games, rows["round"].to_numpy()),
    )
    if not fine.all():
        right[right] = fine
        rounds = Rounds(*(column[fine] for column in rounds))
    return right, rounds


def _alike(found: Any, kind: Any) -> bool:
    # Whether values of the type ``found`` have the meaning of ``kind``, and at most another size.
    if isinstance(kind, polars.List):
        return isinstance(found, polars.List) and _alike(found.inner, kind.inner)
    if isinstance(kind, polars.Struct):
        return isinstance(found, polars.Struct) and found == kind
    return bool(found.is_integer() if kind.is_integer() else found == kind) or found == polars.Null


def _form(schema: Mapping[str, Any]) -> Any:
    # A JSON Schema without null.
    return next(one for one in schema.get("anyOf", [schema]) if one != {"type": "null"})


def _is_right(value: Any, schema: Mapping[str, Any]) -> Any:
    # An expression: whether ``value`` has the form of a JSON Schema, apart from the items of lists.
    if "anyOf" in schema:
        return value.is_null() | _is_right(value, _form(schema))
    known = value.is_not_null()
    if schema["type"] == "array":  # its items are checked when they are read
        assert schema["minItems"] == schema["maxItems"], "lists have a fixed length"
        return known & (value.list.len() == schema["minItems"])
    if schema["type"] == "string":
        lengths = value.str.len_chars().is_between(schema.get("minLength", 0), schema.get("maxLength", 1 << 30))
        return known & (value.str.contains(schema["pattern"]) if "pattern" in schema else lengths)
    assert schema["type"] == "integer", f"found {schema['type']}; accepted: array, string and integer"
    return known & value.is_between(schema["minimum"], schema["maximum"])


_FORMS: dict[str, Any] = json_schema()["properties"]
_RIGHT = [_is_right(polars.col(name), schema) for name, schema in _FORMS.items() if name not in _BY_VALUE]


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


def _items(column: polars.Series, length: int) -> polars.Series:
    # The items of all rows; ``length`` nulls for a row without a list.
    return column.fill_null(polars.Series([[None] * length], dtype=column.dtype)).explode()


def _integers(column: polars.Series, name: str, unknown: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    # The items of the rows (n, length), ``unknown`` for a row without a list; and which rows are right.
    form = _form(_FORMS[name])
    length, accepted = form["minItems"], _form(form["items"])
    items = _items(column, length)
    between = items.is_between(accepted["minimum"], accepted["maximum"]).fill_null(value=False)
    right = between.to_numpy().reshape(-1, length).all(axis=1)
    values = np.array(items.fill_null(unknown).to_numpy()).reshape(-1, length)  # a copy, which kernels may write to
    return values, right | column.is_null().to_numpy()


def _hands(column: polars.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    # The hands as bit masks (n, SEATS), and which rows have none but null, 13 different cards, or a text of their form.
    items = _items(column, SEATS)
    whole = (items.str.len_bytes() == HAND_CHARACTERS).fill_null(value=False)
    hands = hand_masks(_bytes(items, whole, NOT_KNOWN).reshape(-1, SEATS, HAND_CHARACTERS))
    right = (hands > 0).ravel() | items.is_null().to_numpy()
    others = np.flatnonzero(~right)
    if len(others):
        right[others] = items.gather(others).str.contains(_form(_form(_FORMS["hands"])["items"])["pattern"])
    return hands, right.reshape(-1, SEATS).all(axis=1)


def _plays(column: polars.Series) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    # The plays as card numbers (n, PLAYS), and which rows have none but cards.
    n, known = len(column), column.is_not_null().to_numpy()
    cards = np.full((n, PLAYS), NO_CARD, np.uint8)
    if known.any():
        items = column.drop_nulls().explode()
        whole = (items.str.len_bytes() == len(NO_CARDS) // PLAYS).fill_null(value=False)
        cards[known] = card_numbers(_bytes(items, whole, NO_CARDS[: len(NO_CARDS) // PLAYS]).reshape(-1, PLAYS, 2))
    return cards, ((cards != NO_CARD).all(axis=1) == known)


def _bytes(items: polars.Series, whole: polars.Series, other: str) -> NDArray[np.uint8]:
    # The texts one after another, with ``other`` for those that are not ``whole``.
    texts = items if whole.all() else items.zip_with(whole, polars.Series([other]))
    return np.frombuffer((texts.str.join("").item() or "").encode(), np.uint8)
