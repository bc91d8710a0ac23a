"""Programs run by the reference: every op has a meaning; calls, limits, arguments, observers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_arrays import Array, array, run, same

from shlo_tools import errors, mlir, reference


# --- completeness ---------------------------------------------------------------------------------
def test_every_registered_op_has_a_meaning() -> None:
    """``stablehlo.return`` ends regions and computes nothing."""
    missing = set(mlir.registered_op_names()) - set(reference.EVALUATORS)
    assert missing == {"stablehlo.return"}


# --- programs -------------------------------------------------------------------------------------
def test_long_programs_and_chains_of_calls() -> None:
    steps = "\n".join(f"%{i + 1} = stablehlo.add %{i}, %{i} : tensor<i32>" for i in range(3000))
    signature = "(%0: tensor<i32>) -> tensor<i32>"
    assert (
        run(f"{steps}\nreturn %3000 : tensor<i32>", 1, signature=signature) == 0
    )  # 2^3000 wraps to 0
    calls = "\n".join(
        f"func.func private @f{i}(%x: tensor<i32>) -> tensor<i32> {{ "
        f"%0 = call @f{i + 1}(%x) : (tensor<i32>) -> tensor<i32> return %0 : tensor<i32> }}"
        for i in range(3000)
    )
    last = "func.func private @f3000(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }"
    assert reference.interpret(f"{calls}\n{last}", 7, function="f0") == 7


def test_recursion_is_refused() -> None:
    text = """
      func.func @main(%x: tensor<f32>) -> tensor<f32> {
        %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32> }
      func.func private @g(%x: tensor<f32>) -> tensor<f32> {
        %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32> }"""
    with pytest.raises(errors.UnsupportedError, match="calls itself"):
        reference.compile(text)


ENDLESS = """
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%i = %x) : tensor<i32> cond { stablehlo.return %t : tensor<i1> }
    do { %n = stablehlo.add %i, %i : tensor<i32> stablehlo.return %n : tensor<i32> }
  return %r : tensor<i32>"""


def test_timeout() -> None:
    with pytest.raises(errors.ExecutionTimeout):
        run(ENDLESS, 1, signature="(%x: tensor<i32>) -> tensor<i32>", timeout=0.05)


def test_unknown_ops_are_errors_with_their_place() -> None:
    body = "%0 = math.fma %x, %x, %x : tensor<2xf32>\nreturn %0 : tensor<2xf32>"
    program = f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{body}\n}}"
    with pytest.raises(errors.UnsupportedError, match=r"math\.fma .*tensor<2xf32>") as caught:
        reference.interpret(program, np.ones(2, np.float32))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.line == 2


def test_arguments_are_not_changed_and_results_are_new() -> None:
    x = np.arange(4, dtype=np.float32)
    signature = "(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)"
    first, second = run("return %x, %x : tensor<4xf32>, tensor<4xf32>", x, signature=signature)
    first[0] = 9
    assert x[0] == 0
    assert second[0] == 0


def test_arguments_that_do_not_fit() -> None:
    program = reference.compile("func.func @main(%x: tensor<2xf32>) { return }")
    with pytest.raises(errors.ArgumentError, match="cast=True"):
        program(np.zeros(2))
    with pytest.raises(errors.ArgumentError, match="shape"):
        program(np.zeros(3, np.float32))
    with pytest.raises(errors.ArgumentError, match="takes 1"):
        program()
    assert program(np.zeros(2), cast=True) == ()


def test_observer_sees_every_step() -> None:
    calls = []

    def observe(step: Any, operands: Any, results: Any) -> None:
        calls.append((step.name, results))

    body = "%0 = stablehlo.sqrt %x : tensor<f32>\nreturn %0 : tensor<f32>"
    run(body, 4.0, signature="(%x: tensor<f32>) -> tensor<f32>", observe=observe)
    assert calls == [("stablehlo.sqrt", [np.float32(2)])]


def test_custom_call_is_found_when_it_runs() -> None:
    text = """
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.custom_call @unheard_of(%x) {backend_config = {factor = 3 : i64},
          api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
        return %0 : tensor<2xf32> }"""
    program = reference.compile(text)
    with pytest.raises(errors.UnsupportedError, match="unheard_of"):
        program(np.ones(2, np.float32))

    def scaled(x: Array, *, attributes: dict[str, Any]) -> Array:
        return x * np.float32(attributes["factor"])

    results = reference.compile(text, custom_calls={"unheard_of": scaled})
    same(results(np.ones(2, np.float32)), array("f32", 3, 3))
