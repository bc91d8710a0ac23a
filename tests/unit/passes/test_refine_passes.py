"""Bad input to the passes on shapes: one clear error each, and the module as it was."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator

import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.pipeline import runner


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with mlir.library_context():
        yield


def _refused(text: str, passes: str) -> str:
    """The message of the error; the module stays as it was."""
    module = mlir.parse_module(text)
    before = str(module)
    with pytest.raises(ShloError) as raised:
        runner.run(f"builtin.module({passes})", module)
    assert len(raised.value.diagnostics) == 1
    assert str(module) == before
    return str(raised.value)


MAIN = """func.func @main(%x: tensor<?x3xf32>, %y: tensor<4xi32>) -> tensor<?x3xf32> {
  %0 = stablehlo.abs %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}"""


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("tensor<2x3xf32>", "1 types for the 2 arguments of @main"),
        ("", "0 types for the 2 arguments of @main"),
        ("tensor<2x3xf32>,tensor<4xi32>,i32", "3 types for the 2 arguments of @main"),
        ("tensor<2x3xf32>,tensor<4xf32>", "argument 1 .* elements are i32, not f32"),
        ("tensor<2x3x1xf32>,tensor<4xi32>", "argument 0 .* the rank is 2, not 3"),
        ("tensor<2x4xf32>,tensor<4xi32>", "argument 0 .* dimension 1 is 3, not 4"),
        ("tensor<2x?xf32>,tensor<4xi32>", "argument 0 .* dimension 1 is 3, not ?"),
        ("tensor<2x3xf32>,i32", "argument 1 .* they are no tensors"),
        ("tensor<2x3xf32>,tensor<4xi32", "'tensor<4xi32' is no type"),
        ("tensor<-2x3xf32>,tensor<4xi32>", "'tensor<-2x3xf32>' is no type"),
        ("foo,tensor<4xi32>", "'foo' is no type"),
        (f"tensor<{2**62}x3xf32>,tensor<4xi32>", "more elements than any memory holds"),
    ],
)
def test_types_of_arguments(types: str, message: str) -> None:
    text = _refused(MAIN, f'shlo-refine-arguments{{types="{types}"}}')
    assert re.search(message.replace("?", r"\?"), text)


def test_a_size_over_its_bound() -> None:
    text = MAIN.replace("tensor<?x3xf32>", "tensor<?x3xf32, #stablehlo.bounds<8, ?>>")
    message = _refused(text, "shlo-refine-arguments{types=tensor<9x3xf32>,tensor<4xi32>}")
    assert "size 9 of dimension 0 is over its bound 8" in message


def test_no_function_to_refine() -> None:
    both = MAIN.replace("@main", "@one") + MAIN.replace("@main", "@two")
    for text in (both, "module {}"):
        assert "there is no @main" in _refused(text, "shlo-refine-arguments{types=}")


def _dynamic(size: str, lines: str = "", type: str = "tensor<?x?xf32>") -> str:
    return f"""func.func @main(%x: tensor<6xf32>) -> {type} {{
      {lines}
      %s = stablehlo.constant dense<{size}> : tensor<2xi64>
      %z = stablehlo.constant dense<0> : tensor<2xi64>
      %m = stablehlo.multiply %s, %s : tensor<2xi64>
      %0 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<2xi64>) -> {type}
      return %0 : {type}
    }}"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Both shapes, the op and where it is.
        (
            """func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<?x3xf32> {
              %a = stablehlo.abs %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
              %b = stablehlo.abs %y : (tensor<4x3xf32>) -> tensor<?x3xf32>
              %0 = stablehlo.add %a, %b : tensor<?x3xf32>
              return %0 : tensor<?x3xf32>
            }""",
            r"-:4:20: error: stablehlo.add: .*tensor<2x3xf32>.*tensor<4x3xf32>",
        ),
        (
            """func.func @main(%x: tensor<6xf32>) -> tensor<?x?xf32> {
              %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
              %d = stablehlo.add %s, %s : tensor<2xi64>
              %0 = stablehlo.dynamic_reshape %x, %d
                : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
              return %0 : tensor<?x?xf32>
            }""",
            r"-:4:20: error: stablehlo.dynamic_reshape: .*tensor<6xf32>.*tensor<4x4xf32>",
        ),
        (_dynamic("[3037000500, 1]"), r"stablehlo.dynamic_iota: .*beyond all sizes"),  # is negative
        (_dynamic("[1, 2]").replace("multiply %s", "subtract %z"), r"dynamic_iota: .*below 0"),
        (_dynamic("[2147483648, 1]"), r"stablehlo.dynamic_iota: .*beyond all sizes"),
        (_dynamic("[1000000000, 1000000]"), r"more elements than any memory holds"),
        (_dynamic("[2, 3]", type="tensor<?x8xf32>"), r"tensor<\?x8xf32>.*\[4, 9\]"),
        (
            """func.func @main(%n: tensor<i32>) -> tensor<?x?xf32> {
              %s = stablehlo.constant dense<[2, 2, 2]> : tensor<3xi64>
              %0 = stablehlo.custom_call @f(%s)
                {indices_of_shape_operands = dense<[0]> : tensor<1xi64>}
                : (tensor<3xi64>) -> tensor<?x?xf32>
              return %0 : tensor<?x?xf32>
            }""",
            r"operand 0 holds 3 sizes for a result of type tensor<\?x\?xf32>",
        ),
        (
            """func.func @main(%n: tensor<i32>) -> tensor<?x?xf32> {
              %0 = stablehlo.custom_call @f(%n)
                {indices_of_shape_operands = dense<[7]> : tensor<1xi64>}
                : (tensor<i32>) -> tensor<?x?xf32>
              return %0 : tensor<?x?xf32>
            }""",
            r"indices_of_shape_operands names operand 7",
        ),
        (
            """func.func @main(%n: tensor<i32>) -> tensor<?xf32> {
              %s = stablehlo.constant dense<-4> : tensor<1xi64>
              %0 = stablehlo.custom_call @f(%s)
                {indices_of_shape_operands = dense<0> : tensor<1xi64>}
                : (tensor<1xi64>) -> tensor<?xf32>
              return %0 : tensor<?xf32>
            }""",
            r"stablehlo.custom_call: size -4 of dimension 0 .* is negative",
        ),
        (
            """func.func @main(%x: tensor<6xf32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
              %a = stablehlo.abs %x : (tensor<6xf32>) -> tensor<?xf32>
              %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
              %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
              %0 = stablehlo.dynamic_iota %v, dim = 0
                : (tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<4>>
              return %0 : tensor<?xf32, #stablehlo.bounds<4>>
            }""",
            "stablehlo.dynamic_iota: .*size 6 of the result tensor<6xf32, #stablehlo.bounds<4>>"
            " exceeds its bound 4",
        ),
        (
            """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
              %0 = func.call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>
              return %0 : tensor<?xf32>
            }""",
            r"-:2:20: error: recursion: @main calls @main",
        ),
    ],
)  # fmt: skip
def test_sizes_that_contradict_each_other_or_fit_nothing(text: str, message: str) -> None:
    assert re.search(message, _refused(text, "shlo-refine-shapes"), re.DOTALL)


