"""Ops that slide a window over a tensor: reductions of windows, and choosing from them."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import accumulators_of, compatible, every, require, same_shape
from shlo_tools.dims import Dim, at_most, maximum, minimum
from shlo_tools.ops._attributes import I64Matrix
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Scalar, Tensor


def dilated(size: Dim, dilation: int) -> Dim:
    """The extent of ``size`` elements that lie ``dilation`` apart."""
    return size if dilation == 1 else maximum((size - 1) * dilation + 1, 0)


def window_count(size: Dim, window: Dim, stride: int) -> Dim:
    """How many windows of extent ``window`` start every ``stride`` elements within ``size``.

    Where there are no elements there are no windows, not even empty ones.
    """
    count = maximum((size - window) // stride + 1, 0)
    return count if at_most(1, window) else minimum(maximum(size, 0), 1) * count


def _window_counts(
    shape: Sequence[Dim],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    base_dilations: Sequence[int],
    window_dilations: Sequence[int],
) -> list[Dim]:
    rows = zip(shape, window_dimensions, window_strides, padding, strict=True)
    spread = zip(base_dilations, window_dilations, strict=True)
    return [
        window_count(low + dilated(size, base) + high, dilated(window, apart), stride)
        for (size, window, stride, (low, high)), (base, apart) in zip(rows, spread, strict=True)
    ]


@op(traits=Trait.QUANTIZED)
def reduce_window(
    inputs: Sequence[Tensor],
    init_values: Sequence[Scalar],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    base_dilations: Sequence[int] | None = None,
    window_dilations: Sequence[int] | None = None,
    padding: I64Matrix | None = None,
    *,
    body: Region,
) -> tuple[Tensor, ...]:
    """Fold every window of ``inputs`` with ``body``.

    ``padding`` (pairs of low and high, possibly negative) puts cells around the inputs that hold
    the init values and enter the reductions; ``base_dilations`` puts them between the elements.
    Strides and dilations are 1, paddings 0 where they are not given.
    """
    require("C1", len(inputs) > 0, "there are no inputs")
    first, ones = inputs[0], [1] * inputs[0].rank
    strides, base, apart = window_strides or ones, base_dilations or ones, window_dilations or ones
    edges = padding if padding is not None else [(0, 0)] * first.rank
    require("C1", len(init_values) == len(inputs), "not one init value per input")
    require("C2", every(same_shape(t.shape, first.shape) for t in inputs), "shapes differ")
    require("I2", all(v.rank == 0 for v in init_values), "an init value is not 0-dimensional")
    lists = (("C4", window_dimensions), ("C6", strides), ("C8", base), ("C10", apart))
    for label, values in lists:
        _one_each(label, values, first)
        _positive(label, values)
    _one_each("C12", edges, first)
    counts = _window_counts(first.shape, window_dimensions, strides, edges, base, apart)
    accumulators = accumulators_of(body, init_values, "C13")
    results = body(*accumulators, *accumulators)
    fits = len(results) == len(inputs) and every(
        compatible(result, accumulator)
        for result, accumulator in zip(results, accumulators, strict=True)
    )
    require("C13", fits, "the body does not return its accumulators' types")
    return tuple(accumulator.like(shape=counts) for accumulator in accumulators)


def _one_each(label: str, values: Sequence[object], operand: Tensor) -> None:
    require(label, len(values) == operand.rank, f"{values} has not one entry per dimension")


def _positive(label: str, values: Sequence[int]) -> None:
    require(label, all(value > 0 for value in values), f"{list(values)} holds a number below 1")


@op(traits=Trait.QUANTIZED)
def select_and_scatter(
    operand: Tensor,
    source: Tensor,
    init_value: Scalar,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: I64Matrix | None = None,
    *,
    select: Region,
    scatter: Region,
) -> Tensor:
    """From each window of ``operand`` one element is selected; there its ``source`` is added.

    ``select`` tells of two elements, the earlier one first, whether the first is kept;
    ``scatter`` combines what a place of the result holds with a source element. Cells of the
    padding are never selected: a window without others contributes nothing.
    """
    ones = [1] * operand.rank
    strides = window_strides or ones
    edges = padding if padding is not None else [(0, 0)] * operand.rank
    require("C1", operand.element_type == source.element_type, "element types differ")
    require("C3", init_value.element_type == operand.element_type, "element types differ")
    for label, values in (("C4", window_dimensions), ("C6", strides)):
        _one_each(label, values, operand)
        _positive(label, values)
    _one_each("C8", edges, operand)
    counts = _window_counts(operand.shape, window_dimensions, strides, edges, ones, ones)
    require("C2", same_shape(source.shape, counts), f"{source.type} is not one per window")
    scalar = operand.like(shape=())
    chosen = select(scalar, scalar)
    boolean = len(chosen) == 1 and chosen[0].element_type.is_boolean
    require("C9", boolean, "select does not return one boolean")
    (sum_type,) = accumulators_of(scatter, [scalar], "C10")
    combined = scatter(sum_type, sum_type)
    require("C10", len(combined) == 1, "scatter does not return one value")
    return operand.like(element_type=combined[0].element_type)
