"""The games that have a win table, and the search for the table that values any other game best.

Without a losing goal, a game depends only on the points that each side still needs. With a losing goal, it also depends
on its width: the points between the two goals. So games with the same width and the same other rules share a table
(`nearest_game`). A game without a table uses the nearest one. The coming round is scored by the game's own rules. Only
the value of the score after that round comes from the other table.

`outcomes` reads the tables. `tables.win` makes those of SHIPPED_SLICES (array `win`), on which the net is trained, and
the others (array `extra_win`); the table `games` lists their games.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import gcd
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from spades.cards import EXTRA_SPADES, JOKERS_DECK, STANDARD
from spades.legal import deck_number
from spades.rules import (
    CLASSIC,
    FIELDS,
    JOKERS,
    NO_LOSING_GOAL,
    PARTNERSHIP,
    PRESETS,
    SUICIDE,
    VARIANTS,
    WHIZ,
    Rules,
)
from spades.scoring import bags_matter, effective_bag_rules

NIL_200 = CLASSIC._replace(nil_points=200)  # common, but no preset
# The variants in which bids are chosen by win probability. Cutthroat has four scores; mirror and strict whiz leave no
# choice.
WON_VARIANTS = (PARTNERSHIP, WHIZ, SUICIDE, JOKERS)
LONGEST_GOAL = 1000  # goal of the tables without a losing goal, which serve all lower goals too
LONG = ("whiz", "suicide", "jokers", "jjdd", "pass-2", "pass-4")  # presets besides classic that have such a table
# The presets whose games the array `win` values, in the order of their tables. All other presets use the nearest table,
# as any other rules do. A name that is added or removed here moves tables, so that all of `win` must be made again.
# fmt: off
SHIPPED_PRESETS = (
    "classic", "bis-paper", "short", "quick", "single-nil", "blind-nil", "no-bags", "five-bags", "nil-50", "board-4",
    "ten-for-200", "whiz", "suicide", "jokers", "jokers-deuce", "jjdd", "pass-2", "pass-4",
)
# fmt: on
# Points between the goals of the tables with a losing goal. Other rules have one such table, of 300 points.
GOAL_WIDTHS = (150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 1000)
LOSING_GOAL = -100  # losing goal of these games; the goal follows from the width
DEPTH_POINTS = 150  # points below zero that a table without a losing goal covers; a lower score counts as this one
BAGS = CLASSIC.bag_limit  # largest size of a table's last two axes, the bags of each side
ROW_POINTS = 10  # most points that one row covers
MOST_CELLS = 4_000_000  # most cells of a game's table
ERRORS_FILE = Path(__file__).with_name("nearest_errors.json")  # see `nearest_errors`
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
    bag_shift: int = 0  # bags to add before looking up, so that as many are missing until the penalty


class Nearest(NamedTuple):
    """The win table that values a game."""

    win_slice: WinTableSlice  # with the rows of the game's own scores
    # The rules in which the table's own game differs, and their values in it; () if the table is exact.
    instead: tuple[tuple[str, int], ...]


# How much a difference by one in a rule matters to the value of a score, for the choice of the nearest table. A point
# too many between the goals costs 1.
_COSTS = {"nil_points": 20, "bag_limit": 1_000, "bag_penalty": 30, "bags": 1_000_000, "team_max": 100}
_COST = 500  # of a rule that is not listed
_TOO_NARROW = 5_000  # cost of a table whose losing goal is reached before the game's own
_NO_LOSING_GOAL = 1_000  # cost of a table without a losing goal for a game with one
_LOSING_GOAL = 10_000_000  # cost of a table with a losing goal for a game without one
_TOO_SHORT = 100  # cost of each point that a table has too few: it takes all scores below its first row for equal
_MOST_KNOWN = 1024  # rule sets whose nearest table is remembered

GameKey = tuple[int, ...]  # the values of KEY_FIELDS


class Games(dict[GameKey, WinTableSlice]):
    """The games that have a win table, and the slice of each in its array."""

    def __init__(self, win_slices: Mapping[GameKey, WinTableSlice]) -> None:
        super().__init__(win_slices)
        self._known: dict[Rules, Nearest | None] = {}

    def nearest(self, rules: Rules) -> Nearest | None:
        """Return the win table that values ``rules`` best; None in a variant without win tables."""
        if rules not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[rules] = nearest_game(rules, self)
        return self._known[rules]


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
    """Return ``rules`` with the default in each field that does not change their win table.

    Decks with the same number of spades have the same game. If bags decide nothing, the game has no bags; it keeps its
    `bag_points`.
    """
    plain = {
        name: rule.default
        for name, rule in FIELDS.items()
        if rule.games_column is None or (rule.only_with and not getattr(rules, rule.only_with))
    }
    if rules.bags and not bags_matter(rules):
        plain |= {name: FIELDS[name].default for name in ("bag_limit", "bag_penalty")} | {"bags": 0}
    deck = EXTRA_SPADES.index(EXTRA_SPADES[deck_number(rules)])
    return rules._replace(**plain, deck=STANDARD if deck == JOKERS_DECK else deck)


def complete_rows(rows: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Return the rows of the table `games` that are not empty, with one column for each of KEY_FIELDS, and the shift.

    The file has no column for a table's `bag_shift`, which is 0 for its own game, and none for rules that were added
    after it was made; its games get the default of these.
    """
    complete = []
    for row in (tuple(int(value) for value in row) for row in rows):
        key_columns = len(row) - SLICE_COLUMNS
        if any(row):
            win_slice = WinTableSlice(*row[key_columns:])
            complete.append((*row[:key_columns], *_KEY_DEFAULTS[key_columns:], *win_slice))
    return complete


