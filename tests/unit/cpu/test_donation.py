"""Arguments that a caller gives away: written in place, checked, and nothing else is written."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import compile, interpret
from shlo_tools.errors import ArgumentError, ShloError

CACHE, ROW = "tensor<64x16xf32>", "tensor<1x16xf32>"
UPDATE = f"""
func.func @main(%cache: {CACHE}, %row: {ROW}, %at: tensor<i32>) -> ({CACHE}, tensor<16xf32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %row, %at, %zero
    : ({CACHE}, {ROW}, tensor<i32>, tensor<i32>) -> {CACHE}
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [0]
    : ({CACHE}, tensor<f32>) -> tensor<16xf32>
  return %0, %1 : {CACHE}, tensor<16xf32>
}}"""


def arguments() -> list[Any]:
    cache = np.arange(64 * 16, dtype=np.float32).reshape(64, 16)
    return [cache, np.full((1, 16), -1, np.float32), np.int32(3)]


def test_a_cache_is_updated_where_it_lies() -> None:
    executable = compile(UPDATE, donate=[0])
    cache, row, _ = arguments()
    whole = cache
    for step in range(5):
        expected = interpret(UPDATE, cache, row, np.int32(step))
        results = executable(cache, row, np.int32(step))
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target)
        cache = results[0]
        assert cache.ctypes.data == whole.ctypes.data
        assert not np.may_share_memory(results[1], whole)
    np.testing.assert_array_equal(whole[:5], -np.ones((5, 16)))
    memory = executable.memory
    assert memory is not None
    assert memory.results == 64


HEADS, ONE = "tensor<4x32x8xf32>", "tensor<4x1x8xf32>"
DECODER = f"""
func.func @main(%keys: {HEADS}, %values: {HEADS}, %x: {ONE}, %at: tensor<i32>)
    -> ({ONE}, {HEADS}, {HEADS}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.dynamic_update_slice %keys, %x, %zero, %at, %zero
    : ({HEADS}, {ONE}, tensor<i32>, tensor<i32>, tensor<i32>) -> {HEADS}
  %y = stablehlo.negate %x : {ONE}
  %v = stablehlo.dynamic_update_slice %values, %y, %zero, %at, %zero
    : ({HEADS}, {ONE}, tensor<i32>, tensor<i32>, tensor<i32>) -> {HEADS}
  %0 = stablehlo.dot_general %x, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    : ({ONE}, {HEADS}) -> tensor<4x1x32xf32>
  %1 = stablehlo.maximum %0, %0 : tensor<4x1x32xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<4x1x32xf32>, {HEADS}) -> {ONE}
  return %2, %k, %v : {ONE}, {HEADS}, {HEADS}
}}"""


def test_a_decoder_never_copies_its_caches() -> None:
    rng = np.random.default_rng(0)
    caches = [rng.integers(-2, 3, (4, 32, 8)).astype(np.float32) for _ in range(2)]
    executable = compile(DECODER, donate=[0, 1])
    arrays = caches
    for step in range(4):
        x = rng.integers(-2, 3, (4, 1, 8)).astype(np.float32)
        expected = interpret(DECODER, *arrays, x, np.int32(step))
        y, *arrays = executable(*arrays, x, np.int32(step))
        for result, target in zip((y, *arrays), expected, strict=True):
            np.testing.assert_array_equal(result, target)
        assert [a.ctypes.data for a in arrays] == [a.ctypes.data for a in caches]


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_what_is_not_donated_is_never_written(backend: Any) -> None:
    executable = compile(UPDATE, donate=[1], backend=backend)
    cache, row, at = arguments()
    result, _ = executable(cache, row, at)
    np.testing.assert_array_equal(cache, arguments()[0])
    assert not np.may_share_memory(result, cache)
    assert executable.donated == {1}


REFUSALS = {
    "read-only": (lambda cache: _read_only(cache), "it is read-only"),
    "strided": (lambda cache: np.repeat(cache, 2, 0)[::2], "would have to be copied"),
    "list": (lambda cache: cache.tolist(), "list is no numpy array"),
}


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize("name", REFUSALS)
def test_what_cannot_be_written_is_refused(name: str, backend: Any) -> None:
    change, reason = REFUSALS[name]
    cache, row, at = arguments()
    with pytest.raises(ArgumentError, match=f"argument 0 is donated, .*{reason}"):
        compile(UPDATE, donate=[0], backend=backend)(change(cache), row, at)


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_donated_memory_belongs_to_no_other_argument(backend: Any) -> None:
    cache, _, at = arguments()
    executable = compile(UPDATE, donate=[0], backend=backend)
    with pytest.raises(ArgumentError, match="it shares memory with argument 1"):
        executable(cache, cache[5:6], at)
    with pytest.raises(ArgumentError, match="would have to be copied"):
        executable(cache.astype(np.float64), cache[5:6].copy(), at, cast=True)


@pytest.mark.parametrize("donate", [[3], [-1], ["cache"], "cache", [True], 7])
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_arguments_that_there_are_not(donate: Any, backend: Any) -> None:
    with pytest.raises(ShloError, match="@main has no argument"):
        compile(UPDATE, donate=donate, backend=backend)


def test_the_program_may_mark_arguments() -> None:
    for mark in ("jax.buffer_donor = true", "tf.aliasing_output = 0 : i32"):
        marked = UPDATE.replace(f"%cache: {CACHE},", f"%cache: {CACHE} {{{mark}}},")
        assert compile(marked).donated == frozenset()
        executable = compile(marked, donate="module")
        assert executable.donated == {0}
        cache, row, at = arguments()
        assert executable(cache, row, at)[0].ctypes.data == cache.ctypes.data


def test_old_values_that_are_read_later_are_kept() -> None:
    text = f"""
    func.func @main(%x: {CACHE}, %row: {ROW}, %at: tensor<i32>) -> ({CACHE}, {CACHE}) {{
      %0 = stablehlo.dynamic_update_slice %x, %row, %at, %at
        : ({CACHE}, {ROW}, tensor<i32>, tensor<i32>) -> {CACHE}
      %2 = stablehlo.subtract %0, %x : {CACHE}
      return %0, %2 : {CACHE}, {CACHE}
    }}"""
    expected = interpret(text, *arguments())
    results = compile(text, donate=[0])(*arguments())
    for result, target in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, target)
    assert not np.may_share_memory(*results)


@pytest.mark.parametrize("element", ["f32", "bf16", "i1", "complex<f64>"])
def test_results_of_other_shapes_and_types(element: str) -> None:
    dtype = shlo_tools.dtypes.ELEMENT_TYPES[element].dtype
    one, other = f"tensor<6x4x{element}>", f"tensor<24x{element}>"
    text = f"""func.func @main(%x: {one}, %y: {other}, %z: tensor<{element}>)
        -> ({other}, {one}, tensor<{element}>, {one}) {{
      %0 = stablehlo.reshape %x : ({one}) -> {other}
      %1 = stablehlo.add %0, %y : {other}
      %2 = stablehlo.reshape %y : ({other}) -> {one}
      %3 = stablehlo.add %z, %z : tensor<{element}>
      return %1, %2, %3, %x : {other}, {one}, tensor<{element}>, {one}
    }}"""
    rng = np.random.default_rng(0)
    arrays = [rng.integers(0, 2, s).astype(dtype) for s in ((6, 4), (24,), ())]
    expected = interpret(text, *arrays)
    results = compile(text, donate=[0, 1, 2])(*(np.array(a) for a in arrays))
    for number, (result, target) in enumerate(zip(results, expected, strict=True)):
        np.testing.assert_array_equal(result, target)
        assert (result.shape, result.dtype) == (target.shape, target.dtype)
        assert not any(np.may_share_memory(result, other) for other in results[number + 1 :])


def test_a_loop_works_where_its_state_comes_from() -> None:
    text = """func.func @main(%x: tensor<32xf32>, %n: tensor<i32>) -> tensor<32xf32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<32xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %2 = stablehlo.add %y, %y : tensor<32xf32>
        %3 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, tensor<32xf32>
      }
      return %0#1 : tensor<32xf32>
    }"""
    x = np.ones(32, np.float32)
    result = compile(text, donate=[0])(x, np.int32(3))
    np.testing.assert_array_equal(result, np.full(32, 8))
    assert result.ctypes.data == x.ctypes.data


def test_a_cache_of_unknown_length_is_updated_where_it_lies() -> None:
    text = UPDATE.replace(CACHE, "tensor<?x16xf32>")
    executable = compile(text, donate=[0])
    _, row, _ = arguments()
    for length in (64, 5, 64):
        cache = np.arange(length * 16, dtype=np.float32).reshape(length, 16)
        expected = interpret(text, cache, row, np.int32(3))
        results = executable(cache, row, np.int32(3))
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target)
        assert results[0].ctypes.data == cache.ctypes.data
        with pytest.raises(ArgumentError, match="argument 0 is donated"):
            executable(np.broadcast_to(np.float32(1), (length, 16)), row, np.int32(3))


def test_unknown_sizes_and_probes_take_donated_arguments() -> None:
    text = """func.func @main(%x: tensor<?xbf16>) -> tensor<?xbf16> {
      %0 = stablehlo.add %x, %x : tensor<?xbf16>
      return %0 : tensor<?xbf16>
    }"""
    hits: list[Any] = []
    for options in ({}, {"specialize": True}, {"probe": hits.append}, {"check_nans": True}):
        executable = compile(text, donate=[0], **options)
        x = np.ones(5, ml_dtypes.bfloat16)
        np.testing.assert_array_equal(executable(x), np.full(5, 2))
        with pytest.raises(ArgumentError, match="argument 0 is donated"):
            executable(np.broadcast_to(np.ones(1, ml_dtypes.bfloat16), (5,)))