def test_copies_of_functions_go_when_one_fails() -> None:
    """The second call is what fails: the copy that it made does not stay."""
    text = """
      func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32> {
        %a = stablehlo.abs %x : (tensor<2xf32>) -> tensor<?xf32>
        %b = stablehlo.abs %y : (tensor<3xf32>) -> tensor<?xf32>
        %0 = func.call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
        %1 = func.call @f(%b) : (tensor<?xf32>) -> tensor<?xf32>
        return %1 : tensor<?xf32>
      }
      func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
        %s = stablehlo.constant dense<2> : tensor<1xi32>
        %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
        return %0 : tensor<?xf32>
      }"""
    assert "stablehlo.dynamic_reshape" in _refused(text, "shlo-refine-shapes")


def test_calls_that_are_nested_too_deep() -> None:
    count = 3000
    functions = [
        f"""func.func private @f{i}(%x: tensor<?xf32>) -> tensor<?xf32> {{
          %0 = func.call @f{i + 1}(%x) : (tensor<?xf32>) -> tensor<?xf32>
          return %0 : tensor<?xf32>
        }}"""
        for i in range(count)
    ]
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {{
          %a = stablehlo.abs %x : (tensor<2xf32>) -> tensor<?xf32>
          %0 = func.call @f0(%a) : (tensor<?xf32>) -> tensor<?xf32>
          return %0 : tensor<?xf32>
        }}
        {"".join(functions)}
        func.func private @f{count}(%x: tensor<?xf32>) -> tensor<?xf32> {{
          return %x : tensor<?xf32>
        }}"""
    assert "nested too deep" in _refused(text, "shlo-refine-shapes")


def test_static_sizes_against_the_result_of_a_dynamic_op() -> None:
    text = """func.func @main(%x: tensor<6xf32>) -> tensor<2x3xf32> {
      %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
      %d = stablehlo.add %s, %s : tensor<2xi64>
      %0 = stablehlo.dynamic_reshape %x, %d : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }"""
    message = _refused(text, "shlo-refine-shapes")
    assert "tensor<2x3xf32> has not the sizes [2, 4]" in message
    module = mlir.parse_module(text)
    runner.run("builtin.module(shlo-canonicalize-dynamism)", module)
    assert "stablehlo.dynamic_reshape" in str(module)  # left to fail when it runs


def test_the_search_for_cycles_goes_on_after_an_error() -> None:
    assert gc.isenabled()
    _refused(_dynamic("[2147483648, 1]"), "shlo-refine-shapes")
    assert gc.isenabled()


def test_types_are_never_widened() -> None:
    """A declared size that nothing proves stays."""
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<5xf32> {
      %0 = stablehlo.abs %x : (tensor<?xf32>) -> tensor<5xf32>
      return %0 : tensor<5xf32>
    }"""
    module = mlir.parse_module(text)
    before = str(module)
    runner.run("builtin.module(shlo-refine-shapes,shlo-refine-shapes)", module)
    assert str(module) == before


