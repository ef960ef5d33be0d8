"""Processor instructions that numba does not generate by itself, written with LLVM.

They work on every processor: LLVM uses the special instruction if there is one, or several others.
"""

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

BYTE, NUMBER, SUM, FLAG = 8, 32, 64, 1
"""Numbers of bits."""

QUERIES = 0, 1
"""Indices of the query components; a row is compared with both at a time."""

SUMMING = {
    "avx512bw": ("llvm.x86.avx512.psad.bw.512", 64),
    "avx2": ("llvm.x86.avx2.psad.bw", 32),
    "sse2": ("llvm.x86.sse2.psad.bw", 16),
}
"""Instructions that sum absolute differences of bytes in groups of eight, by processor feature, and
the number of bytes that each takes."""


@cache
def block_difference(size: int) -> Callable[..., Any]:
    """Make the operation (row, at, query, start, masks, first) -> int32: the sum of |row & mask -
    query| over `size` bytes of three uint8 arrays from the given offsets on. Called in compiled
    code; it checks no bounds."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    block = ir.VectorType(ir.IntType(BYTE), size)

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        def loaded(i: int) -> Any:
            data = context.make_array(signature.args[i])(context, builder, args[i]).data
            place = builder.bitcast(builder.gep(data, [args[i + 1]]), block.as_pointer())
            return builder.load(place, align=1)

        own = builder.and_(loaded(0), loaded(4))
        return _absolute_sum(builder, own, loaded(2), size)

    @intrinsic
    def difference(
        typing: Any, row: Any, at: Any, query: Any, start: Any, masks: Any, first: Any
    ) -> Any:
        place = types.intp
        return types.int32(row, place, query, place, masks, place), generate

    return difference


@cache
def weighted_difference(size: int, feature: str) -> Callable[..., Any]:
    """Make the operation (row, at, starts, first, last, queries, masks, weights, weighed) -> int64:
    for the blocks [first, last) of `size` bytes (at least one), the sums of |row & mask - query|
    for two query components, each times the block's weight for it. The row is read once for both.

    Block b begins at `at` + starts[b] in the row (starts int64) and at b * size in the masks. The
    bytes of the two query components begin at 2 * b * size, one after the other (all uint8), and
    their two weights at `weighed` + 2 * b (int64, below 2 ** 32). `feature` is one of SUMMING, or
    "". Called in compiled code; it checks no bounds.
    """
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    name, held = SUMMING.get(feature, ("", size))
    bytes_ = ir.VectorType(ir.IntType(BYTE), held)
    sums = ir.VectorType(ir.IntType(SUM), held // 8)

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        row, starts, query, masks, weights = (
            context.make_array(signature.args[i])(context, builder, args[i]).data
            for i in (0, 2, 5, 6, 7)
        )
        at, first, last, weighed = (args[i] for i in (1, 3, 4, 8))
        number = first.type

        def loaded(data: Any, place: Any) -> Any:
            place = builder.bitcast(builder.gep(data, [place]), bytes_.as_pointer())
            return builder.load(place, align=1)

        def apart(one: Any, other: Any) -> Any:
            if name:
                kind = ir.FunctionType(sums, [bytes_, bytes_])
                return builder.call(_declared(builder, kind, name), [one, other])
            whole = builder.zext(_absolute_sum(builder, one, other, held), ir.IntType(SUM))
            return builder.insert_element(ir.Constant(sums, None), whole, ir.IntType(NUMBER)(0))

        def weight(place: Any) -> Any:
            one = builder.load(builder.gep(weights, [builder.add(weighed, place)]))
            below = ir.Constant(sums, [(1 << NUMBER) - 1] * sums.count)  # allows a faster product
            return builder.and_(_repeated(builder, one, sums.count), below)

        before, loop, after = builder.block, *map(builder.append_basic_block, ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        block, totals = builder.phi(number), [builder.phi(sums) for _ in QUERIES]
        own = builder.add(at, builder.load(builder.gep(starts, [block])))
        mask, two = builder.mul(block, number(size)), builder.mul(block, number(2))
        asked, added = builder.mul(two, number(size)), list(totals)
        for part in range(0, size, held):
            kept = loaded(row, builder.add(own, number(part)))
            kept = builder.and_(kept, loaded(masks, builder.add(mask, number(part))))
            for p in QUERIES:
                found = apart(kept, loaded(query, builder.add(asked, number(p * size + part))))
                counted = builder.mul(found, weight(builder.add(two, number(p))))
                added[p] = builder.add(added[p], counted)
        following = builder.add(block, number(1))
        more = builder.icmp_signed("<", following, last)
        _rolled(builder.module, builder.cbranch(more, loop, after))
        block.add_incoming(first, before)
        block.add_incoming(following, loop)
        for total, sum_ in zip(totals, added, strict=True):
            total.add_incoming(ir.Constant(sums, None), before)
            total.add_incoming(sum_, loop)
        builder.position_at_end(after)
        return _reduced(builder, reduce(builder.add, added))

    @intrinsic
    def difference(
        typing: Any,
        row: Any,
        at: Any,
        starts: Any,
        first: Any,
        last: Any,
        query: Any,
        masks: Any,
        weights: Any,
        weighed: Any,
    ) -> Any:
        place = types.intp
        given = row, place, starts, place, place, query, masks, weights, place
        return types.int64(*given), generate

    return difference


def summing() -> str:
    """The best feature of SUMMING that this processor has, or "" if there is none or loops are
    compiled for another processor."""
    from llvmlite.binding import get_host_cpu_features
    from numba.core import config

    said = vars(config)
    if said["CPU_NAME"] or said["CPU_FEATURES"] or not said["ENABLE_AVX"]:  # for another processor
        return ""
    features = get_host_cpu_features()
    return next((feature for feature in SUMMING if features.get(feature)), "")


@cache
def prefetch() -> Callable[..., Any]:
    """Make the operation (row, at) -> None: prefetch the cache line of a byte into the second-level
    cache. The first-level cache has few outstanding requests, and a loop with more of them stalls.
    Called in compiled code; it checks no bounds."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    number = ir.IntType(NUMBER)
    read, second, data_cache = number(0), number(2), number(1)

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        call = _declared(builder, kind, "llvm.prefetch.p0")
        builder.call(call, [place, read, second, data_cache])
        return context.get_dummy_value()

    @intrinsic
    def fetch(typing: Any, row: Any, at: Any) -> Any:
        return types.void(row, types.intp), generate

    return fetch


