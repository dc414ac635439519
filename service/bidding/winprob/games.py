"""The games that `winprob` knows: which rules have a win table, and where it stands in the arrays of such tables.

Not the tables themselves (`win_table` reads them, `tables.builders.win_tables` and `tables.builders.extra_win_tables`
make them). The games of PLACES, which the net has learnt from, are classic's but for goal, losing goal and bag
penalty. The preset bis-paper's penalty has tables of its own at its own goal only: at the others it reads classic's,
whose penalty is ten points less; to 500 `winprob` beats `bis` by as much so as under classic (docs/strength.md). Games
of other rules stand in an array of their own, `more_win`, and are told by the rows of `games`.
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
GOALS: dict[int, tuple[int, ...]] = {  # goal: losing goals
    200: (NO_LOSING_GOAL, -100, -200),
    250: (NO_LOSING_GOAL, -200),
    300: (NO_LOSING_GOAL, -200),
    350: (NO_LOSING_GOAL, -200),
    500: (NO_LOSING_GOAL, -200),
}
OWN_GOAL = PRESETS["bis-paper"].win
DEPTH_POINTS = (
    150  # points below zero down to which a table without a losing goal reaches; a lower score counts as that
)
BAGS = CLASSIC.bag_limit  # of either side, as a table's last two axes count them
ROW_POINTS = 10  # points to a row of PLACES' tables
MOST_CELLS = 4_000_000  # of one more game's table
IDLE = 1  # in a key: a field whose flag (`only_with`) is off

_BY_COLUMN = sorted(
    (rule for rule in FIELDS.values() if rule.games_column is not None), key=lambda r: r.games_column or 0
)
KEY_FIELDS = tuple(rule.name for rule in _BY_COLUMN)  # the rules that change a win table, by column of `games`
# The same for compiled code: places in `Rules`, and those of their flags, -1 for a field without.
KEY_CELLS = tuple(Rules._fields.index(rule.name) for rule in _BY_COLUMN)
KEY_FLAGS = tuple(Rules._fields.index(rule.only_with) if rule.only_with else -1 for rule in _BY_COLUMN)
_KEY_DEFAULTS = tuple(rule.default for rule in _BY_COLUMN)
_COLUMNS_BY_FLAG = tuple(
    (flag, [column for column, own in enumerate(KEY_FLAGS) if own == flag]) for flag in {*KEY_FLAGS} - {-1}
)
_key_values: Callable[[Rules], tuple[int, ...]] = itemgetter(*KEY_CELLS)


class WinTableSlice(NamedTuple):
    """Where a game's table stands: shape (size, size, bags, bags) from cell ``start`` on, first row ``floor`` units."""

    floor: int
    size: int
    start: int
    bags: int = BAGS  # of either side, as the last two axes count them
    unit: int = ROW_POINTS  # points to a row
    more: int = 0  # 1: in `more_win`


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
    """Classic's rules for a game of PLACES.

    >>> rules_of((200, -100, 110)).bag_penalty
    110
    """
    return CLASSIC._replace(win=key[0], lose=key[1], bag_penalty=key[2])


def key_of(rules: Rules) -> GameKey:
    """Return the values of KEY_FIELDS, which are the same for two rule sets with the same win table.

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
    """Return ``rules`` with the default in each field that changes no win table there."""
    plain = {
        name: rule.default
        for name, rule in FIELDS.items()
        if rule.games_column is None or (rule.only_with and not getattr(rules, rule.only_with))
    }
    return rules._replace(**plain)


SHIPPED: Games = MappingProxyType({key_of(rules_of(key)): win_slice for key, win_slice in SLICES.items()})
SHIPPED_ROWS = tuple((*key, *win_slice) for key, win_slice in SHIPPED.items())  # the same for kernels
GAME_COLUMNS = len(SHIPPED_ROWS[0])  # of `games` too


def whole_rows(rows: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the rows of the file `games`, without empty ones, with a column for each of KEY_FIELDS.

    A file that was made before a field was added has no column for it: its games have the field's default.
    """
    whole = []
    for row in (tuple(int(value) for value in row) for row in rows):
        told = len(row) - len(WinTableSlice._fields)
        if any(row):
            whole.append((*row[:told], *_KEY_DEFAULTS[told:], *row[told:]))
    return whole


def games_of(rows: Iterable[Iterable[int]]) -> Games:
    """The games of PLACES and those in the rows of `games`."""
    told = len(KEY_FIELDS)
    return {**{row[:told]: WinTableSlice(*row[told:]) for row in whole_rows(rows)}, **SHIPPED}


def extra_slice(rules: Rules, start: int) -> WinTableSlice:
    """Where one more game's table would stand, from cell ``start`` of `more_win` on; `ValueError` where none can."""
    limit, penalty = effective_bag_rules(rules)
    unit = gcd(ROW_POINTS, limit - penalty, rules.nil_points)  # contracts are whole tens
    if rules.variant != PARTNERSHIP:
        raise ValueError(f"variant is {VARIANTS[rules.variant]}; expected partnership")
    if limit > BAGS:
        raise ValueError(f"bag_limit is {limit}; expected at most {BAGS}")
    if rules.nil_points == 0:
        raise ValueError("nil_points is 0; expected more")
    if rules.win % unit:
        raise ValueError(f"win is {rules.win}; expected a multiple of {unit}, as all that is won and lost")
    floor = -DEPTH_POINTS // unit if rules.lose == NO_LOSING_GOAL else (rules.lose + 1) // unit
    size = -(-rules.win // unit) - floor
    if size**2 * limit**2 > MOST_CELLS:
        raise ValueError(
            f"found {size} scores of {unit} points to a side and {limit} numbers of bags; expected at most {MOST_CELLS}"
            " pairs of both"
        )
    return WinTableSlice(floor, size, start, limit, unit, 1)


def unsupported_field(rules: Rules, games: Games = SHIPPED) -> tuple[str, str] | None:
    """A field for which there is no win table, and what is expected of it; None where there is one.

    The field is the first that tells ``rules`` from the game that has most in common with them.

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
