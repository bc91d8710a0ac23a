"""Requests for machine code: served without Python's lock, whatever else goes on."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.codegen import shared_kernels
from shlo_tools.codegen.function import F32, POINTER, Function, exporting_text
from shlo_tools.cpu import posix_threads
from shlo_tools.cpu.machine_code.compilation import Compilation
from shlo_tools.cpu.stages import kernels
from shlo_tools.errors import ShloError
from shlo_tools.passes.stages import lower_stages


def text_of(function: Function) -> str:
    return exporting_text([function])


def squares(name: str, times: int = 1) -> Function:
    """``x -> x * x``, repeated."""
    f = Function(name, [F32], F32)
    value = f.arguments[0]
    for _ in range(times):
        value = value * value
    f.result = value
    return f


def caller(name: str, callee: str) -> Function:
    """Replaces a float by what another function makes of it."""
    f = Function(name, [POINTER])
    (place,) = f.arguments
    f.store(f.call(callee, [f.load(place, F32)], F32), place)
    return f


def called(address: int, value: float) -> float:
    word = ctypes.c_float(value)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(ctypes.addressof(word))
    return word.value


def test_a_request_waits_for_what_another_one_makes() -> None:
    with mlir.library_context():
        first = Compilation(text_of(squares("long", 3000)), ["long"], [], {})
        second = Compilation(text_of(caller("outer", "long")), ["outer"], [], {"long": first})
    assert called(second.addresses["outer"], 1.0) == 1.0
    assert first.addresses["long"]


def test_a_request_takes_functions_that_there_are() -> None:
    with mlir.library_context():
        first = Compilation(text_of(squares("short")), ["short"], [], {})
        assert first.addresses["short"]
        second = Compilation(text_of(caller("outer", "short")), ["outer"], [], {"short": first})
    assert called(second.addresses["outer"], 3.0) == 9.0


def test_what_is_no_module_is_told_each_time() -> None:
    with mlir.library_context():
        broken = Compilation("llvm.func @f( {", ["f"], [], {})
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no such module"):
            _ = broken.addresses


def test_who_calls_what_cannot_be_made_cannot_be_made() -> None:
    with mlir.library_context():
        broken = Compilation("llvm.func @f( {", ["f"], [], {})
        outer = Compilation(text_of(caller("outer", "f")), ["outer"], [], {"f": broken})
    for code in (outer, broken):
        with pytest.raises(RuntimeError, match="no such module"):
            _ = code.addresses


def test_where_there_are_no_threads_it_is_served_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix_threads, "begin", lambda *_: None)
    with mlir.library_context():
        code = Compilation(text_of(caller("alone", "alone.squares")), ["alone"], [], {
            "alone.squares": Compilation(
                text_of(squares("alone.squares")), ["alone.squares"], [], {}
            )
        })  # fmt: skip
        assert not code.is_running
    assert called(code.addresses["alone"], 2.0) == 4.0


def test_a_thread_that_computes_delays_no_code() -> None:
    """Code is ready though Python is never handed over."""
    with mlir.library_context():
        code = Compilation(text_of(squares("beside", 300)), ["beside"], [], {})
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        end = time.monotonic() + 60
        while code.is_running and time.monotonic() < end:
            pass
        assert not code.is_running
    finally:
        sys.setswitchinterval(interval)
    assert code.addresses["beside"]


ENDING = """
import os, sys
from shlo_tools import mlir
from shlo_tools.cpu.machine_code.compilation import Compilation
lines = "\\n".join(f"%{i + 1} = llvm.fmul %{i}, %{i} : f32" for i in range(4000))
text = f'''llvm.func @f(%0: f32) -> f32 {{
{lines}
llvm.return %4000 : f32
}}'''
with mlir.library_context():
    codes = [Compilation(text, [], [], {}) for _ in range(4)]
if sys.argv[1] == "fork":
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize("how", ["end", "fork"])
def test_a_process_may_end_or_fork_while_code_is_made(how: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDING, how], capture_output=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr.decode()