def _absolute_sum(builder: Any, one: Any, other: Any, size: int) -> Any:
    """The sum of absolute differences of two vectors of bytes, as a number."""
    from llvmlite import ir

    wide, exact = ir.VectorType(ir.IntType(NUMBER), size), ir.IntType(FLAG)(True)
    apart = builder.sub(builder.zext(one, wide), builder.zext(other, wide))
    kind = ir.FunctionType(wide, [wide, exact.type])
    absolute = _declared(builder, kind, f"llvm.abs.v{size}i{NUMBER}")
    return _reduced(builder, builder.call(absolute, [apart, exact]))


def _reduced(builder: Any, numbers: Any) -> Any:
    """The sum of a vector's elements."""
    from llvmlite import ir

    count, number = numbers.type.count, numbers.type.element
    kind = ir.FunctionType(number, [numbers.type])
    name = f"llvm.vector.reduce.add.v{count}i{number.width}"
    return builder.call(_declared(builder, kind, name), [numbers])


def _repeated(builder: Any, number: Any, count: int) -> Any:
    """A vector that repeats a number `count` times."""
    from llvmlite import ir

    kind, place = ir.VectorType(number.type, count), ir.IntType(NUMBER)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, place(0))
    everywhere = ir.Constant(ir.VectorType(place, count), None)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), everywhere)


def _rolled(module: Any, branch: Any) -> None:
    """Forbid the compiler to unroll the loop of this branch, since it has few iterations."""
    from llvmlite import ir

    disable = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    branch.set_metadata("llvm.loop", module.add_metadata([disable, disable]))


def _declared(builder: Any, kind: Any, name: str) -> Any:
    """Declare a function that LLVM provides."""
    from numba.core import cgutils

    return cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
