"""Ops that the specification has replaced by others; programs may still hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shlo_tools.dtypes import Dim, TensorType
from shlo_tools.ops._attributes import I64Matrix
from shlo_tools.ops._constraints import meet, require, same, same_shape
from shlo_tools.ops._op import op
from shlo_tools.ops._value import Tensor, TokenType, Value
from shlo_tools.ops.contraction import Precision

_SIDES = re.compile(r"([a-zA-Z.]*)(?:,([a-zA-Z.]*))?->([a-zA-Z.]*)")


@op
def broadcast(operand: Tensor, broadcast_sizes: Sequence[int]) -> Tensor:
    """New leading dimensions of the given sizes, along which the operand repeats."""
    require("C1", all(size >= 0 for size in broadcast_sizes), f"sizes {list(broadcast_sizes)}")
    return operand.like(shape=[*broadcast_sizes, *operand.shape])


@op
def create_token() -> Value:
    """A token that nothing comes before."""
    return Value(TokenType())


@op(name="cross-replica-sum")
def cross_replica_sum(operand: Tensor, replica_groups: I64Matrix) -> Tensor:
    """The sum of the operands of a group's processes."""
    return operand.like()


@op
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
    element = result_type.element_type if result_type else lhs.element_type
    result = lhs.like(shape=[*lhs.shape[:-1], *rhs.shape[1:]], element_type=element)
    return Tensor(meet(result.type, result_type)) if result_type else result


@op
def einsum(lhs: Tensor, rhs: Tensor, einsum_config: str, result_type: TensorType) -> Tensor:
    """Sums of products as ``einsum_config`` names the dimensions: ``"ij,jk->ik"``."""
    return _summed(einsum_config, [lhs, rhs], result_type)


@op
def unary_einsum(operand: Tensor, einsum_config: str, result_type: TensorType) -> Tensor:
    """Sums and transposes as ``einsum_config`` names the dimensions: ``"ij->j"``."""
    return _summed(einsum_config, [operand], result_type)


def _summed(config: str, operands: Sequence[Tensor], result_type: TensorType) -> Tensor:
    found = _SIDES.fullmatch(config.replace(" ", ""))
    given = [] if found is None else [text for text in found.groups()[:2] if text is not None]
    require("C1", len(given) == len(operands), f"{config!r} for {len(operands)} operands")
    if found is None or "." in config:
        return Tensor(result_type)
    sizes: dict[str, Dim] = {}
    for text, operand in zip(given, operands, strict=True):
        require("C2", len(text) == operand.rank, f"{text!r} names the dimensions of {operand.type}")
        for letter, dim in zip(text, operand.shape, strict=True):
            alike = same(sizes.setdefault(letter, dim), dim)
            require("C3", alike, f"{letter!r} has sizes {sizes[letter]} and {dim}")
    known = all(letter in sizes for letter in found[3])
    require("C4", known, f"a letter of {found[3]!r} names no dimension of an operand")
    wanted = [sizes[letter] for letter in found[3]]
    require("C4", same_shape(wanted, result_type.shape), f"{result_type} is not {config!r}")
    return Tensor(result_type)


@op
def torch_index_select(
    operand: Tensor, index: Tensor, dim: int, batch_dims: int, result_type: TensorType
) -> Tensor:
    """Slices of the operand at indices along a dimension, clamped so that each lies inside.

    The first ``batch_dims`` dimensions of both are a batch.
    """
    require("C1", 0 <= dim < operand.rank, f"dimension {dim} of {operand.type}")
    require("C2", 0 <= batch_dims <= min(dim, index.rank), f"{batch_dims} batch dimensions")
    require("I2", index.element_type.is_integer, f"indices are {index.type}")
    shape = [*operand.shape[:dim], *index.shape[batch_dims:], *operand.shape[dim + 1 :]]
    return Tensor(meet(result_type, operand.like(shape=shape).type))
