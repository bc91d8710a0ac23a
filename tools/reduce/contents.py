"""Edits of what ops hold: constants of one number, of zeros; attributes that may be missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Array
from shlo_tools.mlir import Operation
from shlo_tools.tools.reduce.edits import Apply, Edit

# Attributes of StableHLO that ops verify without.
_OPTIONAL = (
    *("algorithm", "channel_handle", "precision_config", "result_accuracy", "backend_config"),
    *("indices_are_sorted", "unique_indices", "is_stable"),
)


def _constants(changed: Callable[[Array], Array]) -> Callable[[Operation], Sequence[Apply]]:
    def places(module: Operation) -> Sequence[Apply]:
        edits: list[Apply] = []
        for op in mlir.walk(module):
            if op.name != "stablehlo.constant" or "!" in str(op.results[0].type):
                continue
            value = op.attributes["value"]
            if not mlir.is_dense(value) and not mlir.is_dense_resource(value):
                continue
            array = dtypes.from_attribute(value)
            other = changed(array)
            if array.tobytes() != other.tobytes():
                edits.append(lambda op=op, other=other: _set(op, other))  # type: ignore[misc]
        return edits

    return places


def _set(op: Operation, array: Array) -> None:
    element = dtypes.tensor_type(op.results[0].type).element_type
    op.attributes["value"] = dtypes.to_attribute(array, element)


def _splat(array: Array) -> Array:
    return np.full(array.shape, array.reshape(-1)[0], array.dtype) if array.size else array


def _ones(array: Array) -> Array:
    return np.where(array == 0, array, np.ones_like(array))


def _attributes(module: Operation) -> Sequence[Apply]:
    """Attributes of other tools (they have a dot in their names), and optional ones."""
    edits: list[Apply] = []
    for op in mlir.walk(module):
        for name in op.attributes:
            if "." in name or name in (*_OPTIONAL, "arg_attrs", "res_attrs"):
                edits.append(lambda op=op, name=name: _delete(op, name))  # type: ignore[misc]
    return edits


def _delete(op: Operation, name: str) -> None:
    del op.attributes[name]


EDITS = (
    Edit("attributes", _attributes),
    Edit("constants, to zeros", _constants(np.zeros_like)),
    Edit("constants, to one number", _constants(_splat)),
    Edit("constants, to ones", _constants(_ones)),
)
