"""Ragged dot products: dot products of everything, of which masks keep what belongs together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import ops
from shlo_tools.dtypes import Dim, TensorType, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.ops import Tensor
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.chlo.contraction import RAGGED_DOT_DIMENSION_NUMBERS, ChloPrecision
from shlo_tools.passes.normalize.legalize_chlo.formula import Term, constant, select
from shlo_tools.passes.normalize.legalize_chlo.rules import attribute, rewrites
from shlo_tools.passes.normalize.shape_operands import agreed_size, sizes_of, spread


class _Dot:
    """The op's dot product, of these or of enlarged operands, and which dimensions do what."""

    def __init__(self, op: Operation) -> None:
        encoded = op.attributes["ragged_dot_dimension_numbers"]
        numbers: dict[str, Sequence[int]] = RAGGED_DOT_DIMENSION_NUMBERS.decode(encoded)
        self.lhs_batching = list(numbers.get("lhs_batching_dimensions", ()))
        self.rhs_batching = list(numbers.get("rhs_batching_dimensions", ()))
        self.lhs_contracting = list(numbers.get("lhs_contracting_dimensions", ()))
        self.rhs_contracting = list(numbers.get("rhs_contracting_dimensions", ()))
        self.ragged = numbers["lhs_ragged_dimensions"][0]
        self.groups = list(numbers.get("rhs_group_dimensions", ()))
        self.result = tensor_type(op.results[0].type)
        precision = attribute(op, "precision_config")
        decode = codec(Sequence[ChloPrecision]).decode
        self.precision: Any = None if precision is None else decode(precision)

    def __call__(
        self, lhs: Tensor, rhs: Tensor, shape: Sequence[Dim], *, copies: bool = False
    ) -> Tensor:
        """The product; of ``copies`` per group, in front of each operand, one per group."""
        shift, front = (1, [0]) if copies else (0, [])
        return ops.dot_general(
            lhs,
            rhs,
            [*front, *(axis + shift for axis in self.lhs_batching)],
            [*front, *(axis + shift for axis in self.rhs_batching)],
            [axis + shift for axis in self.lhs_contracting],
            [axis + shift for axis in self.rhs_contracting],
            self.precision,
            self.result.with_shape(shape),
        )


@rewrites
def ragged_dot(op: Operation, lhs: Tensor, rhs: Tensor, group_sizes: Tensor) -> Sequence[Tensor]:
    dot = _Dot(op)
    if dot.ragged in dot.lhs_batching:  # groups change nothing
        return [dot(lhs, rhs, dot.result.shape)]
    if dot.ragged in dot.lhs_contracting:
        at = dot.lhs_contracting.index(dot.ragged)
        outer = [*dot.lhs_batching, *dot.lhs_contracting[:at]]
        left = _cut(lhs, dot.ragged, outer, group_sizes)
        outer = [*dot.rhs_batching, *dot.rhs_contracting[:at]]
        right = _cut(rhs, dot.rhs_contracting[at], outer, group_sizes)
        return [dot(left, right, dot.result.shape, copies=True)]
    return [_by_rows(dot, lhs, rhs, group_sizes)]


def _by_rows(dot: _Dot, lhs: Tensor, rhs: Tensor, group_sizes: Tensor) -> Tensor:
    """Every row times the matrices of all groups; then its own group's product is kept.

    Masking products, not operands, keeps an infinity in one group out of the others.
    """
    lhs_used = (*dot.lhs_batching, *dot.lhs_contracting)
    rhs_used = (*dot.rhs_batching, *dot.rhs_contracting)
    from_lhs = [*dot.lhs_batching, *(d for d in range(lhs.rank) if d not in lhs_used)]
    from_rhs = [d for d in range(rhs.rank) if d not in rhs_used]
    shape = [lhs.shape[d] for d in from_lhs] + [rhs.shape[d] for d in from_rhs]
    products = dot(lhs, rhs, shape)
    row, column = from_lhs.index(dot.ragged), len(from_lhs) + from_rhs.index(dot.groups[0])
    sizes = sizes_of(*((products, d) for d in range(products.rank)))
    if sizes:
        sizes[column] = agreed_size([(rhs, dot.groups[0]), (group_sizes, group_sizes.rank - 1)])
    mask = _in_group(products.type, sizes, row, column, list(range(row)), group_sizes)
    kept = select(mask, Term(products), _zeros(products))
    zero = constant(0, products.type.with_shape(()))
    return ops.reduce([kept.tensor], [zero.tensor], [column], ops.add)[0]


def _cut(operand: Tensor, ragged: int, outer: list[int], group_sizes: Tensor) -> Tensor:
    """One copy of the operand per group, in front, with zeros outside the group."""
    type = operand.type.with_shape([group_sizes.shape[-1], *operand.shape])
    groups = (group_sizes, group_sizes.rank - 1)
    sizes = sizes_of(groups, *((operand, d) for d in range(operand.rank)))
    copies = _stretched(operand, range(1, type.rank), type, sizes)
    mask = _in_group(type, sizes, ragged + 1, 0, [axis + 1 for axis in outer], group_sizes)
    return select(mask, Term(copies), _zeros(copies)).tensor


def _zeros(like: Tensor) -> Term:
    if like.type.is_static:
        return constant(0, like.type)
    return Term(spread(constant(0, like.type.with_shape(())).tensor, [], like))


def _stretched(
    operand: Tensor, axes: Sequence[int], type: TensorType, sizes: Sequence[Tensor]
) -> Tensor:
    """An operand in a larger type, whose sizes are those where it is not static."""
    if type.is_static:
        return ops.broadcast_in_dim(operand, axes, type)
    shape = ops.concatenate(sizes, 0)
    return ops.dynamic_broadcast_in_dim(operand, shape, axes, result_type=type)


def _positions(axis: int, type: TensorType, sizes: Sequence[Tensor]) -> Term:
    if type.is_static:
        return Term(ops.iota(axis, type))
    return Term(ops.dynamic_iota(ops.concatenate(sizes, 0), axis, type))


def _in_group(
    type: TensorType,
    sizes: Sequence[Tensor],
    ragged: int,
    group: int,
    outer: list[int],
    group_sizes: Tensor,
) -> Term:
    """Where the position along ``ragged`` lies in the group that is the position along ``group``.

    ``group_sizes`` has the dimensions ``outer`` of the tensor and the groups, or only the groups.
    """
    integers = type.with_element(group_sizes.element_type)
    axes = [*outer, group] if group_sizes.rank > 1 else [group]
    ends = Term(_running_sum(group_sizes))
    starts = ends - Term(group_sizes)
    first, last = (
        Term(_stretched(bound.tensor, axes, integers, sizes)) for bound in (starts, ends)
    )
    position = _positions(ragged, integers, sizes)
    return (first <= position) & (position < last)


def _running_sum(group_sizes: Tensor) -> Tensor:
    """Sums of the leading elements of the last dimension."""
    rank, count = group_sizes.rank, group_sizes.shape[-1]
    square = group_sizes.type.with_shape([*group_sizes.shape, count])
    sizes = sizes_of(*((group_sizes, d) for d in (*range(rank), rank - 1)))
    summands = _stretched(group_sizes, [*range(rank - 1), rank], square, sizes)
    upto = _positions(rank, square, sizes) <= _positions(rank - 1, square, sizes)
    zero = constant(0, group_sizes.type.with_shape(()))
    terms = select(upto, Term(summands), _zeros(summands))
    return ops.reduce([terms.tensor], [zero.tensor], [rank], ops.add)[0]
