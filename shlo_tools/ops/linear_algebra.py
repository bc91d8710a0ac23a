"""Ops on matrices; leading dimensions are a batch."""

from __future__ import annotations

from shlo_tools.constraints import every, meet_dims, require, same, same_baseline, same_shape
from shlo_tools.ops._attributes import AttributeEnum
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


class Transpose(AttributeEnum):
    """Which form of a matrix is meant."""

    NO_TRANSPOSE = 1
    TRANSPOSE = 2
    ADJOINT = 3


@op(traits=Trait.ARITHMETIC)
def cholesky(a: Tensor, lower: bool = False) -> Tensor:
    """The triangular factor l of Hermitian positive-definite matrices: a = l l^H (or u^H u).

    Only the chosen triangle of ``a`` is read; the other one of the result holds zeros. A matrix
    that is not positive-definite gives NaN.
    """
    _require_float("I1", a)
    require("C2", a.rank >= 2, f"a is {a.type}, no matrices")
    require("C3", same(a.shape[-2], a.shape[-1]), f"the matrices of {a.type} are not square")
    size = meet_dims(a.shape[-2], a.shape[-1])
    return a.like(shape=[*a.shape[:-2], size, size])


@op(traits=Trait.ARITHMETIC)
def triangular_solve(
    a: Tensor,
    b: Tensor,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose_a: Transpose,
) -> Tensor:
    """The solution x of op(a) x = b, or of x op(a) = b where ``left_side`` is false.

    Only the chosen triangle of ``a`` is read, and not its diagonal where ``unit_diagonal`` says
    that it is 1.
    """
    _require_float("I1", a)
    require(
        "C1", same_baseline(a.element_type, b.element_type), f"{a.type} and {b.type} differ in type"
    )
    require("C2", 2 <= a.rank == b.rank, f"{a.type} and {b.type} are no matrices of one rank")
    side = -2 if left_side else -1
    square = every(same(a.shape[-2], dim) for dim in (a.shape[-1], b.shape[side]))
    # The specification has [:-3] here, which would let the last batch dimension differ.
    batch = same_shape(a.shape[:-2], b.shape[:-2])
    require("C3", every((square, batch)), f"{a.type} and {b.type} do not fit")
    return b.like()


def _require_float(label: str, a: Tensor) -> None:
    element = a.element_type
    is_float = element.is_float or element.is_complex or element.is_quantized
    require(label, is_float, f"{a.type} is neither floating-point nor complex")
