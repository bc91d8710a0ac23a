"""What the reference takes that few programs hold, and how it refuses what no machine can do."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ShloError

BACKENDS = pytest.mark.parametrize("backend", ["native", "reference"])


@BACKENDS
@pytest.mark.parametrize("size", [4, 4096])
def test_sparse_constants(backend: Any, size: int) -> None:
    for element, one, three in (("f32", 1.0, 3.0), ("i8", 1, 3), ("complex<f64>", 1, 3)):
        values = "(1.0, 0.0), (3.0, 0.0)" if element[0] == "c" else f"{one}, {three}"
        type = f"tensor<2x{size}x{element}>"
        text = f"""func.func @main() -> ({type}, {type}) {{
          %0 = stablehlo.constant sparse<[[0, 1], [1, 2]], [{values}]> : {type}
          %1 = stablehlo.constant sparse<[[1, 0]], {values.partition(", ")[0]}> : {type}
          return %0, %1 : {type}, {type} }}"""
        if element[0] == "c":
            text = text.replace("sparse<[[1, 0]], (1.0>", "sparse<[[1, 0]], (1.0, 0.0)>")
        expected = np.zeros((2, 2, size))
        expected[0, 0, 1], expected[0, 1, 2], expected[1, 1, 0] = 1, 3, 1
        np.testing.assert_array_equal(shlo_tools.compile(text, backend=backend)(), expected)


@BACKENDS
@pytest.mark.parametrize("name", ["@", "@@", "a b", "@main", ""])
def test_functions_of_any_name(backend: Any, name: str) -> None:
    text = f"""
      func.func @main(%x: tensor<f32>) -> tensor<f32> {{
        %0 = call @"{name}"(%x) : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32> }}
      func.func @"{name}"(%x: tensor<f32>) -> tensor<f32> {{
        %0 = stablehlo.add %x, %x : tensor<f32>
        return %0 : tensor<f32> }}"""
    assert shlo_tools.compile(text, backend=backend)(3.0) == 6
    assert shlo_tools.compile(text, backend=backend, function=name)(3.0) == 6


@BACKENDS
def test_memory_without_values(backend: Any) -> None:
    """``tensor.empty`` beside StableHLO ops: what is in it does not matter here."""
    text = """
      func.func @main(%x: tensor<?xf32>, %m: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
        %e = tensor.extract %m[] : tensor<i64>
        %n = arith.index_cast %e : i64 to index
        %0 = tensor.empty() : tensor<4xf32>
        %1 = tensor.empty(%n) : tensor<?xf32>
        %2 = stablehlo.slice %0 [0:0] : (tensor<4xf32>) -> tensor<0xf32>
        %3 = stablehlo.concatenate %2, %x, dim = 0
          : (tensor<0xf32>, tensor<?xf32>) -> tensor<?xf32>
        return %3, %1 : tensor<?xf32>, tensor<?xf32> }"""
    first, second = shlo_tools.compile(text, backend=backend)([1.0, 2.0], 3)
    assert first.tolist() == [1, 2] and second.shape == (3,)


HUGE = "tensor<4611686018427387904x8xf32>"
TOO_LARGE = {
    "splat": f"%0 = stablehlo.constant dense<1.0> : {HUGE}",
    "broadcast": f"%0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> {HUGE}",
    "iota": f"%0 = stablehlo.iota dim = 0 : {HUGE}",
}
HUGE_SIZES = {
    "iota": "stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>",
    "broadcast": """stablehlo.dynamic_broadcast_in_dim %x, %s, dims = []
      : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>""",
    "random": """stablehlo.rng %x, %x, %s, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>""",
}


@pytest.mark.parametrize("op", TOO_LARGE)
def test_sizes_that_no_machine_has(op: str) -> None:
    text = f"func.func @main(%x: tensor<f32>) -> {HUGE} {{ {TOO_LARGE[op]} return %0 : {HUGE} }}"
    with pytest.raises(
        ShloError, match=r"4611686018427387904x8 elements fits no machine"
    ) as caught:
        reference.interpret(text, 1.0)
    assert caught.value.diagnostics[0].place is not None
    assert "stablehlo." in str(caught.value)


@pytest.mark.parametrize("op", HUGE_SIZES)
@pytest.mark.parametrize("sizes", [(2**62, 8), (2**63 - 1, 1), (2**40, 2**20)], ids=str)
def test_sizes_at_run_time_that_no_machine_has(op: str, sizes: Any) -> None:
    text = f"""func.func @main(%x: tensor<f32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {{
      %0 = {HUGE_SIZES[op]}
      return %0 : tensor<?x?xf32> }}"""
    with pytest.raises(ShloError, match="memory"):
        reference.interpret(text, 1.0, np.array(sizes))


LIMITED = """
import resource, sys
import numpy as np
import shlo_tools
backend, text = sys.argv[1:]
executable = shlo_tools.compile(text, backend=backend)
x = np.ones((1 << 24), np.float32)[::2]
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 24), used + (1 << 24)))
try:
    executable(x)
except shlo_tools.ShloError as error:
    print("refused:", error)
"""
COPIES = {
    "an argument": "return %x : tensor<8388608xf32>",
    "a result": "%0 = stablehlo.negate %x : tensor<8388608xf32> return %0 : tensor<8388608xf32>",
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@BACKENDS
@pytest.mark.parametrize("what", COPIES)
def test_memory_limits(backend: Any, what: str) -> None:
    type = "tensor<8388608xf32>"
    text = f"func.func @main(%x: {type}) -> {type} {{ {COPIES[what]} }}"
    command = [sys.executable, "-c", textwrap.dedent(LIMITED), backend, text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("refused:"), done.stdout + done.stderr
    assert "memory" in done.stdout or "bytes are needed" in done.stdout


GROWING = """
import sys
from shlo_tools import compile, ShloError, workers
workers.limit_memory(int(sys.argv[1]) << 30)
text = '''func.func @main(%n: tensor<i32>) -> tensor<?xui8> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<7> : tensor<1024xui8>
  %x = stablehlo.convert %c : (tensor<1024xui8>) -> tensor<?xui8>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<?xui8>
  cond {
    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.concatenate %v, %v, dim = 0 : (tensor<?xui8>, tensor<?xui8>) -> tensor<?xui8>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<?xui8>
  }
  return %r#1 : tensor<?xui8>
}'''
executable = compile(text, backend=sys.argv[2])
print(executable(10).size)
try:
    executable(30)
except ShloError as error:
    print("refused:", error)
print(executable(10).size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits addresses")
@BACKENDS
def test_loops_that_outgrow_the_memory_of_a_process(backend: Any) -> None:
    """What fits still runs, before and after."""
    command = [sys.executable, "-c", GROWING, "4", backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    before, refused, after = done.stdout.splitlines()
    assert before == after == str(1 << 20)
    assert refused.startswith("refused:") and ("memory" in refused or "bytes" in refused)


@pytest.mark.parametrize("path", ["a\0b", "a\0b.mlir", "\ud800"])
def test_names_that_no_file_has(path: str) -> None:
    module = shlo_tools.load("module {}")
    tries: list[Any] = [
        lambda: shlo_tools.load(path),
        lambda: shlo_tools.compile(path),
        lambda: reference.compile(path),
        lambda: shlo_tools.save(module, path),
    ]
    for attempt in tries:
        with pytest.raises(ShloError, match=r"cannot (read|write)"):
            attempt()
