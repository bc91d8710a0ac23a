"""Arithmetic on floats of 8 bits and less is done in f32, and rounded once.

Before:
    %0 = stablehlo.add %a, %b : tensor<4xf8E5M2>
After:
    %1 = stablehlo.convert %a : (tensor<4xf8E5M2>) -> tensor<4xf32>
    %2 = stablehlo.convert %b : (tensor<4xf8E5M2>) -> tensor<4xf32>
    %3 = stablehlo.add %1, %2 : tensor<4xf32>
    %0 = stablehlo.convert %3 : (tensor<4xf32>) -> tensor<4xf8E5M2>

Ops inside the regions of reductions, sorts, scatters and loops are widened one by one, as the
specification has their computations round at every step. What only moves elements or takes bits
of them stays, and so do convolutions and dot products, which convert their operands themselves.
Some functions, and all of f8E8M0FNU, are computed in f64 (see ``narrow_floats.wide_type``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType, tensor_type, to_attribute
from shlo_tools.ir import Build, Rewrite
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.narrow_floats import is_narrow, wide_type
from shlo_tools.ops import Trait, names_with
from shlo_tools.passes.normalize import result_accuracy
from shlo_tools.passes.simplify.values import spread
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.quantized_types import holds_quantized

# Ops that compute with the numbers of their operands, in elements of the operands' type: all
# arithmetic, but for contractions and what makes or rounds numbers, which know narrow floats.
_AWARE = """
convolution dot dot_general dynamic_conv dynamic_iota iota reduce_precision
"""
COMPUTING = names_with(Trait.ARITHMETIC) - {f"stablehlo.{name}" for name in _AWARE.split()}

# Of two operands a value may be as near to a tie as no f32 can tell, such as atan2(y, x) < y / x.
COMPUTING_IN_DOUBLE = "atan2 power"


@dataclass(frozen=True)
class WidenNarrowFloats(Pass):
    """Compute with floats of 8 bits and less in f32."""

    name = "shlo-widen-narrow-floats"
    anchor = "any"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_type("f8E", "f6E", "f4E")

    def run(self, op: Operation) -> None:
        if ir.has_type(op, "f8E", "f6E", "f4E"):
            ir.rewrite(op, RULES)


def _widened(op: Operation, build: Build, double: bool = False) -> Sequence[Value] | None:
    """The op on wide operands, its narrow results converted back; None if it has no narrow one."""
    types = [result.type for result in op.results]
    if not any(_is_narrow(type) for type in (*types, *(value.type for value in op.operands))):
        return None
    if op.name in result_accuracy.LARGEST:
        result_accuracy.check(op)  # in the last places of the narrow type
    operands = [_converted(build, value, _wide(value.type, double)) for value in op.operands]
    wide = [_wide(type, double) for type in types]
    results = list(build.op(op.name, operands, wide, _attributes(op)).results)
    if op.name == "stablehlo.power":
        results = [_above_zero(build, results[0], types[0])]
    return [_converted(build, value, type) for value, type in zip(results, types, strict=True)]


def _above_zero(build: Build, value: Value, narrow: Type) -> Value:
    """What underflows f64 is the least number of f8E8M0FNU, which has no zero."""
    if tensor_type(narrow).element_type.name != "f8E8M0FNU":
        return value
    scalar = TensorType((), ELEMENT_TYPES["f64"])
    low, high = (
        build.value(
            "stablehlo.constant",
            (),
            scalar.mlir(),
            {"value": to_attribute(np.asarray(bound, np.float64))},
        )
        for bound in (2.0**-1000, np.inf)
    )
    return build.value("stablehlo.clamp", (low, value, high), value.type)


def _is_narrow(type: Type) -> bool:
    return not holds_quantized(type) and is_narrow(tensor_type(type).element_type)


def _wide(type: Type, double: bool = False) -> Type:
    if not _is_narrow(type):
        return type
    narrow = tensor_type(type)
    element = ELEMENT_TYPES["f64"] if double else wide_type(narrow.element_type)
    return narrow.with_element(element).mlir()


def _converted(build: Build, value: Value, type: Type) -> Value:
    return value if value.type == type else build.value("stablehlo.convert", (value,), type)


def _attributes(op: Operation) -> Mapping[str, Attribute]:
    attributes = op.attributes.items()
    return {name: item for name, item in attributes if name != result_accuracy.ATTRIBUTE}


def _random(op: Operation, build: Build) -> Sequence[Value] | None:
    """Uniform numbers stay below the upper bound, which rounding may reach."""
    results = _widened(op, build)
    if results is None or ir.enum_of(op, "rng_distribution") != "UNIFORM":
        return results
    type = results[0].type
    shape = op.operands[2]
    low, high = (_everywhere(build, bound, shape, type) for bound in list(op.operands)[:2])
    compared = [_converted(build, value, _wide(type)) for value in (results[0], high)]
    below = {"comparison_direction": mlir.parse_attribute("#stablehlo<comparison_direction LT>")}
    inside = build.value("stablehlo.compare", compared, _truth(type), below)
    return [build.value("stablehlo.select", (inside, results[0], low), type)]


def _everywhere(build: Build, scalar: Value, shape: Value, type: Type) -> Value:
    if mlir.is_static_tensor(type):
        return spread(build, scalar, type)
    none = {"broadcast_dimensions": mlir.i64_array_attr(())}
    return build.value("stablehlo.dynamic_broadcast_in_dim", (scalar, shape), type, none)


def _truth(type: Type) -> Type:
    return tensor_type(type).with_element(ELEMENT_TYPES["i1"]).mlir()


def _in_double(op: Operation, build: Build) -> Sequence[Value] | None:
    return _widened(op, build, double=True)


RULES: dict[str, Rewrite] = dict.fromkeys(COMPUTING, _widened)
RULES["stablehlo.imag"] = _widened  # a zero, which not every narrow type has
RULES |= {f"stablehlo.{name}": _in_double for name in COMPUTING_IN_DOUBLE.split()}
RULES["stablehlo.rng"] = _random
