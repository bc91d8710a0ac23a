"""How good the functions of CHLO are: the table below is what users may rely on.

f32 and narrower floats are compared over all bit patterns with numpy and scipy in f64, f64 and
complex numbers with mpmath at points from the whole range and near every place where formulas
meet or cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from batch import check, run
from cases._case import Array, Case, program, snippet, type_of
from cases._tolerances import Ulps
from scipy import special  # type: ignore[import-untyped]

from shlo_tools import dtypes

# Functions that kernels call, and the formulas that say what they mean.
pytestmark = pytest.mark.usefixtures("way")


@dataclass(frozen=True)
class Bound:
    """Largest errors, in units in the last place.

    Attributes:
        f32, f64: of results in that type.
        floors: absolute errors allowed instead, for f32 and f64, where a result is the small
            difference of larger numbers: next to zeros at negative numbers.
    """

    f32: float
    f64: float
    floors: tuple[float, float] = (0.0, 0.0)


BOUNDS = {
    "acos": Bound(1.5, 2.0),
    "acosh": Bound(2.0, 2.0),
    "asin": Bound(1.5, 2.0),
    "asinh": Bound(2.0, 2.0),
    "atan": Bound(1.0, 1.0),
    "atanh": Bound(1.5, 2.0),
    "bessel_i1e": Bound(0.6, 5.0),
    "cosh": Bound(2.0, 2.0),
    "digamma": Bound(0.6, 5.0, (1e-12, 5e-15)),
    "erf": Bound(2.0, 2.0),
    "erf_inv": Bound(4.0, 8.0),
    "erfc": Bound(0.6, 4.0),
    "lgamma": Bound(0.6, 6.0, (2e-12, 2e-14)),
    "polygamma": Bound(0.6, 16.0),
    "sinh": Bound(2.0, 2.0),
    "square": Bound(0.5, 0.5),
    "tan": Bound(1.0, 1.0),
    "zeta": Bound(0.6, 8.0),
}

UNARY = tuple(name for name in BOUNDS if name not in ("polygamma", "zeta"))


def function(
    name: str, inputs: Sequence[Array], expected: Array, bound: float, floor: float = 0.0
) -> Case:
    """A case of one CHLO function; ``expected`` is wider than its inputs."""
    type = type_of(inputs[0])
    operands = ", ".join(f"%in{i}" for i in range(len(inputs)))
    types = ", ".join(type for _ in inputs)
    text = f'%out0 = "chlo.{name}"({operands}) : ({types}) -> {type}'
    label = f"{name} {dtypes.of_array(inputs[0]).element_type}"
    return snippet(label, text, inputs, [expected], Ulps(bound, floor), [type])


# --- f32 and narrower: every kind of bit pattern against numpy and scipy --------------------------
def _digamma(x: Array) -> Array:
    """scipy has infinities at the poles, XLA and shlo-tools NaN."""
    pole = (x <= 0) & (x == np.floor(x))
    return np.where(pole, np.nan, special.psi(x))


IN_F64: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "bessel_i1e": lambda x: np.copysign(special.i1e(np.abs(x)), x),
    "cosh": np.cosh,
    "digamma": _digamma,
    "erf": special.erf,
    "erf_inv": lambda x: np.copysign(special.erfinv(np.abs(x)), x),  # scipy loses the sign of 0
    "erfc": special.erfc,
    "lgamma": lambda x: np.where(np.isinf(x), np.inf, special.gammaln(x)),  # as C has it
    "sinh": np.sinh,
    "square": np.square,
    "tan": np.tan,
}

SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, np.inf, -np.inf, np.nan)


def patterns(dtype: Any, count: int) -> Array:
    """Special values, evenly spread bit patterns, and numbers of moderate size."""
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    width = np.dtype(dtype).itemsize
    ends = [info.max, info.smallest_normal, info.smallest_subnormal]
    edges = np.array([*SPECIAL, *ends, *(-end for end in ends)], dtype)
    step = max(1, (1 << (8 * width)) // count)
    bits = np.arange(0, 1 << (8 * width), step).astype(f"u{width}").view(dtype)
    generator = np.random.default_rng(0)
    moderate = [generator.uniform(-high, high, count // 4) for high in (1, 2, 12)]
    near_one = 1 - np.exp(generator.uniform(-17, 0, count // 4))
    return np.concatenate([edges, bits, *(x.astype(dtype) for x in (*moderate, near_one))])


def _case_in_f64(name: str, x: Array, bound: float) -> Case:
    with np.errstate(all="ignore"):
        expected = IN_F64[name](x.astype(np.float64))
    return function(name, [x], expected, bound, BOUNDS[name].floors[0])


def test_f32() -> None:
    x = patterns(np.float32, 1 << 16)
    check([_case_in_f64(name, x, BOUNDS[name].f32) for name in UNARY])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_are_rounded_once(dtype: Any) -> None:
    """The error of f32 (two of its units at most) is next to nothing in 11 or 8 bits."""
    x = patterns(dtype, 1 << 16)
    check([_case_in_f64(name, x, 0.51) for name in UNARY])


# --- f64 against mpmath ---------------------------------------------------------------------------
Exact = Callable[..., Any]


def longdouble(value: Any) -> Any:
    """The real part of an mpmath number, rounded to 64 bits."""
    value = mpmath.re(value)
    if not mpmath.isfinite(value):
        return np.longdouble(float(value))
    mantissa, exponent = mpmath.frexp(value)
    high = float(mantissa)
    low = float(mantissa - high)
    return np.ldexp(np.longdouble(high) + np.longdouble(low), int(exponent))


def exactly(function: Exact, *operands: Array) -> Array:
    """A function of mpmath at each point."""
    rows = zip(*(operand.tolist() for operand in operands), strict=True)
    with mpmath.workdps(40):
        return np.array([longdouble(function(*map(mpmath.mpf, row))) for row in rows])


def powers(low: int, high: int, count: int = 60) -> Array:
    """Numbers of either sign with exponents from ``low`` to ``high``."""
    generator = np.random.default_rng(low & 0xFFFF)
    exponents = generator.integers(low, high, count)
    magnitudes = np.ldexp(generator.uniform(0.5, 1, count), exponents)
    results: Array = magnitudes * generator.choice([-1, 1], count)
    return results


def line(*points: float, high: int = 1000) -> Array:
    """Reals of all sizes below 2^high, and at all distances from points and their opposites."""
    moderate = np.random.default_rng(2).uniform(-30, 30, 300)
    near = [sign * (point + powers(-50, -2)) for point in points for sign in (1, -1)]
    results: Array = np.concatenate([moderate, powers(-1070, high), *near])
    chosen: Array = np.extract(np.abs(results) < 2.0**high, results)
    return chosen


def unit(*points: float) -> Array:
    """Reals between -1 and 1, close to both and to some points too."""
    inside = np.random.default_rng(3).uniform(-1, 1, 300)
    results: Array = np.concatenate([line(1.0, *points, high=1), inside])
    chosen: Array = np.extract(np.abs(results) < 1, results)
    return chosen


def _i1e(x: Any) -> Any:
    if abs(x) < 1e4:
        return mpmath.exp(-abs(x)) * mpmath.besseli(1, x)
    y = 1 / (8 * abs(x))  # the asymptotic series: mpmath would sum for long
    series = 1 - 3 * y - mpmath.mpf(15) / 2 * y**2 - mpmath.mpf(105) / 2 * y**3
    return mpmath.sign(x) * series / mpmath.sqrt(2 * mpmath.pi * abs(x))


POINTS: dict[str, tuple[Exact, Array]] = {
    "acos": (mpmath.acos, unit(0.5405)),
    "acosh": (mpmath.acosh, 1 + np.abs(line(0.5, 2.0**28))),
    "asin": (mpmath.asin, unit(0.5405)),
    "asinh": (mpmath.asinh, line(0.5, 2.0**28)),
    "atan": (mpmath.atan, line(1.0)),
    "atanh": (mpmath.atanh, unit(0.5)),
    "bessel_i1e": (_i1e, line(8.0)),
    "cosh": (mpmath.cosh, line(1.0, 709.0, high=10)),
    "digamma": (mpmath.digamma, line(1.0, 1.4616321449683623, 3.0, high=6)),
    "erf": (mpmath.erf, line(1.0, 6.0)),
    "erf_inv": (mpmath.erfinv, unit(0.9966)),
    "erfc": (mpmath.erfc, line(0.5, 10.0, 26.0, high=5)),
    "lgamma": (mpmath.loggamma, line(1.0, 2.0, 3.0, high=6)),
    "sinh": (mpmath.sinh, line(1.0, 709.0, high=10)),
    "square": (lambda x: x * x, line(high=500)),
    "tan": (mpmath.tan, line(1.0, high=30)),
}


def test_f64() -> None:
    cases = []
    for name, (exact, points) in POINTS.items():
        bound = BOUNDS[name]
        expected = exactly(exact, points)
        cases.append(function(name, [points], expected, bound.f64, bound.floors[1]))
    check(cases)


def test_f64_special_values() -> None:
    x = np.array([*SPECIAL, np.finfo(np.float64).max])
    check([_case_in_f64(name, x, BOUNDS[name].f64) for name in UNARY])


def test_large_arguments_of_the_gamma_functions() -> None:
    x = np.abs(powers(6, 900))
    exact = {"lgamma": mpmath.loggamma, "digamma": mpmath.digamma}
    check([function(name, [x], exactly(f, x), BOUNDS[name].f64) for name, f in exact.items()])


# --- zeta and polygamma ---------------------------------------------------------------------------
def _zeta(x: Any, q: Any) -> Any:
    """Euler and Maclaurin with plenty of terms: mpmath's own loses digits where q is large."""
    first = [(q + k) ** -x for k in range(60)]
    a = q + 60
    product, rest = x / a**2, 1 / (x - 1) + 1 / (2 * a)
    for j in range(1, 40):
        rest += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * product
        product *= (x + 2 * j - 1) * (x + 2 * j) / a**2
    return mpmath.fsum(first) + a ** (1 - x) * rest


