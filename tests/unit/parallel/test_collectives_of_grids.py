"""Every collective, by every strategy: compiled code gives what the reference gives, bit by bit."""

from __future__ import annotations

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


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("op", VARIADIC)
def test_several_operands(op: str, seed: int) -> None:
    check(case(op, seed, operands=2 + seed % 2))
    check(case(op, seed, operands=2, large=True))
