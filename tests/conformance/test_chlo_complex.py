"""Complex forms of CHLO functions: both parts against mpmath, special values against numpy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from batch import check
from cases._case import Array, Case, snippet, type_of
from cases._tolerances import Ulps
from test_chlo_accuracy import longdouble, powers

MPMATH: dict[str, Callable[[Any], Any]] = {
    "acos": mpmath.acos,
    "acosh": mpmath.acosh,
    "asin": mpmath.asin,
    "asinh": mpmath.asinh,
    "atan": mpmath.atan,
    "atanh": mpmath.atanh,
    "cosh": mpmath.cosh,
    "sinh": mpmath.sinh,
    "square": lambda z: z * z,
    "tan": mpmath.tan,
}

# Units in the last place of each part, not of the modulus.
BOUNDS = {np.complex64: 0.6, np.complex128: 6.0}

# Decimal digits of mpmath, which cancels: 1 beside numbers of all sizes, and beside the product of
# three of them where both ends of the range meet.
DIGITS = {np.complex64: 200, np.complex128: 700}
DIGITS_AT_ENDS = {np.complex64: 200, np.complex128: 1000}

# Beyond, the result overflows or mpmath takes too long.
LIMITS = {"cosh": 700.0, "sinh": 700.0, "tan": 1e4, "square": 1e150}


def part(name: str, z: Array, half: str, expected: Array, bound: float) -> Case:
    """A case of one part of the function's result."""
    real = "f32" if z.dtype == np.complex64 else "f64"
    result = type_of(z.real)
    text = f"""%w = "chlo.{name}"(%in0) : ({type_of(z)}) -> {type_of(z)}
    %out0 = stablehlo.{half} %w : ({type_of(z)}) -> {result}"""
    return snippet(f"{name} {half} {real}", text, [z], [expected], Ulps(bound), [result])


def exact_parts(name: str, z: Array, digits: int) -> tuple[Array, Array]:
    """Real and imaginary parts of the function at each point."""
    with mpmath.workdps(digits):
        values = [MPMATH[name](mpmath.mpc(w.real, w.imag)) for w in z.tolist()]
        real = np.array([longdouble(value.real) for value in values])
        imag = np.array([longdouble(value.imag) for value in values])
    return real, imag


def points(dtype: Any) -> Array:
    """A square, all sizes, both branch points and the unit circle from near and far."""
    if dtype is np.complex64:
        ranges = ((-40, 20), (-140, 120), (-148, -120))
    else:
        ranges = ((-40, 20), (-700, 700), (-1073, -900))
    generator = np.random.default_rng(0)
    square = generator.uniform(-3, 3, 60) + 1j * generator.uniform(-3, 3, 60)
    sizes = [powers(low, high) + 1j * powers(low - 1, high) for low, high in ranges]
    beside_one = generator.choice([-1, 1], 60) * (1 + powers(-50, -1)) + 1j * powers(-60, 0)
    circle = np.exp(1j * generator.uniform(-4, 4, 60)) * (1 + powers(-50, -3))
    results = [square, *sizes, beside_one, 1j * beside_one, circle]
    return np.concatenate(results).astype(dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_both_parts(dtype: Any) -> None:
    cases = []
    for name in MPMATH:
        z = points(dtype)
        limit = LIMITS.get(name, np.inf)
        if name in ("cosh", "sinh") and dtype is np.complex64:
            limit = 80.0
        larger = np.maximum(np.abs(z.real), np.abs(z.imag)).astype(np.float64)
        z = np.extract(larger < limit, z)
        real, imag = exact_parts(name, z, DIGITS[dtype])
        bound = BOUNDS[dtype]
        cases += [part(name, z, "real", real, bound), part(name, z, "imag", imag, bound)]
    check(cases)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_largest_and_the_least(dtype: Any) -> None:
    """Inverse functions at both ends of the range, and beside 1, in every combination."""
    limits = np.finfo(dtype)
    ends = [limits.smallest_subnormal, 3 * limits.smallest_subnormal, limits.tiny, limits.max]
    sizes = [
        *ends,
        limits.max / 2,
        limits.max / 3,
        np.sqrt(limits.max),
        np.sqrt(limits.tiny),
        1,
        1.5,
    ]
    signed = [sign * float(size) for size in sizes for sign in (1, -1)]
    z = np.array([complex(*pair) for pair in product(signed, signed)]).astype(dtype)
    upper = np.extract(z.imag > 0, z)  # at a conjugate, the result is the conjugate
    z = np.concatenate([upper, upper.conj()])
    assert len(set(z.tolist())) == len(signed) ** 2
    cases = []
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh"):
        real, imag = exact_parts(name, upper, DIGITS_AT_ENDS[dtype])
        real, imag = np.concatenate([real, real]), np.concatenate([imag, -imag])
        bound = BOUNDS[dtype]
        cases += [part(name, z, "real", real, bound), part(name, z, "imag", imag, bound)]
    check(cases)


# --- special values -------------------------------------------------------------------------------
NUMPY: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "tan": np.tan,
}
FINITE = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e300, -1e300, 1e-300)
INFINITE = (*FINITE, np.inf, -np.inf)

# Where the imaginary part (the real part of tan's operand) is an angle: an infinite one has no
# value, and what C's annex G asks for in the other part is not promised.
ANGLES = ("cosh", "sinh", "tan")


@pytest.mark.parametrize("name", NUMPY)
def test_branch_cuts_and_infinities(name: str) -> None:
    """Zeros of both signs tell the sides of branch cuts, on the axes and beyond the points."""
    values = product(FINITE if name in ANGLES else INFINITE, INFINITE)
    pairs = [(b, a) if name in ("cosh", "sinh") else (a, b) for a, b in values]
    z = np.array([complex(*pair) for pair in pairs])
    with np.errstate(all="ignore"):
        expected = NUMPY[name](z)
    check(
        [
            part(name, z, "real", expected.real.copy(), BOUNDS[np.complex128]),
            part(name, z, "imag", expected.imag.copy(), BOUNDS[np.complex128]),
        ]
    )


def test_squares_do_not_overflow_before_their_result_does() -> None:
    z = np.array([1.5e308 + 1.5e308j, -1.5e308 + 1.5e308j, 1e-200 - 1e-200j])
    check([part("square", z, "real", np.zeros(3), 0)])


def test_conj() -> None:
    z = np.array([1 + 2j, complex(0.0, -0.0), complex(np.nan, np.inf)], np.complex64)
    for array in (z, z.real.copy()):
        type = type_of(array)
        text = f'%out0 = "chlo.conj"(%in0) : ({type}) -> {type}'
        check([snippet("conj", text, [array], [np.conj(array)])])
