"""Machine code that threads generate: there when it is asked for, whatever happens meanwhile."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading

import pytest

from shlo_tools import mlir
from shlo_tools.codegen.function import POINTER, Function
from shlo_tools.cpu.machine_code import compilation
from shlo_tools.cpu.process_library import parts

PROGRAM = """
import atexit, os
import numpy as np
import shlo_tools
from shlo_tools import mlir
from shlo_tools.cpu.machine_code import compilation
from shlo_tools.cpu.process_library import parts

TEXT = '''func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.exponential %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}'''

def check():
    x = np.eye(8, dtype=np.float32)
    np.testing.assert_allclose(shlo_tools.compile(TEXT)(x), np.exp(x), rtol=1e-6)
"""


def constant_function(name: str, number: int) -> Function:
    f = Function(name, [POINTER])
    f.store(f.constant(number), f.arguments[0])
    return f


def run(code: str) -> None:
    program = [sys.executable, "-W", "ignore", "-c", PROGRAM + code]
    environment = {**os.environ, "SHLO_CACHE_DIR": ""}  # code that disk has takes no threads
    ended = subprocess.run(
        program, env=environment, check=True, timeout=120, capture_output=True, text=True
    )
    assert ended.stdout == "done\n", ended.stderr


@pytest.mark.parametrize("has_threads", [False, True])
def test_code_with_and_without_a_thread(has_threads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a process may have no more threads, whoever asks generates the code."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    if not has_threads:
        monkeypatch.setattr(threading.Thread, "start", refuse)
    with mlir.library_context():
        owner, addresses = parts.compiled([constant_function("seven", 7)])
    word = ctypes.c_int64()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses["seven"])(ctypes.addressof(word))
    assert word.value == 7
    assert owner not in compilation._unfinished


def test_fork_while_code_is_generated() -> None:
    """The child finds the code finished, and can generate more."""
    run("""
with mlir.library_context():
    pass
parts.start(["shlo_rt_gemm_rows_f32", "shlo_rt_contraction_run_rows_f32_f32"])
assert compilation._unfinished
child = os.fork()
assert not any(code.is_running for code in compilation._unfinished)
check()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print("done")
""")


def test_code_at_the_end_of_the_process() -> None:
    """No thread can be started any more."""
    run("atexit.register(lambda: (check(), print('done', flush=True)))")


@pytest.mark.parametrize("name", ["pooling", "cumulative sum"])
def test_kernels_are_written_without_the_reference(name: str) -> None:
    """Loading it, or what packages offer, takes longer than compiling such a program."""
    size, padding = {"pooling": (2, "0, 0"), "cumulative sum": (8, "7, 0")}[name]
    count = 8 + 7 * (size == 8) - size + 1
    code = f'''
import sys, numpy, shlo_tools
shlo_tools.compile("""func.func @main(%x: tensor<8xf32>) -> tensor<{count}xf32> {{
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %start) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) {{window_dimensions = array<i64: {size}>, padding = dense<[[{padding}]]> : tensor<1x2xi64>}}
    : (tensor<8xf32>, tensor<f32>) -> tensor<{count}xf32>
  return %0 : tensor<{count}xf32>
}}""")(numpy.ones(8, numpy.float32))
slow = {{"shlo_tools.reference", "numpy.ma", "importlib.metadata", "multiprocessing"}}
assert not slow & sys.modules.keys(), slow & sys.modules.keys()
'''
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
