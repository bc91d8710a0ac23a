"""``hlo-test-broadcast``: operands of a marker are broadcast to a common shape, as numpy does.

Before:
    %0:2 = "hlo_test_broadcast.numpy_broadcast"(%a, %b)
      : (tensor<3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
After:
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %2:2 = stablehlo.custom_call @numpy_broadcasted(%0, %1) {has_side_effect = true} : ...

A size that is unknown but bounded counts as its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.testing.markers import complain, markers
from shlo_tools.passes.upstream.greedily import clean_up
from shlo_tools.pipeline.registry import Pass

_MARKER = "hlo_test_broadcast.numpy_broadcast"


@dataclass(frozen=True)
class Size:
    """The size of a dimension.

    Attributes:
        size: the size, or its bound; None where nothing is known.
        source: the operand and dimension that a bounded size comes from.
    """

    size: int | None
    source: tuple[Value, int] | None = None

    def __str__(self) -> str:
        return "?" if self.size is None else str(self.size)


@dataclass(frozen=True)
class TestBroadcast(Pass):
    """Broadcast the operands of markers, which become custom calls."""

    name = "hlo-test-broadcast"
    anchor = "func.func"

    def run(self, op: Operation) -> None:
        clean_up(op)
        for marker in markers(op, _MARKER):
            _rewrite(marker)
        clean_up(op)


def _rewrite(marker: Operation) -> None:
    operands = list(marker.operands)
    if not operands:
        complain(marker.location, "requires at least one operand to broadcast")
        return
    for value in operands:
        if not (mlir.is_tensor(value.type) and value.type.has_rank):
            message = "expected ranked tensor type for broadcast inputs"
            complain(mlir.location_of(value), message)
            return
    shape = _sizes(operands[0])
    for value in operands[1:]:
        other = _sizes(value)
        joined = _joined(shape, other)
        if isinstance(joined, str):
            complain(mlir.location_of(value), joined)
            return
        shape = joined
    build = Build(mlir.before(marker), marker.location)
    attributes = {
        "call_target_name": mlir.string_attr("numpy_broadcasted"),
        "has_side_effect": mlir.bool_attr(True),
    }
    values = [_broadcast(build, value, shape) for value in operands]
    types = [result.type for result in marker.results]
    call = build.op("stablehlo.custom_call", values, types, attributes)
    for old, new in zip(marker.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    marker.erase()


def _sizes(value: Value) -> list[Size]:
    type: Any = value.type
    unknown, bounds = mlir.unknown_dimensions(type), _bounds(type)
    return [
        Size(size)
        if n not in unknown
        else Size(bounds[n], (value, n) if bounds[n] is not None else None)
        for n, size in enumerate(type.shape)
    ]


def _bounds(type: Any) -> list[int | None]:
    """The bounds of a type's dimensions, as ``#stablehlo.bounds<?, 4>`` has them."""
    encoding = "" if type.encoding is None else str(type.encoding)
    if not encoding.startswith("#stablehlo.bounds<"):
        return [None] * type.rank
    parts = encoding.removeprefix("#stablehlo.bounds<").removesuffix(">").split(",")
    return [None if part.strip() == "?" else int(part) for part in parts]


def _joined(one: Sequence[Size], other: Sequence[Size]) -> list[Size] | str:
    """The common shape of two, or what keeps them from having one."""
    rank = max(len(one), len(other))
    pairs = zip(_padded(one, rank), _padded(other, rank), strict=True)
    shape: list[Size] = []
    for a, b in reversed([*pairs]):  # the last dimension that does not fit is told
        if a.size == 1 and not a.source:
            shape.append(b)
        elif b.size == 1 and not b.source:
            shape.append(a)
        elif a.size != b.size:
            return f"incompatible shapes for broadcasting {a} and {b}"
        elif bool(a.source) != bool(b.source):
            return "cannot mix bounded and static dimensions in broadcast"
        else:
            shape.append(a)
    return shape[::-1]


def _padded(sizes: Sequence[Size], rank: int) -> list[Size]:
    return [Size(1)] * (rank - len(sizes)) + [*sizes]


def _broadcast(build: Build, value: Value, shape: Sequence[Size]) -> Value:
    """A value of that shape: padded up to bounds first, then cut to the sizes behind them."""
    source = _sizes(value)
    if len(source) == len(shape) and all(
        (a.size, bool(a.source)) == (b.size, bool(b.source))
        for a, b in zip(source, shape, strict=True)
    ):
        return value
    own = _padded(source, len(shape))
    first = len(shape) - len(source)
    kept = [size.source is not None for size in own]
    dimensions = {"broadcast_dimensions": mlir.i64_array_attr(range(first, len(shape)))}
    type = _type(value.type, shape, kept)
    result = build.value("stablehlo.broadcast_in_dim", [value], type, dimensions)
    for n, size in enumerate(shape):
        if size.source is None or kept[n]:
            continue
        operand, dimension = size.source
        kept[n] = True
        scalar = mlir.tensor_type([], mlir.integer_type(32))
        which = {"dimension": mlir.i64_attr(dimension)}
        count = build.value("stablehlo.get_dimension_size", [operand], scalar, which)
        type = _type(value.type, shape, kept)
        cut = {"dimension": mlir.i64_attr(n)}
        result = build.value("stablehlo.set_dimension_size", [result, count], type, cut)
    return result


def _type(like: Any, shape: Sequence[Size], is_bounded: Sequence[bool]) -> Type:
    """A tensor type of that shape; where a size is bounded it is unknown, and its bound is told."""
    sizes = [
        "?" if b or s.size is None else str(s.size) for s, b in zip(shape, is_bounded, strict=True)
    ]
    bounds = [str(s.size) if b else "?" for s, b in zip(shape, is_bounded, strict=True)]
    encoding = f", #stablehlo.bounds<{', '.join(bounds)}>" if any(is_bounded) else ""
    return mlir.parse_type(f"tensor<{'x'.join([*sizes, str(like.element_type)])}{encoding}>")
