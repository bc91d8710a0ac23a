"""Convolutions of sizes that are known at run time only: compiled once, run for many sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases._tolerances import difference
from sliding import Array
from test_convolution import Attributes, arrays, close, defined, shuffled

import shlo_tools
from shlo_tools.dtypes import element_type
from shlo_tools.errors import ShapeMismatchError
from shlo_tools.ops.windows import dilated

Known = dict[str, int]
IMAGE = {"f": 3, "i": 3, "o": 8}
NHWC = Attributes("b01f", "01io", "b01f", padding=[(1, 1), (1, 1)])
NCHW = Attributes("bf01", "oi01", "bf01", padding=[(1, 1), (1, 1)])

pytestmark = pytest.mark.usefixtures("way")


def _program(a: Attributes, element: str, known: tuple[Known, Known, Known]) -> str:
    """Letters without a known size (of input, kernel and result) are a ``?``."""
    types = []
    for letters, sizes in zip((a.lhs, a.rhs, a.result), known, strict=True):
        types.append(f"tensor<{''.join(f'{sizes.get(d, chr(63))}x' for d in letters)}{element}>")
    return f"""func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{
      %0 = "stablehlo.convolution"(%x, %w) {{{a.text}}} : ({types[0]}, {types[1]}) -> {types[2]}
      return %0 : {types[2]}
    }}"""


def _compiled(a: Attributes, element: str = "f32", kernel: Known | None = None) -> Any:
    """The program; with a ``kernel`` of known sizes only batch and image are unknown."""
    if kernel is None:
        return shlo_tools.compile(_program(a, element, ({}, {}, {})))
    features = {"f": kernel["i"] * a.feature_groups}
    return shlo_tools.compile(_program(a, element, (features, kernel, {"f": kernel["o"]})))


def _check(executable: Any, a: Attributes, lhs: Array, rhs: Array) -> None:
    """The definition's shape, and sums within a few roundings; operands stay as they are."""
    before = [x.copy() for x in (lhs, rhs)]
    for operand in (lhs, rhs):
        operand.flags.writeable = False
    wide = np.complex128 if lhs.dtype.kind == "c" else np.float64
    expected = defined(lhs.astype(wide), rhs.astype(wide), a)
    got = executable(lhs, rhs)
    assert (got.shape, got.dtype) == (expected.shape, lhs.dtype)
    if got.dtype.kind in "iu":
        np.testing.assert_array_equal(got, expected.astype(np.int64).astype(got.dtype))
    elif got.dtype.kind == "b":
        np.testing.assert_array_equal(got, expected > 0)
    else:
        terms = defined(np.abs(lhs.astype(wide)), np.abs(rhs.astype(wide)), a)
        assert difference(got, expected, close(terms, got.dtype)) == ""
    for operand, old in zip((lhs, rhs), before, strict=True):
        np.testing.assert_array_equal(operand, old)


def _shapes(a: Attributes, x: Known, w: Known) -> tuple[list[int], list[int]]:
    return [x[d] for d in a.lhs], [w[d] for d in a.rhs]


def _images(spatial: int) -> Iterator[Known]:
    """Batches and images: large ones first, so that memory is dirty, then odd, 1 and 0."""
    places = [str(i) for i in range(spatial)]
    large = {0: 1, 1: 100, 2: 23, 3: 9}[spatial]
    yield {"b": 6, **dict.fromkeys(places, large)}
    yield {"b": 6, **{d: 5 + int(d) for d in places}}
    yield {"b": 6, **dict.fromkeys(places, 1)}
    yield {"b": 0, **dict.fromkeys(places, 4)}
    for empty in places:
        yield {"b": 6, **dict.fromkeys(places, 4), empty: 0}


def _attributes(random: Any, spatial: int) -> Attributes:
    places = "".join(str(i) for i in range(spatial))
    groups = int(random.choice([1, 1, 2, 3]))
    by_batch = bool(random.integers(2)) and groups > 1

    def one_each(low: int, high: int) -> list[int]:
        return [int(n) for n in random.integers(low, high + 1, spatial)]

    return Attributes(
        *(shuffled(random, places + ends) for ends in ("bf", "io", "bf")),
        strides=one_each(1, 3),
        padding=[(low, high) for low, high in zip(one_each(0, 3), one_each(-1, 3), strict=True)],
        lhs_dilation=one_each(1, 3),
        rhs_dilation=one_each(1, 2),
        reversal=[bool(n) for n in one_each(0, 1)],
        feature_groups=1 if by_batch else groups,
        batch_groups=groups if by_batch else 1,
    )


