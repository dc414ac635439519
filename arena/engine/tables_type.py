"""`Tables` in compiled code: a pointer to a block of array structs, which every field access reads.

numba passes a named tuple by value. For `Tables` that is 187 machine words in each call, and ten times that for all
profiles. Games took more than twice as long that way (docs/adr/0002-one-code-two-speeds.md). So `Tables` has a type of
its own here.

The block is on the stack of the wrapper that numba makes for each entry, and lives as long as the entry runs. Its
arrays own no memory: Python holds the arrays during the call. Compiled code can read the fields of `Tables`, but cannot
make one.
"""

import hashlib
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from spades.tables import Tables


class TablesType(types.Type):
    """The type of `Tables` in compiled code; ``arrays``: the type of each field."""

    def __init__(self, arrays: tuple[types.Type, ...]) -> None:
        self.arrays = arrays
        super().__init__(f"Tables({', '.join(map(str, arrays))})")


@typeof_impl.register(Tables)  # type: ignore[untyped-decorator]
def _type_of(tables: Tables, _: Any) -> TablesType:
    return TablesType(tuple(map(numba.typeof, tables)))


@register_model(TablesType)
class _PointerModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: TablesType) -> None:
        block = ir.LiteralStructType([manager.lookup(array).get_value_type() for array in kind.arrays])
        super().__init__(manager, kind, block.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = TablesType

    def generic_resolve(self, kind: TablesType, field: str) -> types.Type | None:
        return kind.arrays[Tables._fields.index(field)] if field in Tables._fields else None


@lower_getattr_generic(TablesType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: TablesType, block: Any, field: str) -> Any:
    number = Tables._fields.index(field)
    array = builder.load(cgutils.gep_inbounds(builder, block, 0, number))
    return impl_ret_borrowed(context, builder, kind.arrays[number], array)


@unbox(TablesType)  # type: ignore[untyped-decorator]
def _unbox(kind: TablesType, tables: Any, c: Any) -> Any:
    block = cgutils.alloca_once(c.builder, c.context.get_value_type(kind).pointee)
    # All profiles of a wrapper share one function. One copy for each of ten profiles took 1.6 s to compile.
    name = f"spades.fill.{hashlib.sha256(repr(kind).encode()).hexdigest()[:16]}"
    functions = c.builder.module.globals
    if name not in functions:
        kinds = ir.FunctionType(cgutils.bool_t, (tables.type, block.type))
        _write_fill(c.context, kind, ir.Function(c.builder.module, kinds, name))
    return NativeValue(block, is_error=c.builder.call(functions[name], (tables, block)))


def _write_fill(context: Any, kind: TablesType, function: Any) -> None:
    """Write the code of ``function`` (tables, block): it fills the block, and returns whether that failed."""
    function.linkage = "internal"
    function.attributes.add("noinline")
    tables, block = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    pyapi = context.get_python_api(builder)
    failed = cgutils.false_bit
    for number, array_type in enumerate(kind.arrays):
        native = pyapi.to_native_value(array_type, pyapi.tuple_getitem(tables, number))
        failed = builder.or_(failed, native.is_error)
        array = context.make_array(array_type)(context, builder, native.value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)  # owns no memory
        builder.store(array._getvalue(), cgutils.gep_inbounds(builder, block, 0, number))
        context.nrt.decref(builder, array_type, native.value)  # the caller holds the array
    builder.ret(failed)
