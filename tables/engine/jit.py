"""Compilation with numba; no other module hands kernels to numba.

Kernels are undecorated functions. This module registers every function of the kernel modules, so that compiled code can
call them, and `entry` compiles the outermost loops of the simulators. Two measures make caching safe. First, the name
of the cache folder contains a hash of all kernel sources, because numba alone would keep running an outdated callee.
Second, only entries and the card player are cached.

numba copies all that an entry calls into the entry and optimises it anew. The card players are most of it, so they are
compiled once and called through the linker.
"""

import hashlib
import operator
import os
import sys
import types as pytypes
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, overload_method, register_jitable
from numba.np.unsafe.ndarray import to_fixed_tuple

from service.bidding.game.rules import Rules
from service.bidding.record import record
from service.playing.state import rule_values
from tables.engine.compiled_modules import KERNELS, SOURCES
from tables.engine.deal import Deals
from tables.engine.scratch import put, scratch
from tables.engine.states import STATE, copy_state, new_states
from tables.players.choose_card import choose_card

F = TypeVar("F", bound=Callable[..., Any])
_CHOOSE_CARD = "spades_choose_card"  # name of the compiled function for the linker
_STATE = numba.from_dtype(STATE)


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _leading_zeros(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], cgutils.false_bit)

    return types.int64(types.int64), codegen


@overload_method(types.Integer, "bit_count")
def _bit_count(value):  # type: ignore[no-untyped-def]  # numba requires the same signature
    return lambda value: _popcount(types.int64(value))


@overload_method(types.Integer, "bit_length")
def _bit_length(value):  # type: ignore[no-untyped-def]
    return lambda value: 64 - _leading_zeros(types.int64(value))


@intrinsic  # type: ignore[untyped-decorator]
def _put_all(typingctx: Any, numbers: Any, first: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cell = types.void(x, types.intp, numbers.dtype)
        store = context.get_function(operator.setitem, cell)
        for i in range(numbers.count):
            at = builder.add(args[1], context.get_constant(types.intp, i))
            store(builder, (args[2], at, builder.extract_value(args[0], i)))
        return context.get_dummy_value()

    return types.void(numbers, types.intp, x), codegen


@overload(put)
def _put(numbers, first, x):  # type: ignore[no-untyped-def]
    return lambda numbers, first, x: _put_all(numbers, first, x)


@overload(scratch)
def _scratch(n):  # type: ignore[no-untyped-def]
    return lambda n: np.zeros(n, np.int64)


@overload(rule_values)
def _rule_values(cells):  # type: ignore[no-untyped-def]
    count = len(Rules._fields)
    return lambda cells: to_fixed_tuple(cells, count)


@overload(new_states)
def _new_states(count):  # type: ignore[no-untyped-def]
    return lambda count: np.zeros(count, _STATE)


@intrinsic  # type: ignore[untyped-decorator]
def _copy_record(typingctx: Any, source: Any, target: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, args[1], args[0], cgutils.intp_t(STATE.itemsize), 1)
        return context.get_dummy_value()

    return types.void(source, target), codegen


@overload(copy_state)
def _copy_state(source, target):  # type: ignore[no-untyped-def]
    return lambda source, target: _copy_record(source, target)


@overload(record)
def _record(cls, values):  # type: ignore[no-untyped-def]
    return lambda cls, values: cls(*values)


def _register() -> None:
    for name in KERNELS:
        module = import_module(name)
        for function in vars(module).values():
            own = isinstance(function, pytypes.FunctionType) and function.__module__ == name
            if own and function is not choose_card:
                register_jitable(no_cfunc_wrapper=True)(function)


@cache
def _load_card_player() -> Any:
    """Compile `choose_card` by itself, or read it from the cache, and make its machine code callable by name.

    It is returned so that it lives as long as the process.
    """
    chosen = types.int64(_STATE, types.int64)
    compiled = numba.njit(chosen, nogil=True, cache=True)(choose_card)
    made = compiled.overloads[chosen.args]
    llvm.add_symbol(_CHOOSE_CARD, made.library.get_pointer_to_function(made.fndesc.llvm_func_name))
    return compiled


@intrinsic  # type: ignore[untyped-decorator]
def _call_card_player(typingctx: Any, state: Any, seat: Any) -> Any:
    chosen = types.int64(_STATE, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        of_function = convention.get_function_type(chosen.return_type, chosen.args)
        function = cgutils.get_or_insert_function(builder.module, of_function, _CHOOSE_CARD)
        status, card = convention.call_function(builder, function, chosen.return_type, chosen.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return card

    return chosen, codegen


@overload(choose_card)
def _choose_card(state, seat):  # type: ignore[no-untyped-def]
    return lambda state, seat: _call_card_player(state, seat)


def source_hash() -> str:
    """Return the SHA-256 of the sources of all kernels and of the modules whose constants they use."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parents[2]
    for name in SOURCES:
        digest.update((root / (name.replace(".", "/") + ".py")).read_bytes())
    return digest.hexdigest()


def _cache_dir() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    tag = f"{source_hash()[:16]}-numba{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}"
    return root / "spades-tables" / tag


def entry(function: F) -> F:
    """Compile the outermost loop of a simulator: without the GIL, with the machine code cached by kernel sources."""
    compiled = numba.njit(nogil=True, cache=True)(function)

    @wraps(function)
    def run(*arguments: Any) -> Any:
        _load_card_player()
        return compiled(*arguments)

    return cast(F, run)


def round_loop(function: Callable[..., None], states: int = 1) -> Callable[..., None]:
    """Compile a loop over deals.

    ``function`` takes (states, deals, ...); the result takes (seed, first, last, ...). ``states``: number of play
    states that the loop uses. They are created for each call, so threads share none.
    """
    compiled = entry(function)

    def run(seed: int, first: int, last: int, *arguments: Any) -> None:
        compiled(np.zeros(states, STATE), Deals(seed, first, last), *arguments)

    return run


numba.config.CACHE_DIR = str(_cache_dir())
_register()
