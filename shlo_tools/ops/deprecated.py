"""Ops that the specification has replaced by others; programs may still hold them."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import as_declared, require, same, same_shape
from shlo_tools.dtypes import TensorType
from shlo_tools.ops import _einsum
from shlo_tools.ops._attributes import I64Matrix
from shlo_tools.ops._op import op
from shlo_tools.ops.contraction import Precision
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@op(traits=Trait.REARRANGES)
def broadcast(operand: Tensor, broadcast_sizes: Sequence[int]) -> Tensor:
    """New leading dimensions of the given sizes, along which the operand repeats."""
    require("C1", all(size >= 0 for size in broadcast_sizes), f"sizes {list(broadcast_sizes)}")
    return operand.like(shape=[*broadcast_sizes, *operand.shape])


@op(name="cross-replica-sum", traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def cross_replica_sum(operand: Tensor, replica_groups: I64Matrix) -> Tensor:
    """The sum of the operands of a group's processes."""
    return operand.like()


@op(traits=Trait.ARITHMETIC)
def dot(
    lhs: Tensor,
    rhs: Tensor,
    precision_config: Sequence[Precision] | None = None,
    result_type: TensorType | None = None,
) -> Tensor:
    """Product of vectors and matrices: sums over lhs's last and rhs's first dimension."""
    require("C1", 1 <= lhs.rank <= 2, f"lhs is {lhs.type}")
    require("C1", 1 <= rhs.rank <= 2, f"rhs is {rhs.type}")
    require("C2", same(lhs.shape[-1], rhs.shape[0]), f"{lhs.type} and {rhs.type} do not match")
    elements = lhs.element_type, rhs.element_type
    is_plain = not any(element.is_quantized for element in elements)
    require("C3", elements[0] == elements[1] or not is_plain, "element types differ")
    element = result_type.element_type if result_type else lhs.element_type
    result = lhs.like(shape=[*lhs.shape[:-1], *rhs.shape[1:]], element_type=element)
    return as_declared("C4", result, result_type)


@op(traits=Trait.QUANTIZED)
def einsum(lhs: Tensor, rhs: Tensor, einsum_config: str, result_type: TensorType) -> Tensor:
    """Sums of products as ``einsum_config`` names the dimensions: ``"ij,jk->ik"``."""
    return _summed(einsum_config, [lhs, rhs], result_type)


@op(traits=Trait.QUANTIZED)
def unary_einsum(operand: Tensor, einsum_config: str, result_type: TensorType) -> Tensor:
    """Sums and transposes as ``einsum_config`` names the dimensions: ``"ij->j"``.

    A letter that repeats in the result puts values on a diagonal of zeros: ``"i->ii"``.
    """
    return _summed(einsum_config, [operand], result_type)


def _summed(config: str, operands: Sequence[Tensor], result_type: TensorType) -> Tensor:
    equation = _einsum.read(config, [operand.shape for operand in operands], result_type)
    shape = [equation.sizes[label] for label in equation.result]
    return as_declared("C1", Tensor(result_type.with_shape(shape)), result_type)


@op(traits=Trait.REARRANGES)
def torch_index_select(
    operand: Tensor, index: Tensor, dim: int, batch_dims: int, result_type: TensorType
) -> Tensor:
    """Slices of the operand at indices along a dimension, clamped so that each lies inside.

    The first ``batch_dims`` dimensions of both are a batch.
    """
    require("C1", 0 <= dim < operand.rank, f"dimension {dim} of {operand.type}")
    require("C2", 0 <= batch_dims <= min(dim, index.rank), f"{batch_dims} batch dimensions")
    alike = same_shape(operand.shape[:batch_dims], index.shape[:batch_dims])
    require("C3", alike, f"{operand.type} and {index.type} differ in batch dimensions")
    require("I2", index.element_type.is_integer, f"indices are {index.type}")
    shape = [*operand.shape[:dim], *index.shape[batch_dims:], *operand.shape[dim + 1 :]]
    return as_declared("C4", operand.like(shape=shape), result_type)
