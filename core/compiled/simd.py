"""Vectors of eight 32-bit numbers as values inside numba functions.

numba vectorizes loops only where LLVM's heuristics find a way; a matrix product that keeps its sums in registers, or a
random number generator with its state in them, is beyond these. Here `float32x8` and `uint32x8` are types: + - * / and
& | ^ << >> work on them element by element (a scalar operand is repeated in all lanes), and LLVM maps them to what the
machine has: one AVX register, two of NEON or SSE. Products and sums may be fused (flag `contract`). A sampler's step is
12 times as fast as in plain numba for the papers' large network and 23 times for the small one, tanh and normals
included (`python -m benchmarks simd`).

    load, store       eight consecutive elements of a flat array; no bounds are checked
    broadcast         one element of a flat array in all lanes
    splat             a scalar in all lanes
    square_root, minimum, maximum, signed_to_float, float_to_bits, bits_to_float, lane_sum
    transpose_8x8     copy eight rows of eight elements into eight columns
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, models, register_model
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

LANES = 8
FLOATS = ir.VectorType(ir.FloatType(), LANES)
BITS = ir.VectorType(ir.IntType(32), LANES)

Symbol = Callable[..., Any]  # an operator of Python
Emit = Callable[..., ir.Value]  # writes instructions: builder and operands to the result


class VectorType(types.Type):
    """Numba type of a vector: its scalar type and its LLVM representation."""

    def __init__(self, scalar: types.Type, representation: ir.VectorType) -> None:
        self.scalar, self.representation = scalar, representation
        super().__init__(name=f"{scalar}x{LANES}")


@register_model(VectorType)
class VectorModel(models.PrimitiveModel):
    """A vector is an LLVM value: it lives in registers."""

    def __init__(self, dmm: Any, fe_type: VectorType) -> None:
        super().__init__(dmm, fe_type, fe_type.representation)


float32x8 = VectorType(types.float32, FLOATS)
uint32x8 = VectorType(types.uint32, BITS)
VECTORS = {types.float32: float32x8, types.uint32: uint32x8}


def _repeat(builder: ir.IRBuilder, scalar: ir.Value, representation: ir.VectorType) -> ir.Value:
    single = builder.insert_element(ir.Constant(representation, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(single, single, ir.Constant(BITS, [0] * LANES))


def _as_vector(context: Any, builder: ir.IRBuilder, value: ir.Value, kind: types.Type, vector: VectorType) -> ir.Value:
    if isinstance(kind, VectorType):
        return value
    return _repeat(builder, context.cast(builder, value, kind, vector.scalar), vector.representation)


def _operation(symbol: Symbol, vector: VectorType, emit: Emit) -> None:
    """Make `symbol` work on two vectors, or on a vector and a scalar on either side."""

    def lowered(context, builder, sig, args):
        return emit(builder, *(_as_vector(context, builder, *pair, vector) for pair in zip(args, sig.args)))

    for arguments in ((vector, vector), (vector, types.Number), (types.Number, vector)):
        lower_builtin(symbol, *arguments)(lowered)


def _typed(symbol: Symbol) -> None:
    @infer_global(symbol)
    class _Template(AbstractTemplate):
        def generic(self, args, kws):
            vectors = {arg for arg in args if isinstance(arg, VectorType)}
            others = [arg for arg in args if not isinstance(arg, VectorType)]
            if len(args) == 2 and len(vectors) == 1 and all(isinstance(arg, types.Number) for arg in others):
                return signature(next(iter(vectors)), *args)
            return None


CONTRACT = ("contract",)
OPERATIONS = {
    operator.add: (
        lambda builder, x, y: builder.fadd(x, y, flags=CONTRACT),
        lambda builder, x, y: builder.add(x, y),
    ),
    operator.sub: (
        lambda builder, x, y: builder.fsub(x, y, flags=CONTRACT),
        lambda builder, x, y: builder.sub(x, y),
    ),
    operator.mul: (lambda builder, x, y: builder.fmul(x, y, flags=CONTRACT), None),
    operator.truediv: (lambda builder, x, y: builder.fdiv(x, y), None),
    operator.and_: (None, lambda builder, x, y: builder.and_(x, y)),
    operator.or_: (None, lambda builder, x, y: builder.or_(x, y)),
    operator.xor: (None, lambda builder, x, y: builder.xor(x, y)),
    operator.lshift: (None, lambda builder, x, y: builder.shl(x, y)),
    operator.rshift: (None, lambda builder, x, y: builder.lshr(x, y)),
}
for _symbol, (_on_floats, _on_bits) in OPERATIONS.items():
    _typed(_symbol)
    for _vector, _emit in ((float32x8, _on_floats), (uint32x8, _on_bits)):
        if _emit is not None:
            _operation(_symbol, _vector, _emit)


def _element(
    context: Any, builder: ir.IRBuilder, array_type: types.Array, array: ir.Value, index: ir.Value
) -> ir.Value:
    """Pointer to an element of a flat contiguous array."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _is_flat(array: types.Type) -> bool:
    return isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and array.dtype in VECTORS


