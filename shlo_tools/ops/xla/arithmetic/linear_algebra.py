"""Factors and solutions of matrices, and Fourier transforms.

Source: XLA's operation semantics, "Cholesky", "Fft" and "TriangularSolve".
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ops
from shlo_tools.errors import ShloError
from shlo_tools.ops import FftType
from shlo_tools.ops import Transpose as TransposeForm
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of, tensors_of
from shlo_tools.types import Tensor


@xla_op
def Cholesky(a: Operand, lower: bool = True) -> Tensor:
    """The triangular factor of positive-definite matrices: ``cholesky``.

    Args:
        a: the matrices, of which one triangle is read.
        lower: which one; ``a = l l^H`` with the lower one, else ``a = u^H u``.

    Raises:
        ShloError: they are not square, or neither floats nor complex.
    """
    return ops.cholesky(tensor_of(a), lower)


@xla_op
def Fft(operand: Operand, fft_type: FftType | str, fft_length: Sequence[int]) -> Tensor:
    """The Fourier transform of the last one to three dimensions: ``fft``.

    Args:
        operand: the array.
        fft_type: ``FFT``, ``IFFT``, ``RFFT`` (of real numbers) or ``IRFFT`` (to real numbers).
        fft_length: the sizes of those dimensions where they hold real numbers.

    Raises:
        ShloError: there is no such type, or the operand has other sizes or element types.
    """
    if isinstance(fft_type, str) and fft_type not in FftType.__members__:
        names = ", ".join(FftType.__members__)
        raise ShloError(f"{fft_type!r} is no type of transform", hint=names)
    kind = FftType[fft_type] if isinstance(fft_type, str) else fft_type
    return ops.fft(tensor_of(operand), kind, fft_length)


@xla_op
def TriangularSolve(
    a: Operand,
    b: Operand,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose_a: TransposeForm | str,
) -> Tensor:
    """The solution of systems of equations with triangular matrices: ``triangular_solve``.

    Args:
        a: the matrices, of which one triangle is read.
        b: the other sides.
        left_side: whether ``op(a) x = b`` is solved, else ``x op(a) = b``.
        lower: which triangle of ``a`` is read.
        unit_diagonal: whether its diagonal is 1 and not read.
        transpose_a: ``NO_TRANSPOSE``, ``TRANSPOSE`` or ``ADJOINT``, which is op.

    Raises:
        ShloError: shapes or element types do not fit, or there is no such form.
    """
    if isinstance(transpose_a, str) and transpose_a not in TransposeForm.__members__:
        names = ", ".join(TransposeForm.__members__)
        raise ShloError(f"{transpose_a!r} is no form of a matrix", hint=names)
    form = TransposeForm[transpose_a] if isinstance(transpose_a, str) else transpose_a
    matrices, sides = tensors_of(a, b)
    return ops.triangular_solve(matrices, sides, left_side, lower, unit_diagonal, form)
