"""Functions: what they take, call and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import expect, run

import shlo_tools
from shlo_tools.errors import UnsupportedError

Array = np.ndarray[Any, Any]


ROW = np.arange(5, dtype=np.float32)


def test_no_arguments_no_results() -> None:
    assert run("func.func @main() { return }") == []
    assert run("func.func @main(%a: tensor<5xf32>) { return }", ROW) == []
    [result] = run(
        "func.func @main() -> tensor<i32> {"
        " %0 = stablehlo.constant dense<7> : tensor<i32> return %0 : tensor<i32> }"
    )
    assert result == 7


def test_arguments_and_values_returned_as_they_are() -> None:
    """Each result is an array of its own: writing one changes nothing else."""
    text = """
      func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>)
          -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
        %0 = stablehlo.add %a, %b : tensor<5xf32>
        return %b, %0, %a, %0, %a
          : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
      }"""
    executable = shlo_tools.compile(text)
    a, b = ROW.copy(), 10 * ROW
    results = executable(a, b)
    for number, result in enumerate(results):
        result += 1000 * (number + 1)
    expected = [10 * ROW, 11 * ROW, ROW, 11 * ROW, ROW]
    for number, (result, right) in enumerate(zip(results, expected, strict=True)):
        np.testing.assert_array_equal(result, right + 1000 * (number + 1))
    np.testing.assert_array_equal(a, ROW)
    np.testing.assert_array_equal(executable(a, b)[0], b)


def test_constants_returned_are_new_every_time() -> None:
    """Writing a returned constant does not change the next call's, small or large."""
    for size in (3, 3000):
        text = f"""
          func.func @main() -> (tensor<{size}xi32>, tensor<{size}xi32>) {{
            %0 = stablehlo.constant dense<"0x{np.arange(size, dtype=np.int32).tobytes().hex()}">
              : tensor<{size}xi32>
            return %0, %0 : tensor<{size}xi32>, tensor<{size}xi32>
          }}"""
        executable = shlo_tools.compile(text)
        for _ in range(2):
            one, two = executable()
            np.testing.assert_array_equal(one, np.arange(size))
            one[:] = -1
            np.testing.assert_array_equal(two, np.arange(size))
            two[:] = -2


def test_calls() -> None:
    """Several results, the same function twice, arguments passed on, nothing returned."""
    text = """
      func.func private @swap(%a: tensor<5xf32>, %b: tensor<5xf32>)
          -> (tensor<5xf32>, tensor<5xf32>) {
        return %b, %a : tensor<5xf32>, tensor<5xf32>
      }
      func.func private @step(%a: tensor<5xf32>) -> tensor<5xf32> {
        %0 = stablehlo.add %a, %a : tensor<5xf32>
        return %0 : tensor<5xf32>
      }
      func.func private @nothing(%a: tensor<5xf32>) { return }
      func.func private @twice(%a: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
        func.call @nothing(%a) : (tensor<5xf32>) -> ()
        %0 = func.call @step(%a) : (tensor<5xf32>) -> tensor<5xf32>
        %1 = func.call @step(%0) : (tensor<5xf32>) -> tensor<5xf32>
        return %0, %1 : tensor<5xf32>, tensor<5xf32>
      }
      func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>)
          -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
        %0:2 = func.call @swap(%a, %b)
          : (tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
        %1:2 = func.call @twice(%0#0) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
        return %0#0, %0#1, %1#0, %1#1
          : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
      }"""
    b = ROW + 7
    expect(text, [ROW, b], [b, ROW, 2 * b, 4 * b])


def test_recursion_is_refused() -> None:
    text = """
      func.func private @even(%a: tensor<f32>) -> tensor<f32> {
        %0 = func.call @odd(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32>
      }
      func.func private @odd(%a: tensor<f32>) -> tensor<f32> {
        %0 = func.call @even(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32>
      }
      func.func @main(%a: tensor<f32>) -> tensor<f32> {
        %0 = func.call @even(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32>
      }"""
    with pytest.raises(UnsupportedError, match="recursion"):
        shlo_tools.compile(text)


def test_hundreds_of_small_functions() -> None:
    """Exporters emit thousands of private functions; calls vanish before lowering."""
    count = 300
    functions = [
        f"func.func private @f{i}(%a: tensor<4xi32>) -> tensor<4xi32> {{\n"
        f"  %c = stablehlo.constant dense<{i}> : tensor<4xi32>\n"
        "  %0 = stablehlo.add %a, %c : tensor<4xi32>\n"
        "  return %0 : tensor<4xi32>\n}"
        for i in range(count)
    ]
    calls = [
        f"  %x{i + 1} = func.call @f{i}(%x{i}) : (tensor<4xi32>) -> tensor<4xi32>"
        for i in range(count)
    ]
    main = ["func.func @main(%x0: tensor<4xi32>) -> tensor<4xi32> {", *calls]
    main.append(f"  return %x{count} : tensor<4xi32>\n}}")
    executable = shlo_tools.compile("\n".join([*functions, *main]))
    np.testing.assert_array_equal(executable([1, 2, 3, 4]), np.arange(1, 5) + sum(range(count)))
