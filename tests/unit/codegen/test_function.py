"""Functions written with ``codegen.function``, run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.function import BF16, F32, I32, I64, POINTER, Function, Value, module_text
from shlo_tools.cpu.process_library import parts


def run(write: Callable[[Function, list[Value]], None], *arrays: np.ndarray) -> None:
    """Run a function that gets the addresses of arrays."""
    f = Function("test", [POINTER] * len(arrays))
    write(f, f.arguments)
    with mlir.library_context():
        _, addresses = parts.compiled([f])
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(addresses["test"])
    function(*(array.ctypes.data for array in arrays))


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 10, 3), (5, 5, 1), (7, 2, 1), (-3, 4, 2), (4, 6, 2), (4, 5, 2)]
)
@pytest.mark.parametrize("known", [True, False])
def test_loops_count_as_range_does(start: int, stop: int, step: int, known: bool) -> None:
    observed = np.array([start, stop])

    def write(f: Function, arguments: Sequence[Value]) -> None:
        (out,) = arguments
        bounds = (start, stop) if known else (f.load(out, I64), f.load(out.at(8), I64))
        count, total = f.loop(
            *bounds,
            step,
            lambda i, count, total: [count + 1, total + i],
            [f.constant(0), f.constant(0)],
        )
        f.store(count, out)
        f.store(total, out.at(8))

    run(write, observed)
    numbers = range(start, stop, step)
    assert observed.tolist() == [len(numbers), sum(numbers)]


@pytest.mark.parametrize("lanes", [4, 8, 16, 64])
@pytest.mark.parametrize("broadcasts", [False, True])
def test_numbers_are_read_from_a_table(
    lanes: int, broadcasts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floats, integers and lists; not 0, nor how far numbers are shifted."""
    host = replace(target.host(), broadcasts=broadcasts)
    monkeypatch.setattr(target, "host", lambda: host)
    x, n = np.linspace(-3, 3, lanes).astype(np.float32), np.arange(lanes) - 2
    listed = [0.25 * (k % 3) - 0.5 for k in range(lanes)]
    floats, integers = np.zeros_like(x), np.zeros_like(n)
    texts = []

    def write(f: Function, arguments: Sequence[Value]) -> None:
        a, b = arguments[0], arguments[1]
        with f.reading_numbers():
            total = f.load(a, F32.vector(lanes)) * 3.25 + f.constant(listed, F32.vector(lanes))
            whole = ((f.load(b, I64.vector(lanes)) + (1 << 40)) & -4) << 2
            f.store((total + 3.25) * f.zero(total.type) + total, arguments[2])
        f.store(whole, arguments[3])
        texts.append(f.text())

    run(write, x, n, floats, integers)
    np.testing.assert_array_equal(floats, x * np.float32(3.25) + np.array(listed, np.float32))
    np.testing.assert_array_equal(integers, ((n + (1 << 40)) & -4) << 2)
    assert texts[0].count(" invariant ") == 4  # 3.25 once
    assert texts[0].count("llvm.load volatile") == 1


def test_memory_that_does_not_exist_may_be_asked_for() -> None:
    observed = np.arange(2, dtype=np.int64)

    def write(f: Function, arguments: Sequence[Value]) -> None:
        (out,) = arguments
        f.prefetch(out.at(f.constant(1 << 46)))
        f.store(f.load(out.at(8), I64) + 1, out)

    run(write, observed)
    assert observed.tolist() == [2, 1]


def test_what_is_put_before_a_loop_runs_once() -> None:
    counts = np.zeros(2, np.int64)

    def write(f: Function, arguments: Sequence[Value]) -> None:
        (out,) = arguments

        def add(place: int) -> None:
            address = out.at(8 * place)
            f.store(f.load(address, I64) + 1, address)

        def inner(_: Value) -> None:
            with f.before_loop(1):
                add(0)
            add(1)

        f.loop(0, 3, 1, lambda _: f.loop(0, 5, 1, inner) and None)

    run(write, counts)
    assert counts.tolist() == [3, 15]


