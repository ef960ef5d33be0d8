"""Two steps of a processor that compiled loops do not come to by themselves.

Both are written for any processor: its compiler knows the instruction, or takes a few.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

BYTE, NUMBER, FLAG = 8, 32, 1
"""Bits."""


@cache
def block_difference(size: int) -> Callable[..., Any]:
    """The operation (row, at, query, start, masks, first) -> int32: the sum of |row & mask - query|
    over `size` bytes of three uint8 arrays from these places on. It is called in compiled code,
    and checks no bounds."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    block, wide = (ir.VectorType(ir.IntType(bits), size) for bits in (BYTE, NUMBER))

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        def loaded(i: int) -> Any:
            data = context.make_array(signature.args[i])(context, builder, args[i]).data
            place = builder.bitcast(builder.gep(data, [args[i + 1]]), block.as_pointer())
            return builder.load(place, align=1)

        def called(name: str, result: Any, *values: Any) -> Any:
            kind = ir.FunctionType(result, [value.type for value in values])
            name = f"llvm.{name}.v{size}i{NUMBER}"
            return builder.call(_declared(builder, kind, name), values)

        compared = builder.zext(builder.and_(loaded(0), loaded(4)), wide)
        apart = builder.sub(compared, builder.zext(loaded(2), wide))
        apart = called("abs", wide, apart, ir.IntType(FLAG)(True))
        return called("vector.reduce.add", ir.IntType(NUMBER), apart)

    @intrinsic
    def difference(
        typing: Any, row: Any, at: Any, query: Any, start: Any, masks: Any, first: Any
    ) -> Any:
        place = types.intp
        return types.int32(row, place, query, place, masks, place), generate

    return difference


@cache
def prefetch() -> Callable[..., Any]:
    """The operation (row, at) -> None: have the memory bring the cache line of a byte of an array
    meanwhile. It is called in compiled code, and checks no bounds."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    number = ir.IntType(NUMBER)
    read, keep, data_cache = number(0), number(3), number(1)

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        call = _declared(builder, kind, "llvm.prefetch.p0")
        builder.call(call, [place, read, keep, data_cache])
        return context.get_dummy_value()

    @intrinsic
    def fetch(typing: Any, row: Any, at: Any) -> Any:
        return types.void(row, types.intp), generate

    return fetch


def _declared(builder: Any, kind: Any, name: str) -> Any:
    """A function that the compiler knows."""
    from numba.core import cgutils

    return cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
