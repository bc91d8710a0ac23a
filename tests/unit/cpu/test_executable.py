"""Compiled programs: their results, what they are compiled from, and what is left of them."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import resident_bytes

import shlo_tools
from shlo_tools import mlir, ops, program
from shlo_tools.errors import ExecutionError, ParseError, ShloError, VerifyError

Array = np.ndarray[Any, Any]

ADD = """
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.add %a, %b : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}"""
A = np.arange(12, dtype=np.float32).reshape(3, 4)
B = A * 100


@pytest.fixture(scope="module")
def add() -> shlo_tools.Executable:
    return shlo_tools.compile(ADD)


def identity(type: str) -> shlo_tools.Executable:
    return shlo_tools.compile(f"func.func @main(%a: {type}) -> {type} {{ return %a : {type} }}")


# --- results --------------------------------------------------------------------------------------
def _apart(arrays: list[Array]) -> bool:
    return not any(np.shares_memory(one, two) for i, one in enumerate(arrays) for two in arrays[:i])


def test_results_are_aligned_and_share_no_memory() -> None:
    """Results of one call, of several calls, and the arguments, whatever is returned."""
    executable = shlo_tools.compile("""
      func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>)
          -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3xi8>, tensor<5x1xf32>) {
        %0 = stablehlo.add %a, %b : tensor<5xf32>
        %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
        %r = stablehlo.reshape %a : (tensor<5xf32>) -> tensor<5x1xf32>
        return %a, %0, %b, %c, %r
          : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3xi8>, tensor<5x1xf32>
      }""")
    a = np.arange(5, dtype=np.float32)
    array: list[Array] = [a]
    for _ in range(3):
        results = list(executable(a, a))
        for result in results:
            assert result.ctypes.data % 64 == 0
            assert result.flags.writeable and result.flags.c_contiguous
        array += results
    assert _apart(array)


def test_results_outlive_everything() -> None:
    executable = identity("tensor<1000xi64>")
    result = executable(np.arange(1000))
    del executable
    gc.collect()
    np.testing.assert_array_equal(result, np.arange(1000))


def test_an_executable_outlives_its_module() -> None:
    with mlir.library_context():
        module = program.parse(ADD)
    text = str(module)
    executable = shlo_tools.compile(module)
    assert str(module) == text  # compile works on a copy
    del module
    gc.collect()
    np.testing.assert_array_equal(executable(A, B), A + B)


def test_the_number_of_results_decides_what_is_returned(add: Any) -> None:
    assert isinstance(add(A, B), np.ndarray)
    assert shlo_tools.compile("func.func @main() { return }")() == ()
    two = "func.func @main(%a: tensor<i8>) -> (tensor<i8>, tensor<i8>) "
    pair = shlo_tools.compile(two + "{ return %a, %a : tensor<i8>, tensor<i8> }")(1)
    assert isinstance(pair, tuple) and len(pair) == 2


def test_a_result_larger_than_memory_is_refused() -> None:
    """As an argument's size may be; the message says how much is there."""
    huge = "tensor<1048576x1048576x64xf32>"
    executable = shlo_tools.compile(f"""
      func.func @main(%a: tensor<f32>) -> {huge} {{
        %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> {huge}
        return %0 : {huge}
      }}""")
    for _ in range(2):
        with pytest.raises(ExecutionError, match=r"281,474,976,710,656 bytes are needed"):
            executable(1.0)


def test_temporaries_larger_than_memory_are_refused() -> None:
    big = "tensor<262144x262144xf32>"
    executable = shlo_tools.compile(f"""
      func.func @main(%a: {big.replace("262144x262144", "262144")}) -> tensor<262144xf32> {{
        %b = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<262144xf32>) -> {big}
        %t = stablehlo.transpose %b, dims = [1, 0] : ({big}) -> {big}
        %s = "stablehlo.sort"(%t) <{{dimension = 0 : i64}}> ({{
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }}) : ({big}) -> {big}
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0]
          : ({big}, tensor<f32>) -> tensor<262144xf32>
        return %r : tensor<262144xf32>
      }}""")
    with pytest.raises(ExecutionError, match="bytes are needed"):
        executable(np.zeros(262144, np.float32))


def test_a_large_splat_is_one_element_until_it_runs() -> None:
    """Compiling neither expands it on the host nor fails; running it wants the memory."""
    huge = "tensor<1048576x1048576xf32>"
    executable = shlo_tools.compile(f"""
      func.func @main() -> {huge} {{
        %0 = stablehlo.constant dense<1.5> : {huge}
        return %0 : {huge}
      }}""")
    with pytest.raises(ExecutionError, match="bytes are needed"):
        executable()


