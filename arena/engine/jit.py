"""Compilation with numba; no other module hands functions to numba.

Kernels are plain functions, most of them the service's own rules in `spades`. So that compiled code can call them, they
are registered here: those of `spades` below, those of a module of the arena by a call of `register` at its end.
`entry` compiles the functions that Python calls: loops over rounds, and counters.

The machine code of an entry contains that of all kernels that it calls. It is kept in a folder whose name is a hash of
the entry's module and of all that this imports. So an edit compiles again only the entries that use the edited file.
"""

import os
import sys
import types as pytypes
from collections.abc import Callable, Collection
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import AttributeTemplate, bound_function, infer_getattr, infer_global
from numba.extending import intrinsic, models, overload, overload_method, register_model

from arena.engine.states import STATE, new_states, policy_of, scratch
from arena.source_files import files_hash
from spades import baselines, cards, legal, levels, passing, position, random_numbers, scoring, tables
from spades.bis import blind_nil, conventions, cutthroat, estimates, partnership
from spades.options import Policy
from spades.play import mistakes, net_inputs, rule_values, solo, tricks, wrp
from spades.play.srp import follow, goals, leads, nils, player
from spades.rules import Rules
from spades.winprob import blind_numbers, candidates, features, outcomes

F = TypeVar("F", bound=Callable[..., Any])
RULES = (
    *(baselines, cards, legal, levels, passing, position, random_numbers, scoring, tables),
    *(blind_nil, conventions, cutthroat, estimates, partnership),
    *(solo, tricks, wrp, follow, goals, leads, nils, player, mistakes, net_inputs),
    *(blind_numbers, candidates, features, outcomes),
)
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


@overload(scratch)
def _scratch(n):  # type: ignore[no-untyped-def]
    return lambda n: np.zeros(n, np.int64)


@overload(rule_values)
def _rule_values(cells):  # type: ignore[no-untyped-def]
    # Written out, because numba's `to_fixed_tuple` copies the whole tuple for each value.
    return eval(f"lambda cells: ({', '.join(f'cells[{i}]' for i in range(len(Rules._fields)))})")


@overload(new_states)
def _new_states(count):  # type: ignore[no-untyped-def]
    return lambda count: np.zeros(count, _STATE)


@overload(policy_of)
def _policy_of(row):  # type: ignore[no-untyped-def]
    # Written out, because numba can't make a named tuple from a row by itself.
    return eval(f"lambda row: Policy({', '.join(f'row.{name}' for name in Policy._fields)})", {"Policy": Policy})


@infer_getattr
class _NamedTupleReplace(AttributeTemplate):  # type: ignore[misc]
    """The type of ``record._replace(field=value, ...)`` for named tuples, which numba does not know: that of record."""

    key = types.BaseNamedTuple

    @bound_function("namedtuple._replace")  # type: ignore[untyped-decorator]
    def resolve__replace(self, record: Any, args: Any, kws: Any) -> Any:
        if args or not kws.keys() <= {*record.fields}:
            return None
        given = [types.unliteral(kws[name]) if name in kws else types.none for name in record.fields]
        fields = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in record.fields]
        return signature(record, *given).replace(pysig=Signature(fields))


@lower_builtin("namedtuple._replace", types.BaseNamedTuple, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
def _replace_fields(context: Any, builder: Any, call: Any, args: Any) -> Any:
    """Write the new values, cast to the types of the fields, over those of the record; None keeps a field."""
    record, *given = call.args
    values = cgutils.unpack_tuple(builder, args[0])
    for i, (kind, value) in enumerate(zip(given, args[1:])):
        if kind is not types.none:
            values[i] = context.cast(builder, value, kind, record[i])
    return context.make_tuple(builder, record, values)


class _Kernel(types.Dispatcher):  # type: ignore[misc]
    """The type of a registered function. A constant argument gets no code of its own: only its type counts."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_type(context, tuple(map(types.unliteral, args)), named)


register_model(_Kernel)(models.OpaqueModel)
# By registered function, what compiles it; here, because numba's types hold weak references. `register_jitable` would
# compile a function once for entries that call it, and once more for other functions.
KERNELS: dict[Callable[..., Any], Any] = {}


def register(name: str, arrays: Collection[Callable[..., Any]] = ()) -> None:
    """Let compiled code call the functions that the module ``name`` has so far.

    ``arrays``: those that make arrays, return them, or get them from another kernel. All others are compiled without
    numba's counting of references to arrays, which takes a fifth of the time of a game of `winprob`. Without counting,
    a function that makes an array does not compile. An array that it gets from another kernel would never be freed.
    """
    for function in list(vars(sys.modules[name]).values()):
        if isinstance(function, pytypes.FunctionType) and function.__module__ == name and function not in KERNELS:
            _register_function(function, function in arrays)


def _register_function(function: Callable[..., Any], arrays: bool) -> None:
    # `_nrt` is the name of the option in numba 0.68.
    KERNELS[function] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=arrays)(function)
    infer_global(function, _Kernel(KERNELS[function]))


def machine_code() -> Path:
    """Return the folder of all machine code, in the user's folder of caches."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "spades-tables"


def code_folder(module: str) -> Path:
    """Return the folder of the machine code of the entries of ``module``.

    Folders of earlier code stay; you may remove them all. The kernels that an entry calls are those that its module
    imports, so what this module imports does not count.
    """
    versions = f"numba{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}"
    return machine_code() / f"{files_hash(module, ends=(__name__,))[:16]}-{versions}"


def entry(function: F, dispatcher: Any = None) -> F:
    """Compile a function that Python calls, without the GIL, and keep its machine code in `code_folder`.

    ``dispatcher``: what compiles it, for tests that call single kernels.
    """
    numba.config.CACHE_DIR = str(code_folder(function.__module__))  # numba reads it in the next line
    if dispatcher is None:
        dispatcher = numba.njit(nogil=True, cache=True, no_cfunc_wrapper=True)(function)
    else:
        dispatcher.enable_caching()

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return dispatcher(*arguments)

    return cast(F, run)


for _module in RULES:
    register(_module.__name__, arrays=(outcomes.win_array,))
