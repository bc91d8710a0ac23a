"""Where the C++ passes refine a program, ours make the same one of it."""

from __future__ import annotations

import re

import pytest
from symbolic_programs import SymbolicProgram

from shlo_tools import mlir
from shlo_tools.pipeline import runner

SEEDS = range(120)
PASSES = "{0}-refine-shapes,func.func({0}-canonicalize-dynamism)"


def _native(text: str, passes: str) -> str | None:
    """What the C++ passes make of a module; None where they fail."""
    module = mlir.parse_module(text)
    try:
        mlir.parse_pipeline(f"builtin.module({passes},cse)").run(module.operation)
    except mlir.MLIRError:
        return None
    return str(module)


def _ours(text: str, passes: str) -> str:
    module = mlir.parse_module(text)
    runner.run(f"builtin.module({passes},cse)", module)
    return str(module)


def _lines(text: str) -> list[str]:
    """A module's ops without names and without constants, which the C++ passes put first."""
    lines = re.sub(r"%\w+(:\d+)?|@\w+", "%", text).split("\n")
    return [line.strip() for line in lines if "stablehlo.constant" not in line]


def _alike(a: str, b: str) -> bool:
    return _lines(a) == _lines(b) and _constants(a) >= _constants(b)


def _constants(text: str) -> set[str]:
    return set(re.findall(r"stablehlo\.constant (.*)", text))


def test_random_programs() -> None:
    """They refuse functions that are called in two ways, and do not fold ``abs``."""
    compared, other = 0, []
    with mlir.library_context():
        for seed in SEEDS:
            program = SymbolicProgram(seed)
            types = ",".join(program.argument_types)
            both = "{0}-refine-arguments{{types={1}}},{2}"
            native, ours = (
                both.format(dialect, types, PASSES.format(dialect))
                for dialect in ("stablehlo", "shlo")
            )
            expected = _native(program.text, native)
            results = _ours(program.text, ours)
            if expected is None or re.search(r"stablehlo\.abs %\w+ : tensor<i32>", expected):
                continue
            compared += 1
            if not _alike(results, expected):
                other.append(f"seed {seed}:\n{expected}\n{results}")
    assert not other, "\n".join(other)
    assert compared > len(SEEDS) / 2


ARGUMENTS = [
    "tensor<2x3xf32>,!stablehlo.token,tensor<4xi32>,tensor<?xf32>",
    "tensor<?x3xf32>,!stablehlo.token,tensor<4xi32>,tensor<5xf32>",
    "tensor<0x3xf32>,!stablehlo.token,tensor<4xi32>,tensor<0xf32>",
]


@pytest.mark.parametrize("types", ARGUMENTS)
def test_refine_arguments(types: str) -> None:
    text = """
      func.func @main(%x: tensor<?x3xf32>, %t: !stablehlo.token, %y: tensor<4xi32>,
                      %z: tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
        %0 = stablehlo.abs %x : tensor<?x3xf32>
        %1 = func.call @f(%z) : (tensor<?xf32>) -> tensor<?xf32>
        return %0, %z : tensor<?x3xf32>, tensor<?xf32>
      }
      func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
        return %x : tensor<?xf32>
      }"""
    with mlir.library_context():
        expected = _native(text, f"stablehlo-refine-arguments{{types={types}}}")
        assert expected is not None
        assert _ours(text, f"shlo-refine-arguments{{types={types}}}") == expected


