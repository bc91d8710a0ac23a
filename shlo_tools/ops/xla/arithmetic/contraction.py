"""Sums of products.

Source: XLA's operation semantics, "Dot" and "DotGeneral"; ``RaggedDot`` is of XlaBuilder,
``Einsum`` of XLA's matrix library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ops
from shlo_tools.dims import Dim
from shlo_tools.errors import ShloError
from shlo_tools.ops import Precision
from shlo_tools.ops._signatures import rule_of
from shlo_tools.ops.contraction import dot_general
from shlo_tools.ops.xla.arguments import integers, xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of, tensors_of
from shlo_tools.ops.xla.shapes import PrimitiveType, primitive_type
from shlo_tools.types import Tensor


@dataclass(frozen=True)
class DotDimensionNumbers:
    """What ``DotGeneral`` sums over and what it does for each element of a batch.

    Attributes:
        lhs_contracting_dimensions: summed over, with the rhs dimension at the same place.
        rhs_contracting_dimensions: of the same sizes.
        lhs_batch_dimensions: one product for each index of these.
        rhs_batch_dimensions: of the same sizes.
    """

    lhs_contracting_dimensions: Sequence[int] = ()
    rhs_contracting_dimensions: Sequence[int] = ()
    lhs_batch_dimensions: Sequence[int] = ()
    rhs_batch_dimensions: Sequence[int] = ()


@dataclass(frozen=True)
class RaggedDotDimensionNumbers:
    """What ``RaggedDot`` sums over and cuts in groups.

    Attributes:
        dot_dimension_numbers: as of ``DotGeneral``.
        lhs_ragged_dimensions: the one dimension of ``lhs`` that is cut.
        rhs_group_dimensions: the one of ``rhs`` that counts groups, where there is one.
    """

    dot_dimension_numbers: DotDimensionNumbers
    lhs_ragged_dimensions: Sequence[int] = ()
    rhs_group_dimensions: Sequence[int] = ()


@xla_op
def Dot(
    lhs: Operand,
    rhs: Operand,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """The product of vectors and matrices: ``dot_general``.

    It sums over the second dimension of ``lhs``, or its only one, and the first of ``rhs``.

    Args:
        lhs: a vector or a matrix.
        rhs: a vector or a matrix.
        precision_config: the precision of each operand.
        preferred_element_type: of the result, where it is wider than that of the operands.

    Raises:
        ShloError: an operand is a scalar, or the sizes differ.
    """
    a, b = tensors_of(lhs, rhs)
    if a.rank == 0 or b.rank == 0:
        raise ShloError(f"{a.type} and {b.type}: vectors and matrices are wanted")
    numbers = DotDimensionNumbers((min(a.rank - 1, 1),), (0,))
    return DotGeneral(a, b, numbers, precision_config, preferred_element_type)


@xla_op
def DotGeneral(
    lhs: Operand,
    rhs: Operand,
    dimension_numbers: DotDimensionNumbers,
    precision_config: Sequence[Precision] | None = None,
    preferred_element_type: PrimitiveType | None = None,
) -> Tensor:
    """Sums of products over any dimensions, for each element of a batch: ``dot_general``.

    Args:
        lhs: an array.
        rhs: an array.
        dimension_numbers: which dimensions are summed over, and which count a batch.
        precision_config: the precision of each operand.
        preferred_element_type: of the result, where it is wider than that of the operands.

    Returns:
        An array of the batch dimensions, then the rest of ``lhs``, then the rest of ``rhs``.

    Raises:
        ShloError: dimensions repeat, are none of an operand's, or differ in size.
    """
    a, b = tensors_of(lhs, rhs)
    dims = dimension_numbers
    arguments = (
        a,
        b,
        integers(dims.lhs_batch_dimensions),
        integers(dims.rhs_batch_dimensions),
        integers(dims.lhs_contracting_dimensions),
        integers(dims.rhs_contracting_dimensions),
    )
    if preferred_element_type is None:
        return ops.dot_general(*arguments, precision_config)
    element = primitive_type(preferred_element_type)
    result_type = rule_of(dot_general)(*arguments).type.with_element(element)
    return ops.dot_general(*arguments, precision_config, result_type)


@xla_op
def RaggedDot(
    lhs: Operand,
    rhs: Operand,
    group_sizes: Operand,
    dimension_numbers: RaggedDotDimensionNumbers,
) -> Tensor:
    """``DotGeneral`` with a dimension of ``lhs`` cut in consecutive groups: ``chlo.ragged_dot``.

    Args:
        lhs: an array.
        rhs: an array, with a part for each group where the dimension is not summed over.
        group_sizes: how long each group is.
        dimension_numbers: which dimensions are meant.

    Raises:
        ShloError: dimensions repeat, are none of an operand's, or differ in size.
    """
    a, b = tensors_of(lhs, rhs)
    dims = dimension_numbers.dot_dimension_numbers
    return ops.chlo.ragged_dot(
        a,
        b,
        tensor_of(group_sizes),
        integers(dims.lhs_batch_dimensions),
        integers(dims.rhs_batch_dimensions),
        integers(dims.lhs_contracting_dimensions),
        integers(dims.rhs_contracting_dimensions),
        integers(dimension_numbers.lhs_ragged_dimensions),
        integers(dimension_numbers.rhs_group_dimensions),
    )


# --- Einsum ---------------------------------------------------------------------------------------
@xla_op
def Einsum(
    x: Operand, y: Operand, einsum_config: str, precision_config: Sequence[Precision] | None = None
) -> Tensor:
    """What ``numpy.einsum`` computes of two arrays: ``dot_general`` and ``transpose``.

    Args:
        x: the first array.
        y: the second.
        einsum_config: a letter for each dimension, such as ``"bij,bjk->bik"``. Letters that are
            not in the result are summed over; one twice in an operand is its diagonal.
        precision_config: the precision of each operand.

    Raises:
        ShloError: the text is not understood, has not one letter for each dimension, or
            dimensions of one letter differ in size.
    """
    a, b = tensors_of(x, y)
    left, right, result = _letters(einsum_config)
    sizes = _sizes(einsum_config, (left, a), (right, b))
    if missing := set(result) - set(sizes):
        raise ShloError(f"{einsum_config!r} has no dimension {sorted(missing)}")
    a, left = _reduced(a, left, right + result, sizes)
    b, right = _reduced(b, right, left + result, sizes)
    batch = [letter for letter in left if letter in right and letter in result]
    contracted = [letter for letter in left if letter in right and letter not in result]
    numbers = DotDimensionNumbers(
        *([side.index(letter) for letter in contracted] for side in (left, right)),
        *([side.index(letter) for letter in batch] for side in (left, right)),
    )
    product = DotGeneral(a, b, numbers, precision_config)
    order = [*batch, *(letter for letter in left + right if letter not in batch + contracted)]
    permutation = [order.index(letter) for letter in result]
    if permutation == sorted(permutation):
        return product
    return ops.transpose(product, permutation)


def _letters(config: str) -> tuple[str, str, str]:
    """The letters of the operands and the result; without an arrow those that occur once."""
    before, arrow, result = config.replace(" ", "").partition("->")
    left, comma, right = before.partition(",")
    once = "".join(sorted(letter for letter, n in Counter(left + right).items() if n == 1))
    texts = (left, right, result if arrow else once)
    understood = comma and all(text.isalpha() or not text for text in texts)
    if not understood or len(set(texts[2])) < len(texts[2]):
        raise ShloError(f"{config!r} is not understood", hint='such as "ij,jk->ik"')
    return texts


def _sizes(config: str, *operands: tuple[str, Tensor]) -> dict[str, Dim]:
    """The size behind each letter."""
    sizes: dict[str, Dim] = {}
    for letters, tensor in operands:
        if len(letters) != tensor.rank:
            raise ShloError(f"{config!r} names {len(letters)} dimensions of {tensor.type}")
        for letter, size in zip(letters, tensor.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise ShloError(f"{letter!r} has sizes {sizes[letter]} and {size}")
    return sizes


def _reduced(
    tensor: Tensor, letters: str, wanted_letters: str, sizes: dict[str, Dim]
) -> tuple[Tensor, str]:
    """An operand without letters that nobody else has, and with each letter once."""
    kept = "".join(dict.fromkeys(letter for letter in letters if letter in wanted_letters))
    if kept == letters:
        return tensor, letters
    type = tensor.type.with_shape([sizes[letter] for letter in kept])
    return ops.unary_einsum(tensor, f"{letters}->{kept}", type), kept
