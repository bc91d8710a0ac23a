"""Floats of 8 bits and less: conversions, and arithmetic on all codes, rounded once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation, snippet
from cases._tolerances import BITS
from cases._types import dtype_of
from expected import converted
from narrow import (
    FINITE,
    NARROW,
    POWERS,
    WITH_INFINITY,
    WITH_NAN_ONLY,
    every,
    halfway,
    largest,
    pairs,
    rounded,
    wide,
)

Array = np.ndarray[Any, Any]

each = pytest.mark.parametrize("element", NARROW)


# --- what the other tests stand on ----------------------------------------------------------------
# Overflow: infinity where there is one, else NaN, else the largest number (Open Compute Project,
# "OFP8" and "Microscaling Formats"; and what XLA does).
ROUNDED = {
    "f8E5M2": [(61439.0, 57344.0), (61440.0, np.inf), (-1e9, -np.inf), (2.0**-17, 0.0)],
    "f8E4M3": [(247.9, 240.0), (248.0, np.inf), (0.4375, 0.4375)],
    "f8E3M4": [(15.74, 15.5), (15.75, np.inf)],
    "f8E4M3FN": [(464.0, 448.0), (464.1, np.nan), (np.inf, np.nan), (2.0**-10, 0.0)],
    "f8E4M3FNUZ": [(247.9, 240.0), (248.0, np.nan), (-np.inf, np.nan)],
    "f8E4M3B11FNUZ": [(30.9, 30.0), (31.0, np.nan)],
    "f8E5M2FNUZ": [(61439.0, 57344.0), (-61440.0, np.nan)],
    "f8E8M0FNU": [(0.0, np.nan), (-1.0, np.nan), (3.0, 4.0), (2.9, 2.0), (1e-300, 2.0**-127)],
    "f6E2M3FN": [(np.inf, 7.5), (-1e9, -7.5), (0.0625, 0.0), (0.1875, 0.25)],
    "f6E3M2FN": [(np.inf, 28.0), (-30.0, -28.0)],
    "f4E2M1FN": [(np.inf, 6.0), (5.0, 4.0), (3.5, 4.0), (0.25, 0.0), (-100.0, -6.0)],
}


@each
def test_the_oracle_rounds_as_the_formats_say(element: str) -> None:
    inputs, expected = np.array(ROUNDED[element]).T
    np.testing.assert_array_equal(wide(rounded(inputs, element)), expected)


def test_formats_are_of_every_kind() -> None:
    for element in NARROW:
        values = wide(every(element))
        assert np.isinf(values).any() == (element in WITH_INFINITY)
        assert np.isnan(values).any() == (element not in FINITE)
        assert (np.signbit(values) & (values == 0)).any() == (
            element not in (*WITH_NAN_ONLY, POWERS) or element == "f8E4M3FN"
        )


# --- conversions ----------------------------------------------------------------------------------
@each
def test_every_code_becomes_its_number(element: str) -> None:
    codes = every(element)
    cases = [
        operation("convert", [codes], codes.astype(np.float32)),
        operation("convert", [codes], wide(codes)),
        operation("convert", [codes], _complex(wide(codes))),
    ]
    for target in ("f16", "bf16", "i1", "i8", "ui8", "i32", "ui64"):
        cases.append(operation("convert", [codes], converted(codes, "f64", target)))
    check(cases)


def _complex(real: Array) -> Array:
    return np.asarray(real.astype(np.complex128))


@each
def test_every_narrow_float_becomes_every_other(element: str) -> None:
    codes = every(element)
    cases = [
        operation("convert", [codes], rounded(wide(codes), target))
        for target in NARROW
        if target != element
    ]
    cases.append(operation("convert", [codes], codes, tolerance=BITS))
    check(cases)


@each
def test_floats_round_once_to_the_nearest(element: str) -> None:
    """All of f16, and ties with their neighbours in f32 and f64, where two roundings differ."""
    f16 = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    cases = [_rounding(f16, element)]
    cases.append(_rounding(f16.view(dtype_of("bf16")), element))
    ties = np.concatenate([halfway(element), [0.0, np.inf, np.nan, 1e-300, 1e300]])
    for float_type in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            array = ties.astype(float_type)
        around = [np.nextafter(array, end) for end in (float_type(0), float_type(np.inf))]
        hair = array * (1 + float_type(2.0**-22))
        both = np.concatenate([array, hair, *around])
        random = np.random.default_rng(3).uniform(-9, 9, 4001).astype(float_type)
        cases.append(_rounding(np.concatenate([both, -both, random]), element))
    check(cases)


def _rounding(inputs: Array, element: str) -> Case:
    return operation("convert", [inputs], rounded(wide(inputs), element))


@each
def test_numbers_that_are_no_floats(element: str) -> None:
    cases = []
    for source in ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"):
        info = np.iinfo(dtype_of(source))
        near = {int(bound) + d for bound in halfway(element) if bound < 2**64 for d in (-1, 0, 1)}
        whole = {*near, *(-x for x in near), *range(-40, 300), info.min, info.max}
        inside = sorted(x for x in whole if info.min <= x <= info.max)
        inputs = np.array(inside, dtype_of(source))
        cases.append(operation("convert", [inputs], rounded(inside, element)))
    truth = np.array([False, True])
    cases.append(operation("convert", [truth], rounded([0, 1], element)))
    z = np.array([2.5 + 1j, -3j, complex("nan"), 1e9 - 1e9j])
    cases.append(operation("convert", [z], rounded(z.real, element)))
    check(cases)


def test_numbers_that_are_no_floats_reach_ties() -> None:
    """Or the test above says nothing: 17 and 19 lie between f8E5M2's 16, 20 and 24."""
    assert rounded([18], "f8E5M2").item() == 16 and rounded([22], "f8E5M2").item() == 24


