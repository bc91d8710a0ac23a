"""Cases on quantized tensors: arguments and results are integers, the types say what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from cases._case import Array, Case, Input
from cases._tolerances import EXACT, Steps

from shlo_tools.dtypes import QuantizedElementType
from shlo_tools.quantized_types import is_quantized, quantized_element
from shlo_tools.types import array_type

# Element types: every storage type, narrowed storage, zero points at the ends of their range,
# each expressed type, and scales whose products are denormal or overflow.
ELEMENTS = (
    "i8:f32, 0.5:3",
    "u8:f32, 0.0123:200",
    "i8:f32, 0.1:127",
    "i8:f32, 0.1:-128",
    "i8<-100:90>:f32, 0.37:-100",
    "i16:f32, 0.001:-5",
    "u16:f32, 1.5:65535",
    "i32:f32, 0.01",
    "i32:f32, 0.01:7",
    "u32:f32, 0.5:4",
    "i4:f32, 0.3:-8",
    "u4:f32, 0.25:15",
    "i2:f32, 0.5:1",
    "u2:f32, 0.5:1",
    "i8:f16, 0.5:3",
    "i16:f16, 0.1:1",
    "i32:f16, 1.0",
    "i8:bf16, 0.25:-7",
    "i8:f64, 0.1:127",
    "i32:f64, 0.1:127",
    "i8:f32, 1.0e-44",
    "i16:f32, 2.0e-39:7",
    "i8:f32, 3.0e38:-3",
)


def tensor(shape: str, element: str) -> str:
    """``tensor("2x3", "i8:f32, 0.5:3")``; other element types are written out."""
    element = f"!quant.uniform<{element}>" if ":" in element else element
    return f"tensor<{'x'.join(part for part in (shape, element) if part)}>"


def stored(type: str) -> Any:
    """Shape and element type of the arrays for a type."""
    return array_type(type)


def values(type: str, seed: int = 0) -> Array:
    """Integers that a type allows, its bounds and zero points first; floats of any size."""
    random = np.random.default_rng([seed, *type.encode()])
    array = stored(type)
    if not is_quantized(type):
        if array.element_type.is_boolean:
            return np.asarray(random.random(array.static_shape) < 0.5)
        drawn = random.normal(size=array.static_shape) * 20
        return np.asarray(drawn).astype(array.element_type.dtype)
    return integers(quantized_element(type), array.static_shape, random)


def integers(
    type: QuantizedElementType, shape: Sequence[int], random: np.random.Generator
) -> Array:
    low, high = type.storage_min, type.storage_max
    drawn = random.integers(low, high + 1, shape)
    if drawn.size > 16:
        edges = [low, low + 1, high, high - 1, *type.zero_points]
        drawn.reshape(-1)[: len(edges)] = edges
        drawn = random.permutation(drawn.reshape(-1)).reshape(shape)
    return np.asarray(drawn).astype(type.storage.dtype)


def snippet(
    name: str,
    types: Sequence[str],
    text: str,
    results: Sequence[str],
    inputs: Sequence[Array] = (),
    steps: int = 0,
) -> Case:
    """A case on ``values`` of its types, or on other inputs, that gives what the reference gives.

    Args:
        name: what it tries.
        types: those of its arguments.
        text: its lines.
        results: the types of its results.
        inputs: the arguments, where they are not ``values``.
        steps: how far results may be off; functions that are not correctly rounded may fall on
            the other side of a tie.
    """
    arrays = inputs or [values(type, seed) for seed, type in enumerate(types)]
    arguments = tuple(Input(*row) for row in zip(types, arrays, strict=True))
    return Case(name, text, arguments, tuple(results), Steps(steps) if steps else EXACT)


def operation(
    name: str,
    types: Sequence[str],
    result: str,
    attributes: str = "",
    *,
    inputs: Sequence[Array] = (),
    steps: int = 0,
) -> Case:
    """A case of one op."""
    operands = ", ".join(f"%in{i}" for i in range(len(types)))
    dictionary = f" {{{attributes}}}" if attributes else ""
    text = f'%out0 = "stablehlo.{name}"({operands}){dictionary} : ({", ".join(types)}) -> {result}'
    return snippet(f"{name} {types} {result}", types, text, [result], inputs, steps)
