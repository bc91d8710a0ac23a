"""Convolutions against their definition: every attribute, every order of dimensions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, snippet, type_of
from cases._tolerances import EXACT, Tolerance, Within
from cases._types import dtype_of
from sliding import Array, Sliding

import shlo_tools
from shlo_tools import mlir, ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

pytestmark = pytest.mark.usefixtures("way", "unmapped_neighbours")


@dataclass
class Attributes:
    """A convolution's attributes. Dimension numbers are written as in the dialect."""

    lhs: str
    rhs: str
    result: str
    strides: list[int] = field(default_factory=list)
    padding: list[tuple[int, int]] = field(default_factory=list)
    lhs_dilation: list[int] = field(default_factory=list)
    rhs_dilation: list[int] = field(default_factory=list)
    reversal: list[bool] = field(default_factory=list)
    feature_groups: int = 1
    batch_groups: int = 1

    def __post_init__(self) -> None:
        rank = len(self.lhs) - 2
        self.strides = self.strides or [1] * rank
        self.padding = self.padding or [(0, 0)] * rank
        self.lhs_dilation = self.lhs_dilation or [1] * rank
        self.rhs_dilation = self.rhs_dilation or [1] * rank
        self.reversal = self.reversal or [False] * rank

    @property
    def text(self) -> str:
        names = (", ".join(part) for part in (self.lhs, self.rhs, self.result))
        numbers = "[{}]x[{}]->[{}]".format(*names)
        rows = [list(pair) for pair in self.padding] or ""
        return ", ".join(
            (
                f"window_strides = {_array(self.strides)}",
                f"padding = dense<{rows}> : tensor<{len(rows)}x2xi64>",
                f"lhs_dilation = {_array(self.lhs_dilation)}",
                f"rhs_dilation = {_array(self.rhs_dilation)}",
                f"window_reversal = {_flags(self.reversal)}",
                f"dimension_numbers = #stablehlo.conv<{numbers}>",
                f"feature_group_count = {self.feature_groups} : i64",
                f"batch_group_count = {self.batch_groups} : i64",
            )
        )


def _array(values: list[int]) -> str:
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def _flags(values: list[bool]) -> str:
    return f"array<i1{': ' if values else ''}{', '.join(str(v).lower() for v in values)}>"


# --- the definition -------------------------------------------------------------------------------
def defined(lhs: Array, rhs: Array, attributes: Attributes) -> Array:
    """The spec's words: windows of the padded lhs, reversed, in a dot product with rhs."""
    spatial = "".join(str(i) for i in range(lhs.ndim - 2))
    x = lhs.transpose([attributes.lhs.index(d) for d in "b" + spatial + "f"])
    w = rhs.transpose([attributes.rhs.index(d) for d in spatial + "io"])
    groups = attributes.feature_groups * attributes.batch_groups
    axis = 0 if attributes.batch_groups > 1 else x.ndim - 1
    parts = zip(np.split(x, groups, axis), np.split(w, groups, w.ndim - 1), strict=True)
    result = np.concatenate([_ungrouped(*pair, attributes) for pair in parts], x.ndim - 1)
    return result.transpose([("b" + spatial + "f").index(d) for d in attributes.result])


def _ungrouped(x: Array, w: Array, a: Attributes) -> Array:
    rank = x.ndim - 2
    sliding = Sliding(
        [x.shape[0], *w.shape[:rank], x.shape[-1]],
        [1, *a.strides, 1],
        [(0, 0), *a.padding, (0, 0)],
        [1, *a.lhs_dilation, 1],
        [1, *a.rhs_dilation, 1],
    )
    counts = sliding.num_windows(x.shape)[1:-1]
    result = np.zeros([x.shape[0], *counts, w.shape[-1]], np.result_type(x, w))
    axes = [i + 1 for i, reverse in enumerate(a.reversal) if reverse]
    for index, window in sliding.windows(x, 0):
        summed = list(range(rank + 1))
        result[(slice(None), *index[1:-1])] = np.tensordot(
            np.flip(window, axes), w, ([d + 1 for d in summed], summed)
        )
    return result