# --- arithmetic -----------------------------------------------------------------------------------
def _extremum(better: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """NaN wins, and -0 is less than +0."""

    def choose(x: Array, y: Array) -> Array:
        equal = np.where(better(np.signbit(y), np.signbit(x)), x, y)
        chosen = np.where(x == y, equal, np.where(better(x, y), x, y))
        return np.where(np.isnan(x) | np.isnan(y), np.nan, chosen)

    return choose


BINARY: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "divide": np.divide,
    "maximum": _extremum(np.greater),
    "minimum": _extremum(np.less),
    "multiply": np.multiply,
    "remainder": np.fmod,
    "subtract": np.subtract,
}


@each
def test_all_pairs(element: str) -> None:
    """f64 is exact enough: a quotient or sum is never as near to a tie as its rounding moves it."""
    x, y = pairs(element)
    cases = []
    with np.errstate(all="ignore"):
        for name, function in BINARY.items():
            exact = function(wide(x), wide(y))
            cases.append(operation(name, [x, y], rounded(exact, element)))
    check(cases)


COMPARISONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


@each
def test_all_pairs_compared(element: str) -> None:
    x, y = pairs(element)
    cases = []
    for name, function in COMPARISONS.items():
        direction = f"comparison_direction = #stablehlo<comparison_direction {name}>"
        cases.append(operation("compare", [x, y], function(wide(x), wide(y)), direction))
    order = ", compare_type = #stablehlo<comparison_type TOTALORDER>"
    less = _total_order(x) < _total_order(y)
    direction = "comparison_direction = #stablehlo<comparison_direction LT>" + order
    cases.append(operation("compare", [x, y], less, direction))
    check(cases)


def _total_order(x: Array) -> Array:
    """-NaN < -inf < ... < -0 < +0 < ... < inf < NaN; the one NaN of FNUZ types has a sign bit."""
    codes = x.view(np.uint8).astype(np.int64)
    if x.dtype == dtype_of(POWERS):
        return codes
    top = len(every(str(_element_of(x)))) // 2
    magnitude = codes & (top - 1)
    if _element_of(x).endswith("FNUZ"):
        magnitude = np.where(codes == top, top, magnitude)
    return np.where(codes & top, -1 - magnitude, magnitude)


