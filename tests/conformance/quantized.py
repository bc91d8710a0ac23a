"""Cases on quantized tensors: arguments and results are integers, the types say what they mean.

A case is a snippet that reads ``%in0``, ``%in1``, ... and defines ``%out0``, ...; ``check``
compiles some together and compares every result with the reference's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from batch import TOGETHER, run

from shlo_tools import reference
from shlo_tools.dtypes import QuantizedElementType
from shlo_tools.quantized_types import is_quantized, quantized_element
from shlo_tools.types import array_type

Array = np.ndarray[Any, Any]

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
    held = stored(type)
    if not is_quantized(type):
        if held.element_type.is_boolean:
            return np.asarray(random.random(held.static_shape) < 0.5)
        drawn = random.normal(size=held.static_shape) * 20
        return np.asarray(drawn).astype(held.element_type.dtype)
    return integers(quantized_element(type), held.static_shape, random)


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


@dataclass
class Case:
    """A snippet with its types.

    Attributes:
        inputs: the arguments, where they are not ``values`` of their types.
        steps: how far results may be off; functions that are not correctly rounded may fall on
            the other side of a tie.
    """

    name: str
    types: Sequence[str]
    text: str
    results: Sequence[str]
    inputs: Sequence[Array] = ()
    steps: int = 0

    def arguments(self) -> Sequence[Array]:
        return self.inputs or [values(type, seed) for seed, type in enumerate(self.types)]


def operation(
    name: str, types: Sequence[str], result: str, attributes: str = "", *, steps: int = 0
) -> Case:
    """A case of one op."""
    operands = ", ".join(f"%in{i}" for i in range(len(types)))
    held = f" {{{attributes}}}" if attributes else ""
    text = f'%out0 = "stablehlo.{name}"({operands}){held} : ({", ".join(types)}) -> {result}'
    return Case(f"{name} {types} {result}", types, text, [result], steps=steps)


def program(cases: Sequence[Case]) -> str:
    """One function that takes the inputs of all cases and returns all their results."""
    arguments: list[str] = []
    lines: list[str] = []
    returned: list[str] = []
    types: list[str] = []
    for number, case in enumerate(cases):
        prefix = f"%c{number}_"
        arguments += [f"{prefix}in{i}: {type}" for i, type in enumerate(case.types)]
        lines.append(re.sub(r"%(?=\w)", prefix, case.text))
        returned += [f"{prefix}out{i}" for i in range(len(case.results))]
        types += case.results
    signature = f"({', '.join(arguments)}) -> ({', '.join(types)})"
    ending = f"return {', '.join(returned)} : {', '.join(types)}"
    return f"func.func @main{signature} {{\n" + "\n".join((*lines, ending)) + "\n}"


def check(cases: Sequence[Case]) -> None:
    """Every result is the reference's, within the case's steps."""
    for start in range(0, len(cases), TOGETHER):
        together = cases[start : start + TOGETHER]
        text = program(together)
        given = [array for case in together for array in case.arguments()]
        wanted = reference.interpret(text, *given)
        expected = iter(wanted if isinstance(wanted, tuple) else [wanted])
        results = iter(run(text, *given))
        for case in together:
            for type in case.results:
                _compare(case, next(results), next(expected), type)


def _compare(case: Case, actual: Array, expected: Array, type: str) -> None:
    assert actual.dtype == expected.dtype == stored(type).element_type.dtype, case.name
    assert actual.shape == expected.shape == stored(type).static_shape, case.name
    one, other = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(one, other, rtol=0, atol=case.steps, err_msg=case.name)