# Programs as exporters write them: the C++ passes refine all of each.
PROGRAMS = {
    "sizes are arguments": """
      func.func @main(%x: tensor<3x4xf32>) -> tensor<?x?xf32> {
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3x4xf32>) -> tensor<i32>
        %two = stablehlo.constant dense<2> : tensor<i32>
        %0 = func.call @f(%n, %two, %x)
          : (tensor<i32>, tensor<i32>, tensor<3x4xf32>) -> tensor<?x?xf32>
        return %0 : tensor<?x?xf32>
      }
      func.func private @f(%n: tensor<i32> {jax.global_constant = "n"}, %m: tensor<i32>,
          %x: tensor<3x4xf32>) -> tensor<?x?xf32> {
        %p = stablehlo.multiply %n, %m : tensor<i32>
        %q = stablehlo.reshape %p : (tensor<i32>) -> tensor<1xi32>
        %r = stablehlo.divide %n, %m : tensor<i32>
        %s = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
        %t = stablehlo.concatenate %q, %s, dim = 0
          : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %0 = stablehlo.dynamic_iota %t, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
        return %0 : tensor<?x?xf32>
      }""",
    "tokens come first": """
      func.func @main(%t: !stablehlo.token, %x: tensor<3xf32>)
          -> (!stablehlo.token, tensor<?xf32>) {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %0:2 = func.call @f(%t, %n, %x)
          : (!stablehlo.token, tensor<i32>, tensor<3xf32>) -> (!stablehlo.token, tensor<?xf32>)
        return %0#0, %0#1 : !stablehlo.token, tensor<?xf32>
      }
      func.func private @f(%t: !stablehlo.token, %n: tensor<i32>, %x: tensor<3xf32>)
          -> (!stablehlo.token, tensor<?xf32>) {
        %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
        %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
        return %t, %0 : !stablehlo.token, tensor<?xf32>
      }""",
    "a loop and a branch": """
      func.func @main(%x: tensor<3xf32>, %n: tensor<i32>, %p: tensor<i1>) -> tensor<?xf32> {
        %y = stablehlo.abs %x : (tensor<3xf32>) -> tensor<?xf32>
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %0:2 = stablehlo.while(%a = %y, %i = %n) : tensor<?xf32>, tensor<i32>
          cond {
            %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %b = stablehlo.add %a, %y : tensor<?xf32>
            %j = stablehlo.negate %i : tensor<i32>
            stablehlo.return %b, %j : tensor<?xf32>, tensor<i32>
          }
        %1 = "stablehlo.case"(%n) ({
          stablehlo.return %y : tensor<?xf32>
        }, {
          %z = stablehlo.negate %0#0 : tensor<?xf32>
          stablehlo.return %z : tensor<?xf32>
        }) : (tensor<i32>) -> tensor<?xf32>
        return %1 : tensor<?xf32>
      }""",
    "a shape operand of a custom call": """
      func.func @main(%x: tensor<4x2xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
        %s = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
        %t = stablehlo.constant dense<[7]> : tensor<1xi64>
        %0:2 = stablehlo.custom_call @f(%x, %s, %t)
          {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>}
          : (tensor<4x2xf32>, tensor<2xi32>, tensor<1xi64>) -> (tensor<?x?xf32>, tensor<?xf32>)
        return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xf32>
      }""",
    "quantized and tuple types": """
      func.func @main(%x: tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>)
          -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>> {
        %y = stablehlo.abs %x : (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>)
          -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
        %z = stablehlo.transpose %y, dims = [1, 0] : (tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>)
          -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
        %t = stablehlo.tuple %z, %x : tuple<tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>,
          tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>>
        %u = stablehlo.get_tuple_element %t[0] : (tuple<tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>,
          tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>>) -> tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
        return %u : tensor<?x?x!quant.uniform<i8:f32, 0.5:3>>
      }""",
    "slices that start where only the program knows": """
      func.func @main(%x: tensor<9x5xf32>, %at: tensor<2xi32>) -> tensor<3x2xf32> {
        %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
        %one = stablehlo.constant dense<1> : tensor<2xi32>
        %end = stablehlo.add %at, %sizes : tensor<2xi32>
        %0 = stablehlo.real_dynamic_slice %x, %at, %end, %one
          : (tensor<9x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x2xf32>
        return %0 : tensor<3x2xf32>
      }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    with mlir.library_context():
        expected = _native(PROGRAMS[name], PASSES.format("stablehlo"))
        assert expected is not None and "?" not in expected
        results = _ours(PROGRAMS[name], PASSES.format("shlo"))
        assert _alike(results, expected), f"{expected}\n{results}"