def close(terms: Array, result: Any) -> Within:
    """Sums within a few roundings of the sum of the terms' magnitudes, which are ``terms``."""
    single = result.itemsize <= 4 or result == np.complex64
    eps = np.finfo(np.float32 if single else np.float64).eps
    coarse = 2.0**-8 if result == dtype_of("bf16") else 2.0**-11
    return Within(16 * eps * terms + 1e-30, coarse if result.itemsize == 2 else 0.0)


def case(attributes: Attributes, lhs: Array, rhs: Array, result: str = "") -> Case:
    """One convolution; floats are compared with sums in f64, integers wrap."""
    element = shlo_tools.dtypes.element_type(result or shlo_tools.dtypes.from_dtype(lhs.dtype).name)
    name = f"{type_of(lhs)} {type_of(rhs)} {attributes.text}"
    near: Tolerance
    if element.is_integer:
        exact = defined(lhs.astype(np.int64), rhs.astype(np.int64), attributes)
        expected, near = exact.astype(element.dtype), EXACT
    elif element.is_boolean:
        expected, near = defined(lhs.astype(int), rhs.astype(int), attributes) > 0, EXACT
    else:
        wide = np.complex128 if element.is_complex else np.float64
        expected = defined(lhs.astype(wide), rhs.astype(wide), attributes)
        terms = defined(np.abs(lhs.astype(wide)), np.abs(rhs.astype(wide)), attributes)
        near = close(terms, element.dtype)
    results = f"tensor<{''.join(f'{n}x' for n in expected.shape)}{element}>"
    text = f'%out0 = "stablehlo.convolution"(%in0, %in1) {{{attributes.text}}} : '
    text += f"({type_of(lhs)}, {type_of(rhs)}) -> {results}"
    return snippet(name, text, [lhs, rhs], [expected], near, [results])


def arrays(random: Any, element: str, *shapes: list[int]) -> list[Array]:
    dtype = dtype_of(element)
    if element == "i1":
        return [random.random(shape) < 0.2 for shape in shapes]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [
            random.integers(info.min, info.max, shape, dtype, endpoint=True) for shape in shapes
        ]
    result = [random.normal(size=shape) for shape in shapes]
    if dtype.kind == "c":
        result = [x + 1j * random.normal(size=x.shape) for x in result]
    return [x.astype(dtype) for x in result]


def shuffled(random: Any, letters: str) -> str:
    return "".join(random.permutation(list(letters)))


def drawn(
    random: Any, element: str, spatial: int, size: int, features: int, least: int = 2
) -> Case:
    """A convolution with every attribute drawn by lot."""
    places = "".join(str(i) for i in range(spatial))
    groups = int(random.choice([1, 1, 2, 3]))
    by_batch = bool(random.integers(2)) and groups > 1

    def one_each(low: int, high: int) -> list[int]:
        return [int(n) for n in random.integers(low, high + 1, spatial)]

    a = Attributes(
        *(shuffled(random, places + ends) for ends in ("bf", "io", "bf")),
        strides=one_each(1, 3),
        padding=[(low, high) for low, high in zip(one_each(-1, 3), one_each(-1, 3), strict=True)],
        lhs_dilation=one_each(1, 3),
        rhs_dilation=one_each(1, 2),
        reversal=[bool(n) for n in one_each(0, 1)],
        feature_groups=1 if by_batch else groups,
        batch_groups=groups if by_batch else 1,
    )
    inputs = int(random.integers(1, features + 1))
    outputs = int(random.integers(1, features + 1)) * groups
    x = {"b": int(random.integers(1, 4)) * a.batch_groups, "f": inputs * a.feature_groups}
    w = {"i": inputs, "o": outputs}
    x |= {d: int(random.integers(least, size + 1)) for d in places}
    w |= {d: int(random.integers(1, 4)) for d in places}
    shapes = [x[d] for d in a.lhs], [w[d] for d in a.rhs]
    return case(a, *arrays(random, element, *shapes))


@pytest.mark.parametrize("spatial", [0, 1, 2, 3])
@pytest.mark.parametrize("features", [2, 12], ids=["few features", "many features"])
def test_attributes_by_lot(spatial: int, features: int) -> None:
    random = np.random.default_rng([spatial, features])
    size = {0: 1, 1: 40, 2: 9, 3: 5}[spatial]
    check([drawn(random, "f32", spatial, size, features) for _ in range(7)])


