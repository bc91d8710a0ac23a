"""Elements computed by the reference, where all that they are computed from is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.shapes.state import State
from shlo_tools.shapes.types import LIMIT

# Numbers, placed or computed; those of floats, as in ceil(n / 2.0), where everybody rounds alike.
_FOLLOWED = Trait.ELEMENTWISE | Trait.DATA_MOVEMENT | Trait.CONSTANT_LIKE
_MADE = frozenset(("stablehlo.bitcast_convert", "stablehlo.iota"))
_EXACT = Trait.CORRECTLY_ROUNDED | Trait.DATA_MOVEMENT | Trait.CONSTANT_LIKE
# Ops whose integers may come from floats, which rows of sizes do not show.
FROM_FLOATS = frozenset(
    f"stablehlo.{name}" for name in ("bitcast_convert", "compare", "convert", "is_finite")
)
_DEEP = 64  # float ops in a row that are followed


def evaluated(op: Operation, state: State) -> Sequence[Dim] | None:
    """An op on nothing but numbers, by the reference."""
    array = _evaluated(op, state, {}, 0)
    return None if array is None else [int(x) for x in array.reshape(-1)]


def _evaluated(
    op: Operation, state: State, floats: dict[Value, Array | None], depth: int
) -> Array | None:
    is_followed = has_trait(op, _FOLLOWED) or op.name in _MADE
    if not is_followed or len(op.regions) or not op.name.startswith("stablehlo."):
        return None
    arrays = []
    for operand in op.operands:
        array = _known(operand, state, floats, depth)
        if array is None:
            return None
        arrays.append(array)
    # Importing the reference takes longer than refining a small program.
    from shlo_tools.reference import EVALUATORS
    from shlo_tools.reference._evaluates import evaluated as reference_value

    if op.name not in EVALUATORS:
        return None
    types = [state.current(value) for value in op.results]
    results = [type for type in types if isinstance(type, TensorType) and type.is_static]
    if len(results) < len(types):
        return None
    return np.asarray(reference_value(op, arrays, results))


def _known(
    value: Value, state: State, floats: dict[Value, Array | None], depth: int
) -> Array | None:
    """What a tensor holds, where that is known."""
    type = state.current(value)
    if not isinstance(type, TensorType) or not type.is_static:
        return None
    if type.element_type.is_float:
        if value not in floats:
            floats[value] = _known_float(value, type, state, floats, depth)
        return floats[value]
    row = state.numbers(value)
    if row is None:
        return None
    return np.array(row, object).astype(type.element_type.dtype).reshape(type.static_shape)


def _known_float(
    value: Value,
    type: TensorType,
    state: State,
    floats: dict[Value, Array | None],
    depth: int,
) -> Array | None:
    op = mlir.defining_op(value)
    if op is None or type.size > LIMIT or depth > _DEEP:
        return None
    constant = ir.constant_of(value)
    if constant is None and has_trait(op, _EXACT):
        return _evaluated(op, state, floats, depth + 1)
    return constant
