"""``shlo_tools.reduce``: what is left is small, valid, and still shows what it is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.errors import ShloError
from shlo_tools.tools.reduce.chunks import fewest

PROGRAMS = Path(__file__).resolve().parents[3] / "programs"
T = "tensor<4x6xf32>"


def holds(*words: str) -> Callable[[Any], bool]:
    return lambda module: all(word in str(module) for word in words)


def names(module: Any) -> list[str]:
    with mlir.library_context():
        return [op.name for op in mlir.walk(module.operation)]


def feeds(module: Any) -> bool:
    """Whether a tanh depends on a dot_general."""
    with mlir.library_context():
        return any(
            _depends(op.operands[0], "stablehlo.dot_general")
            for op in mlir.walk(module.operation)
            if op.name == "stablehlo.tanh"
        )


def _depends(value: Any, name: str) -> bool:
    op = mlir.defining_op(value)
    return op is not None and (op.name == name or any(_depends(v, name) for v in op.operands))


@pytest.mark.parametrize("name", ["mlp_step", "lstm_gradient"])
def test_a_product_that_feeds_a_tangent(name: str) -> None:
    program = shlo_tools.load(PROGRAMS / f"{name}.mlir")
    small = shlo_tools.reduce(program, lambda m: "@main" in str(m) and feeds(m))
    assert feeds(small)
    # Beside the two ops: modules, functions, ends, constants.
    counted = [n for n in names(small) if n.startswith("stablehlo.") and "constant" not in n]
    assert counted == ["stablehlo.dot_general", "stablehlo.tanh"]
    sizes = re.findall(r"\d+(?=x)", " ".join(re.findall(r"tensor<([^>]*)>", str(small))))
    assert set(sizes) <= {"1"}


def test_what_is_given_stays_as_it_is_and_the_result_depends_on_nothing_else() -> None:
    program = shlo_tools.load(PROGRAMS / "mlp_step.mlir")
    before = str(program)
    small = [str(shlo_tools.reduce(program, holds("tanh", "@main"))) for _ in range(2)]
    assert str(program) == before
    assert small[0] == small[1]


def test_a_predicate_that_does_not_hold_is_an_error() -> None:
    with pytest.raises(ShloError, match="does not hold of the program as it is"):
        shlo_tools.reduce(f"func.func @main(%x: {T}) -> {T} {{ return %x : {T} }}", holds("sort"))


NESTED = f"""
module attributes {{jax.uses_shape_polymorphism = false}} {{
  func.func public @main(%x: {T} {{jax.name = "x"}}, %y: {T}, %p: tensor<i1>) -> ({T}, {T}) {{
    %n = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = "stablehlo.while"(%n, %x) ({{
    ^bb0(%i: tensor<i32>, %a: {T}):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }}, {{
    ^bb0(%i: tensor<i32>, %a: {T}):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %b = "stablehlo.if"(%p) ({{
        %s = func.call @inner(%a) : ({T}) -> {T}
        stablehlo.return %s : {T}
      }}, {{
        stablehlo.return %y : {T}
      }}) : (tensor<i1>) -> {T}
      stablehlo.return %j, %b : tensor<i32>, {T}
    }}) : (tensor<i32>, {T}) -> (tensor<i32>, {T})
    %1 = stablehlo.add %0#1, %y : {T}
    return %1, %0#1 : {T}, {T}
  }}
  func.func private @inner(%x: {T}) -> {T} {{
    %0 = stablehlo.cosine %x : {T}
    %1 = stablehlo.sine %0 : {T}
    return %1 : {T}
  }}
}}
"""


def test_loops_branches_calls_functions_arguments_and_results_go() -> None:
    def used(module: Any) -> bool:
        main = str(module).split("@main")[-1].split("func.func")[0]
        return "sine" in main or ("call @inner" in main and "sine" in str(module))

    small = shlo_tools.reduce(NESTED, used)
    text = str(small)
    assert names(small).count("func.func") == 1
    assert "while" not in text and "stablehlo.if" not in text and "cosine" not in text
    assert "jax." not in text
    (signature,) = re.findall(r"@main\((.*?)\) -> (.*?) {", text)
    assert signature[0].count("tensor") <= 1 and signature[1].count("tensor") == 1


def test_what_the_predicate_needs_stays() -> None:
    small = shlo_tools.reduce(NESTED, holds("stablehlo.while", "stablehlo.sine", "tensor<4x"))
    assert holds("stablehlo.while", "stablehlo.sine", "tensor<4x")(small)
    assert "cosine" not in str(small)


def test_shapes_shrink_together() -> None:
    """The slice's limit, the sum of two sizes and their product follow."""
    text = """
    func.func @main(%x: tensor<5x7xf32>, %y: tensor<4x7xf32>) -> tensor<28xf32> {
      %0 = stablehlo.concatenate %x, %y, dim = 0
        : (tensor<5x7xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
      %1 = stablehlo.slice %0 [0:4, 0:7] : (tensor<9x7xf32>) -> tensor<4x7xf32>
      %2 = stablehlo.reshape %1 : (tensor<4x7xf32>) -> tensor<28xf32>
      return %2 : tensor<28xf32>
    }"""

    def chain(module: Any) -> bool:
        expected = ["stablehlo.concatenate", "stablehlo.slice", "stablehlo.reshape"]
        with mlir.library_context():
            ops = [op for op in mlir.walk(module.operation) if op.name in expected]
            linked = [mlir.is_result_of(op.operands[0], expected) for op in ops[1:]]
        return [op.name for op in ops] == expected and all(linked)

    small = str(shlo_tools.reduce(text, chain))
    sizes = [int(n) for n in re.findall(r"(\d+)x", small)]
    assert max(sizes) <= 3


def test_sizes_that_are_unknown_become_known() -> None:
    text = """func.func @main(%x: tensor<?x7xf32>) -> tensor<?x7xf32> {
      %0 = stablehlo.tanh %x : tensor<?x7xf32>
      return %0 : tensor<?x7xf32>
    }"""
    small = str(shlo_tools.reduce(text, holds("stablehlo.tanh")))
    assert "?" not in small and "tensor<1x1xf32>" in small


def test_constants_become_simple() -> None:
    text = """func.func @main() -> tensor<3xf32> {
      %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      return %0 : tensor<3xf32>
    }"""
    small = str(shlo_tools.reduce(text, holds("constant")))
    assert "dense<0.000000e+00> : tensor<1xf32>" in small


def test_recursion_is_no_endless_reduction() -> None:
    text = f"""
    func.func @main(%x: {T}) -> {T} {{
      %0 = func.call @main(%x) : ({T}) -> {T}
      return %0 : {T}
    }}"""
    assert "call" in str(shlo_tools.reduce(text, holds("call @main")))


@pytest.mark.parametrize("needed", [set(), {3}, {0, 9}, {1, 2, 5, 8}, set(range(10))])
def test_fewest_leaves_what_is_needed(needed: set[int]) -> None:
    assert fewest(range(10), lambda rest: needed <= set(rest)) == sorted(needed)
