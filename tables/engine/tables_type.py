"""`Tables` in compiled code: a pointer to a block of array structs, which every field access reads.

numba passes a named tuple by value. For `Tables` that is 187 machine words in each call, and ten times that for all
profiles. Games took more than twice as long that way (docs/adr/0002-one-code-two-speeds.md). So `Tables` has a type of
its own here.

The block is on the stack of the wrapper that numba makes for each entry, and lives as long as the entry runs. Its
arrays own no memory: Python holds the arrays during the call. Compiled code can read the fields of `Tables`, but cannot
make one.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from service.bidding.table_views import Tables


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
    held, failed = [], cgutils.false_bit
    for number, array_type in enumerate(kind.arrays):
        native = c.unbox(array_type, c.pyapi.tuple_getitem(tables, number))
        failed = c.builder.or_(failed, native.is_error)
        held.append((array_type, native.value))
        array = c.context.make_array(array_type)(c.context, c.builder, native.value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)  # owns no memory
        c.builder.store(array._getvalue(), cgutils.gep_inbounds(c.builder, block, 0, number))

    def cleanup() -> None:
        for array_type, value in held:
            c.context.nrt.decref(c.builder, array_type, value)

    return NativeValue(block, is_error=failed, cleanup=cleanup)
