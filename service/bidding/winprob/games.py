"""The games that `winprob` supports: which rules have a win table, and where it is in the arrays of win tables.

`win_table` reads the tables; `tables.builders.win_tables` and `tables.builders.extra_win_tables` make them. The net was
trained on the games of SLICES, which are preset classic with other goals, losing goals and bag penalties. The bag
penalty of preset bis-paper has its own tables at that preset's goal only. At other goals it uses classic's tables,
whose penalty is ten points smaller; at goal 500, `winprob` then beats `bis` by as much as under classic rules
(docs/strength.md). Tables for other rules are in a separate array, `extra_win`; the rows of the table `games` describe
them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from math import gcd
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from service.bidding.game.rules import FIELDS, NO_LOSING_GOAL, PARTNERSHIP, PRESETS, VARIANTS, Rules, describe
from service.bidding.game.scoring import effective_bag_rules

CLASSIC = PRESETS["classic"]
PENALTIES = (CLASSIC.bag_penalty, PRESETS["bis-paper"].bag_penalty)
GOALS: dict[int, tuple[int, ...]] = {  # each goal with its losing goals, in points
    200: (NO_LOSING_GOAL, -100, -200),
    250: (NO_LOSING_GOAL, -200),
    300: (NO_LOSING_GOAL, -200),
    350: (NO_LOSING_GOAL, -200),
    500: (NO_LOSING_GOAL, -200),
}
OWN_GOAL = PRESETS["bis-paper"].win
DEPTH_POINTS = 150  # points below zero that a table without a losing goal covers; a lower score counts as this one
BAGS = CLASSIC.bag_limit  # size of a table's last two axes, the bags of each side
ROW_POINTS = 10  # points that one row covers, in the tables of SLICES
MOST_CELLS = 4_000_000  # most cells of an extra game's table
IDLE = 1  # value in a key of a field whose flag (`only_with`) is off

_BY_COLUMN = sorted(
    (rule for rule in FIELDS.values() if rule.games_column is not None), key=lambda r: r.games_column or 0
)
KEY_FIELDS = tuple(rule.name for rule in _BY_COLUMN)  # the rules that change a win table, by column of `games`
# The same for compiled code: indices in `Rules` of these fields and of their flags, -1 for a field without a flag.
KEY_CELLS = tuple(Rules._fields.index(rule.name) for rule in _BY_COLUMN)
KEY_FLAGS = tuple(Rules._fields.index(rule.only_with) if rule.only_with else -1 for rule in _BY_COLUMN)
_KEY_DEFAULTS = tuple(rule.default for rule in _BY_COLUMN)
_COLUMNS_BY_FLAG = tuple(
    (flag, [column for column, own in enumerate(KEY_FLAGS) if own == flag]) for flag in {*KEY_FLAGS} - {-1}
)
_key_values: Callable[[Rules], tuple[int, ...]] = itemgetter(*KEY_CELLS)


class WinTableSlice(NamedTuple):
    """Where a game's win table is in its array, and its shape: (size, size, bags, bags) from cell ``start`` on."""

    floor: int  # score of the first row, in units of `unit` points
    size: int  # number of score rows of each side
    start: int  # index of the first cell
    bags: int = BAGS  # number of bag counts of each side
    unit: int = ROW_POINTS  # points that one row covers
    extra: int = 0  # 1: the table is in `extra_win`; 0: in `win`


Key = tuple[int, int, int]  # goal, losing goal, bag penalty
GameKey = tuple[int, ...]  # the values of KEY_FIELDS
Games = Mapping[GameKey, WinTableSlice]


