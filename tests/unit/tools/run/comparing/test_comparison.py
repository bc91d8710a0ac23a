"""Comparing results: who agrees with whom, how far apart, and the report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shlo_tools.dtypes import ELEMENT_TYPES, Array, ElementType
from shlo_tools.tools.run.comparing import comparison
from shlo_tools.tools.run.comparing.comparison import Tolerance

NARROW_FLOATS = [row for row in ELEMENT_TYPES.values() if row.is_float and row.bits <= 8]


def arrays(dtype: Any, *lists: list[Any]) -> list[Array]:
    return [np.array(values, dtype) for values in lists]


def test_ulp_distance_counts_steps_of_nextafter() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        start = np.array([1.0, -1.0, 0.0, 1e-7, 65504 if dtype == np.float16 else 3e38], dtype)
        moved = start
        for steps in range(4):
            assert comparison.ulp_distance(moved, start).tolist() == [steps] * 5
            moved = np.nextafter(moved, np.array(-np.inf, dtype))


@pytest.mark.parametrize("element", NARROW_FLOATS, ids=str)
def test_neighbours_of_narrow_floats_are_one_ulp_apart(element: ElementType) -> None:
    everything = np.arange(1 << element.bits, dtype=np.uint8).view(element.dtype)
    finite = everything[np.isfinite(everything.astype(np.float64))]
    in_order = finite[np.argsort(finite.astype(np.float64), kind="stable")]
    distinct = np.diff(in_order.astype(np.float64)) != 0  # +0 and -0 are no steps apart
    distances = comparison.ulp_distance(in_order[:-1], in_order[1:])
    assert (distances == distinct).all()


def test_ulp_distance_of_extremes() -> None:
    low, high = arrays(np.float64, [-np.inf, 0.0, np.nan, 1.0], [np.inf, -0.0, 1.0, np.nan])
    assert comparison.ulp_distance(low, high).tolist() == [2 * 0x7FF0000000000000, 0, 0, 0]
    real, imaginary = arrays(np.complex64, [1 + 1j], [1 + np.nextafter(np.float32(1), 2) * 1j])
    assert comparison.ulp_distance(real, imaginary).tolist() == [1]


@pytest.mark.parametrize(
    ("got", "expected", "agrees"),
    [
        (1.0, 1.0, True),
        (1.1, 1.0, True),  # at most 0.05 + 0.1 * |expected|
        (1.2, 1.0, False),
        (-0.0, 0.0, True),
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, np.inf, True),
        (-np.inf, np.inf, False),
        (1e300, np.inf, False),
        (np.inf, 1e300, False),
        (1.7e308, -1.7e308, False),
    ],
)
def test_agreement(got: float, expected: float, agrees: bool) -> None:
    a, b = arrays(np.float64, [0.0, got], [0.0, expected])
    difference = comparison.compare(a, b, Tolerance(rtol=0.1, atol=0.05))
    assert (difference.first is None) == agrees
    assert difference.mismatches == (0 if agrees else 1)
    if not agrees:
        assert difference.first == (1,)


def test_complex_agreement_is_of_each_part_when_not_finite() -> None:
    nan, inf = math.nan, math.inf
    pairs = [
        (complex(nan, 1), complex(nan, 1), True),
        (complex(nan, 1), complex(nan, 2), False),
        (complex(1, nan), complex(nan, 1), False),
        (complex(inf, nan), complex(inf, nan), True),
        (3 + 4j, 3 + 4.1j, True),  # 0.1 off, and 0.2 + 0 allowed
        (3 + 4j, 3.3 + 4j, False),
    ]
    for got, expected, agrees in pairs:
        a, b = arrays(np.complex128, [got], [expected])
        difference = comparison.compare(a, b, Tolerance(0.0, 0.2))
        assert (difference.first is None) == agrees, (got, expected)


def test_integers_must_be_equal_and_their_distance_is_exact() -> None:
    a, b = arrays(np.int64, [0, -(2**63)], [0, 2**63 - 1])
    difference = comparison.compare(a, b, comparison.tolerance(ELEMENT_TYPES["i64"], 1.0, 1e30))
    assert (difference.first, difference.mismatches, difference.max_error) == (
        (1,),
        1,
        float(2**64 - 1),
    )
    a, b = arrays(np.uint8, [0], [255])
    assert comparison.compare(a, b, Tolerance(0, 0)).max_error == 255
    a, b = arrays(np.bool_, [True], [False])
    assert comparison.compare(a, b, Tolerance(0, 0)).first == (0,)


def test_zero_dimensional_and_empty_arrays() -> None:
    one, two = np.array(1, np.float32), np.array(2, np.float32)
    assert comparison.compare(one, two, Tolerance(0, 0)).first == ()
    nothing = np.zeros((0, 3), np.float32)
    assert comparison.compare(nothing, nothing, Tolerance(0, 0)).first is None


def test_the_report_names_first_and_worst() -> None:
    got, expected = arrays(np.float32, [[0, 1.5], [2, 9]], [[0, 1], [2, 3]])
    agrees, lines = comparison.report(3, got, expected, Tolerance(0.0, 0.25))
    assert not agrees
    assert lines == [
        "result3 differs: 2 of 4 elements beyond 0.25 + 0 * |expected|",
        "  first at [0, 1]: got 1.5, expected 1.0",
        "  worst at [1, 1]: got 9.0, expected 3.0",
        # 3 = 0x40400000, 9 = 0x41100000
        f"  largest error 6, {0x41100000 - 0x40400000} ulp",
    ]


def test_default_tolerances_of_narrow_floats_are_one_ulp() -> None:
    for name in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
        element = ELEMENT_TYPES[name]
        one = np.array(1, element.dtype)
        nearby = [
            value
            for raw in range(1 << element.bits)
            if (value := np.array(raw, np.uint8).view(element.dtype)).astype(float) > 0
            and comparison.ulp_distance(value, one) <= 2
        ]
        limit = comparison.tolerance(element, None, None)
        agreeing = {float(v) for v in nearby if comparison.compare(v, one, limit).first is None}
        above = min(float(v) for v in nearby if float(v) > 1)
        beyond = max(float(v) for v in nearby)
        assert above in agreeing
        assert beyond not in agreeing
