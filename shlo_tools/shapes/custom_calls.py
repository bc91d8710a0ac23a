"""Custom calls: shapes by registered rules, or by operands that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.constraints import collecting, compatible, same
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.extend import description
from shlo_tools.extend.shape_rules import ShapeRule, find_shape_rule, told
from shlo_tools.extend.targets import (
    REDUCE_WINDOW,
    SPARSE_TIMES_DENSE,
    TARGETS,
    WINDOW_OPERANDS,
    Meaning,
    meaning_of,
)
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Tensor
from shlo_tools.ops.windows import dilated, window_count
from shlo_tools.shapes import assertions
from shlo_tools.shapes.state import State
from shlo_tools.types import ValueType, as_value, value_type

_SHAPE_OPERANDS = "indices_of_shape_operands"


def custom_call(state: State, op: Operation) -> None:
    """Bind the results of a custom call as far as something tells their shapes."""
    target = ir.text_of(op, "call_target_name")
    meaning = meaning_of(target)
    if meaning is Meaning.ASSERTION:
        assertions.assume(state, op)
        return
    if meaning is Meaning.WRAPPER and len(op.results) == 1 and len(op.operands):
        state.bind(op.results[0], state.current(op.operands[0]))
        state.wrappers[mlir.address_of(op)] = op
        return
    rule = find_shape_rule(target) or _built_in(target)
    if rule is not None:
        _by_rule(state, op, target, rule)
    elif _SHAPE_OPERANDS in op.attributes:
        _by_shape_operands(state, op)


# --- shapes ---------------------------------------------------------------------------------------
def _by_rule(state: State, op: Operation, target: str, rule: ShapeRule) -> None:
    declared = [state.declared(result) for result in op.results]
    operands = [state.view(operand) for operand in op.operands]
    with collecting() as obligations:
        types = told(target, rule, operands, _keywords(op, declared), declared)
    state.oblige(op, obligations)
    for result, type in zip(op.results, types, strict=True):
        _bind(state, result, type, target)


def _keywords(op: Operation, declared: Sequence[ValueType]) -> Mapping[str, Callable[[], Any]]:
    return {
        "attributes": lambda: _config(op),
        "op_attributes": lambda: _op_attributes(op),
        "result_types": lambda: declared,
    }


def require_declared(op: Operation, operands: Sequence[Tensor]) -> None:
    """Check that a call of a target of known meaning declares the results that it gives.

    Raises:
        ConstraintError: it declares others.
    """
    target = ir.text_of(op, "call_target_name")
    rule = _RULES[TARGETS[target].meaning]
    declared = [value_type(result.type) for result in op.results]
    place = mlir.place_of(op.location)
    try:
        types = told(target, rule, operands, _keywords(op, declared), declared)
    except ConstraintError as error:
        raise ConstraintError(f"{op.name}: {error.diagnostics[0].message}", place=place) from error
    for inferred, stated in zip(types, declared, strict=True):
        if compatible(as_value(inferred), as_value(stated)) is False:
            message = f"{op.name}: {target!r} gives {inferred}, declared is {stated}"
            raise ConstraintError(message, place=place)


def _bind(state: State, result: Value, type: ValueType, target: str) -> None:
    declared = state.declared(result)
    if isinstance(type, TensorType) and isinstance(declared, TensorType):
        if type.element_type not in (declared.element_type, declared.expressed_type.element_type):
            raise ConstraintError(f"{target!r} gives {type}, declared is {declared}")
        state.bind(result, type)


def _config(op: Operation) -> Mapping[str, Any]:
    attribute = description.config_of(op.attributes)
    config = {} if attribute is None else description.python_value(attribute)
    return config if isinstance(config, dict) else {"backend_config": config}


def _op_attributes(op: Operation) -> Mapping[str, Any]:
    return {name: description.python_value(attribute) for name, attribute in op.attributes.items()}


def _by_shape_operands(state: State, op: Operation) -> None:
    """``indices_of_shape_operands`` names, for each result, the operand that holds its shape."""
    listed = np.atleast_1d(description.python_value(op.attributes[_SHAPE_OPERANDS]))
    indices = [int(index) for index in listed.tolist()]
    if len(indices) != len(op.results):
        raise ConstraintError(
            f"{_SHAPE_OPERANDS} names {len(indices)} operands for {len(op.results)} results"
        )
    for index, result in zip(indices, op.results, strict=True):
        if not 0 <= index < len(op.operands):
            raise ConstraintError(f"{_SHAPE_OPERANDS} names operand {index}, which is not there")
        declared = state.declared(result)
        sizes = state.current_contents(op.operands[index])
        if sizes is None or not isinstance(declared, TensorType):
            continue
        if len(sizes) != declared.rank:
            raise ConstraintError(
                f"operand {index} holds {len(sizes)} sizes for a result of type {declared}"
            )
        state.bind(result, declared.with_shape(sizes))


# --- built-in rules -------------------------------------------------------------------------------
def _like_operand(operand: Tensor, *_: Tensor) -> Tensor:
    return operand.like()


def _sizes(tensor: Tensor) -> Sequence[Dim]:
    count = tensor.type.size if tensor.type.is_static else 0
    return [UNKNOWN] * count if tensor.contents is None else tensor.contents


def _reduce_window(*operands: Tensor) -> list[Tensor]:
    """Inputs, their init values, and what ``reduce_window`` has as attributes."""
    count = (len(operands) - WINDOW_OPERANDS) // 2
    if count < 1 or any(t.rank != 1 for t in operands[2 * count : 2 * count + 4]):
        raise ConstraintError(f"{REDUCE_WINDOW} takes inputs, init values and 5 tensors")
    windows, strides, bases, apart, padding = (_sizes(t) for t in operands[2 * count :])
    rank = operands[0].rank
    lengths = {len(row) for row in (windows, strides, bases, apart)} | {len(padding) // 2}
    if lengths != {rank}:
        raise ConstraintError(f"windows of {sorted(lengths)} dimensions over rank {rank}")
    shape: list[Dim] = []
    for d, size in enumerate(operands[0].shape):
        steps = [row[d] for row in (strides, bases, apart)]
        stride, base, gap = (step if isinstance(step, int) else 0 for step in steps)
        if 0 in (stride, base, gap):
            shape.append(UNKNOWN)
            continue
        low, high = padding[2 * d], padding[2 * d + 1]
        spread = low + dilated(size, base) + high
        shape.append(window_count(spread, dilated(windows[d], gap), stride))
    return [init.like(shape=shape) for init in operands[count : 2 * count]]


def _top_k(operand: Tensor, *k: Tensor, op_attributes: Mapping[str, Any]) -> list[Tensor]:
    """``k`` is an operand, or an attribute where its size is static."""
    words = op_attributes.get("mhlo.attributes")
    count = (words or {}).get("k", UNKNOWN)
    size = _sizes(k[0])[0] if k else int(count) if count is not UNKNOWN else UNKNOWN
    values = operand.like(shape=[*operand.shape[:-1], size])
    return [values, values.like(element_type="i32")]


def _rng_bit_generator(
    state: Tensor, shape: Tensor, *, result_types: Sequence[TensorType]
) -> list[Any]:
    return [state.like(), result_types[1].with_shape(_sizes(shape))]


def _sparse_times_dense(values: Tensor, ends: Tensor, columns: Tensor, dense: Tensor) -> Tensor:
    """Of a matrix in CSR form, a row for each pair of neighbouring ends."""
    if [values.rank, ends.rank, columns.rank] != [1, 1, 1] or not dense.rank:
        raise ConstraintError(f"{SPARSE_TIMES_DENSE} takes three vectors and what it multiplies")
    if same(values.shape[0], columns.shape[0]) is False:
        raise ConstraintError(f"{values.type} lie in columns {columns.type}")
    return dense.like(shape=[ends.shape[0] - 1, *dense.shape[1:]])


_RULES: Mapping[Meaning, ShapeRule] = {
    Meaning.OP: _like_operand,
    Meaning.TOP_K: _top_k,
    Meaning.REDUCE_WINDOW: _reduce_window,
    Meaning.RNG_BIT_GENERATOR: _rng_bit_generator,
    Meaning.SPARSE_TIMES_DENSE: _sparse_times_dense,
}


def _built_in(target: str) -> ShapeRule | None:
    """The rule of a target of known meaning."""
    known = TARGETS.get(target)
    if known is None:
        return None
    return _like_operand if known.keeps_shape else _RULES.get(known.meaning)
