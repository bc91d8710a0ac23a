"""Batch normalization: sums per feature, then one pass over the elements.

16-bit floats are summed and normalized in f32, and rounded once at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dims import product
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulation_type, converted
from shlo_tools.passes.legalize_to_linalg.rules import lowers

Formula = Callable[[Emit, list[Value]], list[Value]]


@dataclass(frozen=True)
class _Features:
    """The shapes of one op, and the type that it computes in.

    Attributes:
        computed_count: elements per feature, where run time tells.
    """

    op: Operation
    operand: TensorType
    axis: int
    wide: ElementType
    computed_count: Value | None

    @classmethod
    def of(cls, op: Operation, build: Lowering) -> _Features:
        operand = build.type(op.operands[0])
        axis = ir.integer_of(op, "feature_index")
        wide = accumulation_type(operand.element_type)
        computed = None if operand.is_static else _count(op, build, operand, axis, wide)
        return cls(op, operand, axis, wide, computed)

    @property
    def vector(self) -> TensorType:
        """One number per feature, unrounded."""
        return TensorType((self.operand.shape[self.axis],), self.wide)

    def count(self, e: Emit) -> Value:
        """Elements per feature; NaN results follow from the division by 0 where there are none."""
        if self.computed_count is not None:
            return self.computed_count
        return e.constant(float(self.operand.size // max(1, self.vector.size)), self.wide)

    def elementwise(
        self,
        build: Lowering,
        tensors: Sequence[Value],
        vectors: Sequence[Value],
        formula: Formula,
    ) -> Value:
        """A tensor like the operand, from such tensors and from numbers of their features."""
        type = self.operand

        def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
            e = Emit(self.op, inner)
            results = formula(e, self._widened(e, scalars[:-1]))
            return [cast_scalar(e, results[0], self.wide, type.element_type)]

        maps = [structured.identity(type.rank)] * len(tensors)
        maps += [structured.affine_map(type.rank, [self.axis])] * len(vectors)
        outputs = [structured.empty(build, type)]
        return structured.generic(build, [*tensors, *vectors], maps, outputs, [type], body)[0]

    def per_feature(self, build: Lowering, vectors: Sequence[Value], formula: Formula) -> Value:
        """A vector, from vectors."""

        def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
            e = Emit(self.op, inner)
            return formula(e, self._widened(e, scalars[:-1]))

        maps = [structured.identity(1)] * len(vectors)
        outputs = [structured.empty(build, self.vector)]
        return structured.generic(build, vectors, maps, outputs, [self.vector], body)[0]

    def sums(
        self,
        build: Lowering,
        tensors: Sequence[Value],
        vectors: Sequence[Value],
        terms: Formula,
        number: int,
    ) -> list[Value]:
        """Vectors of the sums of as many terms as ``number`` says, in any order of addition."""
        rank = self.operand.rank

        def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
            e = Emit(self.op, inner)
            elements, totals = scalars[:-number], scalars[-number:]
            flags = mlir.parse_attribute("#arith.fastmath<reassoc>")  # or it is not vectorized
            pairs = zip(totals, terms(e, self._widened(e, elements)), strict=True)
            return [e("arith.addf", *pair, fastmath=flags) for pair in pairs]

        per_feature = structured.affine_map(rank, [self.axis])
        maps = [structured.identity(rank)] * len(tensors) + [per_feature] * len(vectors)
        zero = structured.scalar(build, 0.0, self.wide)
        return structured.generic(
            build,
            [*tensors, *vectors],
            maps,
            [structured.filled(build, zero, self.vector) for _ in range(number)],
            [self.vector] * number,
            body,
            iterators=["parallel" if d == self.axis else "reduction" for d in range(rank)],
            output_maps=[per_feature] * number,
        )

    def rounded(self, build: Lowering, vector: Value) -> Value:
        """A vector of the operand's element type."""
        result = self.vector.with_element(self.operand.element_type)
        return converted(self.op, build, vector, self.vector, result)

    def deviation(self, build: Lowering, variance: Value) -> Value:
        """sqrt(variance + epsilon)."""
        return self.per_feature(build, [variance], lambda e, v: [self._root(e, v[0])])

    def _root(self, e: Emit, variance: Value) -> Value:
        return e("math.sqrt", self.with_epsilon(e, variance))

    def with_epsilon(self, e: Emit, variance: Value) -> Value:
        epsilon = e.constant(self.op.attributes["epsilon"].value, self.wide)
        return e("arith.addf", variance, epsilon)

    def _widened(self, e: Emit, scalars: Sequence[Value]) -> list[Value]:
        """Scalars of the operand's type as the wide one; vectors made here are wide already."""
        wide = structured.element(self.wide)
        return [
            value
            if value.type == wide
            else cast_scalar(e, value, self.operand.element_type, self.wide)
            for value in scalars
        ]


