"""The sizes of an op's results, as IR that computes them from its operands.

These are the forms of StableHLO's ops themselves: most results have the shape of an operand,
others are put together from single sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools import ir, mlir
from shlo_tools.errors import warn
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops._op import read_arguments

Reify = Callable[[Operation, Build], Value | None]


def reified(op: Operation, build: Build) -> list[Value] | None:
    """A shape per result of an op; None where it does not tell."""
    if not all(_has_rank(value) for value in op.operands):
        return None
    rule = _RULES.get(op.name)
    if rule is None and op.name.startswith("chlo.broadcast_"):
        rule = _numpy_broadcast
    if rule is None and op.name.startswith("chlo.") and len(op.operands) == 1:
        rule = _same_as(0)
    shape = None if rule is None else rule(op, build)
    return None if shape is None else [shape] * len(op.results)


def _has_rank(value: Value) -> bool:
    return not mlir.is_tensor(value.type) or bool(value.type.has_rank)


# --- parts ----------------------------------------------------------------------------------------
def _shape_of(build: Build, value: Value) -> Value:
    return build.value("shape.shape_of", [value], _extents(value.type.rank))


def _extents(rank: int) -> Type:
    return mlir.tensor_type([rank], mlir.index_type())


def _size(build: Build, value: Value, dimension: int) -> Value:
    return build.value("tensor.dim", [value, build.index(dimension)], mlir.index_type())


def _joined(build: Build, sizes: Sequence[Value]) -> Value:
    type = mlir.tensor_type([len(sizes)], sizes[0].type if sizes else mlir.index_type())
    return build.value("tensor.from_elements", sizes, type)


def _binary(build: Build, name: str, lhs: Value, rhs: Value) -> Value:
    return build.value(f"arith.{name}", [lhs, rhs], lhs.type)


def _number(build: Build, number: int, type: Type) -> Value:
    return build.value("arith.constant", (), type, {"value": mlir.integer_attr(number, type)})


def _cast(build: Build, value: Value, type: Type) -> Value:
    return value if value.type == type else build.value("arith.index_cast", [value], type)


def _element(build: Build, values: Value, position: int) -> Value:
    element = values.type.element_type
    return build.value("tensor.extract", [values, build.index(position)], element)


def _interior(build: Build, size: Value) -> Value:
    """How many gaps there are between so many elements."""
    zero, one = _number(build, 0, size.type), _number(build, 1, size.type)
    predicate = {"predicate": mlir.i64_attr(_SIGNED_LESS)}
    is_empty = build.value("arith.cmpi", [size, one], mlir.integer_type(1), predicate)
    gaps = _binary(build, "subi", size, one)
    return build.value("arith.select", [is_empty, zero, gaps], size.type)


_SIGNED_LESS = 2


# --- rules ----------------------------------------------------------------------------------------
def _same_as(index: int) -> Reify:
    return lambda op, build: _shape_of(build, op.operands[index])


def _shape_operand(index: int) -> Reify:
    def rule(op: Operation, build: Build) -> Value | None:
        shape = op.operands[index]
        return _cast(build, shape, _extents(shape.type.shape[0]))

    return rule


def _bitcast_convert(op: Operation, build: Build) -> Value | None:
    operand, result = op.operands[0], op.results[0]
    if operand.type.rank != result.type.rank:
        return None
    return _shape_of(build, operand)


def _transpose(op: Operation, build: Build) -> Value | None:
    order = ir.integers_of(op, "permutation")
    return _joined(build, [_size(build, op.operands[0], n) for n in order])


def _reduce(op: Operation, build: Build) -> Value | None:
    dimensions = ir.integers_of(op, "dimensions")
    operand = op.operands[0]
    kept = [n for n in range(operand.type.rank) if n not in dimensions]
    return _joined(build, [_size(build, operand, n) for n in kept])


def _concatenate(op: Operation, build: Build) -> Value | None:
    dimension = ir.integer_of(op, "dimension")
    first, *others = op.operands
    sizes = [_size(build, first, n) for n in range(first.type.rank)]
    for other in others:
        size = _size(build, other, dimension)
        sizes[dimension] = _binary(build, "addi", sizes[dimension], size)
    return _joined(build, sizes)


def _broadcast(op: Operation, build: Build) -> Value | None:
    front = [build.index(size) for size in ir.integers_of(op, "broadcast_sizes")]
    operand = op.operands[0]
    own = [_size(build, operand, n) for n in range(operand.type.rank)]
    return _joined(build, [*front, *own])


def _dot_general(op: Operation, build: Build) -> Value | None:
    dot = read_arguments(op)
    lhs, rhs = op.operands
    batching = {side: list(dot[f"{side}_batching_dimensions"]) for side in ("lhs", "rhs")}
    sizes = [_size(build, lhs, n) for n in batching["lhs"]]
    for side, operand in (("lhs", lhs), ("rhs", rhs)):
        used = {*batching[side], *dot[f"{side}_contracting_dimensions"]}
        sizes += [_size(build, operand, n) for n in range(operand.type.rank) if n not in used]
    return _joined(build, sizes)


def _gather(op: Operation, build: Build) -> Value | None:
    gather = read_arguments(op)
    indices, rank = op.operands[1], op.results[0].type.rank
    gone = {*gather["collapsed_slice_dims"], *gather["operand_batching_dims"]}
    slices = [_slice_size(op, build, n) for n in range(op.operands[0].type.rank)]
    offsets = iter(size for n, size in enumerate(slices) if n not in gone)
    batches = (n for n in range(indices.type.rank) if n != gather["index_vector_dim"])
    offset_dims = set(gather["offset_dims"])
    sizes = [
        next(offsets) if n in offset_dims else _size(build, indices, next(batches))
        for n in range(rank)
    ]
    return _joined(build, sizes)


def _slice_size(op: Operation, build: Build, dimension: int) -> Value:
    if op.name == "stablehlo.gather":
        return build.index(ir.integers_of(op, "slice_sizes")[dimension])
    return _cast(build, _element(build, op.operands[2], dimension), mlir.index_type())


def _pad(op: Operation, build: Build) -> Value | None:
    operand = op.operands[0]
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, interior = (ir.integers_of(op, name) for name in names)
    sizes = []
    for n in range(operand.type.rank):
        size = total = _size(build, operand, n)
        if interior[n] > 0:
            gaps = _binary(build, "subi", size, build.index(1))
            gaps = _binary(build, "maxsi", gaps, build.index(0))
            gaps = _binary(build, "muli", gaps, build.index(interior[n]))
            total = _binary(build, "addi", size, gaps)
        sizes.append(_binary(build, "addi", total, build.index(low[n] + high[n])))
    return _joined(build, sizes)


def _dynamic_pad(op: Operation, build: Build) -> Value | None:
    operand, _, *paddings = op.operands
    sizes = []
    for n in range(operand.type.rank):
        low, high, interior = (_element(build, padding, n) for padding in paddings)
        size = _cast(build, _size(build, operand, n), low.type)
        inner = _binary(build, "muli", interior, _interior(build, size))
        total = _binary(build, "addi", inner, size)
        total = _binary(build, "addi", total, low)
        sizes.append(_binary(build, "addi", total, high))
    return _joined(build, sizes)


def _real_dynamic_slice(op: Operation, build: Build) -> Value | None:
    operand, *parts = op.operands
    sizes = []
    for n in range(operand.type.rank):
        start, limit, stride = (_element(build, part, n) for part in parts)
        one = _number(build, 1, start.type)
        length = _binary(build, "subi", limit, start)
        length = _binary(build, "addi", stride, length)
        length = _binary(build, "subi", length, one)
        sizes.append(_binary(build, "divsi", length, stride))
    return _joined(build, sizes)


def _numpy_broadcast(op: Operation, build: Build) -> Value | None:
    operands = list(op.operands)
    ranks = [operand.type.rank for operand in operands]
    name = "broadcast_dimensions"
    if name in op.attributes:
        dimensions = ir.integers_of(op, name)
        if dimensions != list(range(max(ranks) - min(ranks), max(ranks))):
            written = op.attributes[name]
            text = f"unsupported non prefix-padded dynamic rank broadcast_dimensions = {written}"
            warn(text, mlir.place_of(op.location))
            return None
    shapes = [_shape_of(build, operand) for operand in operands]
    return build.value("shape.broadcast", shapes, _extents(max(ranks)))


def _named(names: str, rule: Reify) -> dict[str, Reify]:
    return {f"stablehlo.{name}": rule for name in names.split()}


_RULES: dict[str, Reify] = {
    **_named(
        "abs add and atan2 cbrt ceil compare complex convert cosine count_leading_zeros divide "
        "exponential exponential_minus_one floor imag is_finite log log_plus_one logistic map "
        "maximum minimum multiply negate not or popcnt power real remainder reverse "
        "round_nearest_afz round_nearest_even rsqrt shift_left shift_right_arithmetic "
        "shift_right_logical sign sine sqrt subtract tan tanh xor",
        _same_as(0),
    ),
    **_named("clamp select", _same_as(1)),
    **_named("dynamic_iota", _shape_operand(0)),
    **_named("dynamic_broadcast_in_dim dynamic_reshape", _shape_operand(1)),
    **_named("rng", _shape_operand(2)),
    **_named("bitcast_convert", _bitcast_convert),
    **_named("transpose", _transpose),
    **_named("reduce", _reduce),
    **_named("concatenate", _concatenate),
    **_named("broadcast", _broadcast),
    **_named("dot_general", _dot_general),
    **_named("gather dynamic_gather", _gather),
    **_named("pad", _pad),
    **_named("dynamic_pad", _dynamic_pad),
    **_named("real_dynamic_slice", _real_dynamic_slice),
    "chlo.constant_like": _same_as(0),
}
