"""Steps of random programs: element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from shlo_tools import dtypes, ops
from shlo_tools.dtypes import Kind
from shlo_tools.ops import chlo
from shlo_tools.tools.campaign.programs.drawing import (
    Drawn,
    Program,
    Step,
    is_inexact,
    is_real,
    spelled,
)

_NUMBERS = ("add", "subtract", "multiply")
_ORDERED = ("maximum", "minimum")
BINARY = {
    Kind.BOOLEAN: ("add", "multiply", "maximum", "minimum", "and_", "or_", "xor"),
    Kind.FLOAT: (*_NUMBERS, *_ORDERED, "divide", "remainder"),
    Kind.COMPLEX: ("add", "subtract", "multiply"),
    Kind.SIGNED: (
        *(*_NUMBERS, *_ORDERED, "divide", "remainder", "and_", "or_", "xor", "power"),
        *("shift_left", "shift_right_logical", "shift_right_arithmetic"),
    ),
}
BINARY[Kind.UNSIGNED] = BINARY[Kind.SIGNED]
UNARY = {
    Kind.BOOLEAN: ("not_",),
    Kind.FLOAT: ("negate", "abs", "floor", "ceil", "sign", "sqrt", "round_nearest_even"),
    Kind.COMPLEX: ("negate",),
    Kind.SIGNED: ("negate", "abs", "not_", "popcnt", "count_leading_zeros", "sign"),
    Kind.UNSIGNED: ("not_", "popcnt", "count_leading_zeros"),
}
ROUGH = ("tanh", "exponential", "sine", "logistic", "log_plus_one", "cbrt")
_GROWTH = {"add": lambda a, b: a + b, "multiply": lambda a, b: 2 * a * b}
_KEEPING = ("negate", "abs", "floor", "ceil", "sign", "round_nearest_even")


def kind(value: Drawn) -> Kind:
    return dtypes.element_type(value.element).kind


def _exact(value: Drawn) -> bool:
    return not value.rough


def bound_of(name: str, one: Drawn, other: Drawn) -> float:
    if name in ("maximum", "minimum"):
        return max(one.bound, other.bound)
    growth = _GROWTH.get("add" if name == "subtract" else name)
    return math.inf if growth is None else growth(one.bound, other.bound)


def binary(p: Program) -> None:
    one = p.some(_exact)
    if one is None:
        return
    name = p.random.choice(BINARY[kind(one)])
    other = p.like(one)
    if other.rough:
        return
    sides = [one, other] if p.chance(0.6) else [other, one]
    bound = bound_of(name, one, other)
    if name == "multiply" and kind(one) is Kind.COMPLEX and math.isinf(bound):
        return  # what overflows in between is the implementation's choice
    result = getattr(ops, name)(*(side.tensor for side in sides))
    p.define(result, one.shape, one, bound=bound)


def unary(p: Program) -> None:
    one = p.some(_exact)
    if one is not None:
        name = p.random.choice(UNARY[kind(one)])
        bound = one.bound if name in _KEEPING else math.inf
        p.define(getattr(ops, name)(one.tensor), one.shape, one, bound=bound)


def rough(p: Program) -> None:
    """Functions that are rounded in any way; of small numbers, so that the way does not matter."""
    one = p.some(lambda v: v.bound <= 20 and kind(v) is Kind.FLOAT)
    if one is not None and p.rough:
        name = p.random.choice(ROUGH)
        result = getattr(ops, name)(one.tensor)
        p.define(result, one.shape, one, bound=math.inf, rough=True)


def compare(p: Program) -> None:
    """A comparison, and often what it selects."""
    one = p.some(_exact)
    if one is None:
        return
    other = p.like(one)
    if other.rough:
        return
    directions: Any = ("EQ", "NE", "GE", "GT", "LE", "LT") if is_real(one.element) else ("EQ", "NE")
    mask = ops.compare(one.tensor, other.tensor, p.random.choice(directions))
    p.define(mask, one.shape, one, element="i1", bound=1)
    if p.chance(0.6):
        bound = max(one.bound, other.bound)
        p.define(ops.select(mask, other.tensor, one.tensor), one.shape, one, bound=bound)


def convert(p: Program) -> None:
    one = p.some(_exact)
    if one is None or not (one.bound < math.inf or not is_inexact(one.element)):
        return  # what a conversion gives that does not fit is not told
    element = p.random.choice((*p.elements, "f32", "i32", "i8", "bf16", "i1", "ui8"))
    if not is_inexact(element) and is_inexact(one.element) and one.bound > 1:
        return
    if not is_real(one.element) and is_real(element):
        return
    bound = min(one.bound, 2.0 ** dtypes.element_type(one.element).bits)
    if element.startswith("f") and dtypes.element_type(element).bits <= 8:
        bound = math.inf
    result = ops.convert(one.tensor, one.tensor.type.with_element(dtypes.element_type(element)))
    p.define(result, one.shape, one, element=element, bound=bound)


def clamp(p: Program) -> None:
    one = p.some(lambda v: not v.rough and is_real(v.element))
    if one is not None:
        low, high = p.constant((), one.element), p.constant((), one.element)
        bound = max(v.bound for v in (one, low, high))
        result = ops.clamp(low.tensor, one.tensor, high.tensor)
        p.define(result, one.shape, one, bound=bound)


def stretched(p: Program) -> None:
    """CHLO: a value against the last dimensions of another one, or against its stretched ones."""
    one = p.some(lambda v: not v.rough and is_inexact(v.element) and is_real(v.element))
    if one is None:
        return
    kept = one.shape[p.random.randint(0, one.rank) :]
    shape = tuple(1 if p.chance(0.3) else size for size in kept)
    other = p.some(lambda v: v.shape == shape and v.element == one.element and not v.rough)
    other = other or p.constant(shape, one.element)
    name = p.random.choice(("add", "multiply", "maximum", "subtract"))
    result = getattr(chlo, f"broadcast_{name}")(one.tensor, other.tensor)
    p.define(result, one.shape, one, bound=bound_of(name, one, other))


def quantized(p: Program) -> None:
    """To a quantized type, whose integers saturate, and back."""
    one = p.some(lambda v: v.element == "f32" and v.bound <= 100)
    if one is None:
        return
    shape = one.tensor.type.shape
    sizes = [size if isinstance(size, int) else None for size in shape]
    type = f"tensor<{spelled(sizes, '!quant.uniform<i8:f32, 0.5:-3>')}>"
    stored = ops.uniform_quantize(one.tensor, type)
    p.define(ops.uniform_dequantize(stored), one.shape, one, bound=math.inf)


def barrier(p: Program) -> None:
    one = p.some()
    if one is not None:
        (result,) = ops.optimization_barrier([one.tensor])
        p.define(result, one.shape, one)


STEPS: Sequence[Step] = (
    *((binary,) * 5),
    *(unary, unary, rough, compare, convert, clamp, stretched, quantized),
    *(barrier,),
)
