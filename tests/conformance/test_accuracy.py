"""How good the functions of real numbers are: the table below is what users may rely on.

f16 and bf16 are compared at every bit pattern, f32 and f64 at random ones, at moderate numbers and
around every place where functions overflow, vanish or change formula. Expected values come from
numpy in wider floats, and from mpmath where those may be wrong themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from batch import check
from cases._case import Array, operation, type_of
from cases._inputs import dense, pairs
from cases._tolerances import Ulps
from cases._types import dtype_of
from test_chlo_accuracy import exactly

# Largest errors of results in f32 and f64, in units in the last place; the others are within 2, 4.
BOUNDS = {"rsqrt": (1.5, 1.5), "sqrt": (0.5, 0.5)}
NARROW = 0.51  # f16 and bf16: computed in f32 and rounded once

NUMPY: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "cbrt": np.cbrt,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-np.abs(x))),
    "power": np.power,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
BINARY = ("atan2", "power")
UNARY = tuple(name for name in NUMPY if name not in BINARY)

# Where something happens: e^x overflows, is subnormal, vanishes, is nothing beside 1 (or 1 beside
# it); multiples of pi / 2, and the f32 (and below the f64) that comes closest to one.
PLACES = (0.25, 0.5, 1.0, 2.0, 8.3, 9.0, 10.0, 17.3, 22.0, 36.7, 37.4, 44.3, 87.33, 88.72, 89.4)
PLACES += (103.97, 104.7, 354.9, 708.39, 709.78, 710.47, 744.44, 745.13, math.sqrt(0.5), math.e)
PLACES += tuple(k * math.pi / 2 for k in (1, 2, 3, 4, 10, 22, 355, 51819))
PLACES += (16367173 * 2.0**72,)
HARDEST = 6381956970095103 * 2.0**797


def near_places(element: str) -> Array:
    """The numbers next to each place, of either sign."""
    with np.errstate(over="ignore"):
        places = np.array(PLACES).astype(dtype_of(element))
    bits = places[np.isfinite(places)].view(f"i{places.itemsize}")
    around = (bits[:, None] + np.arange(-6, 7)).reshape(-1).view(places.dtype)
    return np.concatenate([around, -around])


def patterns(element: str, count: int, seed: int) -> Array:
    """Random bit patterns, and as many numbers of ordinary sizes; some next to 1."""
    random = np.random.default_rng([seed, *element.encode()])
    bits = np.frombuffer(random.bytes(count * dtype_of(element).itemsize), dtype_of(element))
    signs = random.choice([-1, 1], count)
    sizes = np.exp(random.uniform(-25, 7, count)) * signs
    beside_one = 1 + np.exp(random.uniform(-30, 0, count // 4)) * signs[: count // 4]
    return np.concatenate([bits, sizes.astype(bits.dtype), beside_one.astype(bits.dtype)])


def unary_points(element: str) -> Array:
    if element in ("f16", "bf16"):
        return dense(element)
    count = 40000 if element == "f32" else 10000
    return np.concatenate([dense(element), near_places(element), patterns(element, count, 0)])


def binary_points(name: str, element: str) -> tuple[Array, Array]:
    """Edges with edges, and random patterns; exponents that give powers of all sizes."""
    x, y = patterns(element, 8000, 1), patterns(element, 8000, 2)
    y = np.random.default_rng(3).permutation(y)
    with np.errstate(invalid="ignore"):  # no signalling NaN: pow(1, of those) is open
        y = np.where(np.isnan(y), np.nan, y).astype(x.dtype)
    if name == "power":
        x = np.abs(x)
        limit = math.log2(float(np.finfo(np.float32).max)) if element != "f64" else 1100.0
        powers = np.random.default_rng(4).uniform(-limit, limit, len(x))
        with np.errstate(all="ignore"):
            fitting = (powers / np.log2(x.astype(np.float64))).astype(x.dtype)
        y = np.where(np.arange(len(x)) % 3 == 0, y, fitting)
    rows = zip((x, y), pairs(element), strict=True)
    first, second = (np.concatenate(row) for row in rows)
    return first, second


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_against_wider_floats(element: str) -> None:
    """f16 and bf16 nearly correctly rounded, f32 within 2 units, f64 within 4."""
    cases = []
    for name, function in NUMPY.items():
        operands = binary_points(name, element) if name in BINARY else (unary_points(element),)
        wide = np.float64 if element in ("f16", "bf16") else np.longdouble
        with np.errstate(all="ignore"):
            # A factor makes signaling NaN quiet, which some conversions leave as they are.
            expected = function(*(x.astype(wide) * 1 for x in operands))
        single, double = BOUNDS.get(name, (2.0, 4.0))
        bound = {"f32": single, "f64": double}.get(element, NARROW)
        result = type_of(operands[0])
        cases.append(operation(name, operands, expected, tolerance=Ulps(bound), result=result))
    check(cases, together=7)


# --- f64 against mpmath ---------------------------------------------------------------------------
MPMATH: dict[str, Callable[..., Any]] = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "cosine": mpmath.cos,
    "exponential": mpmath.exp,
    "exponential_minus_one": mpmath.expm1,
    "log": mpmath.log,
    "log_plus_one": mpmath.log1p,
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sine": mpmath.sin,
    "sqrt": mpmath.sqrt,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}


def _defined(name: str, x: Array) -> Array:
    """Finite arguments of finite results."""
    lowest = {"log": 0.0, "rsqrt": 0.0, "sqrt": 0.0, "log_plus_one": -1.0}.get(name, -np.inf)
    highest = 709.7 if name.startswith("exponential") else np.inf
    chosen: Array = np.extract(np.isfinite(x) & (x > lowest) & (x < highest) & (x != 0), x)
    return chosen


def test_f64_against_mpmath() -> None:
    cases = []
    for name, exact in MPMATH.items():
        x = np.concatenate([near_places("f64")[::7], patterns("f64", 80, 5)])
        x = _defined(name, x)
        if name in ("exponential", "exponential_minus_one", "logistic", "tanh"):
            x = np.extract(np.abs(x) < 745.0, x)  # mpmath counts every digit of the rest
        bound = Ulps(BOUNDS.get(name, (2.0, 4.0))[1])
        cases.append(operation(name, [x], exactly(exact, x), tolerance=bound, result=type_of(x)))
    check(cases)


def test_the_hardest_angle() -> None:
    """2^-60 away from a multiple of pi / 2 the C library's functions of doubles lose three bits."""
    x = np.array([HARDEST, -HARDEST, 2 * HARDEST])
    cases = []
    for name in ("sine", "cosine", "tan"):
        expected = exactly(MPMATH[name], x)
        cases.append(operation(name, [x], expected, tolerance=Ulps(4), result=type_of(x)))
    with mpmath.workdps(40):
        assert abs(mpmath.cos(HARDEST)) < 2.0**-60
        assert abs(mpmath.sin(2 * HARDEST)) < 2.0**-59
    check(cases)


