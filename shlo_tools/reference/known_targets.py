"""What the targets mean that have no function of their own: other ops under another name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, from_dtype
from shlo_tools.errors import ExecutionError
from shlo_tools.extend.description import Call
from shlo_tools.extend.targets import TARGETS, WINDOW_OPERANDS, Meaning, meaning_of
from shlo_tools.ops.random import RngAlgorithm
from shlo_tools.reference._evaluates import EVALUATORS
from shlo_tools.reference.chlo.sorting import top_k as largest
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.random import rng_bit_generator
from shlo_tools.reference.reduction import Computation
from shlo_tools.reference.sorting import sort
from shlo_tools.reference.windows import reduce_window

# Takes the call, its operands and its called computations.
Function = Callable[[Call, Sequence[Array], Sequence[Computation]], Sequence[Array]]


def identity(call: Call, operands: Sequence[Array], bodies: Sequence[Computation]) -> Any:
    if list(map(str, call.input_types)) != list(map(str, call.result_types)):
        raise call.unsupported("a split over several devices")
    return operands


def renamed(
    call: Call, operands: Sequence[Array], bodies: Sequence[Computation]
) -> Sequence[Array]:
    return [EVALUATORS[TARGETS[call.target].op](*operands)]


def top_k(call: Call, operands: Sequence[Array], bodies: Sequence[Computation]) -> Sequence[Array]:
    """``k`` is an attribute, or where the size is dynamic an operand."""
    words = call.op_attributes.get("mhlo.attributes", {})
    k = int(operands[1]) if len(operands) > 1 else words["k"]
    if words.get("largest", True):
        return largest(operands[0], k)
    # Stable from the other end: equal elements keep their order.
    back = largest(np.ascontiguousarray(operands[0][..., ::-1]), operands[0].shape[-1])
    last = operands[0].shape[-1] - 1
    return [back[0][..., ::-1][..., :k], (last - back[1][..., ::-1])[..., :k]]


def approx_top_k(
    call: Call, operands: Sequence[Array], bodies: Sequence[Computation]
) -> Sequence[Array]:
    """All elements are looked at: the recall is whole."""
    count = len(call.result_types)
    shapes = [operands[n] for n in call.shape_operands]
    exact = call.with_shapes(shapes) if shapes else call
    if not bodies or "reduction_dim" not in exact.attributes:
        raise call.unsupported("it needs a called computation and a reduction_dim")
    axis = exact.attributes["reduction_dim"]
    rows = sort(operands[:count], axis, True, comparator=bodies[0])
    sizes = [type.static_shape[axis] for type in exact.result_types]
    return [np.take(row, range(n), axis) for row, n in zip(rows, sizes, strict=True)]


def dynamic_reduce_window(
    call: Call, operands: Sequence[Array], bodies: Sequence[Computation]
) -> Sequence[Array]:
    count = (len(operands) - WINDOW_OPERANDS) // 2
    dimensions, strides, base, window, padding = (x.tolist() for x in operands[2 * count :])
    inputs, starts = operands[:count], operands[count : 2 * count]
    return reduce_window(inputs, starts, dimensions, strides, base, window, padding, body=bodies[0])


def dynamic_rng_bit_generator(
    call: Call, operands: Sequence[Array], bodies: Sequence[Computation]
) -> Sequence[Array]:
    state, shape = operands
    name = call.op_attributes["rng_algorithm"].removesuffix(">").split()[-1]
    types = [call.result_types[0], call.result_types[1].with_shape(shape.tolist())]
    return rng_bit_generator(RngAlgorithm[name], state, result_types=types)


def sparse_times_dense(
    call: Call, operands: Sequence[Array], bodies: Sequence[Computation]
) -> Sequence[Array]:
    """Row r holds ``values[ends[r]:ends[r + 1]]``, in the columns of those numbers."""
    values, ends, columns, dense = operands
    used = columns[: max(0, int(ends[-1]))]
    sizes = [0, *ends.tolist(), len(values)]
    if sizes != sorted(sizes) or (used.size and not 0 <= used.min() <= used.max() < len(dense)):
        raise ExecutionError("an index leaves the matrix")
    wide = np.result_type(dense.dtype, np.float64 if dense.dtype.kind != "c" else np.complex128)
    result = np.zeros((len(ends) - 1, *dense.shape[1:]), wide)
    for row in range(len(result)):
        for position in range(ends[row], ends[row + 1]):
            result[row] += values[position].astype(wide) * dense[columns[position]]
    return [converted(result, from_dtype(dense.dtype))]


_FUNCTIONS: Mapping[Meaning, Function] = {
    Meaning.APPROX_TOP_K: approx_top_k,
    Meaning.IDENTITY: identity,
    Meaning.OP: renamed,
    Meaning.REDUCE_WINDOW: dynamic_reduce_window,
    Meaning.RNG_BIT_GENERATOR: dynamic_rng_bit_generator,
    Meaning.SPARSE_TIMES_DENSE: sparse_times_dense,
    Meaning.TOP_K: top_k,
    Meaning.WRAPPER: lambda call, operands, bodies: operands[:1],
}


def find(target: str) -> Function | None:
    """The function of a target of known meaning; that of assertions is the host's."""
    meaning = meaning_of(target)
    return None if meaning is None else _FUNCTIONS.get(meaning)
