"""What checks accept. Expected answers are worked out by hand, or from the floats' bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from shlo_tools.errors import ExecutionError, Place
from shlo_tools.reference.check import Check, ulp_difference

NAN, INF = float("nan"), float("inf")


def passes(name: str, actual: object, expected: object, dtype: object, **attributes: float) -> bool:
    check = Check(f"check.{name}", attributes)
    try:
        check(np.array(actual, dtype), np.array(expected, dtype))  # type: ignore[call-overload]
    except ExecutionError:
        return False
    return True


@pytest.mark.parametrize(
    ("actual", "expected", "equal"),
    [
        (NAN, NAN, True),
        (NAN, -NAN, False),  # another bit pattern
        (0.0, -0.0, False),
        (INF, INF, True),
        (1.0, 1.0000001, False),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_expect_eq_compares_bits(
    actual: float, expected: float, equal: bool, dtype: object
) -> None:
    assert passes("expect_eq", [actual], [expected], dtype) == equal


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, ml_dtypes.int4, np.int64])
def test_expect_eq_of_integers(dtype: object) -> None:
    assert passes("expect_eq", [0, 1, 1], [0, 1, 1], dtype)
    assert not passes("expect_eq", [0, 1, 1], [0, 1, 0], dtype)


@pytest.mark.parametrize(
    ("actual", "expected", "almost"),
    [
        (1.0, 1.0 + 2**-14, True),  # 2**-14 < 1e-4 < 2**-13
        (1.0, 1.0 + 2**-13, False),
        (1024.0, 1024.0 + 2**-13, False),  # relative errors do not matter
        (2**-15, -(2**-15), False),  # signs do
        (0.0, -0.0, True),
        (NAN, -NAN, True),
        (NAN, 0.0, False),
        (INF, INF, True),
        (INF, -INF, False),
        (INF, 3e38, False),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_expect_almost_eq(actual: float, expected: float, almost: bool, dtype: object) -> None:
    assert passes("expect_almost_eq", [actual], [expected], dtype) == almost
    assert passes("expect_almost_eq", [expected], [actual], dtype) == almost


def test_the_tolerance_counts_for_each_part_of_complex_numbers() -> None:
    limits = {"tolerance": 0.5}
    assert passes("expect_almost_eq", 1 + 2j, 1.5 + 2.5j, np.complex64, **limits)
    assert not passes("expect_almost_eq", 1 + 2j, 1 + 2.75j, np.complex64, **limits)


def test_almost_equal_integers_far_apart() -> None:
    low, high = -(2**63), 2**63 - 1
    assert not passes("expect_almost_eq", low, high, np.int64)
    assert passes("expect_almost_eq", high, high - 1, np.int64, tolerance=1)


def bits(dtype: str, *patterns: int) -> np.ndarray:
    kind: np.dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    return np.array(patterns, f"u{kind.itemsize}").view(kind)


@pytest.mark.parametrize(
    ("dtype", "patterns", "others", "expected"),
    [
        ("float32", [0x3F800000, 1, 0], [0x3F800005, 0x80000001, 0x80000000], [5, 2, 0]),
        ("float16", [0x3C00, 0x7BFF], [0x3BFF, 0xFBFF], [1, 2 * 0x7BFF]),
        ("float64", [0x3FF0000000000000], [0x3FF0000000000001], [1]),
        ("bfloat16", [0x3F80, 0x7F80], [0x3F81, 0x7F80], [1, 0]),
        ("float8_e4m3fn", [0x38, 0x08], [0x3A, 0x88], [2, 16]),
        ("float8_e8m0fnu", [0x7F], [0x81], [2]),
    ],
)
def test_ulp_difference(
    dtype: str, patterns: list[int], others: list[int], expected: list[int]
) -> None:
    results = ulp_difference(bits(dtype, *patterns), bits(dtype, *others))
    assert results.tolist() == expected


def test_nan_and_infinities_are_far_from_all_others() -> None:
    a = np.array([NAN, NAN, INF, INF], np.float32)
    b = np.array([-NAN, 1, INF, np.finfo(np.float32).max], np.float32)
    assert ulp_difference(a, b).tolist() == [0, 2**64 - 1, 0, 2**64 - 1]
    limits = {"max_ulp_difference": 2**64 - 1}
    assert not passes("expect_close", NAN, 1.0, np.float32, **limits)
    assert passes("expect_close", -1e30, 1e30, np.float32, **limits)


def test_expect_close_limits_both_ways() -> None:
    one, near = bits("float32", 0x3F800000, 0x3F800000), bits("float32", 0x3F800003, 0x3F800001)
    Check("check.expect_close")(one, near)
    Check("check.expect_close", {"min_ulp_difference": 3})(one, near)
    with pytest.raises(ExecutionError, match=r"element .0. is .*: 3 ulp apart, at most 2 allowed"):
        Check("check.expect_close", {"max_ulp_difference": 2})(one, near)
    with pytest.raises(ExecutionError, match="at most 3 ulp apart, somewhere 4 expected"):
        Check("check.expect_close", {"max_ulp_difference": 9, "min_ulp_difference": 4})(one, near)


def test_the_message_names_the_first_element_in_row_major_order() -> None:
    actual = np.arange(12).reshape(2, 3, 2)
    expected = actual.copy()
    expected[1, 0, 1], expected[1, 2, 0] = -1, -1
    with pytest.raises(ExecutionError) as raised:
        Check("check.expect_eq", place=Place("x.mlir", 3, 4))(actual, expected)
    message = "check.expect_eq: element [1, 0, 1] is 7, expected -1 (2 of 12 elements differ)"
    assert raised.value.diagnostics[0].message == message
    assert str(raised.value.diagnostics[0].place) == "x.mlir:3:4"


def test_values_that_print_alike_are_told_apart() -> None:
    with pytest.raises(ExecutionError, match=r"nan \(0x7FC00000\), expected nan \(0xFFC00000\)"):
        Check("check.expect_eq")(bits("float32", 0x7FC00000), bits("float32", 0xFFC00000))


@pytest.mark.parametrize("name", ["expect_eq", "expect_almost_eq", "expect_close"])
def test_shapes_and_types_must_be_the_same(name: str) -> None:
    check = Check(f"check.{name}")
    with pytest.raises(ExecutionError, match="tensor<2xf32> is compared with tensor<1xf32>"):
        check(np.zeros(2, np.float32), np.zeros(1, np.float32))
    with pytest.raises(ExecutionError, match="tensor<2xf32> is compared with tensor<2xf64>"):
        check(np.zeros(2, np.float32), np.zeros(2))


@pytest.mark.parametrize("name", ["expect_eq", "expect_almost_eq", "expect_close"])
@pytest.mark.parametrize("shape", [(0,), (2, 0), ()])
def test_empty_and_scalar_values(name: str, shape: tuple[int, ...]) -> None:
    Check(f"check.{name}")(np.zeros(shape, np.float32), np.zeros(shape, np.float32))
    Check(f"check.{name}")(np.zeros(shape, np.complex64), np.zeros(shape, np.complex64))
