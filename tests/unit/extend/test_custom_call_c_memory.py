"""C functions of custom calls: the memory that they read and write."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from c_functions import ORIGINAL, floats
from custom_call_routes import BOTH, Compile, X, calling

import shlo_tools

pytestmark = pytest.mark.usefixtures("own_registry")


def layouts(operand: str, result: str) -> str:
    return (
        f"operand_layouts = [dense<{operand}> : tensor<2xindex>],"
        f" result_layouts = [dense<{result}> : tensor<2xindex>]"
    )


@BOTH
@pytest.mark.parametrize("operand", ["[1, 0]", "[0, 1]"])
@pytest.mark.parametrize("result", ["[1, 0]", "[0, 1]"])
def test_layouts_are_those_of_the_memory(compile: Compile, operand: str, result: str) -> None:
    """``[0, 1]``: dimension 0 varies fastest."""
    calls: list[list[float]] = []

    @ORIGINAL
    def number(out: int, operands: Any) -> None:
        calls.append(floats(operands[0]).tolist())
        floats(out)[:] = np.arange(6)

    shlo_tools.custom_call("f", address=number)
    inputs = compile(calling(layouts(operand, result)))(X)
    assert calls == [X.ravel("C" if operand == "[1, 0]" else "F").tolist()]
    order = "C" if result == "[1, 0]" else "F"
    np.testing.assert_array_equal(inputs, np.arange(6).reshape(2, 3, order=order))


@BOTH
def test_layouts_of_three_dimensions(compile: Compile) -> None:
    """Minor to major [0, 2, 1]: dimension 1 is outermost, then 2, then 0."""
    calls: list[list[float]] = []

    @ORIGINAL
    def copy(out: int, operands: Any) -> None:
        calls.append(floats(operands[0], 24).tolist())
        floats(out, 24)[:] = floats(operands[0], 24)

    shlo_tools.custom_call("f", address=copy)
    both = "dense<[0, 2, 1]> : tensor<3xindex>"
    text = calling(f"operand_layouts = [{both}], result_layouts = [{both}]", "2x3x4xf32")
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(compile(text)(x), x)
    assert calls == [x.transpose(1, 2, 0).ravel().tolist()]


ALIAS = """output_operand_aliases = [#stablehlo.output_operand_alias<
  output_tuple_indices = [{}], operand_index = {}, operand_tuple_indices = [{}]>]"""


@BOTH
@pytest.mark.parametrize("layout", ["[1, 0]", "[0, 1]"])
def test_aliases_are_one_memory(compile: Compile, layout: str) -> None:
    """A result starts as a copy of its operand; the operand itself does not change."""
    same: list[bool] = []

    @ORIGINAL
    def negate_first(out: int, operands: Any) -> None:
        same.append(out == operands[0])
        floats(out)[0] = -7  # and leave the others as they are

    shlo_tools.custom_call("f", address=negate_first)
    executable = compile(calling(f"{ALIAS.format('', 0, '')}, {layouts(layout, layout)}"))
    x = X.copy()
    x.flags.writeable = False
    inputs = executable(x)
    assert inputs[0, 0] == -7 and inputs.ravel()[1:].tolist() == X.ravel()[1:].tolist()
    np.testing.assert_array_equal(x, X)
    assert same == [True]


@BOTH
def test_several_results_tuples_and_tokens(compile: Compile) -> None:
    """Tables have a pointer for each value, tokens included, as XLA's have."""
    calls: list[Any] = []

    @ORIGINAL
    def swap(out: int, operands: Any) -> None:
        outs = (ctypes.c_void_p * 3).from_address(out)
        calls.append((bool(operands[0]), bool(outs[1])))
        floats(outs[0])[:] = floats(operands[2])
        floats(outs[2])[:] = floats(operands[1])

    shlo_tools.custom_call("f", address=swap)
    token, one = "!stablehlo.token", "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}, %y: {one}) -> ({one}, {one}) {{
      %t = stablehlo.create_token : {token}
      %0:3 = stablehlo.custom_call @f(%t, %x, %y)
        : ({token}, {one}, {one}) -> ({one}, {token}, {one})
      return %0#0, %0#2 : {one}, {one}
    }}"""
    first, second = compile(program)(X, X + 1)
    np.testing.assert_array_equal(first, X + 1)
    np.testing.assert_array_equal(second, X)
    assert calls == [(True, True)]


@BOTH
def test_a_tuple_of_one_is_a_table(compile: Compile) -> None:
    @ORIGINAL
    def fill(out: int, operands: Any) -> None:
        floats((ctypes.c_void_p * 1).from_address(out)[0])[:] = floats(operands[0]) + 1

    shlo_tools.custom_call("f", address=fill)
    one = "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}) -> {one} {{
      %0 = stablehlo.custom_call @f(%x) : ({one}) -> tuple<{one}>
      %1 = stablehlo.get_tuple_element %0[0] : (tuple<{one}>) -> {one}
      return %1 : {one}
    }}"""
    np.testing.assert_array_equal(compile(program)(X), X + 1)


@BOTH
def test_aliases_into_tuples(compile: Compile) -> None:
    """Paths count tokens and the members of tuples."""

    @ORIGINAL
    def add(out: int, operands: Any) -> None:
        outs = (ctypes.c_void_p * 2).from_address(out)
        floats(outs[0])[:] = 1
        floats(outs[1])[0] += 100

    shlo_tools.custom_call("f", address=add)
    one = "tensor<2x3xf32>"
    program = f"""func.func @main(%x: {one}) -> ({one}, {one}) {{
      %t = stablehlo.create_token : !stablehlo.token
      %0 = stablehlo.custom_call @f(%t, %x) {{{ALIAS.format(1, 1, "")}}}
        : (!stablehlo.token, {one}) -> tuple<{one}, {one}>
      %1 = stablehlo.get_tuple_element %0[0] : (tuple<{one}, {one}>) -> {one}
      %2 = stablehlo.get_tuple_element %0[1] : (tuple<{one}, {one}>) -> {one}
      return %1, %2 : {one}, {one}
    }}"""
    ones, added = compile(program)(X)
    assert ones.tolist() == np.ones((2, 3)).tolist()
    assert added.ravel().tolist() == [100, 1, 2, 3, 4, 5]


@BOTH
@pytest.mark.parametrize("type", ["0x3xf32", "f32"])
def test_shapes_without_extent(compile: Compile, type: str) -> None:
    calls: list[int] = []

    @ORIGINAL
    def note(out: int, operands: Any) -> None:
        calls.append(1)
        if type == "f32":
            floats(out, 1)[0] = 3

    shlo_tools.custom_call("f", address=note)
    x = np.zeros([0, 3] if type != "f32" else [], np.float32)
    assert compile(calling(type=type))(x).shape == x.shape
    assert calls == [1]
