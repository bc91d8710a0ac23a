"""Kernels of windows and of scans: strides, padding, dilation, all ways along and across lanes."""

from __future__ import annotations

import numpy as np
import pytest
from reduction_programs import TYPES, numbers, tensor
from staged_programs import assert_staged, staged

from shlo_tools import compile

# operand, result, window, strides, base and window dilations, padding
WINDOWS = [
    (
        *((2, 9, 9, 35), (2, 4, 4, 35), (1, 3, 3, 1), (1, 2, 2, 1), (1, 1, 1, 1)),
        *((1, 1, 1, 1), (0,) * 8),
    ),
    (
        (2, 9, 9, 64),
        (2, 5, 5, 64),
        (1, 3, 3, 1),
        (1, 2, 2, 1),
        (1, 1, 1, 1),
        (1, 1, 1, 1),
        (0, 0, 1, 1, 1, 1, 0, 0),
    ),
    (
        *((2, 3, 8, 66), (2, 3, 4, 33), (1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1)),
        *((1, 1, 1, 1), (0,) * 8),
    ),
    *(
        ((3, 5, n), (3, 5, n // 2), (1, 1, 2), (1, 1, 2), (1, 1, 1), (1, 1, 1), (0,) * 6)
        for n in (14, 62, 64, 65, 129, 256)
    ),
    ((3, 65), (3, 33), (1, 3), (1, 2), (1, 1), (1, 1), (0, 0, 1, 1)),
    ((70,), (70,), (3,), (1,), (1,), (1,), (1, 1)),
    ((5, 6), (11, 6), (3, 1), (1, 1), (2, 1), (1, 1), (2, 2, 0, 0)),
    ((9, 7), (5, 7), (3, 1), (1, 1), (1, 1), (2, 1), (0, 0, 0, 0)),
    ((9, 40), (11, 37), (1, 10), (1, 1), (1, 1), (1, 1), (1, 1, 3, 3)),
]
SCANS = [((70,), 0), ((33, 70), 1), ((33, 70), 0), ((4, 9, 65), 1), ((4, 9, 1), 1), ((3, 64), 1)]


def windows(
    operand: tuple[int, ...],
    result: tuple[int, ...],
    size: tuple[int, ...],
    strides: tuple[int, ...],
    base: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    element: str,
    op: str,
    init: str,
) -> str:
    whole, output, scalar = (tensor(s, element) for s in (operand, result, ()))
    pairs = ", ".join(f"[{a}, {b}]" for a, b in zip(padding[::2], padding[1::2], strict=True))
    named = {
        "window_dimensions": size,
        "window_strides": strides,
        "base_dilations": base,
        "window_dilations": dilation,
    }
    arrays = ", ".join(
        f"{name} = array<i64: {', '.join(map(str, value))}>" for name, value in named.items()
    )
    literal = f"{init}.0" if element[0] == "f" and init.lstrip("-").isdigit() else init
    return f"""
    func.func public @main(%x: {whole}) -> {output} {{
      %start = stablehlo.constant dense<{literal}> : {scalar}
      %0 = stablehlo.add %x, %x : {whole}
      %1 = "stablehlo.reduce_window"(%0, %start) <{{{arrays},
          padding = dense<[{pairs}]> : tensor<{len(operand)}x2xi64>}}> ({{
        ^bb0(%a: {scalar}, %b: {scalar}):
          %2 = stablehlo.{op} %a, %b : {scalar}
          stablehlo.return %2 : {scalar}
      }}) : ({whole}, {scalar}) -> {output}
      %3 = stablehlo.add %1, %1 : {output}
      return %3 : {output}
    }}"""


@pytest.mark.parametrize("case", WINDOWS, ids=lambda case: "x".join(map(str, case[0])))
@pytest.mark.parametrize(
    ("element", "op"), [("f32", "add"), ("i32", "maximum"), ("f64", "minimum")]
)
@pytest.mark.parametrize("init", ["0", "2"])
def test_windows(case: tuple[tuple[int, ...], ...], element: str, op: str, init: str) -> None:
    assert_staged(windows(*case, element, op, init), numbers(case[0], element))


# What changes nothing, by op and element.
_NEUTRAL = {
    **{("maximum", "f32"): "0xFF800000", ("minimum", "f32"): "0x7F800000"},
    **{("maximum", "f64"): "0xFFF0000000000000", ("minimum", "f64"): "0x7FF0000000000000"},
    **{("maximum", "i8"): "-128", ("minimum", "i8"): "127", ("maximum", "ui16"): "0"},
    **{("add", element): "0" for element in ("f32", "f64", "i8")},
    **{("multiply", "i32"): "1", ("and", "i8"): "-1", ("or", "i8"): "0"},
}


@pytest.mark.parametrize(("op", "element"), _NEUTRAL)
@pytest.mark.parametrize("is_neutral", [True, False])
def test_random_windows(op: str, element: str, is_neutral: bool) -> None:
    """Padding that counts, and padding that does not: windows may lie in nothing else."""
    random = np.random.default_rng([list(_NEUTRAL).index((op, element)), is_neutral])
    tried = 0
    while tried < 12:
        rank = random.integers(1, 5)

        def draw(*things: int, rank: int = rank) -> tuple[int, ...]:
            return tuple(int(n) for n in random.choice(things, rank))

        shape = (*draw(1, 2, 3, 7, 12)[1:], int(random.choice([1, 3, 16, 33, 64, 70])))
        size, strides, dilation = draw(1, 1, 2, 3, 5, 9), draw(1, 1, 2, 3), draw(1, 1, 1, 2, 3)
        base = draw(1, 1, 1, 1, 2)
        low, high = draw(-1, 0, 0, 1, 2, 4, 11), draw(-1, 0, 0, 1, 2, 4, 11)
        rows = zip(shape, size, strides, base, dilation, low, high, strict=True)
        result = tuple(((n - 1) * b + x + y - (k - 1) * d) // s + 1 for n, k, s, b, d, x, y in rows)
        lanes = max((d for d, n in enumerate(result) if n > 1), default=rank - 1)
        padded = [
            (n - 1) * b + 1 + x + y for n, b, x, y in zip(shape, base, low, high, strict=True)
        ]
        if min(*result, *padded) < 1 or np.prod(result) * np.prod(size) > 200_000:
            continue
        if base[lanes] > 1:
            continue  # this has no kernel
        tried += 1
        padding = tuple(n for pair in zip(low, high, strict=True) for n in pair)
        init = _NEUTRAL[op, element] if is_neutral else "3"
        text = windows(shape, result, size, strides, base, dilation, padding, element, op, init)
        values = numbers(shape, element)
        if element[0] == "f" and op != "add":
            values[random.random(shape) < 0.05] = np.nan
            values[random.random(shape) < 0.1] = -0.0
        assert_staged(text, values)


@pytest.mark.parametrize(("shape", "dimension"), SCANS, ids=str)
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("element", TYPES)
def test_scans(shape: tuple[int, ...], dimension: int, forward: bool, element: str) -> None:
    rank = len(shape)
    size = tuple(n if d == dimension else 1 for d, n in enumerate(shape))
    padding = [0] * (2 * rank)
    padding[2 * dimension + (not forward)] = shape[dimension] - 1
    ones = (1,) * rank
    text = windows(shape, shape, size, ones, ones, ones, tuple(padding), element, "add", "0")
    assert_staged(text, numbers(shape, element))


@pytest.mark.parametrize(("op", "init"), [("maximum", "-2147483648"), ("multiply", "1")])
def test_scans_of_other_ops(op: str, init: str) -> None:
    shape, size, ones = (5, 77), (1, 77), (1, 1)
    text = windows(shape, shape, size, ones, ones, ones, (0, 0, 76, 0), "i32", op, init)
    values = numbers(shape, "i32")
    assert_staged(text, values)
    assert np.any(values)


@pytest.mark.parametrize("init", ["0", "3"])
@pytest.mark.parametrize(("shape", "dimension"), [*SCANS, ((1, 5), 1), ((65, 3), 1)], ids=str)
def test_scans_in_order(shape: tuple[int, ...], dimension: int, init: str) -> None:
    """Of an op that may not be regrouped; 3 - 3 is not 3, so there the padding counts."""
    rank = len(shape)
    size = tuple(n if d == dimension else 1 for d, n in enumerate(shape))
    padding = [0] * (2 * rank)
    padding[2 * dimension] = shape[dimension] - 1
    ones = (1,) * rank
    text = windows(shape, shape, size, ones, ones, ones, tuple(padding), "i32", "subtract", init)
    assert_staged(text, numbers(shape, "i32"))
    if init == "0":
        kept = numbers(shape, "i32").astype(np.int64) * 2
        expected = 2 * -np.cumsum(kept, axis=dimension)
        np.testing.assert_array_equal(compile(text)(numbers(shape, "i32")), expected)


LOGSUMEXP = """
          %1 = stablehlo.maximum %a, %b : tensor<f32>
          %2 = stablehlo.subtract %a, %b : tensor<f32>
          %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %4 = stablehlo.add %a, %b : tensor<f32>
          %5 = stablehlo.abs %2 : tensor<f32>
          %6 = stablehlo.negate %5 : tensor<f32>
          %7 = stablehlo.exponential %6 : tensor<f32>
          %8 = stablehlo.log_plus_one %7 : tensor<f32>
          %9 = stablehlo.add %1, %8 : tensor<f32>
          %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>"""


def _scan(shape: tuple[int, ...], axis: int, body: str, *, forward: bool) -> str:
    """A scan of numbers from -inf on, with whatever makes ``%10`` of two of them."""
    size = [n if d == axis else 1 for d, n in enumerate(shape)]
    padding = [[0, 0] for _ in shape]
    padding[axis][not forward] = shape[axis] - 1
    whole = f"tensor<{'x'.join(map(str, shape))}xf32>"
    return f"""
    func.func @main(%x: {whole}) -> {whole} {{
      %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = "stablehlo.reduce_window"(%x, %start) <{{
          window_dimensions = array<i64: {", ".join(map(str, size))}>,
          padding = dense<{padding}> : tensor<{len(shape)}x2xi64>}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
          stablehlo.return %10 : tensor<f32>
      }}) : ({whole}, tensor<f32>) -> {whole}
      return %0 : {whole}
    }}"""


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sums_of_exponentials(axis: int, forward: bool) -> None:
    """Logarithms of sums of all exponentials so far, -inf where there are none yet."""
    x = np.random.default_rng(3).standard_normal((67, 5, 41)).astype(np.float32)
    x[3, :, :5] = x[:7, 1] = -np.inf
    x[5, 2, 7] = np.nan
    x[6, 3, 8] = np.inf
    text = _scan(x.shape, axis, LOGSUMEXP, forward=forward)
    step = 1 if forward else -1
    numbers = np.moveaxis(x, axis, 0)[::step].astype(np.float64)
    with np.errstate(invalid="ignore"):
        sums = np.logaddexp.accumulate(numbers, axis=0)[::step]
    results = staged(text)(x)
    np.testing.assert_allclose(np.moveaxis(results, axis, 0), sums, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("forward", [True, False])
def test_an_op_whose_windows_are_folded_in_their_order(forward: bool) -> None:
    """The first of two numbers, but for -inf; and a mean of both, which no order may regroup."""
    first = """%c = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %1 = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %10 = stablehlo.select %1, %b, %a : tensor<i1>, tensor<f32>"""
    mean = """%c = stablehlo.constant dense<0.5> : tensor<f32>
          %1 = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %2 = stablehlo.is_finite %b : (tensor<f32>) -> tensor<i1>
          %3 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
          %4 = stablehlo.select %2, %b, %a : tensor<i1>, tensor<f32>
          %5 = stablehlo.select %3, %a, %4 : tensor<i1>, tensor<f32>
          %6 = stablehlo.add %5, %4 : tensor<f32>
          %7 = stablehlo.multiply %6, %c : tensor<f32>
          %10 = stablehlo.select %1, %a, %7 : tensor<i1>, tensor<f32>"""
    x = np.random.default_rng(4).standard_normal((9, 23)).astype(np.float32)
    x[2:4, 5:9] = -np.inf
    for body in (first, mean):
        for axis in (0, 1):
            assert_staged(_scan(x.shape, axis, body, forward=forward), x)