def test_each_kernel_is_in_one_module_and_no_processor_has_two() -> None:
    chance = np.random.default_rng(0)
    for _ in range(200):
        functions = [Function(f"f{k}") for k in range(chance.integers(0, 9))]
        for function in functions:
            function.lines = [""] * int(chance.integers(1, 500))
        running = [float(s) for s in chance.uniform(0, 0.02, chance.integers(0, 3))]
        cores = int(chance.integers(1, 4))
        modules = kernels._divided(functions, running, cores)
        assert sorted(f.name for m in modules for f in m) == sorted(f.name for f in functions)
        assert len(modules) <= cores and all(modules)


def test_equal_results_from_modules_begun_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is begun while stages are lowered computes what the last modules do."""
    text = """func.func @main(%x: tensor<70x50xf32>) -> (tensor<70x50xf32>, tensor<70xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.tanh %x : tensor<70x50xf32>
      %1 = stablehlo.reverse %0, dims = [0, 1] : tensor<70x50xf32>
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [1]
        : (tensor<70x50xf32>, tensor<f32>) -> tensor<70xf32>
      return %1, %2 : tensor<70x50xf32>, tensor<70xf32>
    }"""
    monkeypatch.setattr(kernels, "_LONG", 1)
    monkeypatch.setenv("SHLO_COMPILE_THREADS", "3")
    shared_kernels.take()
    x = np.linspace(-2, 2, 3500, dtype=np.float32).reshape(70, 50)
    whole, most = shlo_tools.compile(text)(x)
    np.testing.assert_allclose(whole, np.tanh(x.astype(np.float64))[::-1, ::-1], rtol=3e-7)
    np.testing.assert_allclose(
        most, np.maximum(np.tanh(x.astype(np.float64))[::-1].max(axis=1), 0), rtol=3e-7
    )


@pytest.mark.parametrize(("threads", "op", "modules"), [("1", "sine", 1), ("3", "cosine", 2)])
def test_threads_that_compile(
    threads: str, op: str, modules: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread lowers; a single one generates machine code of all kernels when that is done."""
    begun: list[list[Function]] = []
    begin = kernels._begin

    def noted(functions: Sequence[Function]) -> Compilation:
        begun.append(list(functions))
        return begin(functions)

    monkeypatch.setattr(kernels, "_begin", noted)
    monkeypatch.setattr(kernels, "_known", OrderedDict())  # whatever ran before
    monkeypatch.setattr(kernels, "stored", lambda *_: None)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(kernels, "_LONG", 1)
    monkeypatch.setattr(kernels, "_SOME", 1)
    monkeypatch.setenv("SHLO_COMPILE_THREADS", threads)
    x = np.linspace(0, 1, 5000, dtype=np.float32)
    text = f"""func.func @main(%x: tensor<5000xf32>) -> (tensor<5000xf32>, tensor<50xf32>) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.{op} %x : tensor<5000xf32>
      %1 = stablehlo.reshape %x : (tensor<5000xf32>) -> tensor<100x50xf32>
      %low = stablehlo.constant dense<0.{threads}> : tensor<100x50xf32>
      %2 = stablehlo.maximum %1, %low : tensor<100x50xf32>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0]
        : (tensor<100x50xf32>, tensor<f32>) -> tensor<50xf32>
      return %0, %3 : tensor<5000xf32>, tensor<50xf32>
    }}"""
    whole, most = shlo_tools.compile(text)(x)
    exact = {"sine": np.sin, "cosine": np.cos}[op](x.astype(np.float64))
    np.testing.assert_allclose(whole, exact, rtol=1e-6)
    np.testing.assert_array_equal(most, x[-50:])
    assert len(begun) == modules


@pytest.mark.parametrize("threads", ["0", "two"])
def test_no_number_of_threads(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_COMPILE_THREADS", threads)
    text = """func.func @main(%x: tensor<93xf32>) -> tensor<93xf32> {
      %0 = stablehlo.tanh %x : tensor<93xf32>
      return %0 : tensor<93xf32>
    }"""
    with pytest.raises(ShloError, match=f"SHLO_COMPILE_THREADS={threads} is no number"):
        shlo_tools.compile(text)
