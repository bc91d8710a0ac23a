"""Special values of functions of complex numbers: zeros, branch cuts, infinities, NaN.

Sources: annex G of C99 (through numpy, which calls the C library) for the functions it has; the
specification for sign, maximum and compare; else what XLA:CPU gives (JAX 0.10), as said at each
table.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from itertools import product
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Array, Case, operation, snippet, type_of
from cases._tolerances import Parts, Within, eps_of

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import UnsupportedError

PARTS = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan)
DTYPES = (np.complex64, np.complex128)


def grid(dtype: Any) -> Array:
    return np.array([complex(*parts) for parts in product(PARTS, PARTS)], dtype)


def case(name: str, inputs: Sequence[Array], expected: Array) -> Case:
    return operation(name, inputs, expected, tolerance=Parts(4 * eps_of(expected.dtype)))


# --- annex G --------------------------------------------------------------------------------------
ANNEX_G: dict[str, Callable[[Array], Array]] = {
    "cosine": np.cos,
    "exponential": np.exp,
    "log": np.log,
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_annex_g(dtype: Any) -> None:
    """Where the standard leaves a sign open (an infinite part beside NaN), any will do."""
    cases = []
    for name, function in ANNEX_G.items():
        z = grid(dtype)
        with np.errstate(all="ignore"):
            expected = function(z)
        open_sign = np.isinf(expected.real) & np.isnan(expected.imag)
        open_sign |= np.isinf(expected.imag) & np.isnan(expected.real) & (name != "sqrt")
        z, expected = z[~open_sign], expected[~open_sign]
        cases.append(case(name, [z], expected))
        cases += _infinite_beside_nan(name, grid(dtype)[open_sign])
    check(cases)


def _infinite_beside_nan(name: str, z: Array) -> list[Case]:
    """|result|, which is infinite."""
    type, real = type_of(z), type_of(z.real)
    text = f"""%w = "stablehlo.{name}"(%in0) : ({type}) -> {type}
    %out0 = "stablehlo.abs"(%w) : ({type}) -> {real}"""
    expected = np.full(z.shape, inf, z.real.dtype)
    return [snippet(f"{name} of infinities", text, [z], [expected])] if len(z) else []


# --- branch cuts ----------------------------------------------------------------------------------
CUTS = (
    # name, operand, result; the other side of the cut gives the conjugate
    ("cbrt", -8 + 0j, 1 + 3**0.5 * 1j),
    ("log", -1 + 0j, pi * 1j),
    ("log", -(2.0**100) + 0j, 100 * np.log(2) + pi * 1j),
    ("log_plus_one", -3 + 0j, np.log(2) + pi * 1j),
    ("rsqrt", -4 + 0j, complex(0.0, -0.5)),
    ("sqrt", -4 + 0j, 2j),
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_tell_the_sides_of_branch_cuts(dtype: Any) -> None:
    cases = []
    for name, operand, result in CUTS:
        z = np.array([operand, np.conj(operand)], dtype)
        expected = np.array([result, np.conj(result)], dtype)
        cases.append(case(name, [z], expected))
    z = np.array([-4 + 0j, np.conj(-4 + 0j)], dtype)
    expected = np.exp(0.5 * np.log(z.astype(np.complex128))).astype(dtype)
    root = operation("power", [z, np.full(2, 0.5, dtype)], expected, tolerance=nearly(dtype))
    check([*cases, root])


def nearly(dtype: Any) -> Within:
    """Equal within a few units of the modulus."""
    return Within(relative=4 * eps_of(np.dtype(dtype)))


# --- unary functions that C99 does not have -------------------------------------------------------
UNARY = (
    # sign: the specification has +0 for 0, and divides parts by the modulus otherwise
    ("sign", complex(-0.0, -0.0), 0j),
    ("sign", 3 - 4j, 0.6 - 0.8j),
    ("sign", complex(1, nan), complex(nan, nan)),
    ("sign", complex(nan, inf), complex(nan, nan)),
    ("sign", complex(1, -inf), complex(0, nan)),
    # abs: hypot of C99
    ("abs", complex(nan, -inf), inf),
    ("abs", complex(nan, 0), nan),
    ("abs", complex(-0.0, -0.0), 0.0),
    # rsqrt: XLA
    ("rsqrt", 0j, complex(inf, nan)),
    ("rsqrt", complex(-0.0, -0.0), complex(inf, nan)),
    ("rsqrt", complex(inf, 1), complex(0.0, -0.0)),
    ("rsqrt", complex(nan, -inf), complex(0.0, 0.0)),
    ("rsqrt", complex(nan, 1), complex(nan, nan)),
    # cbrt: exp(log(z) / 3)
    ("cbrt", complex(-0.0, 0.0), 0j),
    ("cbrt", complex(inf, 0.0), complex(inf, 0.0)),
    ("cbrt", complex(-inf, 0.0), complex(inf, inf)),
    ("cbrt", complex(inf, -inf), complex(inf, -inf)),
    ("cbrt", complex(nan, 1.0), complex(nan, nan)),
    # log_plus_one: log beside 0
    ("log_plus_one", complex(0.0, -0.0), complex(0.0, -0.0)),
    ("log_plus_one", complex(-1.0, 0.0), complex(-inf, 0.0)),
    ("log_plus_one", complex(-inf, -inf), complex(inf, -3 * pi / 4)),
    ("log_plus_one", complex(nan, inf), complex(inf, nan)),
    # exponential_minus_one: exponential, less 1
    ("exponential_minus_one", complex(-0.0, 0.0), complex(-0.0, 0.0)),
    ("exponential_minus_one", complex(0.0, -0.0), complex(0.0, -0.0)),
    ("exponential_minus_one", complex(-inf, 1.0), complex(-1.0, 0.0)),
    ("exponential_minus_one", complex(inf, 0.0), complex(inf, 0.0)),
    ("exponential_minus_one", complex(nan, 0.0), complex(nan, 0.0)),
    # logistic: XLA; with zeros of the operand's sign, which XLA drops
    ("logistic", complex(0.0, -0.0), complex(0.5, -0.0)),
    ("logistic", complex(inf, -1.0), complex(1.0, -0.0)),
    ("logistic", complex(-inf, 1.0), complex(0.0, 0.0)),
    ("logistic", complex(1.0, inf), complex(nan, nan)),
    ("logistic", complex(nan, 1.0), complex(nan, nan)),
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values(dtype: Any) -> None:
    cases = []
    for name in dict.fromkeys(row[0] for row in UNARY):
        z, expected = zip(*(row[1:] for row in UNARY if row[0] == name), strict=True)
        answers = np.array(expected, dtype)
        array = np.array(z, dtype)
        cases.append(case(name, [array], answers.real.copy() if name == "abs" else answers))
    check(cases)


# --- binary functions -----------------------------------------------------------------------------
NANS = complex(nan, nan)
BINARY = (
    # power, XLA: z^0 = 1^w = 1
    ("power", 0j, 0j, 1 + 0j),
    ("power", complex(nan, 1), complex(-0.0, 0), 1 + 0j),
    ("power", complex(inf, nan), 0j, 1 + 0j),
    ("power", 1 + 0j, complex(nan, inf), 1 + 0j),
    # 0 to a positive real is 0, and to anything else undefined
    ("power", 0j, 2 + 0j, 0j),
    ("power", complex(-0.0, 0.0), complex(0.5, -0.0), 0j),
    ("power", 0j, -1 + 0j, NANS),
    ("power", 0j, 1 + 1j, NANS),
    ("power", 0j, 1j, NANS),
    # of infinities only the positive one to a real power is defined
    ("power", complex(inf, 0), 2 + 0j, complex(inf, 0)),
    ("power", complex(inf, 0), -2 + 0j, 0j),
    ("power", complex(-inf, 0), 2 + 0j, NANS),
    ("power", complex(inf, 1), 1 + 0j, NANS),
    ("power", complex(2, 1), complex(inf, 0), NANS),
    ("power", complex(nan, 0), 1 + 0j, NANS),
    # atan2, XLA
    ("atan2", 0j, 0j, NANS),
    ("atan2", 1 + 0j, 1j, NANS),
    ("atan2", complex(inf, 0), 1 + 0j, NANS),
    ("atan2", 1 + 0j, complex(nan, 0), NANS),
    ("atan2", 0j, -1 + 0j, complex(pi, 0)),
    ("atan2", 1 + 0j, 0j, complex(pi / 2, 0)),
    ("atan2", -1 + 0j, 0j, complex(-pi / 2, 0)),
    # divide, annex G (G.5.1) and XLA: by 0
    ("divide", 1 + 1j, 0j, complex(inf, inf)),
    ("divide", 1 - 1j, complex(-0.0, 0.0), complex(-inf, inf)),
    ("divide", 1 + 0j, 0j, complex(inf, nan)),
    ("divide", 0j, 0j, NANS),
    # infinities over finite numbers, and the other way
    ("divide", complex(inf, 1), 1 + 1j, complex(inf, -inf)),
    ("divide", complex(nan, -inf), 2 + 0j, complex(nan, -inf)),
    ("divide", 1 + 1j, complex(inf, nan), 0j),
    ("divide", 1 + 1j, complex(-inf, inf), complex(0.0, -0.0)),
    ("divide", complex(inf, 0), complex(inf, 0), NANS),
    # multiply, XLA: no second look at NaN, as annex G has it
    ("multiply", complex(inf, nan), 1 + 1j, NANS),
    ("multiply", complex(inf, 0), complex(inf, 0), complex(inf, nan)),
    ("multiply", complex(inf, 1), 1 + 0j, complex(inf, nan)),
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_of_two(dtype: Any) -> None:
    cases = []
    for name in dict.fromkeys(row[0] for row in BINARY):
        rows = zip(*(row[1:] for row in BINARY if row[0] == name), strict=True)
        z, w, expected = (np.array(column, dtype) for column in rows)
        near = nearly(dtype) if name == "atan2" else Parts(4 * eps_of(expected.dtype))
        cases.append(operation(name, [z, w], expected, tolerance=near))  # atan2's zeros: any sign
    check(cases)


# --- order ----------------------------------------------------------------------------------------
def ordered(element: Array, larger: bool) -> Callable[[complex, complex], complex]:
    """Lexicographic maximum or minimum; a number with a NaN wins."""

    def choose(z: complex, w: complex) -> complex:
        for x in (z, w):
            if cmath.isnan(x):
                return x
        key = (z.real, z.imag), (w.real, w.imag)
        return z if (key[0] >= key[1] if larger else key[0] <= key[1]) else w

    return choose


@pytest.mark.parametrize("dtype", DTYPES)
def test_maximum_minimum_and_clamp(dtype: Any) -> None:
    z, w = (v.reshape(-1).copy() for v in np.meshgrid(grid(dtype), grid(dtype)))
    cases, answers = [], {}
    for name, larger in (("maximum", True), ("minimum", False)):
        choose = ordered(z, larger)
        answers[name] = choose
        expected = np.array([choose(a, b) for a, b in zip(z.tolist(), w.tolist(), strict=True)])
        cases.append(case(name, [z, w], expected.astype(dtype)))
    low, high = np.array(-1 + 1j, dtype), np.array(2.5 + 0j, dtype)
    x = grid(dtype)
    clamped = [
        answers["minimum"](answers["maximum"](v, complex(low)), complex(high)) for v in x.tolist()
    ]
    cases.append(case("clamp", [low, x, high], np.array(clamped, dtype)))
    check(cases)


def test_remainder_is_refused() -> None:
    """The specification leaves it open; no other implementation has one either."""
    type = "tensor<2xcomplex<f32>>"
    text = f"""func.func @main(%a: {type}) -> {type} {{
      %0 = stablehlo.remainder %a, %a : {type}
      return %0 : {type} }}"""
    z = np.ones(2, np.complex64)
    with pytest.raises(UnsupportedError, match="complex remainders"):
        shlo_tools.compile(text)
    with pytest.raises(UnsupportedError, match="complex remainders"):
        reference.compile(text)(z)


# --- the reference --------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
def test_reference_has_the_same_special_values(dtype: Any) -> None:
    """Its formulas are others; on all pairs of special values results agree, NaN by NaN."""
    names = {row[0]: 1 for row in (*UNARY, *CUTS)} | {row[0]: 2 for row in BINARY}
    z, w = (v.reshape(-1).copy() for v in np.meshgrid(grid(dtype), grid(dtype)))
    for name, count in (dict.fromkeys(ANNEX_G, 1) | names).items():
        inputs = [z, w] if count == 2 else [grid(dtype)]
        type = type_of(inputs[0])
        result = type_of(inputs[0].real) if name == "abs" else type
        arguments = ", ".join(f"%a{i}: {type}" for i in range(count))
        operands = ", ".join(f"%a{i}" for i in range(count))
        types = ", ".join([type] * count)
        text = f"""func.func @main({arguments}) -> {result} {{
          %0 = "stablehlo.{name}"({operands}) : ({types}) -> {result}
          return %0 : {result} }}"""
        native, expected = (
            compile(text)(*inputs) for compile in (shlo_tools.compile, reference.compile)
        )
        np.testing.assert_allclose(native, expected, rtol=1e-6, atol=1e-6, err_msg=name)