def test_what_has_run_is_not_written_again() -> None:
    """Nor is what runs in another branch, a later round or behind what is put before a loop."""
    observed = np.array([5, 7, 0, 0, 0, 0], np.int64)
    written: list[list[str]] = []

    def write(f: Function, arguments: Sequence[Value]) -> None:
        (out,) = arguments
        a, b = f.load(out, I64), f.load(out.at(8), I64)
        places = iter(range(2, 6))

        def store(value: Value) -> None:
            f.store(value, out.at(8 * next(places)))

        def branch() -> Value:
            return a * b

        f.if_(a > b, lambda: f.store(branch(), out), lambda: store(branch()))  # 35
        store(branch())

        def one(_: Value) -> None:
            difference = a - b
            with f.before_loop(0):
                store((a - b) * 2)  # -4
            store(difference)

        f.loop(0, 1, 1, one)
        written.append([line for line in f.lines if isinstance(line, str)])

    run(write, observed)
    assert observed.tolist() == [5, 7, 35, 35, -4, -2]
    products = [line for line in written[0] if "llvm.mul" in line]
    assert len(products) == 3  # in two branches, and behind them

    def twice(f: Function, arguments: Sequence[Value]) -> None:
        (out,) = arguments
        a = f.load(out, I64)
        whole = a * 3

        def again(k: Value) -> None:
            f.store((a * 3) + k, out.at(k, I64))
            f.if_(k > 1, lambda: f.store(a * 3 + a, out.at(8)))

        f.loop(0, a, 1, again)
        f.store(whole, out.at(16))
        written.append([line for line in f.lines if isinstance(line, str)])

    observed[0] = 5
    run(twice, observed)
    assert observed.tolist() == [15, 20, 15, 18, 19, -2]
    assert sum("llvm.mul" in line for line in written[1]) == 1


def test_branches_join_their_values() -> None:
    values = np.array([3, -3, 0, 0], np.int64)

    def write(f: Function, arguments: Sequence[Value]) -> None:
        (x,) = arguments
        for k in range(2):
            value = f.load(x.at(8 * k), I64)
            (magnitude,) = f.if_(value < 0, lambda v=value: -v, lambda v=value: v)
            f.store(magnitude, x.at(8 * (k + 2)))

    run(write, values)
    assert values[2:].tolist() == [3, 3]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 15, 16, 20])
def test_masked_lanes_are_left_alone(count: int) -> None:
    source, target = np.arange(16, dtype=np.float32), np.full(16, -1, np.float32)

    def write(f: Function, arguments: Sequence[Value]) -> None:
        x, y = arguments
        mask = f.mask_below(f.constant(count), 16)
        f.store_masked(f.load_masked(x, mask, F32.vector(16)), y, mask)

    run(write, source, target)
    expected = np.where(np.arange(16) < count, source, -1)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("value", [0.1, -0.0, np.inf, -np.inf, 1e-45, 3.4e38])
def test_constants_keep_their_bits(value: float) -> None:
    out = np.zeros(1, np.float32)
    run(lambda f, a: f.store(f.constant(value, F32), a[0]), out)
    assert out.tobytes() == np.float32(value).tobytes()


def test_waiting_loops_tell_every_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, instruction in (("baseline", "pause"), ("avx512", "pause"), ("neon", "yield")):
        monkeypatch.setattr(target, "host", partial(target._TARGETS.get, name))
        f = Function("test", [])
        f.pause()
        assert f'"{instruction}"' in module_text([f])


def test_constants_of_bf16_are_rounded() -> None:
    out = np.zeros(1, np.uint16)
    run(lambda f, a: f.store(f.constant(1.00390625 * 1.5, BF16), a[0]), out)
    assert out[0] == 0x3FC1  # up, where cutting off would give 0x3FC0


def test_each_constant_stands_once() -> None:
    f = Function("test", [POINTER])
    for _ in range(3):
        f.store(f.constant(5, I32), f.arguments[0])
    assert f.text().count("llvm.mlir.constant") == 1


def test_callees_of_other_modules_are_declared() -> None:
    f = Function("test", [POINTER])
    f.run("elsewhere", [f.arguments[0], f.constant(1)])
    assert "llvm.func @elsewhere(!llvm.ptr, i64)\n" in module_text([f])


def test_vectors_on_the_stack_cross_no_lines() -> None:
    """What keeps vectors over calls of functions of vectors aligns its stack; others need not."""
    f, other = Function("f", [POINTER]), Function("g", [POINTER])
    vector = F32.vector(32)
    f.call("far", [f.load(f.arguments[0], vector)], vector)
    other.call("near", [other.arguments[0]], I64)
    assert "alignstack" in f.text()
    assert "alignstack" not in other.text()
