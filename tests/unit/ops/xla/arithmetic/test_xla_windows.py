"""Windows: padding as XLA's document defines it, reductions, selections and convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
from xla_runs import check, close, refused

from shlo_tools.ops import Tensor, xla
from shlo_tools.ops.xla.padding import edges

RNG = np.random.default_rng(0)
IMAGE = RNG.normal(size=(2, 3, 7, 8))
KERNEL = RNG.normal(size=(4, 3, 3, 2))


def convolved(
    image: Any, kernel: Any, strides: Any, pads: Any, base: Any = (1, 1), apart: Any = (1, 1)
) -> Any:
    """The document's pseudo-code on arrays that padding and dilation were written into."""
    (batch, _, rows, columns), dilations = image.shape, [(1, 1, *base), (1, 1, *apart)]
    spread = []
    for array, factors in zip((image, kernel), dilations, strict=True):
        shape = [(n - 1) * d + 1 for n, d in zip(array.shape, factors, strict=True)]
        spread.append(np.zeros(shape))
        spread[-1][tuple(slice(None, None, d) for d in factors)] = array
    area, window = np.pad(spread[0], [(0, 0), (0, 0), *pads]), spread[1]
    rows, columns = (
        (n - k) // s + 1 for n, k, s in zip(area.shape[2:], window.shape[2:], strides, strict=True)
    )
    result = np.zeros((batch, kernel.shape[0], rows, columns))
    for y in range(rows):
        for x in range(columns):
            top, left = y * strides[0], x * strides[1]
            part = area[:, :, top : top + window.shape[2], left : left + window.shape[3]]
            result[:, :, y, x] = np.einsum("bihw,oihw->bo", part, window)
    return result


# --- padding --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("size", "window", "stride", "base", "apart", "expected"),
    [
        (5, 3, 1, 1, 1, (1, 1)),
        (5, 2, 1, 1, 1, (0, 1)),  # the odd element goes to the high side
        (5, 3, 2, 1, 1, (1, 1)),
        (6, 3, 2, 1, 1, (0, 1)),
        (5, 1, 2, 1, 1, (0, 0)),  # never negative
        (5, 3, 1, 1, 2, (2, 2)),  # a window of extent 5
        (3, 3, 1, 2, 1, (1, 1)),  # an area of extent 5
    ],
)
def test_same_padding(
    size: int, window: int, stride: int, base: int, apart: int, expected: tuple[int, int]
) -> None:
    """As many windows as elements over the stride, rounded up; the excess is shared."""
    got = edges(xla.Padding.SAME, [size], [window], [stride], [base], [apart])
    assert got == [expected]
    extent, reach = (size - 1) * base + 1, (window - 1) * apart + 1
    assert (extent + sum(got[0]) - reach) // stride + 1 == -(-extent // stride)


@pytest.mark.parametrize(
    ("padding", "reason"),
    [
        ("EQUAL", "'EQUAL' is no padding"),
        ([(1, 1)], "C4"),
        ([(1,), (1,)], "no pair"),
        ([1, 1], "no pair"),
    ],
)
def test_paddings_that_are_none(padding: Any, reason: str) -> None:
    def main(x: Tensor, k: Tensor) -> Any:
        return xla.Conv(x, k, (1, 1), padding)

    assert reason in refused(main, "2x3x7x8xf32", "4x3x3x2xf32")


def test_same_padding_of_an_unknown_size() -> None:
    def main(x: Tensor, k: Tensor) -> Any:
        return xla.Conv(x, k, (1, 1), "SAME")

    assert "unknown size" in refused(main, "2x3x?x8xf32", "4x3x3x2xf32")