def _exponents_and_bases(dtype: Any) -> tuple[Array, Array]:
    generator = np.random.default_rng(4)
    near_one, whole = 1 + np.exp(generator.uniform(-12, 4, 150)), generator.integers(2, 30, 150)
    bases = np.exp(generator.uniform(-4, 7, 300))
    return np.concatenate([near_one, whole]).astype(dtype), bases.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeta(dtype: Any) -> None:
    x, q = _exponents_and_bases(dtype)
    bound = BOUNDS["zeta"].f64 if dtype is np.float64 else BOUNDS["zeta"].f32
    check([function("zeta", [x, q], exactly(_zeta, x, q), bound)])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeta_of_negative_numbers(dtype: Any) -> None:
    """Whole exponents only; terms of both signs may cancel, so the bound is of their sum."""
    generator = np.random.default_rng(5)
    x = generator.integers(2, 12, 200).astype(dtype)
    q = -generator.uniform(0, 40, 200).astype(dtype)

    def terms(x: Any, q: Any) -> list[Any]:
        count = int(-q) + 1
        return [*((q + k) ** -int(x) for k in range(count)), _zeta(x, q + count)]

    expected = exactly(lambda x, q: mpmath.fsum(terms(x, q)), x, q)
    size = exactly(lambda x, q: mpmath.fsum(map(abs, terms(x, q))), x, q)
    (actual,) = run(program([function("zeta", [x, q], expected, 0)]), x, q)
    assert np.all(np.abs(actual - expected) <= 8 * np.finfo(dtype).eps * size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_polygamma(dtype: Any) -> None:
    generator = np.random.default_rng(6)
    n = generator.integers(1, 20, 300).astype(dtype)
    x = np.exp(generator.uniform(-3, 5, 300)).astype(dtype)

    def exact(n: Any, x: Any) -> Any:
        return (-1) ** (int(n) + 1) * mpmath.factorial(n) * _zeta(n + 1, x)

    bound = BOUNDS["polygamma"].f64 if dtype is np.float64 else BOUNDS["polygamma"].f32
    check([function("polygamma", [n, x], exactly(exact, n, x), bound)])


ZETA_LIMITS = (
    # x, q, zeta(x, q)
    (1.0, 2.0, np.inf),
    (0.5, 2.0, np.nan),
    (-1.0, 2.0, np.nan),
    (2.0, 0.0, np.inf),
    (3.0, 0.0, np.nan),
    (2.0, -3.0, np.inf),
    (3.0, -3.0, np.nan),
    (2.5, -0.5, np.nan),
    (2.0, np.inf, 0.0),
    (np.inf, 1.0, 1.0),
    (np.inf, 2.0, 0.0),
    (np.nan, 2.0, np.nan),
    (2.0, np.nan, np.nan),
)
POLYGAMMA_LIMITS = (
    # n, x, polygamma(n, x)
    (-1.0, 2.0, np.nan),
    (0.5, 2.0, np.nan),
    (1.0, 0.0, np.inf),
    (2.0, 0.0, np.nan),
    (1.0, np.inf, 0.0),
    (0.0, 0.0, np.nan),
    (0.0, np.inf, np.inf),
    (np.nan, 2.0, np.nan),
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_limits_of_zeta_and_polygamma(dtype: Any) -> None:
    """XLA's answers, and 0 or 1 where it gives NaN for a limit that exists."""
    cases = []
    for name, rows in (("zeta", ZETA_LIMITS), ("polygamma", POLYGAMMA_LIMITS)):
        a, b, expected = np.array(rows).T.copy()
        cases.append(function(name, [a.astype(dtype), b.astype(dtype)], expected, 0))
    check(cases)
