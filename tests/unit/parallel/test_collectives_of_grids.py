"""Every collective, by every strategy: compiled code gives what the reference gives, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from grids import COLLECTIVES, VARIADIC, Case, case

from shlo_tools import parallel


def check(one: Case) -> None:
    size = {"num_replicas": one.num_replicas, "num_partitions": one.num_partitions}
    kept = [[array.copy() for array in row] for row in one.arguments]
    native = parallel.compile(one.text, **size)
    simulated = parallel.run_spmd(one.text, one.arguments, backend="reference", **size)
    for _ in range(2):
        results = native(one.arguments, timeout=60)
        for actual, expected in zip(results, simulated, strict=True):
            for x, y in zip(actual, expected, strict=True):
                assert (x.dtype, x.shape) == (y.dtype, y.shape)
                assert x.tobytes() == y.tobytes(), one.text
    for row, copy in zip(one.arguments, kept, strict=True):
        assert [x.tobytes() for x in row] == [x.tobytes() for x in copy]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("op", COLLECTIVES)
def test_native_is_reference(op: str, seed: int) -> None:
    check(case(op, seed))


@pytest.mark.parametrize("op", COLLECTIVES)
def test_large_arrays(op: str) -> None:
    """Of which each process combines a part."""
    check(case(op, 0, large=True))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("op", COLLECTIVES)
def test_quantized_tensors(op: str, seed: int) -> None:
    check(case(op, seed, elements="!quant"))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("op", COLLECTIVES)
def test_quantized_tensors_beside_their_process(op: str, seed: int) -> None:
    check(case(op, seed, elements="!quant", beside=True))


def test_elements_take_the_type_of_the_computation_before_it_begins() -> None:
    """(x - 3) * 0.5 is (x - 3) * 2 - 1 in quarters with zero point -1."""
    narrow, wide = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i16:f32, 0.25:-1>"
    text = f"""func.func @main(%x: tensor<3x{narrow}>) -> tensor<3x{wide}> {{
      %f = "stablehlo.async_start"(%x) ({{
      ^bb0(%v: tensor<3x{narrow}>):
        %s = "stablehlo.all_reduce"(%v) <{{
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
        }}> ({{
        ^bb0(%p: tensor<{wide}>, %q: tensor<{wide}>):
          %t = stablehlo.add %p, %q : tensor<{wide}>
          stablehlo.return %t : tensor<{wide}>
        }}) : (tensor<3x{narrow}>) -> tensor<3x{wide}>
        stablehlo.return %s : tensor<3x{wide}>
      }}) : (tensor<3x{narrow}>) -> !stablehlo.future<tensor<3x{wide}>>
      %0 = "stablehlo.async_done"(%f)
        : (!stablehlo.future<tensor<3x{wide}>>) -> tensor<3x{wide}>
      return %0 : tensor<3x{wide}>
    }}"""
    own = [np.array([-128, 127, 3], np.int8), np.array([5, 4, 3], np.int8)]
    expected = sum((x.astype(np.int16) - 3) * 2 for x in own) - 1
    for backend in ("native", "reference"):
        results = parallel.run_spmd(text, [[x] for x in own], num_replicas=2, backend=backend)
        for result in results:
            assert result.dtype == np.int16
            assert np.array_equal(result, expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("op", VARIADIC)
def test_several_operands(op: str, seed: int) -> None:
    check(case(op, seed, operands=2 + seed % 2))
    check(case(op, seed, operands=2, large=True))
