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

from arena.engine.deal import deal_round
from arena.engine.jit import KERNEL_DISPATCHERS, entry
from arena.engine.states import STATE, plain_state
from arena.players.choose_card import IDS, choose_card
from spades.cards import DECK, cards_of
from spades.play.srp.goals import ALL_PIECES
from spades.play.state import PlayState
from spades.play.tricks import play_card
from tests.arena.engine import states
from tests.conftest import Worlds, view

ROUNDS = 2000
FROZEN_SEED = 20260101


class Table(str):
    """A placeholder in a case's arguments for a field of `Tables`.

    "" is all fields; "*" is the tables of all profiles.
    """


@cache
def kernel(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


@cache
def compiled(name: str) -> Callable[..., Any]:
    """Return the compiled form of a kernel, which this process compiles once for all its callers, if possible."""
    return entry(kernel(name), _callable_kernels().get(kernel(name)))


@cache
def _callable_kernels() -> dict[Callable[..., Any], Any]:
    """Let Python call the registered functions that nothing has compiled so far, and return these by function.

    Functions without a file are left out, because numba cannot cache them.
    """
    found = {
        function: dispatcher
        for function, dispatcher in KERNEL_DISPATCHERS.items()
        if not dispatcher.overloads and Path(function.__code__.co_filename).is_file()
    }
    for dispatcher in found.values():
        dispatcher.targetoptions.update(no_cpython_wrapper=False, nogil=True)
        dispatcher.enable_caching()
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
        tables = worlds.arrays if arrays else worlds.plain
        return getattr(tables, arg) if arg else tables
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


def record_rounds(table: Any, seed: int, first: int, bids: Any, players: Any, pieces: int, cards: Any) -> None:
    """Play rounds from ``first`` on, with given ``bids`` (n, 4) and ``players`` (4,).

    Write the cards to ``cards`` (n, 52), in order of play.
    """
    s = table[0]
    s.deck = DECK
    for n in range(len(bids)):
        deal_round(s, seed, first + n, 0)
        for seat in range(4):
            s.bid[seat] = bids[n, seat]
            s.player[seat] = players[seat]
            s.pieces[seat] = pieces
        for i in range(52):
            seat = (s.leader + s.trick_size) & 3
            card = choose_card(s, seat)
            cards[n, i] = card
            play_card(s, seat, card)


_compiled_record_rounds = entry(record_rounds)


def compiled_rounds(first: int, n: int, bids: np.ndarray, *players: str, pieces: int = ALL_PIECES) -> np.ndarray:
    """Return the cards of rounds from ``first`` on, in order of play: uint8 (n, 52).

    There is one player for all seats, or one for each seat.
    """
    cards = np.zeros((n, 52), np.uint8)
    ids = np.array([IDS[player] for player in (players * 4)[:4]], np.int64)
    _compiled_record_rounds(np.zeros(1, STATE), FROZEN_SEED, first, bids[first : first + n], ids, pieces, cards)
    return cards


def plain_rounds(first: int, n: int, bids: np.ndarray, *players: str, pieces: int = ALL_PIECES) -> np.ndarray:
    """Return the cards of the same rounds, played in plain Python."""
    cards = np.zeros((n, 52), np.uint8)
    for number in range(first, first + n):
        s = states.dealt(FROZEN_SEED, number, bids[number].tolist(), (players * 4)[:4], (pieces,) * 4)
        for i in range(52):
            seat = states.to_play(s)
            cards[number - first, i] = choose_card(s, seat)
            play_card(s, seat, int(cards[number - first, i]))
    return cards


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
