"""Compilation with numba; no other module hands kernels to numba.

Kernels are undecorated functions. So that compiled code can call them, this module registers every function of the
kernel modules except the linked ones. `entry` compiles the outermost loops of the simulators. numba's cache does not
notice a changed callee. So the cache folder's name contains a hash of all kernel sources. Only entries and linked
functions are cached, because their machine code contains that of the registered functions that they call.

numba copies all registered functions that an entry calls into the entry, and optimises them anew. Most of that code is
card players and bidders. To save compile time, the functions in LINKED are *linked*: each is compiled once for the
types of its arguments, and called through the linker. An entry that comes from the cache holds only the names of linked
functions. So the cache also records the argument types of linked functions. A process compiles or loads these functions
before it runs an entry.
"""

import fcntl
import hashlib
import operator
import os
import pickle
import sys
import types as pytypes
from collections.abc import Callable, Iterable
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import AttributeTemplate, bound_function, infer_getattr, infer_global
from numba.extending import intrinsic, models, overload, overload_method, register_model
from numba.np.unsafe.ndarray import to_fixed_tuple

from arena.engine import tables_type  # noqa: F401  # registers the type of `Tables`
from arena.engine.compiled_modules import KERNELS, LINKED, SOURCES
from arena.engine.deal import Deals
from arena.engine.scratch import put, scratch
from arena.engine.states import STATE, copy_state, new_states
from spades.play import rule_values
from spades.rules import Rules

F = TypeVar("F", bound=Callable[..., Any])
_Kinds = tuple[types.Type, ...]  # the types of a call's arguments
_STATE = numba.from_dtype(STATE)
_OPTIONS = {"nogil": True, "cache": True, "no_cfunc_wrapper": True}  # no wrapper for calls from C, which nobody makes


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


def _function(name: str) -> Callable[..., Any]:
    """Return the function with this full name (module.function)."""
    module, _, function = name.rpartition(".")
    return cast(Callable[..., Any], getattr(import_module(module), function))


class _Kernel(types.Dispatcher):  # type: ignore[misc]
    """The type of a registered function. A constant argument gets no code of its own: only its type counts."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_type(context, tuple(map(types.unliteral, args)), named)


register_model(_Kernel)(models.OpaqueModel)
# By registered function, what compiles it; here, because numba's types hold weak references. `register_jitable` would
# compile a function once for entries that call it, and once more for other functions.
KERNEL_DISPATCHERS: dict[Callable[..., Any], Any] = {}


def _register() -> None:
    for name in KERNELS:
        module = import_module(name)
        for function in vars(module).values():
            own = isinstance(function, pytypes.FunctionType) and function.__module__ == name
            if own and f"{name}.{function.__name__}" not in LINKED:
                KERNEL_DISPATCHERS[function] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
                infer_global(function, _Kernel(KERNEL_DISPATCHERS[function]))
    for name in LINKED:
        _register_linked(name)


def _register_linked(name: str) -> None:
    """Let compiled code call the function ``name`` through the linker."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typingctx: Any, arguments: Any) -> Any:
        kinds = tuple(types.unliteral(kind) for kind in arguments)
        made = _compile_linked(name, kinds)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = [
                context.cast(builder, builder.extract_value(args[0], i), *cast_of)
                for i, cast_of in enumerate(zip(arguments, kinds, strict=True))
            ]
            convention = context.call_conv
            of_function = convention.get_function_type(made.signature.return_type, kinds)
            function = cgutils.get_or_insert_function(builder.module, of_function, _symbol(name, kinds))
            status, result = convention.call_function(builder, function, made.signature.return_type, kinds, values)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return made.signature.return_type(arguments), codegen

    @overload(_function(name))
    def _(*arguments):  # type: ignore[no-untyped-def]
        return lambda *arguments: call(arguments)


@cache
def _dispatcher(name: str) -> Any:
    return numba.njit(**_OPTIONS)(_function(name))


def _symbol(name: str, kinds: _Kinds) -> str:
    """Return the name under which the linker finds a linked function for arguments of these types."""
    return f"spades.{name}.{hashlib.sha256(repr(kinds).encode()).hexdigest()[:16]}"


@cache
def _compile_linked(name: str, kinds: _Kinds) -> Any:
    """Compile a linked function, or read it from numba's cache, and make its machine code callable by its symbol."""
    dispatcher, symbol = _dispatcher(name), _symbol(name, kinds)
    path = _linked_dir() / symbol
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of several processes that need it, one compiles it. The others wait, and then read it from the cache.
    with global_compiler_lock, path.with_name(f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _load_linked(LINKED[: LINKED.index(name)])  # those that it calls
        dispatcher.compile(kinds)
        made = dispatcher.overloads[kinds]
        llvm.add_symbol(symbol, made.library.get_pointer_to_function(made.fndesc.llvm_func_name))
        if not path.exists():
            unfinished = path.with_name(f".{symbol}.{os.getpid()}")
            unfinished.write_bytes(pickle.dumps((name, kinds)))
            unfinished.replace(path)
    return made


_LOADED: set[str] = set()  # symbols of linked functions that this process has loaded


def _load_linked(names: Iterable[str]) -> None:
    """Load from the cache what is there of the linked functions ``names``, in this order.

    LLVM ends the process if a function is loaded before those that it calls.
    """
    folder = _linked_dir()
    while True:  # other processes may add functions while this one loads
        found = {*os.listdir(folder)} - _LOADED if folder.exists() else set()
        new = [symbol for name in names for symbol in found if symbol.startswith(f"spades.{name}.")]
        if not new:
            return
        for symbol in new:
            _compile_linked(*pickle.loads((folder / symbol).read_bytes()))
            _LOADED.add(symbol)


def source_hash() -> str:
    """Return the SHA-256 of the sources of all kernels and of the modules whose constants they use."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parents[2]
    for name in SOURCES:
        digest.update((root / (name.replace(".", "/") + ".py")).read_bytes())
    return digest.hexdigest()


@cache
def _cache_dir() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    tag = f"{source_hash()[:16]}-numba{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}"
    return root / "spades-tables" / tag


def _linked_dir() -> Path:
    """Return the folder with one file per cached linked function: its name and argument types."""
    return _cache_dir() / "linked"


def entry(function: F, dispatcher: Any = None) -> F:
    """Compile a function that Python calls, such as the outermost loop of a simulator, without the GIL.

    numba caches the machine code under the hash of the kernel sources. ``dispatcher``: what compiles it, for tests that
    call single kernels.
    """
    name = f"{function.__module__}.{function.__name__}"
    compiled = dispatcher or (_dispatcher(name) if name in LINKED else numba.njit(**_OPTIONS)(function))

    @wraps(function)
    def run(*arguments: Any) -> Any:
        _load_linked(LINKED)
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
