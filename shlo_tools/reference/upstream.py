"""Ops of upstream dialects that exporters leave in StableHLO programs: arith, tensor, cf.

Scalars are 0-dimensional arrays. Of the shape dialect nothing comes here: it becomes StableHLO.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import Array, ElementType
from shlo_tools.errors import ExecutionError
from shlo_tools.mlir import Operation
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.interpreter import Region
from shlo_tools.reference.steps import Body, Environment, Evaluate, Execution

Translate = Callable[[mlir.Region], Body]


class _Computed:
    """A step that computes with the operands alone, or with its region."""

    def __init__(self, function: Callable[..., Any], bodies: Sequence[Body] = ()) -> None:
        self.function, self.bodies = function, list(bodies)

    def __call__(self, run: Execution, environment: Environment, operands: Sequence[Any]) -> Any:
        regions = [Region(body, run, environment) for body in self.bodies]
        result = self.function(*operands, *regions)
        return () if result is None else result


def evaluator(op: Operation, translate: Translate) -> Evaluate | None:
    """How an op of an upstream dialect is computed; None where that is not known."""
    dialect, _, name = op.name.partition(".")
    if op.name == "arith.constant":
        return _Computed(_constant(op))
    if dialect == "arith" and name in _ARITH:
        return _Computed(_ARITH[name](op))
    if dialect in ("tensor", "cf") and op.name in _TENSOR_AND_CF:
        bodies = [translate(region) for region in op.regions]
        return _Computed(_TENSOR_AND_CF[op.name](op), bodies)
    return None


def is_elementwise(op: Operation) -> bool:
    """Whether the op may run on arrays where the program has scalars."""
    return op.name.startswith("arith.") and not mlir.is_tensor(op.results[0].type)


def _constant(op: Operation) -> Callable[[], Array]:
    value = dtypes.from_attribute(op.attributes["value"])
    return lambda: value


def _element(value: mlir.Value) -> ElementType:
    """The element type of a tensor, or the type of a scalar."""
    return dtypes.element_type(getattr(value.type, "element_type", value.type))


# --- arith ----------------------------------------------------------------------------------------
def _plain(function: Callable[..., Any]) -> Callable[[Operation], Callable[..., Any]]:
    def made(op: Operation) -> Callable[..., Any]:
        def compute(*operands: Array) -> Array:
            with np.errstate(all="ignore"):
                return np.asarray(function(*operands)).astype(_dtype)

        _dtype = _element(op.results[0]).dtype
        return compute

    return made


def _unsigned(function: Callable[..., Any]) -> Callable[[Operation], Callable[..., Any]]:
    """A function of signless integers read as unsigned."""

    def as_unsigned(*operands: Array) -> Any:
        if operands[0].dtype == np.bool_:
            return function(*operands)
        views = [operand.view(f"u{operand.dtype.itemsize}") for operand in operands]
        result = np.asarray(function(*views))
        return result.view(operands[0].dtype) if result.dtype == views[0].dtype else result

    return _plain(as_unsigned)


def _nonzero(divisor: Array) -> Array:
    if np.any(divisor == 0):
        raise ExecutionError("division by zero")
    return divisor


def _quotient(x: Array, y: Array) -> Any:
    return (x - np.fmod(x, _nonzero(y))) // y


def _compared(table: Mapping[str, Callable[..., Any]]) -> Callable[[Operation], Callable[..., Any]]:
    def made(op: Operation) -> Callable[..., Any]:
        name = list(table)[ir.integer_of(op, "predicate")]
        compare = table[name]
        return (_unsigned if name.startswith("u") and table is _INTEGER else _plain)(compare)(op)

    return made


_INTEGER: dict[str, Callable[..., Any]] = {  # in the order of arith's enumeration
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
    "ult": np.less,
    "ule": np.less_equal,
    "ugt": np.greater,
    "uge": np.greater_equal,
}


def _unordered(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(x, y) | np.isnan(x) | np.isnan(y)


_FLOAT: dict[str, Callable[..., Any]] = {
    "false": lambda x, y: np.zeros(np.shape(x), np.bool_),
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "one": lambda x, y: (x < y) | (x > y),
    "ord": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "ueq": _unordered(np.equal),
    "ugt": _unordered(np.greater),
    "uge": _unordered(np.greater_equal),
    "ult": _unordered(np.less),
    "ule": _unordered(np.less_equal),
    "une": np.not_equal,
    "uno": lambda x, y: np.isnan(x) | np.isnan(y),
    "true": lambda x, y: np.ones(np.shape(x), np.bool_),
}


def _converted(op: Operation) -> Callable[..., Any]:
    element = _element(op.results[0])
    return lambda x: converted(x, element)


def _from_unsigned(op: Operation) -> Callable[..., Any]:
    element = _element(op.results[0])

    def convert(x: Array) -> Array:
        return converted(x if x.dtype == np.bool_ else x.view(f"u{x.dtype.itemsize}"), element)

    return convert


def _extended_sign(op: Operation) -> Callable[..., Any]:
    element = _element(op.results[0])
    return lambda x: converted(-x.astype(np.int8) if x.dtype == np.bool_ else x, element)


_ARITH: dict[str, Callable[[Operation], Callable[..., Any]]] = {
    "addi": _plain(np.add),
    "subi": _plain(np.subtract),
    "muli": _plain(np.multiply),
    "divsi": _plain(_quotient),
    "floordivsi": _plain(lambda x, y: x // _nonzero(y)),
    "ceildivsi": _plain(lambda x, y: -(-x // _nonzero(y))),
    "remsi": _plain(lambda x, y: np.fmod(x, _nonzero(y))),
    "divui": _unsigned(lambda x, y: x // _nonzero(y)),
    "remui": _unsigned(lambda x, y: x % _nonzero(y)),
    "ceildivui": _unsigned(lambda x, y: (x + y - 1) // _nonzero(y)),
    "maxsi": _plain(np.maximum),
    "minsi": _plain(np.minimum),
    "maxui": _unsigned(np.maximum),
    "minui": _unsigned(np.minimum),
    "andi": _plain(np.bitwise_and),
    "ori": _plain(np.bitwise_or),
    "xori": _plain(np.bitwise_xor),
    "cmpi": _compared(_INTEGER),
    "cmpf": _compared(_FLOAT),
    "select": _plain(np.where),
    "addf": _plain(np.add),
    "subf": _plain(np.subtract),
    "mulf": _plain(np.multiply),
    "divf": _plain(np.divide),
    "negf": _plain(np.negative),
    "maximumf": _plain(np.maximum),
    "minimumf": _plain(np.minimum),
    "index_cast": _converted,
    "index_castui": _from_unsigned,
    "extsi": _extended_sign,
    "extui": _from_unsigned,
    "trunci": _plain(lambda x: x),
    "sitofp": _converted,
    "uitofp": _from_unsigned,
    "fptosi": _converted,
    "extf": _converted,
    "truncf": _converted,
}


# --- tensor, cf -----------------------------------------------------------------------------------
def _always(function: Callable[..., Any]) -> Callable[[Operation], Callable[..., Any]]:
    return lambda op: function


def _size(tensor: Array, index: Array) -> Array:
    if not 0 <= int(index) < tensor.ndim:
        raise ExecutionError(f"there is no dimension {int(index)} of {tensor.ndim}")
    return np.asarray(tensor.shape[int(index)], np.int64)


def _extract(tensor: Array, *indices: Array) -> Array:
    position = tuple(int(index) for index in indices)
    inside = all(0 <= i < size for i, size in zip(position, tensor.shape, strict=True))
    if not inside:
        raise ExecutionError(f"index {position} is outside of shape {tensor.shape}")
    return np.asarray(tensor[position])


def _from_elements(op: Operation) -> Callable[..., Any]:
    type = dtypes.tensor_type(op.results[0].type)
    return lambda *items: np.array(items, type.element_type.dtype).reshape(type.static_shape)


def _empty(op: Operation) -> Callable[..., Any]:
    """Any values will do; zeros, so that runs repeat."""
    type = dtypes.tensor_type(op.results[0].type)

    def run(*sizes: Array) -> Array:
        rest = iter(sizes)
        shape = [dim if isinstance(dim, int) else int(next(rest)) for dim in type.shape]
        if any(size < 0 for size in shape):
            raise ExecutionError(f"a size of {shape} is below 0")
        return np.zeros(shape, type.element_type.dtype)

    return run


def _required(message: str) -> Callable[..., Any]:
    def check(holds: Array) -> Array:
        if not holds:
            raise ExecutionError(message)
        return np.asarray(True)

    return check


def _assert(op: Operation) -> Callable[..., Any]:
    check = _required(ir.text_of(op, "msg") or "an assertion failed")

    def run(holds: Array) -> None:
        check(holds)

    return run


def _cast(op: Operation) -> Callable[..., Any]:
    return lambda tensor: tensor


_TENSOR_AND_CF: dict[str, Callable[[Operation], Callable[..., Any]]] = {
    "tensor.dim": _always(_size),
    "tensor.empty": _empty,
    "tensor.rank": _always(lambda tensor: np.asarray(tensor.ndim, np.int64)),
    "tensor.extract": _always(_extract),
    "tensor.from_elements": _from_elements,
    "tensor.cast": _cast,
    "cf.assert": _assert,
}