# --- what compile accepts -------------------------------------------------------------------------
def test_sources(tmp_path: Path) -> None:
    with mlir.library_context():
        module = program.parse(ADD)
        bytecode = program.to_bytecode(module)
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    built = shlo_tools.Module()

    @built.func("3x4xf32", "3x4xf32")
    def main(a: Any, b: Any) -> Any:
        return ops.add(a, b)

    with mlir.at(mlir.new_context()):
        elsewhere = mlir.parse_module(ADD)
    for source in (ADD, ADD.encode(), bytecode, module, path, str(path), built, elsewhere):
        executable = shlo_tools.compile(source)
        np.testing.assert_array_equal(executable(A, B), A + B)
    assert str(executable.signature).count("tensor<3x4xf32>") == 3
    assert "@main" in repr(executable)
    np.testing.assert_array_equal(shlo_tools.run(ADD, A, B), A + B)


def test_a_lowered_module_can_be_compiled() -> None:
    for stage in ("shlo-to-linalg", "shlo-to-llvm"):
        with mlir.library_context():
            module = program.parse(ADD)
        shlo_tools.Pipeline(f"builtin.module({stage})").run(module)
        np.testing.assert_array_equal(shlo_tools.compile(module)(A, B), A + B)
        np.testing.assert_array_equal(shlo_tools.compile(str(module))(A, B), A + B)


@pytest.mark.parametrize("opt_level", [0, 1, 2, 3])
def test_optimisation_levels(opt_level: int) -> None:
    executable = shlo_tools.compile(ADD, opt_level=opt_level)
    np.testing.assert_array_equal(executable(A, B), A + B)


TWO = """
func.func @train(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
func.func @predict(%a: tensor<i8>) -> tensor<i8> { return %a : tensor<i8> }
func.func private @declared(tensor<i8>) -> tensor<i8>
"""


@pytest.mark.parametrize(
    "option",
    [
        {"opt_level": 4},
        {"opt_level": -1},
        {"opt_level": "2"},
        {"opt_level": 2, "specialize": "2"},
        {"opt_level": 4, "specialize": True},
        {"specialize": 2.5},
        {"function": 3},
        {"function": None},
        {"donate": None},
        {"donate": 1.5},
        {"cache": "\0"},
        {"cache": 3},
    ],
    ids=str,
)
def test_options_that_are_none(option: dict[str, Any]) -> None:
    """What is wrong is said in words, and nothing is rounded or taken for something near it."""
    with pytest.raises(ShloError, match=r"is wanted|has no argument|there is no function @"):
        shlo_tools.compile(ADD, **option)


def test_another_function_than_main() -> None:
    assert shlo_tools.compile(TWO, function="predict")(7) == 7
    with pytest.raises(ShloError, match="no function @main") as caught:
        shlo_tools.compile(TWO)
    assert "train" in caught.value.diagnostics[0].hint
    with pytest.raises(ShloError, match="no function @predcit") as caught:
        shlo_tools.compile(TWO, function="predcit")
    assert "predict" in caught.value.diagnostics[0].hint
    with pytest.raises(ShloError, match="declaration without a body"):
        shlo_tools.compile(TWO, function="declared")
    with pytest.raises(ShloError, match="no function @main"):
        shlo_tools.compile("module {}")


def test_bad_sources() -> None:
    with pytest.raises(ParseError, match="-:1:"):
        shlo_tools.compile("func.func @main( {")
    with pytest.raises(ParseError, match="empty"):
        shlo_tools.compile(b"")
    with pytest.raises((ParseError, VerifyError), match=r"stablehlo\.add"):
        shlo_tools.compile(ADD.replace("stablehlo.add %a, %b :", "stablehlo.add %a :"))
    with pytest.raises(ShloError, match="cannot read"):
        shlo_tools.compile("/nowhere/model.mlir")
    with pytest.raises(ShloError):
        shlo_tools.compile(Path(os.devnull))


def test_garbage_is_collected(add: Any) -> None:
    """Executables with a megabyte of constants each, dropped: memory does not grow with them."""
    array = np.arange(1 << 18, dtype=np.float32)
    text = f"""
      func.func @main() -> tensor<{array.size}xf32> {{
        %0 = stablehlo.constant dense<"0x{array.tobytes().hex()}"> : tensor<{array.size}xf32>
        %1 = stablehlo.add %0, %0 : tensor<{array.size}xf32>
        return %1 : tensor<{array.size}xf32>
      }}"""
    with mlir.library_context():
        source = program.to_bytecode(program.parse(text))
    for _ in range(3):
        shlo_tools.compile(source)()
    before = resident_bytes()
    for _ in range(40):
        assert shlo_tools.compile(source)()[3] == 6.0
    assert resident_bytes() - before < 16 << 20  # 40 executables hold 40 MB and more


def test_sort_without_a_dimension_sorts_the_last() -> None:
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = "stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }"""
    x = np.array([[3, 1, 2], [0, 9, -1]], np.float32)
    for backend in (shlo_tools.run, shlo_tools.interpret):
        np.testing.assert_array_equal(backend(text, x), np.sort(x, axis=-1))