def _slices() -> dict[Key, WinTableSlice]:
    places: dict[Key, WinTableSlice] = {}
    start = 0
    for penalty in PENALTIES:
        for win, losing in GOALS.items():
            for lose in losing:
                if penalty != CLASSIC.bag_penalty and win != OWN_GOAL:
                    places[win, lose, penalty] = places[win, lose, CLASSIC.bag_penalty]
                    continue
                floor = -DEPTH_POINTS // 10 if lose == NO_LOSING_GOAL else (lose + 1) // 10
                win_slice = WinTableSlice(floor, win // 10 - floor, start)
                places[win, lose, penalty] = win_slice
                start += win_slice.size**2 * BAGS**2
    return places


SLICES = _slices()
WIN_CELLS = max(win_slice.start + win_slice.size**2 * BAGS**2 for win_slice in SLICES.values())


def rules_of(key: Key) -> Rules:
    """Return the rules of a game of SLICES: preset classic with this goal, losing goal and bag penalty.

    >>> rules_of((200, -100, 110)).bag_penalty
    110
    """
    return CLASSIC._replace(win=key[0], lose=key[1], bag_penalty=key[2])


def key_of(rules: Rules) -> GameKey:
    """Return the values of KEY_FIELDS, with IDLE for each field without effect.

    Two rule sets with the same win table have the same key.

    >>> key_of(PRESETS["no-bags"]) == key_of(CLASSIC)
    False
    """
    key = _key_values(rules)
    for flag, columns in _COLUMNS_BY_FLAG:
        if not rules[flag]:
            values = list(key)
            for column in columns:
                values[column] = IDLE
            key = tuple(values)
    return key


def game_of(rules: Rules) -> Rules:
    """Return ``rules`` with the default in each field that does not change their win table."""
    plain = {
        name: rule.default
        for name, rule in FIELDS.items()
        if rule.games_column is None or (rule.only_with and not getattr(rules, rule.only_with))
    }
    return rules._replace(**plain)


SHIPPED: Games = MappingProxyType({key_of(rules_of(key)): win_slice for key, win_slice in SLICES.items()})
SHIPPED_ROWS = tuple((*key, *win_slice) for key, win_slice in SHIPPED.items())  # the same as rows, for kernels
GAME_COLUMNS = len(SHIPPED_ROWS[0])  # number of columns, also of the table `games`


def whole_rows(rows: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the rows of the table `games` that are not empty, with one column for each of KEY_FIELDS.

    A file that was made before a field was added has no column for the field; its games get the field's default.
    """
    whole = []
    for row in (tuple(int(value) for value in row) for row in rows):
        told = len(row) - len(WinTableSlice._fields)
        if any(row):
            whole.append((*row[:told], *_KEY_DEFAULTS[told:], *row[told:]))
    return whole


def games_of(rows: Iterable[Iterable[int]]) -> Games:
    """Return the games of SLICES and those in ``rows`` of the table `games`."""
    told = len(KEY_FIELDS)
    return {**{row[:told]: WinTableSlice(*row[told:]) for row in whole_rows(rows)}, **SHIPPED}


def extra_slice(rules: Rules, start: int) -> WinTableSlice:
    """Return the place of an extra game's win table, from cell ``start`` of `extra_win` on.

    Raises `ValueError` if the rules cannot have a win table.
    """
    limit, penalty = effective_bag_rules(rules)
    unit = gcd(ROW_POINTS, limit - penalty, rules.nil_points)  # contracts are multiples of ten
    if rules.variant != PARTNERSHIP:
        raise ValueError(f"variant is {VARIANTS[rules.variant]}; accepted: partnership")
    if limit > BAGS:
        raise ValueError(f"bag_limit is {limit}; accepted: at most {BAGS}")
    if rules.nil_points == 0:
        raise ValueError("nil_points is 0; accepted: 1 or more")
    if rules.win % unit:
        raise ValueError(f"win is {rules.win}; accepted: multiples of {unit}")
    floor = -DEPTH_POINTS // unit if rules.lose == NO_LOSING_GOAL else (rules.lose + 1) // unit
    size = -(-rules.win // unit) - floor
    if size**2 * limit**2 > MOST_CELLS:
        raise ValueError(
            f"the win table has {size**2 * limit**2} cells ({size} scores and {limit} bag counts of each side);"
            f" accepted: at most {MOST_CELLS}"
        )
    return WinTableSlice(floor, size, start, limit, unit, 1)


def all_rules(games: Games) -> list[Rules]:
    """Return the rules of each of ``games``, with the default in each field that does not change their win table.

    >>> all_rules(SHIPPED)[1] == CLASSIC._replace(win=200, lose=-100)
    True
    """
    return [game_of(CLASSIC._replace(**dict(zip(KEY_FIELDS, key)))) for key in games]


def unsupported_field(rules: Rules, games: Games = SHIPPED) -> tuple[str, str] | None:
    """Return a field for which there is no win table, and a text with its accepted values; None if there is a table.

    The field is the first one in which ``rules`` differs from the most similar supported game.

    >>> unsupported_field(CLASSIC._replace(win=410))
    ('win', '200, 250, 300, 350 or 500, or a table made by build --rules')
    """
    key = key_of(rules)
    if key in games:
        return None
    if rules.variant != PARTNERSHIP:
        return "variant", VARIANTS[PARTNERSHIP]
    differs = min(
        [tuple(a != b for a, b in zip(other, key, strict=True)) for other in games], key=lambda d: (sum(d), d)
    )
    number = differs.index(True)
    field = KEY_FIELDS[number]
    alike = {other[number] for other in games if all(a == b or d for a, b, d in zip(other, key, differs, strict=True))}
    expected = _either(describe(rules._replace(**{field: value}))[field] for value in sorted(alike))
    if field == "lose":
        expected += f" with a goal of {rules.win}"
    try:
        extra_slice(rules, 0)
    except ValueError:
        return field, expected
    return field, f"{expected}, or a table made by build --rules"


def _either(values: Iterable[object]) -> str:
    texts = [json.dumps(value) for value in values]
    return " or ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
