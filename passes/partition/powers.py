"""Powers whose exponent is a known number, by what takes less time and is no less exact.

    x ** 0 -> 1, of NaN as well      x ** 1 -> x      x ** 2 -> x * x      x ** -1 -> 1 / x
    x ** 0.5 -> sqrt(x)              x ** -0.5 -> rsqrt(x)
    x ** 3 -> x * x * x              x ** 4 -> (x * x) * (x * x)

All are what IEEE 754 says of ``pow``: where the exponent is a half, the power of -0.0 is that of
0.0, and that of -inf, which has no square root, is inf or 0. Cubes of f32 and f64 are off by one
unit in the last place at most; those of narrow floats, and fourth powers, are computed with twice
the digits and rounded once (of f64 they stay powers). The exponent may be computed of constants, as
exporters write ``2 - 1``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES, Array, ElementType, tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify.values import compared, filled, source, splat, static

_NARROW = ("f16", "bf16")
_WIDER = {"f16": "f32", "bf16": "f32", "f32": "f64"}  # has twice the digits, or more
_STEPS = 4  # how far an exponent is looked for
_SPREAD = ("broadcast_in_dim", "reshape")
# Rounded alike wherever it is done; integers wrap, but for quotients.
_COMPUTED = {
    "add": np.add,
    "divide": np.divide,
    "multiply": np.multiply,
    "negate": np.negative,
    "subtract": np.subtract,
}


def power(op: Operation, build: Build) -> list[Value] | None:
    """A power of a known exponent; None for one that is left."""
    type = static(op.results[0])
    exponent = _number(op.operands[1], _STEPS) if type is not None else None
    if type is None or exponent is None or not _is_fit(type.element_type):
        return None
    form = _FORMS.get(float(exponent))
    if form is None or (float(exponent) < 0 and type.element_type.is_integer):
        return None
    value = form(op.operands[0], build)
    return None if value is None else [value]


def _is_fit(element: ElementType) -> bool:
    return element.is_integer or (element.is_float and element.bits >= 16)


def _number(value: Value, steps: int) -> Array | None:
    """The one number that all elements of a value are, where constants say it."""
    number = splat(value)
    if number is not None or not steps:
        return number
    spread = source(value, *_SPREAD)
    if spread is not None:
        return _number(spread.operands[0], steps - 1)
    type = static(value)
    computed = source(value, "convert", *_COMPUTED)
    if computed is None or type is None:
        return None
    name = computed.name.removeprefix("stablehlo.")
    element = type.element_type
    if not (element.is_float or (element.is_integer and name not in ("convert", "divide"))):
        return None
    numbers = [_number(operand, steps - 1) for operand in computed.operands]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    with np.errstate(all="ignore"):
        if name == "convert":
            converted = known[0].real.astype(element.dtype)
            return converted if converted == known[0] else None  # numpy rounds some twice
        return np.asarray(_COMPUTED[name](*known))


def _same(x: Value, build: Build) -> Value:
    return x


def _one(x: Value, build: Build) -> Value:
    return _filled(build, x, 1)


def _square(x: Value, build: Build) -> Value:
    return _product(x, x, build)


def _product(x: Value, y: Value, build: Build) -> Value:
    return build.value("stablehlo.multiply", (x, y), x.type)


def _cube(x: Value, build: Build) -> Value:
    element = tensor_type(x.type).element_type
    if element.name in _NARROW:
        return _rounded_once(x, build, _cube)
    return _product(_square(x, build), x, build)


def _fourth(x: Value, build: Build) -> Value | None:
    element = tensor_type(x.type).element_type
    if element.is_float:
        return _rounded_once(x, build, _square_of_square) if element.name in _WIDER else None
    return _square_of_square(x, build)


def _square_of_square(x: Value, build: Build) -> Value:
    return _square(_square(x, build), build)


def _rounded_once(x: Value, build: Build, form: Callable[[Value, Build], Value]) -> Value:
    """What a form makes of floats of twice the digits, rounded."""
    type = tensor_type(x.type)
    wide = type.with_element(ELEMENT_TYPES[_WIDER[type.element_type.name]]).mlir()
    result = form(build.value("stablehlo.convert", (x,), wide), build)
    return build.value("stablehlo.convert", (result,), x.type)


def _reciprocal(x: Value, build: Build) -> Value:
    return build.value("stablehlo.divide", (_filled(build, x, 1), x), x.type)


def _root(name: str, of_infinity: float) -> Callable[[Value, Build], Value]:
    """A root of x + 0.0, which is 0.0 where x is -0.0; of -inf what is said."""

    def form(x: Value, build: Build) -> Value:
        positive = build.value("stablehlo.add", (x, _filled(build, x, 0)), x.type)
        root = build.value(f"stablehlo.{name}", (positive,), x.type)
        least, other = (_filled(build, x, number) for number in (-np.inf, of_infinity))
        operands = (compared(build, "EQ", x, least), other, root)
        return build.value("stablehlo.select", operands, x.type)

    return form


def _filled(build: Build, like: Value, number: float) -> Value:
    constant = filled(build, like, number)
    if constant is None:
        raise RuntimeError(f"{like.type} has unknown sizes")
    return constant


_FORMS: dict[float, Callable[[Value, Build], Value | None]] = {
    -1.0: _reciprocal,
    -0.5: _root("rsqrt", 0.0),
    0.0: _one,
    0.5: _root("sqrt", np.inf),
    1.0: _same,
    2.0: _square,
    3.0: _cube,
    4.0: _fourth,
}
