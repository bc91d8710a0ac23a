"""How good the functions of complex numbers are: the table below is what users may rely on.

Expected values come from mpmath, at points of all sizes and near every place where formulas meet
or cancel: the unit circle, 0, -1, zeros and poles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from batch import check
from cases._case import Array, operation, snippet, type_of
from cases._tolerances import Ulps, Within
from test_chlo_accuracy import longdouble, powers

Exact = Callable[..., Any]


@dataclass(frozen=True)
class Bound:
    """Largest errors, in units in the last place, of results in complex<f32> and complex<f64>.

    Attributes:
        of_result: in units of the result's modulus: one part may cancel beside the other.
    """

    f32: float = 0.6
    f64: float = 3.0
    of_result: bool = False


# Each part for itself unless said otherwise.
BOUNDS = {
    "abs": Bound(f64=0.6),
    "atan2": Bound(of_result=True),
    "cbrt": Bound(),
    "cosine": Bound(),
    "divide": Bound(),
    "exponential": Bound(),
    "exponential_minus_one": Bound(of_result=True),
    "log": Bound(),
    "log_plus_one": Bound(),
    "logistic": Bound(of_result=True),
    "multiply": Bound(f32=2.0, f64=2.0, of_result=True),
    "power": Bound(f32=1.0, of_result=True),
    "rsqrt": Bound(),
    "sign": Bound(),
    "sine": Bound(),
    "sqrt": Bound(),
    "tan": Bound(),
    "tanh": Bound(),
}


def _atan2(y: Any, x: Any) -> Any:
    i = mpmath.mpc(0, 1)
    return -i * mpmath.log((x + i * y) / mpmath.sqrt(x * x + y * y))


MPMATH: dict[str, Exact] = {
    "abs": abs,
    "atan2": _atan2,
    "cbrt": mpmath.cbrt,
    "cosine": mpmath.cos,
    "divide": lambda z, w: z / w,
    "exponential": mpmath.exp,
    "exponential_minus_one": lambda z: mpmath.exp(z) - 1,
    "log": mpmath.log,
    "log_plus_one": lambda z: mpmath.log(1 + z),
    "logistic": lambda z: 1 / (1 + mpmath.exp(-z)),
    "multiply": lambda z, w: z * w,
    "power": lambda z, w: mpmath.exp(w * mpmath.log(z)),
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "sign": lambda z: z / abs(z),
    "sine": mpmath.sin,
    "sqrt": mpmath.sqrt,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}
BINARY = ("atan2", "divide", "multiply", "power")
DTYPES = (np.complex64, np.complex128)
COUNT = 50  # of each kind of points

# Digits that mpmath needs where it cancels: 1 beside the smallest number.
DIGITS = {np.complex64: 110, np.complex128: 700}
CANCELS = ("cbrt", "exponential_minus_one", "log", "log_plus_one", "logistic", "tan", "tanh")
CANCELS += ("atan2", "cosine", "divide", "multiply", "sine")


# --- points ---------------------------------------------------------------------------------------
def ranges(dtype: Any) -> tuple[tuple[int, int], ...]:
    """Exponents: of moderate numbers, of all, of the smallest."""
    return ((-6, 7), (-140, 120), (-148, -120)) if dtype is np.complex64 else WIDE


WIDE = ((-6, 8), (-1000, 1000), (-1073, -900))


def joined(real: Array, imag: Array) -> Array:
    return real + 1j * imag


def points(dtype: Any, count: int, seed: int) -> Array:
    random = np.random.default_rng(seed)

    def square(size: float) -> Array:
        return joined(random.uniform(-size, size, count), random.uniform(-size, size, count))

    def one(low: int, high: int) -> Array:
        chosen: Array = random.permutation(powers(low + seed, high, count))
        return chosen

    (low, high), (least, most), _ = ranges(dtype)
    results = [square(3.0), square(100.0), square(1000.0)]
    results += [joined(one(*span), one(*span)) for span in ranges(dtype)]
    results += [joined(one(low, high), one(least, most)), joined(one(least, most), one(low, high))]
    beside_one = joined(random.choice([-1, 1], count) * (1 + one(-50, -1)), one(-60, 0))
    circle = np.exp(1j * random.uniform(-4, 4, count))
    near_circle = circle * (1 + one(-54, -3))
    results += [beside_one, 1j * beside_one, circle, near_circle, near_circle - 1]
    # zeros and poles lie at multiples of pi / 2
    multiples = random.integers(-9, 9, count) * np.pi / 2 + one(-50, -3)
    results += [joined(multiples, one(-50, 2)), joined(one(-50, 2), multiples)]
    # around where e^x overflows and vanishes
    edge = 88.0 if dtype is np.complex64 else 709.0
    thresholds = random.choice([-edge - 16, -edge, edge], count) + random.uniform(-3, 8, count)
    results += [joined(thresholds, one(low, high)), joined(one(low, high), thresholds)]
    return np.concatenate(results).astype(dtype)


def operands(name: str, dtype: Any, count: int) -> list[Array]:
    z = points(dtype, count, 0)
    if name not in BINARY:
        return _kept(z != 0, z)
    w = np.random.default_rng(1).permutation(points(dtype, count, 1))
    kept = (z != 0) & (w != 0)
    if name == "atan2":  # beyond, zeros of one part decide between pi and -pi
        with np.errstate(all="ignore"):
            ratio = np.abs(np.concatenate([z.real / w.real, z.imag / w.imag, z.imag / z.real]))
        ordinary = (ratio > 1e-15) & (ratio < 1e15)
        kept &= ordinary.reshape(3, -1).all(0) & (z != 1j * w) & (z != -1j * w)
    if name == "power":  # sine and cosine of more than 1e4 have no more digits in complex<f32>
        random = np.random.default_rng(2)
        small = joined(random.uniform(-4, 4, len(w)), random.uniform(-4, 4, len(w)))
        w = np.where(random.random(len(w)) < 0.5, w, small).astype(dtype)
        with np.errstate(all="ignore"):
            kept &= np.abs(w * np.log(z.astype(np.complex128))) < 1e3
    return _kept(kept, z, w)


def _kept(mask: Array, *arrays: Array) -> list[Array]:
    return [np.extract(mask, array) for array in arrays]


# --- comparing ------------------------------------------------------------------------------------
def exactly(name: str, dtype: Any, arrays: list[Array]) -> Array:
    """Results with 64 bits each; mpmath takes long for what overflows by far, which is infinite."""
    digits = DIGITS[dtype] if name in CANCELS else 60
    rows = zip(*(array.tolist() for array in arrays), strict=True)
    results = np.empty(len(arrays[0]), np.clongdouble)
    with mpmath.workdps(digits):
        for i, row in enumerate(rows):
            value = mpmath.mpc(MPMATH[name](*(mpmath.mpc(w.real, w.imag) for w in row)))
            results[i] = longdouble(value.real) + 1j * longdouble(value.imag)
    return results


def close(expected: Array, dtype: Any, bound: float, of_result: bool) -> Within:
    """Each part within ``bound`` units of itself or of the result's modulus."""
    size = np.abs(expected)
    real, imaginary = (bound * _unit(size if of_result else x, dtype) for x in _parts(expected))
    return Within(real + 1j * imaginary if expected.dtype.kind == "c" else real)


