"""Quotients and remainders of integers: every pair of bytes, and longer ones at their edges."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import NARROWER, assert_passes, assert_staged

RESULTS = ("divide", "remainder")
ELEMENTS = ("i16", "ui16", "i32", "ui32", "i64", "ui64")


def dtype_of(element: str) -> np.dtype:
    return np.dtype(f"{'uint' if element[0] == 'u' else 'int'}{element.lstrip('ui')}")


def program(count: int, element: str, divisor: str = "") -> str:
    """Both results of two arguments, or of one and a constant."""
    type = f"tensor<{count}x{element}>"
    second = f"%y = stablehlo.constant dense<{divisor}> : {type}" if divisor else ""
    arguments = f"%x: {type}" if divisor else f"%x: {type}, %y: {type}"
    lines = "\n".join(f"%{n} = stablehlo.{n} %x, %y : {type}" for n in RESULTS)
    return f"""
    func.func @main({arguments}) -> ({type}, {type}) {{
      {second}
      {lines}
      return %divide, %remainder : {type}, {type}
    }}"""


def edges(element: str) -> np.ndarray:
    """Numbers around zero, around powers of two and around the ends of a type."""
    dtype = dtype_of(element)
    info = np.iinfo(dtype)
    powers = [1 << bit for bit in range(0, info.bits, 3)] + [1 << (info.bits - 1), info.max]
    near = {sign * power + step for power in powers for step in (-1, 0, 1) for sign in (1, -1)}
    return np.array(sorted(n for n in near if info.min <= n <= info.max), dtype)


@pytest.mark.parametrize("element", ["i8", "ui8"])
def test_all_bytes(element: str) -> None:
    info = np.iinfo(dtype_of(element))
    every = np.arange(info.min, info.max + 1).astype(info.dtype)
    x, y = (pairs.reshape(-1) for pairs in np.meshgrid(every, every))
    assert_staged(program(x.size, element), x, y)


@pytest.mark.parametrize("element", ELEMENTS)
def test_edges(element: str) -> None:
    x, y = (pairs.reshape(-1) for pairs in np.meshgrid(edges(element), edges(element)))
    assert_staged(program(x.size, element), x, y)


@pytest.mark.parametrize("element", ELEMENTS)
def test_random_numbers(element: str) -> None:
    """Of all lengths; many divide without a rest, or leave all but one."""
    random, dtype, count = np.random.default_rng(1), dtype_of(element), 30001
    lengths = random.integers(0, 8 * dtype.itemsize, (2, count)).astype(dtype)
    x, y = np.frombuffer(random.bytes(2 * count * dtype.itemsize), dtype).reshape(2, -1) >> lengths
    with np.errstate(all="ignore"):
        quotients = np.where(y == 0, dtype.type(1), x // np.where(y == 0, dtype.type(1), y))
    x = np.where(random.random(count) < 0.5, x, quotients * y - random.integers(0, 2, count))
    assert_staged(program(count, element), x.astype(dtype), y)


@pytest.mark.parametrize("element", ["i64", "ui64"])
@pytest.mark.parametrize("long", [0.0, 0.01])
def test_as_long_as_floats_hold(element: str, long: float) -> None:
    """Up to 52 bits, around whole quotients; a few beyond that, among which are other lanes."""
    random, dtype, count = np.random.default_rng(2), dtype_of(element), 30001
    quotients = 1 << random.integers(0, 52, count)
    y = random.integers(1, (1 << 52) // quotients + 1)
    x = np.minimum(quotients * y + random.integers(-1, 2, count), 1 << 52)
    x = np.where(random.random(count) < long, (1 << 53) + random.integers(-2, 3, count), x)
    signs = random.choice([-1, 1] if element == "i64" else [1], (2, count))
    y[::97] = 0
    x, y = (np.abs(n) * sign for n, sign in zip((x, y), signs, strict=True))
    assert_staged(program(count, element), x.astype(dtype), y.astype(dtype))


@pytest.mark.parametrize("element", ["i8", *ELEMENTS])
@pytest.mark.parametrize("divisor", [0, 1, 2, 7, 10, 100, -1, -7])
def test_constant_divisors(element: str, divisor: int) -> None:
    if divisor < 0 and element[0] == "u":
        divisor += 1 << np.iinfo(dtype_of(element)).bits
    x = edges(element)
    assert_staged(program(x.size, element, str(divisor)), x)


@pytest.mark.parametrize("element", ["i64", "ui64"])
@pytest.mark.parametrize("count", [5, 16, 33, 50])
def test_tiny_vectors(element: str, count: int) -> None:
    """Vectors of many registers, of short numbers, of long ones, and of both."""
    numbers = edges(element)
    short = numbers[np.abs(numbers.astype(np.float64)) <= 1 << 51]
    for of in (short, numbers, np.concatenate([short, numbers[-1:]])):
        some = np.resize(of, count)
        for divisor in (2, 7, 400, (1 << 51) + 1):
            assert_staged(program(count, element, str(divisor)), some)
        assert_staged(program(count, element), some, some[::-1].copy())


@pytest.mark.parametrize("name", NARROWER)
def test_narrower_registers(name: str) -> None:
    assert_passes(__file__, name)