def games_of(rows: Iterable[Iterable[int]]) -> Games:
    """Return the games in ``rows`` of the table `games`, and those of SHIPPED.

    The order is that of `Tables.games`: of two tables that value a game equally well, both use the first.
    """
    first = len(KEY_FIELDS)
    return Games({**{row[:first]: WinTableSlice(*row[first:]) for row in complete_rows(rows)}, **SHIPPED})


def win_slice_of(rules: Rules, start: int, extra: int = 1) -> WinTableSlice:
    """Return where a game's win table is, from cell ``start`` of `extra_win`, or of `win` if ``extra`` is 0.

    Raises `ValueError` if the rules cannot have a win table.
    """
    limit, penalty = effective_bag_rules(rules)
    # Contracts are multiples of ten.
    unit = gcd(ROW_POINTS, limit - penalty, rules.nil_points, rules.slam_points, max(rules.double_nil_points, 0))
    if rules.variant not in WON_VARIANTS:
        accepted = ", ".join(VARIANTS[variant] for variant in WON_VARIANTS)
        raise ValueError(f"variant is {VARIANTS[rules.variant]}; accepted: {accepted}")
    if rules.bag_points != 1:
        raise ValueError(f"bag_points is {rules.bag_points}; accepted: 1")
    if limit > BAGS:
        raise ValueError(f"bag_limit is {limit}; accepted: at most {BAGS}")
    if rules.nil_points == 0:
        raise ValueError("nil_points is 0; accepted: 1 or more")
    if rules.win % unit:
        raise ValueError(f"win is {rules.win}; accepted: multiples of {unit}")
    floor = -DEPTH_POINTS // unit if rules.lose == NO_LOSING_GOAL else (rules.lose + 1) // unit
    size = -(-rules.win // unit) - floor
    win_slice = WinTableSlice(floor, size, start, limit, unit, extra)
    if cells_of(win_slice) > MOST_CELLS:
        raise ValueError(
            f"the win table has {cells_of(win_slice)} cells ({size} scores and {limit} bag counts of each side);"
            f" accepted: at most {MOST_CELLS}"
        )
    return win_slice


def cells_of(win_slice: WinTableSlice) -> int:
    """Return the number of cells of a win table."""
    return win_slice.size**2 * win_slice.bags**2


def win_slices_of(games: Iterable[Rules], extra: int) -> dict[Rules, WinTableSlice]:
    """Return where the win tables of ``games`` are, one after the other."""
    win_slices: dict[Rules, WinTableSlice] = {}
    start = 0
    for rules in games:
        win_slices[rules] = win_slice_of(rules, start, extra)
        start += cells_of(win_slices[rules])
    return win_slices


def all_rules(games: Iterable[GameKey]) -> list[Rules]:
    """Return the rules of each of ``games``, with the default in each field that does not change their win table.

    >>> all_rules(SHIPPED)[0] == CLASSIC._replace(win=LONGEST_GOAL)
    True
    """
    return [game_of(CLASSIC._replace(**dict(zip(KEY_FIELDS, key)))) for key in games]


def nearest_game(rules: Rules, games: Mapping[GameKey, WinTableSlice]) -> Nearest | None:
    """Return the win table of ``games`` that values ``rules`` best; None in a variant without win tables.

    >>> nearest_game(CLASSIC._replace(win=400), SHIPPED).instead
    ()
    >>> nearest_game(CLASSIC._replace(win=400, lose=-100, bag_limit=7), SHIPPED).instead
    (('bag_limit', 10),)
    >>> nearest_game(CLASSIC._replace(win=510, lose=-100), SHIPPED).instead
    (('lose', -190),)
    """
    own = game_of(rules)
    # Of two tables that are exact, the rules' own one comes first.
    costs = [
        ((_cost(own, other), other != own), other, win_slice)
        for other, win_slice in zip(all_rules(games), games.values(), strict=True)
        if other.variant == rules.variant
    ]
    if not costs:
        return None
    _, other, win_slice = min(costs, key=itemgetter(0))
    floor = -(-rules.win // win_slice.unit) - win_slice.size
    win_slice = win_slice._replace(floor=floor, bag_shift=win_slice.bags - rules.bag_limit if rules.bags else 0)
    return Nearest(win_slice, tuple(_instead(own, other, win_slice.unit)))


def _cost(rules: Rules, table: Rules) -> int:
    # How badly the win table of the rules `table` values `rules`, 0 for a table of its own. Both are from `game_of`.
    cost = 0
    for name, own, other in zip(KEY_FIELDS, _compared(rules), _compared(table), strict=True):
        if own != other and name not in ("win", "lose"):
            cost += _COSTS.get(name, _COST) * abs(own - other)
    wider = _wider(rules, table)
    short = -_TOO_SHORT * wider if wider < 0 else 0
    if rules.lose == table.lose == NO_LOSING_GOAL:
        return cost + short + (1 if wider > 0 else 0)
    if table.lose == NO_LOSING_GOAL:
        return cost + short + _NO_LOSING_GOAL
    if rules.lose == NO_LOSING_GOAL:
        return cost + _LOSING_GOAL
    return cost + (_TOO_NARROW + short if wider < 0 else wider)


def _compared(rules: Rules) -> tuple[int, ...]:
    """Return the values of KEY_FIELDS; a bag of a game without bags is worth 0 points."""
    plain = not rules.bags and rules.bag_points == FIELDS["bag_points"].default
    return _key_values(rules._replace(bag_points=0) if plain else rules)


def _wider(rules: Rules, table: Rules) -> int:
    # Points by which the table's game is wider: between its goals or, if there is no losing goal, up to its goal.
    if NO_LOSING_GOAL in (rules.lose, table.lose):
        return table.win - rules.win
    return (table.win - table.lose) - (rules.win - rules.lose)


def _instead(rules: Rules, table: Rules, unit: int) -> Iterable[tuple[str, int]]:
    goal = -(-rules.win // unit) * unit  # where the table's last row ends
    without = table.lose == NO_LOSING_GOAL
    for name, own, other in zip(KEY_FIELDS, _compared(rules), _compared(table), strict=True):
        value = other
        if name == "win":
            value = min(goal, other) if without else goal
        elif name == "lose" and not without:
            value = goal - (table.win - table.lose)
        if own != value:
            yield name, value


@cache
def nearest_errors() -> Mapping[str, float]:
    """Return, by rule, how wrong a win probability is if it comes from the table of a game with another value of it.

    It is the mean error in percentage points; if several values of the rule were measured, the largest of their means.
    `python -m report --measure nearest-tables` writes the file. docs/strength.md has the same figures, and more.
    """
    errors: dict[str, float] = json.loads(ERRORS_FILE.read_text(encoding="utf-8"))
    return errors


def _shipped_games() -> list[Rules]:
    """Return the games with a win table, without those that the table of a game before them values exactly."""
    wanted = [PRESETS[preset]._replace(win=LONGEST_GOAL) for preset in ("classic", "no-bags")]
    wanted += [_with_width(PRESETS[preset], width) for preset in ("classic", "no-bags") for width in GOAL_WIDTHS]
    wanted += [NIL_200._replace(win=LONGEST_GOAL), _with_width(NIL_200, 300)]
    wanted += [PRESETS[name]._replace(win=LONGEST_GOAL, lose=NO_LOSING_GOAL) for name in LONG]
    wanted += [PRESETS[name] for name in SHIPPED_PRESETS]
    wanted += [_with_width(PRESETS[name], 300) for name in SHIPPED_PRESETS if name not in ("board-4", "ten-for-200")]
    win_slices: dict[GameKey, WinTableSlice] = {}
    games = []
    for rules in map(game_of, wanted):
        nearest = nearest_game(rules, win_slices)
        if nearest is None or nearest.instead:
            win_slices[key_of(rules)] = win_slice_of(rules, 0)
            games.append(rules)
    return games


def _with_width(rules: Rules, width: int) -> Rules:
    return rules._replace(win=width + LOSING_GOAL, lose=LOSING_GOAL)


SHIPPED_SLICES = win_slices_of(_shipped_games(), extra=0)  # in the array `win`
WIN_CELLS = sum(map(cells_of, SHIPPED_SLICES.values()))
SHIPPED = Games({key_of(rules): win_slice for rules, win_slice in SHIPPED_SLICES.items()})
SHIPPED_ROWS = tuple((*key, *win_slice) for key, win_slice in SHIPPED.items())  # the same as rows, for kernels
GAME_COLUMNS = len(SHIPPED_ROWS[0])  # number of columns
SLICE_COLUMNS = WinTableSlice._fields.index("bag_shift")  # columns of the table `games` that say where a win table is