@pytest.mark.parametrize("spatial", [0, 1, 2, 3])
@pytest.mark.parametrize("features", [2, 12], ids=["few features", "many features"])
@pytest.mark.parametrize("kernel_is_known", [True, False])
def test_attributes_by_lot(
    spatial: int, features: int, kernel_is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng([spatial, features, kernel_is_known])
    for _ in range(2):
        a = _attributes(random, spatial)
        groups = a.feature_groups * a.batch_groups
        kernel = {"i": features, "o": features * groups}
        kernel |= {str(i): int(random.integers(1, 4)) for i in range(spatial)}
        executable = _compiled(a, kernel=kernel if kernel_is_known else None)
        for image in _images(spatial):
            x = {**image, "f": kernel["i"] * a.feature_groups}
            _check(executable, a, *arrays(random, "f32", *_shapes(a, x, kernel)))


@pytest.mark.parametrize(
    "sizes", [{"i": 0, "f": 0}, {"o": 0}, {"0": 0}, {"0": 7}, {"0": 1, "1": 1}]
)
def test_kernels_of_any_size(sizes: Known) -> None:
    """Without features or taps sums are 0; too large for the image, there are no windows."""
    random = np.random.default_rng(1)
    for a in (NHWC, replace(NCHW, strides=[2, 1])):
        executable = _compiled(a)
        full = {"b": 2, "0": 9, "1": 9, "f": 8}, {"0": 3, "1": 3, "i": 8, "o": 8}
        _check(executable, a, *arrays(random, "f32", *_shapes(a, *full)))
        x = {"b": 2, "0": 3, "1": 4, "f": sizes.get("f", 3)}
        w = {"0": 2, "1": 2, "i": 3, "o": 4, **{d: n for d, n in sizes.items() if d != "f"}}
        _check(executable, a, *arrays(random, "f32", *_shapes(a, x, w)))


ORDERS = ("b01f 01io b01f", "bf01 oi01 bf01", "f01b i01o 01bf", "01bf oi01 f01b", "b01f 01oi b0f1")


@pytest.mark.parametrize("order", ORDERS)
def test_orders_of_dimensions(order: str) -> None:
    random = np.random.default_rng(2)
    lhs, rhs, result = order.split()
    kernel = {"0": 3, "1": 2, "i": 3, "o": 8}
    for strides in ([1, 1], [2, 3]):
        a = Attributes(lhs, rhs, result, strides=strides, padding=[(1, 1), (0, 1)])
        executable = _compiled(a, kernel=kernel)
        for batch, height, width in ((7, 11, 13), (3, 40, 2), (1, 2, 40), (11, 1, 1), (0, 3, 3)):
            x = {"b": batch, "0": height, "1": width, "f": 3}
            _check(executable, a, *arrays(random, "f32", *_shapes(a, x, kernel)))


@pytest.mark.parametrize("unknown", ["b", "0", "b0"])
def test_only_some_sizes_are_unknown(unknown: str) -> None:
    """Of known sizes more is decided when the program is compiled."""
    random = np.random.default_rng(3)
    full = {"b": 4, "0": 14, "1": 10}
    known = {d: n for d, n in full.items() if d not in unknown}
    for a in (NHWC, NCHW, replace(NHWC, strides=[2, 2]), replace(NCHW, lhs_dilation=[2, 2])):
        kernel = {"0": 3, "1": 3, "i": 6, "o": 9}
        result = {"b": known["b"]} if "b" in known else {}
        text = _program(a, "f32", ({**known, "f": 6}, kernel, {**result, "f": 9}))
        executable = shlo_tools.compile(text)
        for size in (14, 3, 1, 0):
            x = {**dict.fromkeys(full, size), **known, "f": 6}
            _check(executable, a, *arrays(random, "f32", *_shapes(a, x, kernel)))


@pytest.mark.parametrize("dilation", [[2, 2], [3, 2], [1, 3]])
def test_dilated_inputs_are_taken_apart(
    dilation: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gradient of a strided convolution, of an image whose size is not known."""
    random = np.random.default_rng(4)
    kernel = {"0": 3, "1": 3, "i": 6, "o": 9}
    a = Attributes("b01f", "01oi", "b01f", padding=[(2, 1), (1, 2)], lhs_dilation=dilation)
    executable = _compiled(a, kernel=kernel)
    for image in _images(2):
        _check(executable, a, *arrays(random, "f32", *_shapes(a, {**image, "f": 6}, kernel)))


TYPES = ("i1", "i8", "ui8", "i32", "i64", "f16", "bf16", "f64", "complex<f32>")


@pytest.mark.parametrize("element", TYPES)
def test_types(element: str) -> None:
    random = np.random.default_rng(5)
    kernel = {"0": 3, "1": 2, "i": 4, "o": 8}
    a = replace(NHWC, strides=[2, 1])
    executable = _compiled(a, element, kernel)
    for image in _images(2):
        lhs, rhs = arrays(random, element, *_shapes(a, {**image, "f": 4}, kernel))
        if element_type(element).is_integer:
            lhs, rhs = (x // 16 for x in (lhs, rhs)) if element == "i64" else (lhs, rhs)
            lhs, rhs = (x % 50 for x in (lhs, rhs))  # f64 holds the sums
        _check(executable, a, lhs, rhs)


def test_networks_of_convolutions() -> None:
    """Sizes of results are known from the image's, through stride and padding."""
    conv = 'stablehlo.convolution"({}) {{{}}} : (tensor<?x?x?x{}xf32>, {}) -> tensor<?x?x?x8xf32>'
    strided = replace(NHWC, strides=[2, 2])
    first = conv.format("%x, %v", strided.text, 3, "tensor<3x3x3x8xf32>")
    second = conv.format("%1, %w", NHWC.text, 8, "tensor<3x3x8x8xf32>")
    text = f"""func.func @main(%x: tensor<?x?x?x3xf32>, %v: tensor<3x3x3x8xf32>,
        %w: tensor<3x3x8x8xf32>) -> tensor<?x?x?x8xf32> {{
      %0 = "{first}
      %1 = stablehlo.tanh %0 : tensor<?x?x?x8xf32>
      %2 = "{second}
      %3 = stablehlo.add %1, %2 : tensor<?x?x?x8xf32>
      return %3 : tensor<?x?x?x8xf32>
    }}"""
    executable = shlo_tools.compile(text)
    random = np.random.default_rng(6)
    v, w = arrays(random, "f32", [3, 3, 3, 8], [3, 3, 8, 8])
    for shape in ([2, 17, 12, 3], [1, 1, 1, 3], [0, 5, 5, 3], [1, 64, 3, 3]):
        (x,) = arrays(random, "f32", shape)
        inner = np.tanh(defined(x.astype(np.float64), v.astype(np.float64), strided))
        expected = inner + defined(inner, w.astype(np.float64), NHWC)
        np.testing.assert_allclose(executable(x, v, w), expected, atol=1e-4)


@pytest.mark.parametrize("dilation", [[1, 1], [2, 3]])
def test_padding_known_at_run_time(dilation: list[int]) -> None:
    """``dynamic_conv``: one program for every padding of either sign, and every size."""
    random = np.random.default_rng(8)
    a = replace(NHWC, strides=[2, 1], lhs_dilation=dilation, padding=[])
    text = _program(a, "f32", ({}, {"0": 3, "1": 2}, {}))
    inputs = "padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, "
    assert inputs in text and text.count("%w)") == 1
    text = text.replace(inputs, "").replace("%w)", "%w, %p)").replace("convolution", "dynamic_conv")
    text = text.replace("xf32>) ->", "xf32>, %p: tensor<2x2xi32>) ->", 1)
    text = text.replace("?xf32>) ->", "?xf32>, tensor<2x2xi32>) ->")
    executable = shlo_tools.compile(text)
    for low, high in ((1, 1), (0, 0), (3, -1), (-1, 2), (-2, -2)):
        padding = np.array([[low, high], [high, low]], np.int32)
        padded = replace(a, padding=[(low, high), (high, low)])
        for image in _images(2):
            shapes = [image["b"], image["0"], image["1"], 4], [3, 2, 4, 8]
            extents = [dilated(image[d], n) for d, n in zip("01", dilation, strict=True)]
            if min(extents) + low + high < 0:
                continue  # no tensor has such a size
            lhs, rhs = arrays(random, "f32", *shapes)
            _check(lambda x, w, p=padding: executable(x, w, p), padded, lhs, rhs)
    with pytest.raises(ShapeMismatchError, match=r"-:2:.*stablehlo.dynamic_conv: .*3"):
        executable(np.ones([2, 5, 5, 3], np.float32), rhs, padding)


def test_sizes_that_do_not_fit() -> None:
    """An error that names the op and the sizes; the next call works."""
    grouped = Attributes("b01f", "01io", "b01f", feature_groups=2)
    by_batch = Attributes("b01f", "01io", "b01f", batch_groups=3)
    cases: list[tuple[Attributes, list[list[int]], list[list[int]], str]] = [
        (NHWC, [[2, 5, 5, 4], [3, 3, 4, 6]], [[2, 5, 5, 4], [3, 3, 3, 6]], "3"),
        (grouped, [[2, 5, 5, 4], [3, 3, 2, 6]], [[2, 5, 5, 5], [3, 3, 2, 6]], "2 groups"),
        (grouped, [[2, 5, 5, 4], [3, 3, 2, 6]], [[2, 5, 5, 4], [3, 3, 2, 5]], "2 groups"),
        (by_batch, [[6, 5, 5, 4], [3, 3, 4, 6]], [[5, 5, 5, 4], [3, 3, 4, 6]], "3 groups"),
    ]
    for a, good, bad, text in cases:
        executable = _compiled(a)
        with pytest.raises(ShapeMismatchError, match=f"-:2:.*stablehlo.convolution: .*{text}"):
            executable(*(np.ones(shape, np.float32) for shape in bad))
        _check(executable, a, *(np.ones(shape, np.float32) for shape in good))


@pytest.mark.parametrize("specialize", [False, True])
def test_declared_sizes_are_those_of_the_result(specialize: bool) -> None:
    """Windows, samples and features that a result of known sizes has, where inputs have others."""
    cases: list[tuple[str, str, str, tuple[list[int], list[int]], tuple[list[int], list[int]]]] = [
        ("1x?x1", "?x1x1", "1x6x1", ([1, 8, 1], [3, 1, 1]), ([1, 9, 1], [3, 1, 1])),
        ("?x8x1", "3x1x1", "4x6x1", ([4, 8, 1], [3, 1, 1]), ([5, 8, 1], [3, 1, 1])),
        ("1x8x?", "3x?x?", "1x6x2", ([1, 8, 5], [3, 5, 2]), ([1, 8, 5], [3, 5, 3])),
    ]
    for x, w, y, good, bad in cases:
        lhs, rhs, result = (f"tensor<{shape}xf32>" for shape in (x, w, y))
        text = f"""func.func @main(%x: {lhs}, %w: {rhs}) -> {result} {{
          %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
            window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
            : ({lhs}, {rhs}) -> {result}
          return %0 : {result}
        }}"""
        executable = shlo_tools.compile(text, specialize=specialize)
        with pytest.raises(ShapeMismatchError, match=r"stablehlo\.convolution: the result is"):
            executable(*(np.ones(shape, np.float32) for shape in bad))
        inputs = [np.ones(shape, np.float32) for shape in good]
        assert (executable(*inputs) == inputs[1][..., 0].size).all()


def test_against_known_sizes() -> None:
    """The same numbers, within a rounding of each sum, as a program of known sizes gives."""
    random = np.random.default_rng(7)
    x, w = {"b": 3, "0": 30, "1": 21, "f": 16}, {"0": 3, "1": 3, "i": 16, "o": 24}
    result = {"b": 3, "0": 30, "1": 21, "f": 24}
    for a in (NHWC, NCHW):
        lhs, rhs = arrays(random, "f32", *_shapes(a, x, w))
        known = shlo_tools.compile(_program(a, "f32", (x, w, result)))
        got = _compiled(a, kernel=w)(lhs, rhs)
        np.testing.assert_allclose(got, known(lhs, rhs), rtol=1e-5, atol=1e-4)
