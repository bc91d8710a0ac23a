"""What shape inference remembers, and by what: values by address, ops by what they are alike in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shlo_tools import ir, mlir
from shlo_tools.pipeline import runner
from shlo_tools.shapes import Shapes

V = "tensor<?xf32>"


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with mlir.library_context():
        yield


def _refined(text: str) -> str:
    module = mlir.parse_module(text)
    runner.run("builtin.module(shlo-refine-shapes)", module)
    return str(module)


def test_the_hash_of_a_value_is_its_address() -> None:
    """The tables of ``shapes.values`` are keyed by it. Of an op it is that of its contents."""
    module = mlir.parse_module(f"""func.func @main(%x: {V}) -> {V} {{
      %0 = stablehlo.abs %x : {V}
      %1:2 = stablehlo.optimization_barrier %0, %x : {V}, {V}
      return %1#1 : {V}
    }}""")
    func = ir.functions(module.operation)[0]
    ops = ir.children(func)
    values = [*func.regions[0].blocks[0].arguments, *(r for op in ops for r in op.results)]
    assert len({hash(value) for value in values}) == len(values) == 4
    for array in (*values, *(value.type for value in values), ops[0].block):
        assert hash(array) == mlir.address_of(array)
    before = hash(ops[0])
    ops[0].attributes["changed"] = mlir.unit_attr()
    assert hash(ops[0]) != before


def test_reductions_that_differ_in_their_computation_only() -> None:
    """1 + 2 + 4 and 1 * 2 * 4 of the same operands."""
    text = f"""func.func @main(%x: {V}) -> (tensor<i32>, tensor<i32>) {{
      %c = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
      %i = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [0]
        : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
      %1 = stablehlo.reduce(%c init: %i) applies stablehlo.multiply across dimensions = [0]
        : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
      return %0, %1 : tensor<i32>, tensor<i32>
    }}"""
    refined = _refined(text)
    assert "dense<7>" in refined and "dense<8>" in refined


def test_a_call_in_a_loop_is_of_the_function_for_all_iterations() -> None:
    """The body is looked at with 3 elements first, then with any number: the second look counts."""
    text = f"""
      func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> {V} {{
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %y = stablehlo.abs %x : (tensor<3xf32>) -> {V}
        %0:2 = stablehlo.while(%a = %y, %i = %n) : {V}, tensor<i32>
          cond {{
            %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }} do {{
            %five = stablehlo.constant dense<5> : tensor<i32>
            %b = func.call @twice(%five, %a) : (tensor<i32>, {V}) -> {V}
            %j = stablehlo.subtract %i, %five : tensor<i32>
            stablehlo.return %b, %j : {V}, tensor<i32>
          }}
        return %0#0 : {V}
      }}
      func.func private @twice(%k: tensor<i32>, %x: {V}) -> {V} {{
        %0 = stablehlo.concatenate %x, %x, dim = 0 : ({V}, {V}) -> {V}
        return %0 : {V}
      }}"""
    refined = _refined(text)
    assert refined.count("func.call @twice") == refined.count("func.func private @twice") == 1
    assert f"({V}, {V}) -> {V}" in refined and "tensor<6xf32>" not in refined


def test_what_is_known_of_a_function_outlives_a_change_of_its_attributes() -> None:
    module = mlir.parse_module(f"""func.func @f(%x: {V}, %y: {V}) -> {V} {{
      %0 = stablehlo.add %x, %y : {V}
      return %0 : {V}
    }}""")
    func = ir.functions(module.operation)[0]
    shapes = Shapes()
    summary = shapes.calls.summary(func)
    func.attributes["sym_visibility"] = mlir.string_attr("private")
    assert shapes.calls.summary(func) is summary
    assert len(shapes.unproven) == 1  # that both have as many elements is asked once