@pytest.mark.parametrize("element", ["f32", "f64", "bf16", "i8", "complex<f32>"])
@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_images_smaller_than_windows(spatial: int, element: str) -> None:
    """Much of what windows see lies beside the image, and some phases have a single window."""
    random = np.random.default_rng([spatial, len(element)])
    check([drawn(random, element, spatial, 2, 3, least=0) for _ in range(24)])


@pytest.mark.parametrize("rhs", ["01io", "oi01", "i01o", "01oi", "o01i", "0i1o"])
def test_orders_of_dimensions(rhs: str) -> None:
    """Those that frameworks and gradients use, and some that break up what usually adjoins."""
    random = np.random.default_rng(0)
    sizes = {"b": 3, "0": 7, "1": 6, "f": 5}
    taps = {"0": 3, "1": 2, "i": 5, "o": 8}
    cases = []
    pairs = ("b01f b01f", "bf01 bf01", "f01b 01bf", "01bf f01b", "b01f b0f1", "bf01 b01f")
    for lhs, result in (pair.split() for pair in pairs):
        shapes = [sizes[d] for d in lhs], [taps[d] for d in rhs]
        a = Attributes(lhs, rhs, result, padding=[(1, 1), (0, 1)])
        cases.append(case(a, *arrays(random, "f32", *shapes)))
    check(cases)


TYPES = ("i1", "i8", "ui8", "i16", "i32", "ui32", "i64", "f16", "bf16", "f32", "f64")


@pytest.mark.parametrize("element", [*TYPES, "complex<f32>", "complex<f64>"])
def test_types(element: str) -> None:
    random = np.random.default_rng(1)
    check([drawn(random, element, 2, 8, features) for features in (1, 3, 12)])


def test_wider_results() -> None:
    """Operands of one type, sums of a wider one."""
    random = np.random.default_rng(2)
    a = Attributes("b01f", "01io", "b01f", padding=[(1, 1), (1, 1)])
    shapes = [2, 6, 6, 8], [3, 3, 8, 8]
    pairs = (("i8", "i32"), ("ui8", "ui32"), ("i16", "i64"), ("f16", "f32"), ("bf16", "f32"))
    check([case(a, *arrays(random, narrow, *shapes), wide) for narrow, wide in pairs])


def test_sums_of_16_bit_floats_are_kept_in_f32() -> None:
    """4096 ones: in bf16 the sum would stop growing at 256, in f16 at 2048."""
    a = Attributes("b0f", "0io", "b0f")
    for element in ("f16", "bf16"):
        x = np.ones([1, 64, 64], dtype_of(element))
        w = np.ones([64, 64, 4], dtype_of(element))
        result = np.full([1, 1, 4], 4096, dtype_of(element))
        text = f'%out0 = "stablehlo.convolution"(%in0, %in1) {{{a.text}}} : '
        text += f"({type_of(x)}, {type_of(w)}) -> {type_of(result)}"
        check([snippet(element, text, [x, w], [result])])


def test_nothing_to_sum_or_to_make() -> None:
    """Empty sums and inputs give zeros, empty results nothing."""
    a = Attributes("b0f", "0io", "b0f", padding=[(1, 1)])
    shapes = (
        ([2, 4, 0], [2, 0, 2]),
        ([0, 4, 3], [2, 3, 2]),
        ([2, 0, 3], [2, 3, 2]),
        ([2, 4, 3], [9, 3, 2]),
        ([2, 4, 3], [2, 3, 0]),
    )
    check([case(a, *(np.ones(s, np.float32) for s in pair)) for pair in shapes])


LARGE = {
    "forward": Attributes("b01f", "01io", "b01f", padding=[(1, 1), (1, 1)]),
    "forward, channels first": Attributes("bf01", "oi01", "bf01", padding=[(1, 1), (1, 1)]),
    "strided": Attributes("b01f", "01io", "b01f", strides=[2, 2], padding=[(0, 1), (0, 1)]),
    "of the input": Attributes(
        "b01f", "01oi", "b01f", padding=[(2, 1), (2, 1)], lhs_dilation=[2, 2]
    ),
}


