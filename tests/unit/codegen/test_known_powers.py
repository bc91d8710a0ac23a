"""Powers of exponents that are known: those of IEEE 754, at the edges of each type and between."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged, staged

DTYPES: dict[str, Any] = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
DTYPES["bf16"] = ml_dtypes.bfloat16
EXPONENTS = (-1.0, -0.5, 0.0, -0.0, 0.5, 1.0, 2.0, 3.0, 4.0, -2.0, 0.25)


def bases(element: str) -> np.ndarray:
    """Edges, and random bits."""
    dtype = np.dtype(DTYPES[element])
    info = ml_dtypes.finfo(dtype)
    sizes = [0.0, 1.0, 2.0, 0.5, 3.0, np.inf, np.nan]
    sizes += [float(n) for n in (info.max, info.tiny, info.smallest_subnormal, info.eps)]
    edges = np.array([*sizes, *(-n for n in sizes)]).astype(dtype)
    bits = np.frombuffer(np.random.default_rng(1).bytes(3000 * dtype.itemsize), dtype)
    with np.errstate(invalid="ignore"):
        return np.concatenate([edges, np.where(np.isnan(bits), dtype.type(1), bits)])


def program(count: int, element: str, exponent: str, how: str = "") -> str:
    type, scalar = f"tensor<{count}x{element}>", f"tensor<{element}>"
    how = how or f"%e = stablehlo.constant dense<{exponent}> : {scalar}"
    return f"""
    func.func @main(%x: {type}) -> {type} {{
      {how}
      %0 = stablehlo.broadcast_in_dim %e, dims = [] : ({scalar}) -> {type}
      %1 = stablehlo.power %x, %0 : {type}
      return %1 : {type}
    }}"""


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_of_floats(element: str, exponent: float) -> None:
    x = bases(element)
    result = staged(program(len(x), element, repr(exponent)))(x)
    wide = np.longdouble if element == "f64" else np.float64
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(wide), np.full(x.shape, exponent, wide))  # of a scalar: sqrt
        nearest = exact.astype(x.dtype)
    # NaN, infinities and zeros are those of pow, and zeros have its signs.
    np.testing.assert_array_equal(np.isnan(result), np.isnan(nearest))
    numbers = ~np.isnan(nearest)
    for is_such in (np.isinf, lambda n: n == 0):
        np.testing.assert_array_equal(is_such(result[numbers]), is_such(nearest[numbers]))
    np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(nearest[numbers]))
    # Others are near: in units of the type, of which subnormal numbers have fewer.
    finite = numbers & np.isfinite(nearest)
    with np.errstate(over="ignore"):  # what is above the largest number is far away
        unit = np.spacing(np.abs(nearest[finite])).astype(wide)
    errors = np.abs(result[finite].astype(wide) - exact[finite]) / unit
    assert errors.max() <= {"f64": 4, "f32": 2}.get(element, 1), x[finite][errors.argmax()]


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, -1])
@pytest.mark.parametrize("element", ["i32", "i8", "ui16"])
def test_powers_of_integers(element: str, exponent: int) -> None:
    dtype = np.dtype({"i32": np.int32, "i8": np.int8, "ui16": np.uint16}[element])
    if exponent >= 0 or element != "ui16":
        x = np.frombuffer(np.random.default_rng(1).bytes(1000 * dtype.itemsize), dtype)
        assert_staged(program(1000, element, str(exponent)), np.array([*x[:-4], 0, 1, 2, 3], dtype))


COMPUTED = {
    "difference": """%a = stablehlo.constant dense<2.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %e = stablehlo.subtract %a, %b : tensor<f32>""",
    "quotient": """%a = stablehlo.constant dense<2.0> : tensor<f32>
      %b = stablehlo.constant dense<-4.0> : tensor<f32>
      %c = stablehlo.negate %b : tensor<f32>
      %d = stablehlo.reshape %c : (tensor<f32>) -> tensor<f32>
      %e = stablehlo.divide %a, %d : tensor<f32>""",
    "converted": """%a = stablehlo.constant dense<3> : tensor<i32>
      %b = stablehlo.convert %a : (tensor<i32>) -> tensor<f32>
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %e = stablehlo.subtract %b, %c : tensor<f32>""",
}


@pytest.mark.parametrize("name", COMPUTED)
def test_exponents_computed_of_constants(name: str) -> None:
    text = program(7, "f32", "", COMPUTED[name])
    assert "power" not in staged(text).ir("stages")
    x = np.array([1.0, 4.0, 9.0, 0.25, -0.0, np.inf, np.nan], np.float32)
    assert_staged(text, x)


def test_powers_of_unknown_exponents_stay() -> None:
    text = """
    func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
      %0 = stablehlo.power %x, %y : tensor<7xf32>
      return %0 : tensor<7xf32>
    }"""
    assert "power" in staged(text).ir("stages")
