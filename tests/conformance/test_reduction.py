"""``reduce``: every body, variadic ones, promotion, captured values, nothing to reduce."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, snippet, type_of
from cases._inputs import edges, noise
from cases._tolerances import Within
from cases._types import COMPLEX, dtype_of
from expected import FLOATS, INTEGER_OPS, INTEGERS, REAL

import shlo_tools

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]


def _reduce(
    array: Array, init: Array, axes: Sequence[int], body: str, expected: Array, **options: Any
) -> Case:
    """``stablehlo.reduce`` of one input by a body of one op on (accumulator, element)."""
    scalar = type_of(np.zeros((), expected.dtype) if "results" not in options else init)
    result = options["results"][0] if "results" in options else type_of(expected)
    text = f"""%out0 = "stablehlo.reduce"(%in0, %in1) ({{
      ^bb0(%x: {scalar}, %y: {scalar}):
        %z = stablehlo.{body} %x, %y : {scalar}
        stablehlo.return %z : {scalar}
      }}) {{dimensions = {_axes(axes)}}} : ({type_of(array)}, {type_of(init)}) -> {result}"""
    name = f"{body} {type_of(array)} over {list(axes)}"
    return snippet(name, text, [array, init], [expected], **options)


def _axes(axes: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, axes))}>" if len(axes) else "array<i64>"


def _folded(
    function: Callable[[Array, Array], Array], array: Array, init: Array, axes: Sequence[int]
) -> Array:
    """numpy's answer, one slice after the other in row-major order."""
    kept = [d for d in range(array.ndim) if d not in axes]
    moved = array.transpose([*axes, *kept])
    shape = tuple(array.shape[d] for d in kept)
    rows = moved.reshape(-1, *shape) if array.size else np.zeros((0, *shape), array.dtype)
    total = np.full(shape, init, init.dtype)
    for row in rows:
        total = np.asarray(function(total, row.astype(init.dtype)))
    return total.astype(init.dtype)


INTEGER_BODIES = ("add", "multiply", "and", "or", "xor", "minimum", "maximum")


@pytest.mark.parametrize("body", INTEGER_BODIES)
def test_integers(body: str) -> None:
    """Exact, sums and products wrap around.

    An initial value that is no identity is applied once, as everywhere in practice; the
    specification leaves open how often.
    """
    cases = []
    for element in INTEGERS:
        array = noise(element, count=7 * 19).reshape(7, 19)
        array[0, : len(edges(element))] = edges(element)[:19]
        for start in (0, 1, 3):
            init = np.array(start, dtype_of(element))
            for axes in ((0,), (1,), (0, 1), ()):
                expected = _folded(_elementwise(body, element), array, init, axes)
                cases.append(_reduce(array, init, axes, body, expected))
    check(cases)


def _elementwise(body: str, element: str) -> Callable[[Array, Array], Array]:
    function = INTEGER_OPS[body]
    return lambda x, y: function(element, x.reshape(-1), y.reshape(-1)).reshape(x.shape)


BOOLEAN_BODIES = {
    "add": np.logical_or,
    "multiply": np.logical_and,
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "minimum": np.logical_and,
    "maximum": np.logical_or,
}


@pytest.mark.parametrize("body", BOOLEAN_BODIES)
def test_booleans(body: str) -> None:
    array = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1], [0, 1, 1], [1, 1, 0]], bool)
    cases = []
    for start in (False, True):
        for axes in ((0,), (1,), (0, 1)):
            init = np.array(start)
            expected = _folded(BOOLEAN_BODIES[body], array, init, axes)
            cases.append(_reduce(array, init, axes, body, expected))
    check(cases)


@pytest.mark.parametrize("body", ["minimum", "maximum"])
def test_extrema_of_floats(body: str) -> None:
    """NaN wins from anywhere, and zeros keep their order -0 < +0."""
    cases = []
    for element in FLOATS:
        rows = np.array(
            [[1, 2, 3, -7], [0.0, -0.0, 0.0, -0.0], [-0.0, 0.0, -0.0, 0.0], [-1, -2, -3, -4]]
        )
        rows = np.concatenate([rows, [[1, np.nan, 2, 3], [np.inf, -np.inf, 0, np.nan]]])
        array = rows.astype(dtype_of(element))
        init = np.array(-np.inf if body == "maximum" else np.inf, dtype_of(element))
        plain = np.max if body == "maximum" else np.min
        expected = plain(array, axis=1)
        expected[1:3] = 0.0 if body == "maximum" else -0.0
        cases.append(_reduce(array, init, (1,), body, expected))
    check(cases)


