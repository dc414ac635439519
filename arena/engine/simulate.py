"""The arguments of the compiled loops: tables in the form that compiled code reads, players and policies.

numba compiles a loop again for every combination of argument types, so all callers make their arguments here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.states import POLICY
from arena.errors import BuildError
from arena.players.names import parse_player
from spades.bis import GRID
from spades.legal import simplified_rules
from spades.options import WINPROB, Policy
from spades.rules import Rules
from spades.scoring import START
from spades.tables import NEUTRAL, PARTNERSHIP_PROFILE, SEQUENCES, Tables, dtypes_of, profile_of
from spades.tableset import tables_by_profile
from spades.winprob import (
    BID_INPUTS,
    GAME_COLUMNS,
    INPUTS,
    KEY_FIELDS,
    OUTCOMES,
    WIN_CELLS,
    WinTableSlice,
    key_of,
    nearest_game,
)


class KernelTables(NamedTuple):
    """The tables in compiled code."""

    rows: Any  # (profiles in use,) of TABLE
    row_of: Any  # int64 (profiles,): the row of each profile
    net_position: Any  # the other fields: as in `Tables`
    net_bid: Any
    net_hidden: Any
    net_out: Any
    win: Any
    extra_win: Any
    games: Any


# The largest shape of each table without a neutral form; those of games with fewer spades fill a part of the cells.
LARGEST = {
    "p_length": (4, 14, 4),
    "cnil": (3, 1 << 16),
    "side_high": (8, 1 << 13),
    "spade_high": (1 << 16, 10),
    "spade_takes": (1 << 16, 10),
    "ruffs": (4, 64, 10),
    "curves": (SEQUENCES, GRID + 1),
    "single_curve": (1, GRID + 1),
}


def _read_as(stored: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float64) if stored.kind == "f" else stored


# The tables of a profile in compiled code, as one record: numba passes a pointer to it.
TABLE = np.dtype(
    [
        (name, _read_as(np.dtype(dtypes_of(name)[0])), LARGEST[name] if name in LARGEST else NEUTRAL[name].shape)
        for name in Tables._fields
        if name not in KernelTables._fields
    ],
    align=True,
)
# Kernels count the last rows of these tables from the end, and the first ones from the start. A table with fewer rows
# is at the end, with its first rows once more before it.
COUNTED_FROM_THE_END = ("cnil", "side_high")


def kernel_tables(arrays: Mapping[str, NDArray[Any]]) -> tuple[Tables, ...]:
    """Return `Tables` by table profile, for compiled code, with all floats in float64.

    numba would multiply two float32 cells in float32, but the service's Python reads every cell as float64. Tables that
    are not in ``arrays`` are neutral: as `NEUTRAL` says, and a nil's probability is its nil value. Raises `TypeError`
    for a table that is not in ``arrays`` and has no neutral form.
    """
    value = np.linspace(0.0, 1.0, GRID + 1)
    neutral = {
        **{name: np.full(cells.shape, cells.value, dtypes_of(name)[0]) for name, cells in NEUTRAL.items()},
        "curves": np.tile(value, (SEQUENCES, 1)),
        "single_curve": value[None, :],
        "net_position": np.zeros((INPUTS + 1, 2)),
        "net_bid": np.zeros((BID_INPUTS, 2)),
        "net_hidden": np.zeros((3, 2)),
        "net_out": np.zeros((3, OUTCOMES)),
        "win": np.full(WIN_CELLS, 1 << 15, np.uint16),
        "extra_win": np.zeros(1, np.uint16),
        "games": np.zeros((1, GAME_COLUMNS), np.int64),
    }
    read = {**neutral, **arrays}
    if missing := [name for name in Tables._fields if name not in read]:
        accepted = "Neutral in its annotation, or a dependency of the family that is built"
        raise TypeError(f"Tables.{missing[0]}: found no array and no neutral one; accepted: {accepted}")
    settings = tables_by_profile(read)
    views = {id(view): view for t in settings for view in t}  # profiles share most of their tables
    copies = {number: np.array(view, _read_as(view.dtype), order="C") for number, view in views.items()}
    return tuple(Tables(*(copies[id(view)] for view in t)) for t in settings)


def tables_for(profiles: tuple[Tables, ...], rules: Rules, policies: Iterable[Policy]) -> KernelTables:
    """Return the tables that these policies read under ``rules``, for compiled loops.

    ``profiles``: from `kernel_tables`. A profile that no policy reads has the tables of another one. Without `winprob`,
    the win tables are empty; with it, `games` has a row for ``rules``, if any win table values them, and one for what
    is left of them with `rules=ignore`.
    """
    used = {profile_of(rules, policy, at) for policy in policies for at in (START, START._replace(them=10**6))}
    plain = profiles[PARTNERSHIP_PROFILE]
    if all(policy.kind != WINPROB for policy in policies):
        plain = plain._replace(win=np.zeros(1, plain.win.dtype), extra_win=np.zeros(1, plain.extra_win.dtype))
    else:
        plain = plain._replace(games=_with_game(_with_game(plain.games, rules), simplified_rules(rules)))
    return packed(profiles, sorted(used), plain)


def packed(profiles: Sequence[Tables], used: Sequence[int], win: Tables) -> KernelTables:
    """Return the tables of the profiles ``used``, and the net and the win tables of ``win``, for compiled loops.

    A profile that is not in ``used`` has the tables of the first one. Raises `BuildError` for a table that is larger
    than `TABLE` allows.
    """
    rows = np.zeros(len(used), TABLE)
    for row, number in zip(rows, used, strict=True):
        for name in TABLE.names or ():
            _write_table(row[name], getattr(profiles[number], name), name)
    row_of = np.zeros(len(profiles), np.int64)
    row_of[list(used)] = np.arange(len(used))
    return KernelTables(rows, row_of, *(getattr(win, name) for name in KernelTables._fields[2:]))


def _write_table(cells: NDArray[Any], table: NDArray[Any], name: str) -> None:
    missing = [most - size for most, size in zip(cells.shape, table.shape, strict=True)]
    if min(missing) < 0:
        raise BuildError(f"table {name} has shape {table.shape}; accepted: at most {cells.shape}")
    first = missing[0] if name in COUNTED_FROM_THE_END else 0
    inner = tuple(map(slice, table.shape[1:]))
    cells[(slice(first, first + len(table)), *inner)] = table
    cells[(slice(first), *inner)] = table[:first]


def with_games(profiles: tuple[Tables, ...], games: Iterable[Rules]) -> tuple[Tables, ...]:
    """Return ``profiles`` with a row in `games` for each of ``games``: the win table that values it."""
    rows = profiles[PARTNERSHIP_PROFILE].games
    for rules in games:
        rows = _with_game(rows, rules)
    return tuple(tables._replace(games=rows) for tables in profiles)


def _with_game(rows: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    # `Tables.games` with a row for the win table that values ``rules``, if they have none of their own.
    first = len(KEY_FIELDS)
    games = {tuple(row[:first]): WinTableSlice(*row[first:]) for row in rows.tolist() if any(row)}
    nearest = nearest_game(rules, games)
    if nearest is None or key_of(rules) in games:
        return rows
    return np.array([*rows.tolist(), [*key_of(rules), *nearest.win_slice]], np.int64)


def policy_rows(policies: Iterable[Policy]) -> NDArray[np.void]:
    """Return policies as rows (n,) of `POLICY`, which `states.policy_of` reads."""
    return np.array([tuple(policy) for policy in policies], POLICY)


def numba_typed(policy: Policy) -> Policy:
    """Return the policy with its fields' declared types, which decide what numba compiles."""
    casts: list[Any] = [type(default) for default in Policy()]
    return Policy(*(cast(value) for cast, value in zip(casts, policy, strict=True)))


def policies_by_chair(a: Policy, b: Policy) -> tuple[Policy, Policy, Policy, Policy]:
    """Return the policies by chair (a0, b0, a1, b1) for side a against side b."""
    return a, b, a, b


def player_rows(a: str, b: str) -> NDArray[np.int64]:
    """Return the card players by chair (a0, b0, a1, b1), int64 (4, 2): id and pieces, for side a against side b.

    Raises `AgentError` for an unknown player.
    """
    return np.array([parse_player(a), parse_player(b)] * 2, np.int64)
