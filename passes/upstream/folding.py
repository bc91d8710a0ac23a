"""What StableHLO's folder computes of constants: one rule an op.

Results become constants in front of the op; the driver moves them to the start of the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rule, Rules
from shlo_tools.passes.simplify.values import constant, is_splat, static, typed
from shlo_tools.passes.upstream import elements as of
from shlo_tools.passes.upstream.elements import Computed, elements, splat_of


@dataclass(frozen=True)
class Gate:
    """What is folded.

    Attributes:
        limit: the largest result, of the ops that have a limit.
        floats: fold what gives floats.
    """

    limit: int
    floats: bool

    def opens(self, result: TensorType | None, *, with_complex: bool = False) -> bool:
        """Whether results of a type are folded."""
        if result is None:
            return False
        element = result.element_type
        if element.is_complex:
            return with_complex and self.floats
        return self.floats or not element.is_float


def _constant(build: Rewriter, value: Value, array: Array) -> Replacement:
    return [constant(build, value.type, of.all_alike(array))]


# --- elementwise ----------------------------------------------------------------------------------
Allowed = Callable[[TensorType], bool]


def _elementwise(compute: Computed, allowed: Allowed) -> Rule:
    """A rule for an op whose operands and result have one type."""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        result = static(op.results[0])
        if result is None or not allowed(result):
            return None
        if any(value.type != op.results[0].type for value in op.operands):
            return None
        arrays = of.operands_of(op)
        array = None if arrays is None else of.elementwise(compute, arrays)
        return None if array is None else _constant(build, op.results[0], array)

    return rule


def _is_whole(type: TensorType) -> bool:
    return type.element_type.is_integer or type.element_type.is_boolean


def _is_float(type: TensorType) -> bool:
    return type.element_type.is_float


def _is_real(type: TensorType) -> bool:
    return not type.element_type.is_complex


def _arithmetic(gate: Gate) -> Rules:
    """Ops of two and three operands; one bit is an integer like any."""
    xor, conjunction, disjunction = np.logical_xor, np.logical_and, np.logical_or
    functions: dict[str, Computed] = {
        "add": of.on_bits(xor, "stablehlo.add"),
        "subtract": of.on_bits(xor, "stablehlo.subtract"),
        "multiply": of.on_bits(conjunction, "stablehlo.multiply"),
        "divide": of.undivided_by_zero("stablehlo.divide", lambda lhs, rhs: lhs),
        "remainder": of.undivided_by_zero("stablehlo.remainder", lambda lhs, rhs: lhs ^ lhs),
        "maximum": of.on_bits(disjunction, "stablehlo.maximum"),
        "minimum": of.on_bits(conjunction, "stablehlo.minimum"),
        # Of one bit, true is -1: the greater of two is their conjunction.
        "clamp": of.on_bits(lambda least, x, most: most | (x & least), "stablehlo.clamp"),
    }
    rules = {name: (_elementwise(f, gate.opens),) for name, f in functions.items()}
    for name in ("and", "or", "xor"):
        rules[name] = (_elementwise(of.by_reference(f"stablehlo.{name}"), _is_whole),)
    return {f"stablehlo.{name}": rule for name, rule in rules.items()}


def _unary() -> Rules:
    exact = ("abs", "negate", "not", "round_nearest_afz", "round_nearest_even")
    rules = {
        f"stablehlo.{name}": (_elementwise(of.by_reference(f"stablehlo.{name}"), _is_real),)
        for name in exact
    }
    rules["stablehlo.sign"] = (_elementwise(of.sign, _is_real),)
    least = math.ulp(0.0)
    functions: dict[str, Computed] = {
        "chlo.erf": of.by_libm(math.erf),
        "stablehlo.cosine": of.by_libm(math.cos),
        "stablehlo.exponential": of.by_libm(math.exp),
        "stablehlo.log": of.by_libm(math.log, least=least),
        "stablehlo.logistic": of.by_libm(of.logistic),
        "stablehlo.rsqrt": of.by_libm(of.rsqrt, least=least),
        "stablehlo.sine": of.by_libm(math.sin),
        "stablehlo.sqrt": of.by_libm(math.sqrt, least=0.0),
        "stablehlo.tan": of.by_libm(math.tan),
        "stablehlo.tanh": of.by_libm(math.tanh),
    }
    return rules | {name: (_elementwise(f, _is_float),) for name, f in functions.items()}


_COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


def _compare(op: Operation, build: Rewriter) -> Replacement | None:
    """Every type is compared as its own, total orders of floats as floats."""
    lhs, rhs = op.operands
    type = static(lhs)
    arrays = of.operands_of(op)
    if type is None or arrays is None or not _is_real(type) or lhs.type != rhs.type:
        return None
    function = _COMPARISONS[ir.enum_of(op, "comparison_direction")]

    def compute(operands: Sequence[Array]) -> Array:
        return np.asarray(function(*operands)).astype(bool)

    array = of.elementwise(compute, arrays)
    if array is None or static(op.results[0]) is None:
        return None
    return _constant(build, op.results[0], array)


# --- types and places -----------------------------------------------------------------------------
def _movement(gate: Gate) -> Rules:
    def convert(op: Operation, build: Rewriter) -> Replacement | None:
        result, source = static(op.results[0]), typed(op.operands[0])
        if result is None or source is None or result.size > gate.limit:
            return None
        if not gate.opens(result) or not gate.opens(source):
            return None
        array = elements(op.operands[0])
        if array is None:
            return None
        element = result.element_type
        new = of.elementwise(lambda operands: of.converted(operands[0], element), [array])
        return None if new is None else _constant(build, op.results[0], new)

    def concatenate(op: Operation, build: Rewriter) -> Replacement | None:
        result = static(op.results[0])
        arrays = of.operands_of(op)
        if arrays is None or result is None or not gate.opens(result):
            return None
        if result.size > gate.limit:
            return None
        array = np.concatenate(arrays, axis=ir.integer_of(op, "dimension"))
        return _constant(build, op.results[0], array)

    def broadcast(op: Operation, build: Rewriter) -> Replacement | None:
        one = splat_of(op.operands[0])
        result = static(op.results[0])
        if one is None or result is None or not gate.opens(result, with_complex=True):
            return None
        return _constant(build, op.results[0], np.broadcast_to(one, result.static_shape))

    def reshape(op: Operation, build: Rewriter) -> Replacement | None:
        result, array = static(op.results[0]), elements(op.operands[0])
        if array is None or result is None or not gate.opens(result, with_complex=True):
            return None
        return _constant(build, op.results[0], _reshaped(array, result.static_shape))

    def slices(op: Operation, build: Rewriter) -> Replacement | None:
        result, array = static(op.results[0]), elements(op.operands[0])
        if array is None or result is None or not gate.opens(result):
            return None
        names = ("start_indices", "limit_indices", "strides")
        bounds = zip(*(ir.integers_of(op, name) for name in names), strict=True)
        return _constant(build, op.results[0], array[tuple(slice(*bound) for bound in bounds)])

    def reverse(op: Operation, build: Rewriter) -> Replacement | None:
        result, array = static(op.results[0]), elements(op.operands[0])
        dimensions = ir.integers_of(op, "dimensions")
        if array is None or result is None or not _is_real(result) or is_splat(array):
            return None
        if result.size > gate.limit or all(array.shape[n] == 1 for n in dimensions):
            return None
        return _constant(build, op.results[0], np.flip(array, tuple(dimensions)))

    def select(op: Operation, build: Rewriter) -> Replacement | None:
        arrays, result = of.operands_of(op), static(op.results[0])
        if arrays is None or result is None or not gate.opens(result):
            return None
        predicate, *branches = arrays
        if is_splat(predicate):
            return [op.operands[1 if predicate.reshape(-1)[0] else 2]]
        if result.size > gate.limit or not _is_whole(result):
            return None
        return _constant(build, op.results[0], np.where(predicate, *branches))

    def iota(op: Operation, build: Rewriter) -> Replacement | None:
        result = static(op.results[0])
        if result is None or not _is_whole(result) or result.size > min(1, gate.limit):
            return None
        zeros = np.zeros(result.static_shape, result.element_type.dtype)
        return _constant(build, op.results[0], zeros)

    return {
        "stablehlo.broadcast_in_dim": (broadcast,),
        "stablehlo.concatenate": (concatenate, _join_splats),
        "stablehlo.convert": (convert,),
        "stablehlo.dynamic_slice": (_slice_of_splat,),
        "stablehlo.iota": (iota,),
        "stablehlo.reshape": (reshape,),
        "stablehlo.reverse": (reverse,),
        "stablehlo.select": (select,),
        "stablehlo.slice": (slices,),
        "stablehlo.transpose": (_transpose,),
    }


def _reshaped(array: Array, shape: Sequence[int]) -> Array:
    if is_splat(array):
        return np.broadcast_to(array.reshape(-1)[:1].reshape(()), shape)
    return array.reshape(shape)


def _join_splats(op: Operation, build: Rewriter) -> Replacement | None:
    """concatenate(.., c, c, ..) -> concatenate(.., cc, ..)"""
    dimension = ir.integer_of(op, "dimension")
    runs: list[list[Value]] = []
    for value in op.operands:
        if runs and _is_same_splat(runs[-1][0], value):
            runs[-1].append(value)
        else:
            runs.append([value])
    if len(runs) == len(op.operands):
        return None
    operands = [run[0] if len(run) == 1 else _joined(build, run, dimension) for run in runs]
    attributes = {"dimension": mlir.i64_attr(dimension)}
    return [build.value(op.name, operands, op.results[0].type, attributes)]


def _is_same_splat(one: Value, other: Value) -> bool:
    first, second = splat_of(one), splat_of(other)
    if first is None or second is None or one.type != other.type:
        return False
    return first.tobytes() == second.tobytes()


def _joined(build: Rewriter, run: Sequence[Value], dimension: int) -> Value:
    one, type = splat_of(run[0]), static(run[0])
    shape = list(run[0].type.shape)
    shape[dimension] *= len(run)
    new = mlir.tensor_type(shape, run[0].type.element_type)
    return constant(build, new, np.broadcast_to(one, shape)) if type and one is not None else run[0]


def _slice_of_splat(op: Operation, build: Rewriter) -> Replacement | None:
    one, result = splat_of(op.operands[0]), static(op.results[0])
    if one is None or result is None:
        return None
    return _constant(build, op.results[0], np.broadcast_to(one, result.static_shape))


def _transpose(op: Operation, build: Rewriter) -> Replacement | None:
    result, array = static(op.results[0]), elements(op.operands[0])
    if array is None or result is None or not (_is_real(result) or is_splat(array)):
        return None
    return _constant(build, op.results[0], array.transpose(ir.integers_of(op, "permutation")))


# --- sizes ----------------------------------------------------------------------------------------
def _get_size(op: Operation, build: Rewriter) -> Replacement | None:
    type, dimension = op.operands[0].type, ir.integer_of(op, "dimension")
    size = type.shape[dimension]
    if dimension in mlir.unknown_dimensions(type) or size > np.iinfo(np.int32).max:
        return None
    return _constant(build, op.results[0], np.asarray(size, np.int32))


def _set_size(op: Operation, build: Rewriter) -> Replacement | None:
    operand, size = op.operands
    number = splat_of(size)
    if number is None or operand.type != op.results[0].type:
        return None
    same = int(number) == operand.type.shape[ir.integer_of(op, "dimension")]
    return [operand] if same else None


def rules(gate: Gate) -> Rules:
    """The rules, by the names of ops."""
    return {
        **_arithmetic(gate),
        **_unary(),
        **_movement(gate),
        "stablehlo.compare": (_compare,),
        "stablehlo.get_dimension_size": (_get_size,),
        "stablehlo.set_dimension_size": (_set_size,),
    }
