"""Ops that combine elements along dimensions with a computation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, from_dtype
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.elementwise import maximum, minimum
from shlo_tools.reference.rounding import extended, rounded

Computation = Callable[..., Any]


def results_of(computed: Any) -> list[Array]:
    """What a region returns, as a list."""
    return list(computed) if isinstance(computed, tuple | list) else [computed]


def destination_types(body: Computation, operands: Sequence[Any]) -> list[Any]:
    """The dtypes in which a computation accumulates: those of its region's first arguments."""
    types = getattr(body, "argument_types", None)
    if types is None:
        return list(operands)
    return [type.element_type.dtype for type in types[: len(operands)]]


def promoted(values: Sequence[Array], types: Sequence[Any]) -> list[Array]:
    """to_destination_type: values as those that a computation takes."""
    return [
        converted(value, from_dtype(dtype)) if value.dtype != dtype else value
        for value, dtype in zip(values, types, strict=True)
    ]


@evaluates
def reduce(
    inputs: Sequence[Array],
    init_values: Sequence[Array],
    dimensions: Sequence[int],
    body: Computation,
) -> tuple[Array, ...]:
    kept = [d for d in range(inputs[0].ndim) if d not in dimensions]
    # The dimensions in increasing order: elements meet the body in lexicographic order.
    order = [*sorted(dimensions), *kept]
    count = math.prod(inputs[0].shape[d] for d in dimensions)
    shape = tuple(inputs[0].shape[d] for d in kept)
    types = destination_types(body, [value.dtype for value in init_values])
    rows = [np.transpose(x, order).reshape(count, *shape) for x in promoted(inputs, types)]
    return fold(rows, promoted(init_values, types), body)


def fold(
    rows: Sequence[Array], init_values: Sequence[Array], body: Computation
) -> tuple[Array, ...]:
    """Combine the first dimension's slices, beginning with the init values."""
    shape = rows[0].shape[1:]
    monoid = getattr(body, "operation", None)
    if len(rows) == 1 and monoid in _MONOIDS and rows[0].dtype == init_values[0].dtype:
        return (_MONOIDS[monoid](rows[0], init_values[0]),)
    results = [np.array(np.broadcast_to(value, shape)) for value in init_values]
    for index in range(rows[0].shape[0]):
        results = results_of(body(*results, *(row[index] for row in rows)))
    return tuple(results)


def _by_ufunc(ufunc: np.ufunc) -> Callable[[Array, Array], Array]:
    """A fold by an exact or a more exact operation, rounded at the end."""

    def combine(rows: Array, init: Array) -> Array:
        with np.errstate(all="ignore"):
            wide = extended(rows)
            start = extended(np.asarray(init))
            return rounded(
                ufunc.reduce(wide, axis=0, initial=start[()], dtype=wide.dtype), rows.dtype
            )

    return combine


def _add(rows: Array, init: Array) -> Array:
    return _or(rows, init) if rows.dtype == np.bool_ else _by_ufunc(np.add)(rows, init)


def _multiply(rows: Array, init: Array) -> Array:
    return _and(rows, init) if rows.dtype == np.bool_ else _by_ufunc(np.multiply)(rows, init)


def _and(rows: Array, init: Array) -> Array:
    return _by_ufunc(np.bitwise_and)(rows, init)


def _or(rows: Array, init: Array) -> Array:
    return _by_ufunc(np.bitwise_or)(rows, init)


def _xor(rows: Array, init: Array) -> Array:
    return _by_ufunc(np.bitwise_xor)(rows, init)


def _extremum(choose: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """A fold of an operation for which order does not matter at all, by halves."""

    def combine(rows: Array, init: Array) -> Array:
        while rows.shape[0] > 1:
            half = rows.shape[0] // 2
            rest = rows[2 * half :]
            rows = np.concatenate([choose(rows[:half], rows[half : 2 * half]), rest])
        start = np.array(np.broadcast_to(init, rows.shape[1:]))
        return choose(start, rows[0]) if rows.shape[0] else start

    return combine


_MONOIDS: dict[str | None, Callable[[Array, Array], Array]] = {
    "stablehlo.add": _add,
    "stablehlo.multiply": _multiply,
    "stablehlo.and": _and,
    "stablehlo.or": _or,
    "stablehlo.xor": _xor,
    "stablehlo.maximum": _extremum(maximum),
    "stablehlo.minimum": _extremum(minimum),
}


@evaluates
def map(inputs: Sequence[Array], dimensions: Sequence[int], computation: Computation) -> Array:
    return results_of(computation(*inputs))[0]