def test_sizes_of_networks() -> None:
    random = np.random.default_rng(3)
    sizes = {"b": 3, "0": 10, "1": 9, "f": 6, "i": 6, "o": 7}
    cases = []
    for a in LARGE.values():
        taps = {**sizes, "0": 3, "1": 3}
        shapes = [sizes[d] for d in a.lhs], [taps[d] for d in a.rhs]
        cases.append(case(a, *arrays(random, "f32", *shapes)))
    kernel_gradient = Attributes("f01b", "i01o", "01bf", padding=[(1, 1), (1, 1)])
    cases.append(case(kernel_gradient, *arrays(random, "f32", [3, 10, 9, 6], [3, 10, 9, 7])))
    dilated = Attributes("f01b", "i01o", "01bf", padding=[(0, 1), (0, 1)], rhs_dilation=[2, 2])
    cases.append(case(dilated, *arrays(random, "f32", [3, 10, 10, 6], [3, 5, 5, 7])))
    check(cases)


def test_dilations_in_all_dimensions() -> None:
    random = np.random.default_rng(4)
    a = Attributes("b012f", "012io", "b012f", lhs_dilation=[3, 3, 3], padding=[(1, 2)] * 3)
    cut = Attributes("b01f", "01io", "b01f", lhs_dilation=[2, 3], padding=[(-1, 2), (1, -2)])
    check(
        [
            case(a, *arrays(random, "f32", [1, 3, 2, 3, 4], [2, 3, 2, 4, 4])),
            case(cut, *arrays(random, "f32", [2, 5, 4, 6], [3, 2, 6, 9])),
        ]
    )


# --- the op function ------------------------------------------------------------------------------
NHWC: dict[str, Any] = {
    "input_batch_dimension": 0,
    "input_feature_dimension": 3,
    "input_spatial_dimensions": (1, 2),
    "kernel_input_feature_dimension": 2,
    "kernel_output_feature_dimension": 3,
    "kernel_spatial_dimensions": (0, 1),
    "output_batch_dimension": 0,
    "output_feature_dimension": 3,
    "output_spatial_dimensions": (1, 2),
}


def test_builder_and_refinement() -> None:
    """The attribute says what the parameters said, and back."""
    module = Module()

    @module.func("2x8x8x4xf32", "3x3x2x6xf32")
    def main(x: ops.Tensor, w: ops.Tensor) -> ops.Tensor:
        return ops.convolution(x, w, (2, 1), [(1, 1), (-1, 0)], feature_group_count=2, **NHWC)

    assert "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" in str(module)
    assert "-> tensor<2x4x5x6xf32>" in str(module)
    with mlir.library_context():
        matching = [op for op in mlir.walk(module.module.operation) if "convolution" in op.name]
        ops.verify(matching[0])
    random = np.random.default_rng(5)
    x, w = arrays(random, "f32", [2, 8, 8, 4], [3, 3, 2, 6])
    a = Attributes("b01f", "01io", "b01f", [2, 1], [(1, 1), (-1, 0)], feature_groups=2)
    np.testing.assert_allclose(shlo_tools.compile(module)(x, w), defined(x, w, a), atol=1e-5)


@pytest.mark.parametrize(
    ("label", "changed"),
    [
        ("C2", {"window_strides": (1,)}),
        ("C10", {"batch_group_count": 3}),
        ("C13", {"input_feature_dimension": 2}),
        ("C14", {"feature_group_count": 4}),
        ("C20", {"output_feature_dimension": 0}),
        ("C23", {"feature_group_count": 2, "batch_group_count": 2}),
    ],
)
def test_constraints(label: str, changed: dict[str, Any]) -> None:
    module = Module()
    with pytest.raises(ConstraintError, match=rf"\({label}\)|overlap"):

        @module.func("2x8x8x4xf32", "3x3x2x6xf32")
        def main(x: ops.Tensor, w: ops.Tensor) -> ops.Tensor:
            inputs = {"feature_group_count": 2, **NHWC, **changed}
            return ops.convolution(x, w, **inputs)
