"""Calls in several threads and processes, and memory that does not grow with them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from running import CHECKED, COUNT, child, resident_bytes

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.dtypes import to_attribute
from shlo_tools.errors import ExecutionError, ExecutionTimeout


@pytest.fixture(scope="module")
def count() -> shlo_tools.Executable:
    return shlo_tools.compile(COUNT)


# --- threads and forks ----------------------------------------------------------------------------
BUSY = """
func.func @main(%n: tensor<i32>, %a: tensor<1000xf32>, %b: tensor<1000xf32>)
    -> (tensor<1000xf32>, tensor<1000xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %n, %x = %a, %y = %b)
      : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %next, %y, %x : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
  }
  return %r#1, %r#2 : tensor<1000xf32>, tensor<1000xf32>
}"""


def test_threads_share_an_executable() -> None:
    """Each call has temporaries of its own: results are those of its own arguments."""
    executable = shlo_tools.compile(BUSY)

    def work(seed: int) -> bool:
        a = np.full(1000, seed, np.float32)
        right = True
        for trips in range(300, 340):
            one, two = executable(trips, a, -a)
            first, second = (a, -a) if trips % 2 == 0 else (-a, a)
            right &= bool((one == first).all() and (two == second).all())
        return right

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(1, 9)))


def test_calls_overlap_in_time(count: Any) -> None:
    """The interpreter's lock is released: a short call returns while a long one runs."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(count, -1, timeout=0.6)
        time.sleep(0.1)
        start = time.monotonic()
        assert count(10) == 10
        assert time.monotonic() - start < 0.4 and not running.done()
        with pytest.raises(ExecutionTimeout):
            running.result()


def test_threads_compile_at_once() -> None:
    def work(number: int) -> int:
        text = COUNT.replace("%d = stablehlo.add %c, %one", "%d = stablehlo.add %c, %big")
        constant = f"%big = stablehlo.constant dense<{number}> : tensor<i64>\n  %one ="
        return int(shlo_tools.compile(text.replace("%one =", constant, 1))(3))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [3 * number for number in range(8)]


def test_a_forked_child_compiles_and_calls() -> None:
    """Also with a time-out: the watching thread is started anew; the parent goes on as well."""
    done = child("""
        import os
        import shlo_tools
        count = shlo_tools.compile(COUNT)
        assert count(1) == 1
        if os.fork() == 0:
            own = shlo_tools.compile(COUNT)
            try:
                own(-1, timeout=0.1)
            except shlo_tools.errors.ExecutionTimeout:
                print("child", int(count(4)), int(own(5)), flush=True)
            os._exit(0)
        os.wait()
        print("parent", int(count(2)))
    """)
    assert (done.stdout, done.returncode) == ("child 4 5\nparent 2\n", 0), done.stderr


def test_a_fork_while_another_thread_compiles() -> None:
    """The library's lock is not held in the child by a thread that does not exist there."""
    done = child("""
        import os, threading, time
        import shlo_tools
        thread = threading.Thread(target=lambda: [shlo_tools.compile(COUNT) for _ in range(40)])
        shlo_tools.compile(COUNT)
        thread.start()
        for _ in range(5):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                os._exit(int(shlo_tools.compile(COUNT)(3)))
            end = time.monotonic() + 10
            while (state := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
                time.sleep(0.01)
            if state == (0, 0):
                os.kill(child, 9)
                print("the child hangs")
                break
            print(os.waitstatus_to_exitcode(state[1]), end=" ")
        thread.join()
    """)
    assert (done.stdout, done.returncode) == ("3 3 3 3 3 ", 0), done.stderr


# --- memory that does not grow --------------------------------------------------------------------
def test_a_million_iterations_in_constant_memory() -> None:
    """Carried values that change places are copied through fixed buffers."""
    text = BUSY.replace("1000x", "64x")
    executable = shlo_tools.compile(text)
    a = np.arange(64, dtype=np.float32)
    executable(10, a, -a)
    before = resident_bytes()
    one, two = executable(1_000_001, a, -a)
    assert resident_bytes() - before < 4 << 20  # 4 bytes per iteration would show
    np.testing.assert_array_equal(one, -a)
    np.testing.assert_array_equal(two, a)


def test_failing_and_stopped_calls_leave_nothing_behind(count: Any) -> None:
    executable = shlo_tools.compile(CHECKED["in a loop in a function"])
    for _ in range(300):
        with pytest.raises(ExecutionError):
            executable(98, 100, 5)
    before = resident_bytes()
    for _ in range(3000):
        with pytest.raises(ExecutionError):
            executable(98, 100, 5)
    assert resident_bytes() - before < 4 << 20


@pytest.mark.slow
def test_programs_with_large_constants_in_bounded_memory() -> None:
    """Compiled and dropped one after the other, 16 MB each: a handful of them is all there is.

    Forty hold 0.6 GB; that nothing smaller stays behind is seen by test_garbage_is_collected.
    """
    values = np.random.default_rng(0).integers(0, 1 << 20, 4 << 20, np.int32)
    text = """
      func.func @main(%i: tensor<i32>) -> tensor<1xi32> {
        %0 = stablehlo.constant dense<0> : tensor<4194304xi32>
        %1 = stablehlo.dynamic_slice %0, %i, sizes = [1]
          : (tensor<4194304xi32>, tensor<i32>) -> tensor<1xi32>
        return %1 : tensor<1xi32>
      }"""
    with mlir.at(mlir.new_context()):
        module = mlir.parse_module(text)
        constant = next(op for op in mlir.walk(module.operation) if "constant" in op.name)
        constant.attributes["value"] = to_attribute(values)
        source = program.to_bytecode(module)
        del constant, module
    mark = source.find(values[1000:1004].tobytes())
    before = 0
    for number in range(40):
        other = source[:mark] + number.to_bytes(4, "little") + source[mark + 4 :]
        assert shlo_tools.compile(other)(1000) == number
        if number == 15:
            before = resident_bytes()
    assert resident_bytes() - before < 6 * values.nbytes