def test_f64_of_two_operands_against_mpmath() -> None:
    cases = []
    for name, exact in (("atan2", mpmath.atan2), ("power", mpmath.power)):
        x, y = binary_points(name, "f64")
        some = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y != 0)
        if name == "power":
            with np.errstate(all="ignore"):
                some &= np.abs(y * np.log(x)) < 709
        x, y = (np.extract(some, v)[:: max(1, int(some.sum()) // 300)] for v in (x, y))
        expected = exactly(exact, x, y)
        cases.append(operation(name, [x, y], expected, tolerance=Ulps(4), result=type_of(x)))
    check(cases)


# --- exact ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_remainder_is_exact_at_any_distance(element: str) -> None:
    """C's fmod is exact for doubles: random bit patterns are up to 2^2000 apart."""
    x, y = patterns(element, 3000, 6), patterns(element, 3000, 7)
    expected = [_fmod(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    check([operation("remainder", [x, y], np.array(expected).astype(x.dtype))])


def _fmod(x: float, y: float) -> float:
    defined = math.isfinite(x) and y != 0 and not math.isnan(y)
    return math.fmod(x, y) if defined else math.nan


POWERS = (
    # x, y, x^y: the special values of IEEE 754-2019, 9.2.1
    (1.0, math.nan, 1.0),
    (math.nan, 0.0, 1.0),
    (0.0, 0.0, 1.0),
    (math.inf, -0.0, 1.0),
    (-0.0, -3.0, -math.inf),
    (-0.0, -2.0, math.inf),
    (0.0, -0.5, math.inf),
    (-0.0, 3.0, -0.0),
    (-0.0, 2.0, 0.0),
    (-1.0, math.inf, 1.0),
    (-1.0, -math.inf, 1.0),
    (0.5, math.inf, 0.0),
    (0.5, -math.inf, math.inf),
    (2.0, -math.inf, 0.0),
    (-math.inf, 3.0, -math.inf),
    (-math.inf, -3.0, -0.0),
    (-math.inf, 0.5, math.inf),
    (-8.0, 3.0, -512.0),
    (-8.0, 1 / 3, math.nan),
    (-2.0, -1.0, -0.5),
    (math.nan, 1.0, math.nan),
)


def test_special_powers() -> None:
    cases = []
    for element in ("f16", "bf16", "f32", "f64"):
        x, y, expected = np.array(POWERS).T.astype(dtype_of(element)).copy()
        cases.append(operation("power", [x, y], expected))
    check(cases)
