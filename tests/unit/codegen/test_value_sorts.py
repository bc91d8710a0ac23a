"""Sorts whose elements alone are wanted: keys are sorted without places, ties keep their order."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged
from test_sort_kernels import compared, typed

from shlo_tools import compile
from shlo_tools.cpu.stages.executable import StagedExecutable

TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui32": np.uint32,
    "i1": np.bool_,
}
FLOATS = ("f32", "f64", "f16", "bf16")
LINES = [((1,), 0), ((17,), 0), ((230,), 0), ((3, 65), 1), ((65, 3), 0), ((2, 33, 5), 1)]
LINES += [((2, 9000), 1), ((33000,), 0), ((1, 70001), 1)]


def program(
    shape: tuple[int, ...], dimension: int, type: str, comparator: str, prologue: str = ""
) -> str:
    of = typed(shape, type)
    return f"""func.func @main(%x: {of}) -> {of} {{
      {prologue or f"%y = stablehlo.reshape %x : ({of}) -> {of}"}
      %0 = "stablehlo.sort"(%y) ({{
      ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
        {comparator}
        stablehlo.return %less : tensor<i1>
      }}) {{dimension = {dimension} : i64, is_stable = true}} : ({of}) -> {of}
      return %0 : {of}
    }}"""


def canonical(type: str, direction: str) -> str:
    """What JAX compares: zeros are equal, and so are NaN."""

    def one(element: str, key: str) -> str:
        to_truth = f"(tensor<{type}>, tensor<{type}>) -> tensor<i1>"
        return f"""
        {key}z = stablehlo.compare EQ, {element}, %zero, FLOAT : {to_truth}
        {key}s = stablehlo.select {key}z, %zero, {element} : tensor<i1>, tensor<{type}>
        {key}n = stablehlo.compare NE, {element}, {element}, FLOAT : {to_truth}
        {key} = stablehlo.select {key}n, %nan, {key}s : tensor<i1>, tensor<{type}>"""

    nan = {"f32": "0x7FC00000", "f64": "0x7FF8000000000000", "f16": "0x7E00", "bf16": "0x7FC0"}
    return f"""
        %zero = stablehlo.constant dense<0.0> : tensor<{type}>
        %nan = stablehlo.constant dense<{nan[type]}> : tensor<{type}>
        {one("%a", "%p")}
        {one("%b", "%q")}
        {compared(type, direction, "TOTALORDER", "%p, %q")}"""


def values(shape: tuple[int, ...], type: str, *, special: bool) -> np.ndarray:
    random = np.random.default_rng([len(type), *shape])
    dtype = TYPES[type]
    if type == "i1":
        return random.integers(0, 2, shape).astype(dtype)
    if type not in FLOATS:
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape, dtype, endpoint=True)
    numbers = np.asarray(random.standard_normal(shape) * 100).astype(dtype)
    if not special:
        return numbers
    payload = np.array(np.nan, dtype).view(f"u{numbers.itemsize}") + 1
    tied = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 0.0], dtype)
    tied[-1:] = payload.view(dtype)
    return np.where(random.random(shape) < 0.4, random.choice(tied, shape), numbers).astype(dtype)


def assert_same_bits(text: str, x: np.ndarray) -> None:
    """The reference's results to the last bit: it compares what the comparator does."""
    assert_staged(text, x, alike=lambda result: np.asarray(result).view(np.uint8))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("shape, dimension", LINES)
def test_values_alone(shape: tuple[int, ...], dimension: int, type: str) -> None:
    for direction in ("LT", "GT"):
        text = program(shape, dimension, type, compared(type, direction))
        assert_same_bits(text, values(shape, type, special=False))


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("shape, dimension", LINES)
@pytest.mark.parametrize("special", [True, False])
def test_ties_keep_their_order(
    shape: tuple[int, ...], dimension: int, type: str, special: bool
) -> None:
    for direction in ("LT", "GT"):
        text = program(shape, dimension, type, canonical(type, direction))
        assert_same_bits(text, values(shape, type, special=special))


@pytest.mark.parametrize("length", [230, 33000])
def test_ties_of_the_greatest_key(length: int) -> None:
    comparator = canonical("f32", "LT").replace("0x7FC00000", "0x7FFFFFFF")
    text = program((length,), 0, "f32", comparator)
    assert_same_bits(text, values((length,), "f32", special=True))


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("length", [17, 230, 33000])
def test_zeros_alone_are_equal(length: int, type: str) -> None:
    x = values((length,), type, special=True)
    x = np.where(np.isnan(x.astype(np.float32)), np.array(-0.0, x.dtype), x)
    for order in ("", "TOTALORDER"):
        assert_same_bits(program((length,), 0, type, compared(type, "LT", order)), x)


def test_the_total_order_tells_all_bits_apart() -> None:
    for length in (17, 33000):
        x = values((length,), "f32", special=True)
        text = program((length,), 0, "f32", compared("f32", "GT", "TOTALORDER"))
        assert_same_bits(text, x)


@pytest.mark.parametrize("length", [230, 33000])
def test_computed_values(length: int) -> None:
    of = typed((length,), "f32")
    prologue = f"%y = stablehlo.multiply %x, %x : {of}"
    for comparator in (compared("f32", "LT"), canonical("f32", "GT")):
        text = program((length,), 0, "f32", comparator, prologue)
        assert_same_bits(text, values((length,), "f32", special=False))


def test_lines_that_counts_do_not_hold_have_no_kernel() -> None:
    for length, is_plain in (((1 << 32) - 1, False), (1 << 32, True)):
        executable = compile(program((length,), 0, "i8", compared("i8", "LT")))
        assert isinstance(executable, StagedExecutable)
        assert bool(executable.plain) == is_plain


def test_other_comparisons_of_one_number() -> None:
    """Keys that are computed of elements say nothing of these."""
    absolute = f"""
        %p = stablehlo.abs %a : tensor<f32>
        %q = stablehlo.abs %b : tensor<f32>
        {compared("f32", "LT", names="%p, %q")}"""
    for length in (17, 230, 33000):
        x = values((length,), "f32", special=False)
        assert_same_bits(program((length,), 0, "f32", absolute), np.round(x))