@intrinsic
def load(typingctx, array, index):
    """Elements index ... index + 7 of a flat float32 or uint32 array."""
    if not (_is_flat(array) and isinstance(index, types.Integer)):
        return None
    vector = VECTORS[array.dtype]

    def codegen(context, builder, sig, args):
        pointer = _element(context, builder, sig.args[0], args[0], args[1])
        return builder.load(builder.bitcast(pointer, vector.representation.as_pointer()), align=4)

    return vector(array, index), codegen


@intrinsic
def store(typingctx, array, index, value):
    """Write a vector to elements index ... index + 7 of a flat array."""
    if not (_is_flat(array) and isinstance(index, types.Integer) and value == VECTORS[array.dtype]):
        return None

    def codegen(context, builder, sig, args):
        pointer = _element(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(pointer, args[2].type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def broadcast(typingctx, array, index):
    """One element of a flat array in all lanes."""
    if not (_is_flat(array) and isinstance(index, types.Integer)):
        return None
    vector = VECTORS[array.dtype]

    def codegen(context, builder, sig, args):
        scalar = builder.load(_element(context, builder, sig.args[0], args[0], args[1]))
        return _repeat(builder, scalar, vector.representation)

    return vector(array, index), codegen


@intrinsic
def splat(typingctx, scalar):
    """A number in all lanes of a float32x8."""

    def codegen(context, builder, sig, args):
        return _as_vector(context, builder, args[0], sig.args[0], float32x8)

    return float32x8(scalar), codegen


def _unary(name: str, doc: str, source: VectorType, result: types.Type, emit: Emit) -> Any:
    def typing(typingctx, value):
        def codegen(context, builder, sig, args):
            return emit(builder, args[0])

        return (result(value), codegen) if value == source else None

    typing.__name__, typing.__doc__ = name, doc
    return intrinsic(typing)


def _square_root(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    kind = ir.FunctionType(FLOATS, [FLOATS])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{LANES}f32"), [x])


def _lane_sum(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    for half in (4, 2, 1):
        low, high = (ir.Constant(ir.VectorType(ir.IntType(32), half), list(range(k, k + half))) for k in (0, half))
        x = builder.fadd(builder.shuffle_vector(x, x, low), builder.shuffle_vector(x, x, high))
    return builder.extract_element(x, ir.Constant(ir.IntType(32), 0))


square_root = _unary("square_root", "Square roots.", float32x8, float32x8, _square_root)
signed_to_float = _unary(
    "signed_to_float", "Lanes as signed integers, rounded.", uint32x8, float32x8, lambda b, x: b.sitofp(x, FLOATS)
)
float_to_bits = _unary("float_to_bits", "The same bits.", float32x8, uint32x8, lambda b, x: b.bitcast(x, BITS))
bits_to_float = _unary("bits_to_float", "The same bits.", uint32x8, float32x8, lambda b, x: b.bitcast(x, FLOATS))
lane_sum = _unary("lane_sum", "Sum of the lanes, a float32.", float32x8, types.float32, _lane_sum)


def _extreme(name: str, doc: str, comparison: str) -> Any:
    def typing(typingctx, x, bound):
        def codegen(context, builder, sig, args):
            x, bound = (_as_vector(context, builder, *pair, float32x8) for pair in zip(args, sig.args))
            return builder.select(builder.fcmp_ordered(comparison, bound, x), bound, x)

        return (float32x8(x, bound), codegen) if x == float32x8 else None

    typing.__name__, typing.__doc__ = name, doc
    return intrinsic(typing)


minimum = _extreme("minimum", "The smaller of x and bound; nan where x is nan.", "<")
maximum = _extreme("maximum", "The larger of x and bound; nan where x is nan.", ">")


@intrinsic
def transpose_8x8(typingctx, source, source_start, source_stride, target, target_start, target_stride):
    """Copy eight rows of eight elements, source_stride apart, into eight columns, rows of target_stride."""
    if not (_is_flat(source) and _is_flat(target) and source.dtype == target.dtype == types.float32):
        return None

    def codegen(context, builder, sig, args):
        def row(which: int, k: int) -> ir.Value:
            offset = builder.add(args[which + 1], builder.mul(args[which + 2], ir.Constant(args[which + 2].type, k)))
            pointer = _element(context, builder, sig.args[which], args[which], offset)
            return builder.bitcast(pointer, FLOATS.as_pointer())

        rows = [builder.load(row(0, k), align=4) for k in range(LANES)]
        for distance in (1, 2, 4):  # exchange the bit of the row with the same bit of the lane
            exchanged = list(rows)
            for low in (k for k in range(LANES) if not k & distance):
                high = low + distance
                lanes = range(LANES)
                to_low = [LANES + (j ^ distance) if j & distance else j for j in lanes]
                to_high = [LANES + j if j & distance else j ^ distance for j in lanes]
                exchanged[low], exchanged[high] = (
                    builder.shuffle_vector(rows[low], rows[high], ir.Constant(BITS, mask)) for mask in (to_low, to_high)
                )
            rows = exchanged
        for k in range(LANES):
            builder.store(rows[k], row(3, k), align=4)
        return context.get_dummy_value()

    return types.void(source, source_start, source_stride, target, target_start, target_stride), codegen