# --- convolutions ---------------------------------------------------------------------------------
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
def test_conv(strides: tuple[int, int]) -> None:
    valid = convolved(IMAGE, KERNEL, strides, [(0, 0), (0, 0)])
    close(lambda x, k: xla.Conv(x, k, strides, xla.Padding.VALID), (IMAGE, KERNEL), valid)
    rows, columns = (-(-n // s) for n, s in zip((7, 8), strides, strict=True))
    total = [max((rows - 1) * strides[0] + 3 - 7, 0), max((columns - 1) * strides[1] + 2 - 8, 0)]
    pads = [(n // 2, n - n // 2) for n in total]
    same = convolved(IMAGE, KERNEL, strides, pads)
    assert same.shape == (2, 4, rows, columns)
    close(lambda x, k: xla.Conv(x, k, strides, "SAME"), (IMAGE, KERNEL), same)


def test_conv_agrees_with_scipy() -> None:
    x, k = IMAGE[:1, :1], KERNEL[:1, :1]
    expected = scipy.signal.correlate2d(x[0, 0], k[0, 0], "valid")[None, None]
    close(lambda a, b: xla.Conv(a, b, (1, 1), "kValid"), (x, k), expected)


def test_conv_with_general_padding() -> None:
    pads, strides, base, apart = [(2, 1), (0, 3)], (2, 1), (1, 2), (2, 1)
    expected = convolved(IMAGE, KERNEL, strides, pads, base, apart)
    close(
        lambda x, k: xla.ConvWithGeneralPadding(x, k, strides, pads, base, apart),
        (IMAGE, KERNEL),
        expected,
    )


def test_negative_padding_removes_elements() -> None:
    expected = convolved(IMAGE[:, :, 1:, :-2], KERNEL, (1, 1), [(0, 0), (0, 0)])
    pads = [(-1, 0), (0, -2)]
    close(lambda x, k: xla.ConvWithGeneralPadding(x, k, (1, 1), pads), (IMAGE, KERNEL), expected)


CHANNELS_LAST = xla.ConvolutionDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))


def test_other_layouts() -> None:
    image, kernel = IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0)
    expected = convolved(IMAGE, KERNEL, (1, 1), [(1, 1), (0, 1)]).transpose(0, 2, 3, 1)
    for function in (xla.ConvGeneral, xla.ConvWithGeneralDimensions):
        close(
            lambda x, k, f=function: f(x, k, (1, 1), "SAME", CHANNELS_LAST),
            (image, kernel),
            expected,
        )


def test_reversed_windows() -> None:
    expected = convolved(IMAGE, KERNEL[:, :, ::-1], (1, 1), [(0, 0), (0, 0)])

    def main(x: Tensor, k: Tensor) -> Tensor:
        return xla.ConvGeneralDilated(x, k, (1, 1), "VALID", window_reversal=(True, False))

    close(main, (IMAGE, KERNEL), expected)


def test_depthwise_convolution() -> None:
    """The document's recipe: as many groups as features, each with kernels of its own."""
    kernel = RNG.normal(size=(6, 1, 3, 2))
    parts = [
        convolved(IMAGE[:, n : n + 1], kernel[2 * n : 2 * n + 2], (1, 1), [(0, 0), (0, 0)])
        for n in range(3)
    ]
    close(
        lambda x, k: xla.Conv(x, k, (1, 1), "VALID", feature_group_count=3),
        (IMAGE, kernel),
        np.concatenate(parts, axis=1),
    )


def test_batch_groups() -> None:
    kernel = RNG.normal(size=(4, 3, 3, 2))
    halves = [
        convolved(IMAGE[n : n + 1], kernel[2 * n : 2 * n + 2], (1, 1), [(0, 0), (0, 0)])
        for n in range(2)
    ]
    close(
        lambda x, k: xla.Conv(x, k, (1, 1), "VALID", batch_group_count=2),
        (IMAGE, kernel),
        np.concatenate(halves, axis=1),
    )


def test_a_wider_element_type() -> None:
    x, k = np.full((1, 2, 5), 100, np.int8), np.full((1, 2, 3), 100, np.int8)
    expected = np.full((1, 1, 3), 60000, np.int32)
    check(
        lambda a, b: xla.Conv(a, b, (1,), "VALID", preferred_element_type="s32"), (x, k), expected
    )


def test_default_dimension_numbers() -> None:
    numbers = xla.CreateDefaultConvDimensionNumbers(1)
    assert numbers == xla.ConvolutionDimensionNumbers(0, 1, (2,), 1, 0, (2,), 0, 1, (2,))


@pytest.mark.parametrize(
    ("lhs", "rhs", "reason"),
    [
        ("2x3x7xf32", "4x3x3x2xf32", "not of one rank"),
        ("3xf32", "3xf32", "not of one rank"),
        ("2x3x7x8xf32", "4x2x3x2xf32", "C14"),
    ],
)
def test_convolutions_that_do_not_fit(lhs: str, rhs: str, reason: str) -> None:
    assert reason in refused(lambda x, k: xla.Conv(x, k, (1, 1), "SAME"), lhs, rhs)


def test_dimension_numbers_beyond_the_rank() -> None:
    def main(x: Tensor, k: Tensor) -> Tensor:
        numbers = xla.CreateDefaultConvDimensionNumbers(2)
        return xla.ConvGeneral(x, k, (1,), "SAME", numbers)

    assert "are not dimensions of" in refused(main, "2x3x7xf32", "4x3x3xf32")


# --- reductions of windows ------------------------------------------------------------------------
POWERS = np.array([10000, 1000, 100, 10, 1], np.float32)
LARGEST = np.finfo(np.float32).max


@pytest.mark.parametrize(("padding", "expected"), [("VALID", [100, 1]), ("SAME", [1000, 10, 1])])
def test_reduce_window_of_the_document(padding: str, expected: list[float]) -> None:
    check(
        lambda x: xla.ReduceWindow(x, LARGEST, xla.Min, (3,), (2,), xla.Padding[padding]),
        (POWERS,),
        np.array(expected, np.float32),
    )


def test_reduce_window_without_overlap() -> None:
    x = RNG.normal(size=(4, 6))
    expected = x.reshape(2, 2, 2, 3).max(axis=(1, 3))
    check(lambda a: xla.ReduceWindow(a, -np.inf, xla.Max, (2, 3), (2, 3)), (x,), expected)


def test_reduce_window_of_every_place() -> None:
    x = RNG.normal(size=(4, 6))
    expected = scipy.ndimage.maximum_filter(x, (3, 3), mode="constant", cval=-np.inf)
    check(lambda a: xla.ReduceWindow(a, -np.inf, xla.Max, (3, 3), None, "SAME"), (x,), expected)


def test_reduce_window_with_dilations() -> None:
    x = np.arange(1, 6, dtype=np.int32)

    def main(a: Tensor) -> Any:
        return xla.ReduceWindowWithGeneralPadding(a, 0, xla.Add, (2,), (1,), (2,), (3,), [(1, 0)])

    area = np.array([0, 1, 0, 2, 0, 3, 0, 4, 0, 5], np.int32)
    check(main, (x,), area[:-3] + area[3:])


def test_reduce_window_of_several_arrays() -> None:
    x = np.array([3, 1, 2, 5], np.float32)

    def both(a: Tensor, b: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return xla.Add(a, x), xla.Max(b, y)

    check(
        lambda a: xla.ReduceWindow((a, a), (0, -np.inf), both, (2,)),
        (x,),
        (x[:-1] + x[1:], np.maximum(x[:-1], x[1:])),
    )
    assert "1 init values" in refused(lambda a: xla.ReduceWindow((a, a), (0,), both, (2,)), "4xf32")


# --- selections -----------------------------------------------------------------------------------
AREA = np.array(
    [[7, 2, 5, 3, 10, 2], [3, 8, 9, 3, 4, 2], [1, 5, 7, 5, 6, 1], [0, 6, 2, 7, 2, 8]], np.float32
)
SOURCE = np.array([[2, 6], [3, 1]], np.float32)


def scattered(strides: tuple[int, int], source: Any) -> Any:
    """What each window of 2 x 3 adds where its largest element, the first of equal ones, is."""
    expected = np.zeros_like(AREA)
    for (y, x), value in np.ndenumerate(source):
        part = AREA[y * strides[0] :, x * strides[1] :][:2, :3]
        row, column = np.unravel_index(part.argmax(), part.shape)
        expected[y * strides[0] + row, x * strides[1] + column] += value
    return expected


def test_select_and_scatter() -> None:
    def main(a: Tensor, s: Tensor) -> Tensor:
        return xla.SelectAndScatter(a, xla.Ge, (2, 3), (2, 3), "VALID", s, 0, xla.Add)

    check(main, (AREA, SOURCE), scattered((2, 3), SOURCE))


def test_select_and_scatter_of_windows_that_overlap() -> None:
    source = np.arange(1, 13, dtype=np.float32).reshape(3, 4)

    def main(a: Tensor, s: Tensor) -> Tensor:
        pads = [(0, 0), (0, 0)]
        return xla.SelectAndScatterWithGeneralPadding(a, xla.Ge, (2, 3), None, pads, s, 0, xla.Add)

    check(main, (AREA, source), scattered((1, 1), source))


def test_a_source_of_another_shape() -> None:
    def main(a: Tensor, s: Tensor) -> Tensor:
        return xla.SelectAndScatter(a, xla.Ge, (2, 3), (2, 3), "SAME", s, 0, xla.Add)

    assert "C2" in refused(main, "4x6xf32", "3x2xf32")
