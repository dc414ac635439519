"""Both forms of a kernel: its arguments as plain Python has them, and as compiled code takes them.

A `Case` names tables by field. In plain Python, states are `PlayState`, and scratch and sums are memoryviews. `both`
calls the kernel in each form and returns the results with all arrays that it wrote, for an exact comparison. Tables are
large and never written, so `same_tables` compares them once after many calls.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from arena.engine.jit import KERNELS, entry
from arena.engine.rounds import Batch
from arena.engine.states import STATE, plain_state
from arena.players.choose_card import IDS
from spades.cards import cards_of
from spades.play.srp.goals import ALL_PIECES
from spades.play.state import PlayState
from spades.rules import make_rules
from spades.tables import PARTNERSHIP_PROFILE
from tests.arena.engine import states
from tests.conftest import Worlds, view

ROUNDS = 2000
FROZEN_SEED = 20260101


class Table(str):
    """A placeholder in a case's arguments for a field of `Tables`.

    "" is all fields, those of one profile; "*" is the `KernelTables` of all profiles.
    """


@cache
def kernel(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


@cache
def compiled(name: str) -> Callable[..., Any]:
    """Return the compiled form of a kernel, which this process compiles once for all its callers, if possible."""
    return _callable_kernels().get(kernel(name)) or entry(kernel(name))


@cache
def _callable_kernels() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Let Python call the registered functions that nothing has compiled so far, and return what calls them.

    Functions without a file are left out, because numba cannot cache them.
    """
    found = {}
    for function, dispatcher in KERNELS.items():
        if not dispatcher.overloads and Path(function.__code__.co_filename).is_file():
            dispatcher.targetoptions.update(no_cpython_wrapper=False, nogil=True)
            found[function] = entry(function, dispatcher)
    return found


def both(name: str, args: tuple, worlds: Worlds) -> tuple[tuple, tuple]:
    """Return (result, written arrays) of plain Python, and the same of compiled code."""
    plain_args = [_argument(arg, worlds, False) for arg in args]
    compiled_args = [_argument(arg, worlds, True) for arg in args]
    plain_result = _as_word(kernel(name)(*plain_args))
    compiled_result = compiled(name)(*compiled_args)
    if isinstance(compiled_result, np.void):
        compiled_result = plain_state(compiled_result)
    plain, fast = (
        [None if isinstance(arg, Table) else _written(made) for arg, made in zip(args, arguments, strict=True)]
        for arguments in (plain_args, compiled_args)
    )
    return (plain_result, plain), (compiled_result, fast)


def _as_word(value: Any) -> Any:
    """Return a set of cards as compiled code has it: a signed word, in which the highest trump is the sign."""
    return value - (1 << 64) if type(value) is int and value >> 63 == 1 else value


def same_tables(args: tuple, worlds: Worlds) -> bool:
    """Return whether the tables among a case's arguments are equal in both forms, so that no kernel wrote to one."""
    names = {str(arg) for arg in args if isinstance(arg, Table)} & set(worlds.plain._fields)
    return all(np.array_equal(getattr(worlds.plain, name), getattr(worlds.arrays, name)) for name in names)


def _written(arg: Any) -> Any:
    """Return an argument that a kernel may have written to; None for other arguments."""
    if isinstance(arg, PlayState):
        return arg
    if isinstance(arg, np.void):
        return plain_state(arg)
    if isinstance(arg, memoryview | np.ndarray):
        return [plain_state(row) for row in arg] if getattr(arg, "dtype", None) == STATE else arg.tolist()
    if isinstance(arg, list):
        return arg
    return None


def _argument(arg: Any, worlds: Worlds, arrays: bool) -> Any:
    if isinstance(arg, Table):
        if arg == "*":
            return worlds.array_settings if arrays else worlds.plain_settings
        if not arg:
            return worlds.array_settings.rows[PARTNERSHIP_PROFILE] if arrays else worlds.plain
        return getattr(worlds.arrays if arrays else worlds.plain, arg)
    if isinstance(arg, memoryview):
        copy = np.array(arg)
        return copy if arrays else view(copy)
    if isinstance(arg, PlayState):
        return _records([arg])[0] if arrays else deepcopy(arg)
    if isinstance(arg, list):  # a list of states
        return _records(arg) if arrays else deepcopy(arg)
    if isinstance(arg, tuple) and any(isinstance(part, memoryview) for part in arg):
        return type(arg)(*(_argument(part, worlds, arrays) for part in arg))
    return arg


def _records(states: list[PlayState]) -> np.ndarray:
    """Return the same states as compiled code takes them: an array of `STATE`."""
    return np.array([tuple(asdict(state).values()) for state in states], STATE)


# ---- whole rounds, card by card -----------------------------------------------------------------------------------


def compiled_rounds(first: int, n: int, bids: np.ndarray, *players: str, pieces: int = ALL_PIECES) -> np.ndarray:
    """Return the cards of rounds from ``first`` on, in order of play: uint8 (n, 52).

    ``bids`` (ROUNDS, 4); there is one player for all seats, or one for each seat.
    """
    batch = Batch(make_rules(), np.arange(first, first + n))
    batch.deal(FROZEN_SEED, np.array([(IDS[player], pieces) for player in (players * 4)[:4]]))
    batch.states["rules"] = 0  # as in the plain states: the players know no goals
    batch.write_bids(bids[first : first + n])
    batch.play()
    plays: np.ndarray = batch.rounds["plays"]
    return plays


@cache
def frozen_bids() -> np.ndarray:
    """Return int64 (ROUNDS, 4): bids for the deals of FROZEN_SEED that depend on no fitted table and no bidder.

    Aces, kings and queens count 1, 0.75 and 0.25, and each spade beyond the third counts 1. Hands without an ace or
    king and with at most three spades bid nil. So does, in every third round, a hand with few high cards.
    """
    bids = np.zeros((ROUNDS, 4), np.int64)
    for number in range(ROUNDS):
        s = states.dealt(FROZEN_SEED, number)
        for seat in range(4):
            ranks = [card & 15 for card in cards_of(s.hand[seat])]
            spades = (s.hand[seat] >> 48).bit_count()
            quarters = 4 * ranks.count(12) + 3 * ranks.count(11) + ranks.count(10) + 4 * max(0, spades - 3)
            low = 12 not in ranks and spades <= 3 and (11 not in ranks or (number % 3 == 0 and quarters < 6))
            bids[number, seat] = 0 if low else max(1, quarters // 4)
    return bids
