"""Functions that apply a computation to elements, along dimensions or in windows.

Source: XLA's operation semantics, "Map", "Reduce", "ReduceWindow" and "SelectAndScatter";
``Scan`` is of XlaBuilder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import ops
from shlo_tools.errors import ShloError
from shlo_tools.ops._op import require_callable_with
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, Operands, tensor_of
from shlo_tools.ops.xla.computations import (
    Computation,
    Result,
    grouped,
    region_of,
    tensors_of_group,
)
from shlo_tools.ops.xla.padding import PaddingLike, edges
from shlo_tools.types import Tensor


@xla_op
def Map(
    operands: Sequence[Operand],
    computation: Computation,
    dimensions: Sequence[int] | None = None,
    static_operands: Sequence[Operand] = (),
) -> Tensor:
    """A computation of the elements at each position: ``map``.

    Args:
        operands: arrays of one shape.
        computation: takes a scalar of each operand, then the static operands; gives a scalar.
        dimensions: all of them in order, which is what they are where they are left out.
        static_operands: values that are the same at each position.

    Raises:
        ShloError: shapes or dimensions differ, or the computation gives no scalar.
    """
    tensors, _ = tensors_of_group(list(operands))
    extra = [tensor_of(operand) for operand in static_operands]
    axes = range(tensors[0].rank if tensors else 0) if dimensions is None else dimensions
    if not extra:
        return ops.map(tensors, tuple(axes), region_of(computation))
    require_callable_with(computation, len(tensors) + len(extra))

    def applied(*elements: Tensor) -> Any:
        return computation(*elements, *extra)

    return ops.map(tensors, tuple(axes), region_of(applied))


@xla_op
def Reduce(
    operands: Operands, init_values: Operands, computation: Computation, dimensions: Sequence[int]
) -> Result:
    """Elements combined along dimensions: ``reduce``.

    Args:
        operands: an array, or a tuple of arrays of one shape, which are reduced together.
        init_values: one scalar for each array, the identity of the computation.
        computation: takes the values so far, then the elements; gives new values. It is applied
            in any order.
        dimensions: those that vanish, in any order.

    Returns:
        An array; a tuple of them where the operands are several.

    Raises:
        ShloError: shapes or element types differ, or dimensions repeat or do not exist.
    """
    tensors, is_tuple = tensors_of_group(operands)
    starts = _init_values(tensors, init_values, is_tuple)
    axes = tuple(sorted(dimensions))
    return grouped(ops.reduce(tensors, starts, axes, region_of(computation)), is_tuple)


@xla_op
def ReduceAll(operands: Operands, init_values: Operands, computation: Computation) -> Result:
    """``Reduce`` along all dimensions, to scalars; see there."""
    tensors, is_tuple = tensors_of_group(operands)
    group: Operands = tuple(tensors) if is_tuple else tensors[0]
    return Reduce(group, init_values, computation, range(tensors[0].rank))


def _init_values(tensors: Sequence[Tensor], init_values: Operands, is_tuple: bool) -> list[Tensor]:
    """A scalar for each array; numbers take its element type."""
    members = list(init_values) if is_tuple and isinstance(init_values, list | tuple) else None
    if members is None:
        members = list(tensors_of_group(init_values)[0]) if is_tuple else [init_values]
    if len(members) != len(tensors):
        raise ShloError(f"{len(tensors)} operands and {len(members)} init values")
    return [tensor_of(value, tensor) for value, tensor in zip(members, tensors, strict=True)]


@xla_op
def Scan(
    inputs: Operands,
    inits: Operands,
    to_apply: Computation,
    scan_dimension: int,
    is_reverse: bool = False,
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """A fold along a dimension that keeps what every step gives: ``chlo.scan``.

    Args:
        inputs: an array, or a tuple of arrays of as many steps.
        inits: what is carried into the first step, a value or a tuple of them.
        to_apply: takes the slices of a step, then what is carried; gives slices of the outputs,
            then what is carried on.
        scan_dimension: the dimension of steps, which slices do not have.
        is_reverse: whether the last step comes first.

    Returns:
        The outputs, and what is carried out of the last step.

    Raises:
        ShloError: the numbers of steps differ, or what is carried changes its type.
    """
    tensors, _ = tensors_of_group(inputs)
    carries, _ = tensors_of_group(inits)
    return ops.chlo.scan(
        tensors, carries, scan_dimension, body=region_of(to_apply), is_reverse=is_reverse
    )


@xla_op
def ReduceWindow(
    operands: Operands,
    init_values: Operands,
    computation: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: PaddingLike = "VALID",
    base_dilations: Sequence[int] | None = None,
    window_dilations: Sequence[int] | None = None,
) -> Result:
    """The elements of each window combined: ``reduce_window``.

    Args:
        operands: an array, or a tuple of arrays of one shape, which are reduced together.
        init_values: one scalar for each array, the identity of the computation; the padding
            holds it.
        computation: takes the values so far, then the elements; gives new values.
        window_dimensions: the sizes of the window.
        window_strides: how far it moves; 1 where there are none.
        padding: SAME, VALID, or pairs (low, high).
        base_dilations: how far apart elements lie; 1 where there are none.
        window_dilations: how far apart those of the window lie; 1 where there are none.

    Returns:
        An array with an element for each window; a tuple where the operands are several.

    Raises:
        ShloError: not one number for each dimension, or shapes or element types differ.
    """
    tensors, is_tuple = tensors_of_group(operands)
    starts = _init_values(tensors, init_values, is_tuple)
    strides = window_strides or [1] * tensors[0].rank
    shape, window = tensors[0].shape, tuple(window_dimensions)
    dilations = (base_dilations, window_dilations)
    pairs = edges(padding, shape, window, strides, *dilations)
    results = ops.reduce_window(
        tensors, starts, window, strides, *dilations, pairs, body=region_of(computation)
    )
    return grouped(results, is_tuple)


@xla_op
def ReduceWindowWithGeneralPadding(
    operands: Operands,
    init_values: Operands,
    computation: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    base_dilations: Sequence[int] | None,
    window_dilations: Sequence[int] | None,
    padding: PaddingLike,
) -> Result:
    """``ReduceWindow`` with dilations, and padding by numbers; see there."""
    return ReduceWindow(
        operands,
        init_values,
        computation,
        window_dimensions,
        window_strides,
        padding,
        base_dilations,
        window_dilations,
    )


@xla_op
def SelectAndScatter(
    operand: Operand,
    select: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None,
    padding: PaddingLike,
    source: Operand,
    init_value: Operand,
    scatter: Computation,
) -> Tensor:
    """Values put where an element of each window is selected: ``select_and_scatter``.

    Args:
        operand: the array that the window moves along.
        select: takes two elements, the earlier one first; tells whether the first is selected.
        window_dimensions: the sizes of the window.
        window_strides: how far it moves; 1 where there are none.
        padding: SAME, VALID, or pairs (low, high).
        source: one value for each window.
        init_value: what the result holds where nothing is put.
        scatter: takes what a place of the result holds and a value; gives what it holds then.

    Returns:
        An array of the operand's shape.

    Raises:
        ShloError: not one number for each dimension, or shapes or element types differ.
    """
    tensor = tensor_of(operand)
    strides = window_strides or [1] * tensor.rank
    pairs = edges(padding, tensor.shape, window_dimensions, strides)
    return ops.select_and_scatter(
        tensor,
        tensor_of(source, tensor),
        tensor_of(init_value, tensor),
        window_dimensions,
        strides,
        pairs,
        select=region_of(select),
        scatter=region_of(scatter),
    )


@xla_op
def SelectAndScatterWithGeneralPadding(
    operand: Operand,
    select: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None,
    padding: PaddingLike,
    source: Operand,
    init_value: Operand,
    scatter: Computation,
) -> Tensor:
    """``SelectAndScatter`` with padding by numbers; see there."""
    return SelectAndScatter(
        operand, select, window_dimensions, window_strides, padding, source, init_value, scatter
    )