def _parts(array: Array) -> tuple[Array, Array]:
    return np.abs(array.real), np.abs(array.imag)


def _unit(size: Array, dtype: Any) -> Array:
    """The distance from numbers to the next ones of a type."""
    info = np.finfo(dtype)
    _, exponent = np.frexp(np.maximum(size, info.smallest_normal))
    return np.asarray(np.ldexp(np.longdouble(1), exponent - 1 - info.nmant))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", range(3))
def test_functions(part: int, dtype: Any) -> None:
    cases = []
    for name in sorted(BOUNDS)[part::3]:
        bound = BOUNDS[name]
        inputs = [_in_reach(name, array) for array in operands(name, dtype, COUNT)]
        expected = exactly(name, dtype, inputs)
        expected = expected.real if name == "abs" else expected
        result = type_of(inputs[0].real if name == "abs" else inputs[0])
        limit = bound.f32 if dtype is np.complex64 else bound.f64
        near = close(expected, dtype, limit, bound.of_result)
        cases.append(operation(name, inputs, expected, tolerance=near, result=result))
    check(cases)


def _in_reach(name: str, z: Array) -> Array:
    """Numbers whose exponentials mpmath writes down in time."""
    if name in ("sine", "cosine", "tan"):
        return _kept(np.abs(z.imag) < 1500, z)[0]
    if name in ("tanh", "logistic", "exponential", "exponential_minus_one"):
        return _kept(np.abs(z.real) < 1500, z)[0]
    return z


# --- no part is lost ------------------------------------------------------------------------------
def test_products_and_quotients_at_the_ends_of_the_range() -> None:
    """A quotient overflows and vanishes no sooner than its exact value."""
    large, small = 1.5e308, 5e-324
    rows = (
        # z, w, z / w
        (large + large * 1j, large + large * 1j, 1.0),
        (small + small * 1j, small + small * 1j, 1.0),
        (large * (1 + 1j), 4 + 4j, large / 4),
        (small * 4j, 2j * small, 2.0),
        (1.0, large * (1 + 1j), (0.5 - 0.5j) / large),
        (1e-300 + 1e-300j, 1e-305, 1e5 + 1e5j),
        (1e300j, 1e305 * (1 + 1j), 5e-6 + 5e-6j),
    )
    z, w, quotient = (np.array(column, np.complex128) for column in zip(*rows, strict=True))
    expected = quotient.astype(np.clongdouble)
    near = close(expected, z.dtype, 3, True)
    check([operation("divide", [z, w], expected, tolerance=near, result=type_of(z))])


def test_abs_neither_overflows_nor_underflows() -> None:
    z = np.array([1.2e308 + 1.2e308j, 3e-320 + 4e-320j, 1e308 + 1e-308j, 5e-324j])
    expected = np.hypot(z.real.astype(np.longdouble), z.imag.astype(np.longdouble))
    near = close(expected, z.dtype, 0.6, False)
    check([operation("abs", [z], expected, tolerance=near, result=type_of(z.real))])
    single = np.array([3e38 + 1e38j, 3e-42 + 4e-42j, 3e38 + 3e38j], np.complex64)
    expected = np.hypot(single.real.astype(float), single.imag.astype(float)).astype(np.longdouble)
    result = type_of(single.real)
    near = close(expected, single.dtype, 0.6, False)
    check([operation("abs", [single], expected, tolerance=near, result=result)])


def test_signs_of_the_least_numbers() -> None:
    """z / |z| is in range where neither z nor 1 / |z| is near 1."""
    sizes = [5e-324, 1e-310, 2.3e-308, 1e-160, 1e-150, 1.0, 1e150, 1e160, 1.7e308]
    z = np.array([complex(a, -b) for a in sizes for b in sizes])
    with mpmath.workdps(700):
        values = [mpmath.sign(mpmath.mpc(w.real, w.imag)) for w in z.tolist()]
        real = np.array([longdouble(value.real) for value in values])
    text = f"""%w = stablehlo.sign %in0 : {type_of(z)}
    %out0 = stablehlo.real %w : ({type_of(z)}) -> {type_of(z.real)}"""
    check([snippet("signs", text, [z], [real], Ulps(3.0), [type_of(z.real)])])