def _element_of(x: Array) -> str:
    return next(element for element in NARROW if dtype_of(element) == x.dtype)


def _away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _sign(x: Array) -> Array:
    return np.where((x == 0) | np.isnan(x), x, np.copysign(1.0, x))


UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log_plus_one": np.log1p,
    "negate": np.negative,
    "round_nearest_afz": _away,
    "round_nearest_even": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sign": _sign,
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "cbrt": np.cbrt,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
}


@each
def test_every_code(element: str) -> None:
    """No value of these functions is so near to a tie that the f32 between would matter."""
    codes = every(element)
    cases = []
    with np.errstate(all="ignore"):
        for name, function in UNARY.items():
            exact = rounded(function(wide(codes)), element)
            cases.append(operation(name, [codes], exact))
    finite = np.isfinite(wide(codes))
    cases.append(operation("is_finite", [codes], finite))
    check(cases)


@each
def test_functions_of_two_numbers(element: str) -> None:
    """atan2(0.109375, 2048) is a hair below a tie: less than an f32 can tell."""
    x, y = (some[::5] for some in pairs(element))
    with np.errstate(all="ignore"):
        power = np.power(wide(x), wide(y))
        if element == POWERS:  # no power of a positive number is zero, which the type lacks
            power = np.maximum(power, np.finfo(np.float64).tiny)
        power = rounded(power, element)
        angle = rounded(np.arctan2(wide(x), wide(y)), element)
    check(
        [
            operation("power", [x, y], power),
            operation("atan2", [x, y], angle),
        ]
    )


@each
def test_clamp_and_select(element: str) -> None:
    x, y = (some[::13] for some in pairs(element))
    z = x[::-1].copy()
    values = [wide(array) for array in (x, y, z)]
    upper = _extremum(np.greater)(values[1], values[0])
    clamped = rounded(_extremum(np.less)(upper, values[2]), element)
    pred = np.arange(len(x)) % 3 == 0
    check(
        [
            operation("clamp", [x, y, z], clamped),
            operation("select", [pred, x, y], np.where(pred, x, y), tolerance=BITS),
        ]
    )


def test_reduced_precision() -> None:
    """f8E5M2 with one bit of mantissa less: halves to even."""
    inputs = np.array([1.0, 1.25, 1.5, 1.75, 2.5, 3.5, -1.25, -1.75, np.inf], dtype_of("f8E5M2"))
    expected = np.array([1.0, 1.0, 1.5, 2.0, 2.0, 4.0, -1.0, -2.0, np.inf], dtype_of("f8E5M2"))
    attributes = "exponent_bits = 5 : i32, mantissa_bits = 1 : i32"
    check([operation("reduce_precision", [inputs], expected, attributes)])


@each
def test_a_chain_rounds_at_every_step(element: str) -> None:
    """(x + y) - y is x only where x + y is not rounded."""
    x, y = (some[::29] for some in pairs(element))
    text = f"""
      %s = stablehlo.add %in0, %in1 : tensor<{len(x)}x{element}>
      %out0 = stablehlo.subtract %s, %in1 : tensor<{len(x)}x{element}>"""
    with np.errstate(all="ignore"):
        total = rounded(wide(x) + wide(y), element)
        rest = rounded(wide(total) - wide(y), element)
        at_once = rounded((wide(x) + wide(y)) - wide(y), element)
    assert (rest.view(np.uint8) != at_once.view(np.uint8)).any()  # or the case says nothing
    check([snippet(element, text, [x, y], [rest])])


def test_the_tie_oracle_is_exact() -> None:
    """Points half-way between neighbours hold exactly what fractions say."""
    for element in NARROW:
        values = [Fraction(float(v)) for v in wide(every(element)) if 0 <= v <= largest(element)]
        values = sorted(set(values))
        middles = [(a + b) / 2 for a, b in pairwise(values)]
        assert [Fraction(float(bound)) for bound in halfway(element)[:-1]] == middles