def _count(
    op: Operation, build: Lowering, operand: TensorType, axis: int, wide: ElementType
) -> Value:
    """Elements per feature, as a number to divide by."""
    other = product(size for d, size in enumerate(operand.shape) if d != axis)
    integer = ELEMENT_TYPES["i64"]
    type = structured.element(integer)
    number = build.value("arith.index_cast", (structured.index(build, other),), type)
    return cast_scalar(Emit(op, build), number, integer, wide)


@lowers
def batch_norm_inference(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    features = _Features.of(op, build)
    operand, scale, offset, mean, variance = operands
    return [_normalized(features, build, operand, scale, offset, mean, variance)]


def _normalized(
    features: _Features,
    build: Lowering,
    operand: Value,
    scale: Value,
    offset: Value,
    mean: Value,
    variance: Value,
) -> Value:
    deviation = features.deviation(build, variance)

    def formula(e: Emit, v: list[Value]) -> list[Value]:
        element, average, root, factor, shift = v
        normalized = e("arith.divf", e("arith.subf", element, average), root)
        return [e("arith.addf", e("arith.mulf", factor, normalized), shift)]

    return features.elementwise(build, [operand], [mean, deviation, scale, offset], formula)


@lowers
def batch_norm_training(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    features = _Features.of(op, build)
    operand, scale, offset = operands

    def average(total: Value) -> Value:
        return features.per_feature(
            build,
            [total],
            lambda e, v: [e("arith.divf", v[0], features.count(e))],
        )

    def squared(e: Emit, v: list[Value]) -> list[Value]:
        centered = e("arith.subf", *v)
        return [e("arith.mulf", centered, centered)]

    mean = average(features.sums(build, [operand], [], lambda e, v: v, 1)[0])
    variance = average(features.sums(build, [operand], [mean], squared, 1)[0])
    output = _normalized(features, build, operand, scale, offset, mean, variance)
    return [output, features.rounded(build, mean), features.rounded(build, variance)]


@lowers
def batch_norm_grad(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """The spec's formula, with what depends on the feature alone computed once per feature."""
    features = _Features.of(op, build)
    operand, scale, mean, variance, grad_output = operands
    deviation = features.deviation(build, variance)

    def terms(e: Emit, v: list[Value]) -> list[Value]:
        element, gradient, average = v
        return [gradient, e("arith.mulf", gradient, e("arith.subf", element, average))]

    total, moment = features.sums(build, [operand, grad_output], [mean], terms, 2)

    def slope(e: Emit, v: list[Value]) -> list[Value]:
        return [e("arith.divf", v[0], features.with_epsilon(e, v[1]))]

    def factor(e: Emit, v: list[Value]) -> list[Value]:
        count = features.count(e)
        return [e("arith.divf", e("arith.divf", *v), count)]

    def formula(e: Emit, v: list[Value]) -> list[Value]:
        element, gradient, average, sum, slope, factor = v
        whole = e("arith.mulf", gradient, features.count(e))
        drift = e("arith.mulf", slope, e("arith.subf", element, average))
        rest = e("arith.subf", e("arith.subf", whole, sum), drift)
        return [e("arith.mulf", factor, rest)]

    slopes = features.per_feature(build, [moment, variance], slope)
    factors = features.per_feature(build, [scale, deviation], factor)
    vectors = [mean, total, slopes, factors]
    grad_operand = features.elementwise(build, [operand, grad_output], vectors, formula)
    grad_scale = features.per_feature(
        build, [moment, deviation], lambda e, v: [e("arith.divf", *v)]
    )
    return [grad_operand, features.rounded(build, grad_scale), features.rounded(build, total)]