def test_sums_of_floats() -> None:
    """|sum - exact| <= n * eps * sum|terms|, exact where all partial sums are."""
    cases = []
    for element in FLOATS:
        eps = 2.0 ** -{"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element]
        array = noise(element, count=5 * 40).reshape(5, 40)
        init = np.array(0.5, dtype_of(element))
        wide = array.astype(np.longdouble)
        for axes in ((0,), (1,), (0, 1)):
            expected = wide.sum(axis=axes) + 0.5
            terms = np.abs(wide).sum(axis=axes) + 0.5
            count = wide.size // expected.size
            bound = Within(count * eps * terms)
            result = type_of(np.zeros(expected.shape, array.dtype))
            cases.append(
                _reduce(array, init, axes, "add", expected, tolerance=bound, results=[result])
            )
        whole = np.arange(-20, 30, dtype=dtype_of(element)).reshape(10, 5)
        expected = whole.astype(np.float64).sum(axis=0).astype(dtype_of(element))
        cases.append(_reduce(whole, np.zeros((), dtype_of(element)), (0,), "add", expected))
    check(cases)


def test_sums_of_complex_numbers() -> None:
    cases = []
    for element in COMPLEX:
        array = np.round(noise(element, count=60) * 8).reshape(12, 5)  # whole: exact sums
        init = np.array(2 - 1j, dtype_of(element))
        for axes in ((0,), (1,), (0, 1)):
            expected = np.asarray(array.sum(axis=axes) + init).astype(dtype_of(element))
            cases.append(_reduce(array, init, axes, "add", expected))
    check(cases)


def test_products_of_floats() -> None:
    array = np.array([[1.5, -2.0, 0.25, 8.0], [3.0, np.inf, -1.0, 0.5], [0.0, np.inf, 1.0, 1.0]])
    cases = []
    for element in FLOATS:
        expected = np.array([-6.0, -np.inf, np.nan]).astype(dtype_of(element))
        init = np.ones((), dtype_of(element))
        cases.append(_reduce(array.astype(dtype_of(element)), init, (1,), "multiply", expected))
    check(cases)


def test_dimensions_in_any_order_and_number() -> None:
    array = np.arange(2 * 3 * 4 * 5, dtype=np.int32).reshape(2, 3, 4, 5)
    init = np.array(7, np.int32)
    cases = []
    for count in range(5):
        for axes in combinations(range(4), count):
            expected = np.asarray(array.sum(axis=axes, dtype=np.int32) + init)
            cases.append(_reduce(array, init, axes, "add", expected))
            cases.append(_reduce(array, init, axes[::-1], "add", expected))
    check(cases)


def test_nothing_to_reduce() -> None:
    """A reduced size of 0 gives the initial value, no dimensions apply it once."""
    cases = []
    for shape, axes in (((0,), (0,)), ((3, 0), (1,)), ((0, 3), (0,)), ((0, 3), (1,))):
        for init in (np.array(7, np.int32), np.array(-0.0, np.float32)):
            left = [shape[d] for d in range(len(shape)) if d not in axes]
            expected = np.full(left, init, init.dtype)
            cases.append(_reduce(np.zeros(shape, init.dtype), init, axes, "add", expected))
    for element in ("i8", "ui64", "f64"):
        array, init = np.array(5, dtype_of(element)), np.array(7, dtype_of(element))
        cases.append(_reduce(array, init, (), "add", (array + init).reshape(())))
    check(cases)


PROMOTIONS = [("i8", "i32"), ("ui8", "ui32"), ("ui8", "ui16"), ("i16", "i64"), ("f16", "f32")]
PROMOTIONS += [("bf16", "f32"), ("f32", "f64"), ("bf16", "f64")]


@pytest.mark.parametrize(("narrow", "wide"), PROMOTIONS)
def test_promotion(narrow: str, wide: str) -> None:
    """Elements are converted to the accumulator's type before anything is added."""
    array = np.concatenate([edges(narrow), noise(narrow, count=99)])
    array = array[np.isfinite(array.astype(np.float64))]
    if narrow in FLOATS:  # whole multiples of one power of two: exact in the wider type
        array = np.round(np.clip(array.astype(np.float64), -100, 100) * 4) / 4
        array = array.astype(dtype_of(narrow))
    init = np.zeros((), dtype_of(wide))
    expected = np.asarray(array.astype(dtype_of(wide)).sum(dtype=dtype_of(wide)))
    check([_reduce(array, init, (0,), "add", expected)])


@pytest.mark.parametrize(("narrow", "wide"), PROMOTIONS)
def test_the_initial_value_is_promoted_too(narrow: str, wide: str) -> None:
    executable = shlo_tools.compile(f"""
    func.func @main(%x: tensor<3x{narrow}>, %i: tensor<{narrow}>) -> tensor<{wide}> {{
      %0 = "stablehlo.reduce"(%x, %i) ({{
        ^bb0(%a: tensor<{wide}>, %b: tensor<{wide}>):
          %c = stablehlo.add %a, %b : tensor<{wide}>
          stablehlo.return %c : tensor<{wide}>
      }}) {{dimensions = array<i64: 0>}}
        : (tensor<3x{narrow}>, tensor<{narrow}>) -> tensor<{wide}>
      return %0 : tensor<{wide}>
    }}""")
    result = executable(np.full(3, 100, dtype_of(narrow)), np.array(99, dtype_of(narrow)))
    assert result.dtype == dtype_of(wide) and result == 399  # more than 8 bits hold


def test_long_reductions_of_every_type() -> None:
    """Sizes beyond any vector width, with a tail."""
    cases = []
    for element in REAL:
        array = noise(element, count=1027)
        init = array[0].reshape(())
        for body, function in (("maximum", np.max), ("minimum", np.min)):
            cases.append(_reduce(array, init, (0,), body, np.asarray(function(array))))
    check(cases)


def test_f32_sums_are_close_to_exact() -> None:
    array = noise("f32", count=100 * 100).reshape(100, 100)
    expected = np.asarray(array.astype(np.float64).sum(axis=1))
    bound = 100 * 2.0**-23 * np.abs(array.astype(np.float64)).sum(axis=1)
    result = ["tensor<100xf32>"]
    zero = np.zeros((), np.float32)
    case = _reduce(array, zero, (1,), "add", expected, tolerance=Within(bound), results=result)
    check([case])