def test_a_size_that_its_type_does_not_hold_is_what_the_type_makes_of_it() -> None:
    """As in the reference and in compiled code: the low 32 bits."""
    module = program.load(
        """func.func @main(%x: tensor<4294967298xi8>) -> tensor<i32> {
          %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4294967298xi8>) -> tensor<i32>
          %two = stablehlo.constant dense<2> : tensor<i32>
          %same = stablehlo.compare EQ, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.custom_call @shape_assertion(%same, %n)
            {api_version = 2 : i32, error_message = "got {0}", has_side_effect = true}
            : (tensor<i1>, tensor<i32>) -> ()
          return %n : tensor<i32>
        }"""
    )
    runner.run("builtin.module(shlo-refine-shapes)", module)
    assert "dense<true>" in str(module) or "shape_assertion" not in str(module)


def test_integers_that_come_to_be_small_have_one_turn() -> None:
    """A size is asked of what was no small tensor before its sizes were known; both go."""
    text = """func.func @main(%x: tensor<4x?x?xui8>, %a: tensor<1xi32>, %b: tensor<1xi32>,
        %c: tensor<1xi32>) -> tensor<1xi32> {
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %s = stablehlo.concatenate %two, %a, %b, %c, dim = 0
        : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
      %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2, 3]
        : (tensor<4x?x?xui8>, tensor<4xi32>) -> tensor<?x?x3x3xui8>
      %zero = stablehlo.constant dense<0> : tensor<ui8>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = []
        : (tensor<?x?x3x3xui8>, tensor<ui8>) -> tensor<?x?x3x3xui8>
      %2 = stablehlo.get_dimension_size %1, dim = 1 : (tensor<?x?x3x3xui8>) -> tensor<i32>
      return %a : tensor<1xi32>
    }"""
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-refine-shapes)").run(module)
    assert "get_dimension_size" not in str(module)
