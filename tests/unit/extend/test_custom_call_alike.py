"""A function of a target meets the same in a compiled program and in the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from custom_call_routes import BOTH, Array, Compile, X, calling

import shlo_tools
from shlo_tools.errors import ExecutionError

pytestmark = pytest.mark.usefixtures("own_registry")


ALIAS = """output_operand_aliases = [#stablehlo.output_operand_alias<
  output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"""


# --- keywords -------------------------------------------------------------------------------------
@BOTH
def test_functions_may_ask_for_layouts(compile: Compile) -> None:
    """Values are the logical ones; layouts are told, from the fastest dimension on."""
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, operand_layouts: Any, result_layouts: Any) -> Array:
        calls.append((operand_layouts, result_layouts, x.tolist()))
        return x

    inputs = "dense<[0, 1]> : tensor<2xindex>"
    compile(calling(f"operand_layouts = [{inputs}], result_layouts = [{inputs}]"))(X)
    compile(calling())(X)
    values = X.tolist()
    assert calls == [(((0, 1),), ((0, 1),), values), (((1, 0),), ((1, 0),), values)]


@BOTH
def test_layouts_skip_tokens(compile: Compile) -> None:
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, operand_layouts: Any, result_layouts: Any) -> Array:
        calls.append((operand_layouts, result_layouts))
        return x

    inputs, none = "dense<[0, 1]> : tensor<2xindex>", "dense<> : tensor<0xindex>"
    compile(f"""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
      %t = stablehlo.create_token : !stablehlo.token
      %0:2 = stablehlo.custom_call @f(%t, %x)
        {{operand_layouts = [{none}, {inputs}], result_layouts = [{inputs}, {none}]}}
        : (!stablehlo.token, tensor<2x3xf32>) -> (tensor<2x3xf32>, !stablehlo.token)
      return %0#0 : tensor<2x3xf32>
    }}""")(X)
    assert calls == [(((0, 1),), ((0, 1),))]


@BOTH
def test_functions_may_ask_for_what_else_the_op_says(compile: Compile) -> None:
    calls: dict[str, Any] = {}

    @shlo_tools.custom_call("f")
    def f(
        x: Array,
        *,
        target: Any,
        api_version: Any,
        has_side_effect: Any,
        attributes: Any,
        op_attributes: Any,
        output_operand_aliases: Any,
        result_types: Any,
        place: Any,
    ) -> Array:
        calls.update({name: value for name, value in locals().items() if name != "x"})
        return x

    message = 'api_version = 2 : i32, has_side_effect = true, backend_config = "text"'
    compile(calling(f"{message}, {ALIAS}, my.word = [1 : i64], mhlo.version = 3 : i64"))(X)
    assert calls["target"] == "f" and calls["api_version"] == 2 and calls["has_side_effect"]
    assert calls["attributes"] == {"backend_config": "text"}
    assert calls["op_attributes"]["my.word"] == [1]
    assert calls["op_attributes"]["mhlo.version"] == 3
    assert calls["output_operand_aliases"] == {0: 0}
    assert [str(type) for type in calls["result_types"]] == ["tensor<2x3xf32>"]
    assert calls["place"].line == 2


@BOTH
@pytest.mark.parametrize(
    ("attributes", "version"),
    [
        *[(f"api_version = {n} : i32", n) for n in range(4)],
        ("", 1),
        ("api_version = 4 : i32, backend_config = {a = 1 : i32}", 4),
        ("mhlo.backend_config = {a = 1 : i32}", 4),
    ],
)
def test_python_functions_serve_every_api_version(
    compile: Compile, attributes: str, version: int
) -> None:
    calls: list[int] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, api_version: int) -> Array:
        calls.append(api_version)
        return x + 1

    np.testing.assert_array_equal(compile(calling(attributes))(X), X + 1)
    assert calls == [version]


@BOTH
@pytest.mark.parametrize(
    ("written", "config"), [("a\\00b", "a\0b"), ("\\C3\\A9", "é"), ("\\FF\\00", b"\xff\x00")]
)
def test_a_config_that_is_no_text_is_bytes(
    compile: Compile, written: str, config: str | bytes
) -> None:
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, attributes: Any) -> Array:
        calls.append(attributes)
        return x

    compile(calling(f'backend_config = "{written}"'))(X)
    assert calls == [{"backend_config": config}]


@BOTH
def test_outputs_are_written_in_place(compile: Compile) -> None:
    @shlo_tools.custom_call("f")
    def f(x: Array, *, outputs: list[Array]) -> None:
        assert outputs[0].tolist() == np.zeros((2, 3)).tolist()
        outputs[0][1:] = x[1:]

    expected = [[0, 0, 0], X[1].tolist()]
    executable = compile(calling())
    for _ in range(2):  # the memory has been used by then
        assert executable(X).tolist() == expected


@BOTH
def test_an_aliased_output_starts_as_its_operand(compile: Compile) -> None:
    @shlo_tools.custom_call("f")
    def f(x: Array, *, outputs: list[Array]) -> None:
        outputs[0][0, 0] = 9
        assert x[0, 0] == 0  # the operand is another array

    x = X.copy()
    x.flags.writeable = False
    inputs = compile(calling(ALIAS))(x)
    assert inputs.ravel().tolist() == [9, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(x, X)


@BOTH
def test_outputs_and_a_value_are_too_much(compile: Compile) -> None:
    @shlo_tools.custom_call("f")
    def f(x: Array, *, outputs: list[Array]) -> Array:
        return x

    with pytest.raises(ExecutionError, match="'f' takes outputs and returns a value"):
        compile(calling())(X)


def test_outputs_cannot_be_kept() -> None:
    kept: list[Array] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, outputs: list[Array]) -> None:
        kept.append(outputs[0])

    with pytest.raises(ExecutionError, match="'f' kept an operand or output"):
        shlo_tools.compile(calling())(X)


# --- operands -------------------------------------------------------------------------------------
@BOTH
def test_operands_of_the_caller_do_not_change(compile: Compile) -> None:
    """A function that tries hard to write its operand."""

    @shlo_tools.custom_call("f")
    def f(x: Array) -> Array:
        try:
            x.flags.writeable = True
            x[...] = 7
        except ValueError:
            pass
        return np.zeros_like(x)

    x = X.copy()
    executable = compile(f"""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
      {calling().splitlines()[1]}
      %1 = stablehlo.add %0, %x : tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }}""")
    np.testing.assert_array_equal(executable(x), X)
    np.testing.assert_array_equal(x, X)


@BOTH
def test_a_returned_operand_is_copied(compile: Compile) -> None:
    shlo_tools.custom_call("f")(lambda x: x)
    x = X.copy()
    inputs = compile(calling())(x)
    assert not np.shares_memory(inputs, x)
    inputs[0, 0] = 5
    np.testing.assert_array_equal(x, X)


@BOTH
@pytest.mark.parametrize("type", ["2xbf16", "3xi1", "2xi4", "0x2xf64", "complex<f32>", "2xui8"])
def test_element_types(compile: Compile, type: str) -> None:
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array) -> Array:
        calls.append((x.dtype, x.shape))
        return x

    executable = compile(calling(type=type))
    expected = executable.signature.inputs[0]
    x = np.ones(expected.static_shape, expected.element_type.dtype)
    assert executable(x).tobytes() == x.tobytes()
    assert calls == [(x.dtype, x.shape)]


QUANTIZED = "2x!quant.uniform<i8:f32, 0.5:3>"


@BOTH
def test_of_quantized_tensors_functions_get_the_integers(compile: Compile) -> None:
    calls: list[Any] = []

    @shlo_tools.custom_call("f")
    def f(x: Array, *, result_types: Any) -> Array:
        calls.append((x.dtype, x.tolist(), [str(type) for type in result_types]))
        return x + np.int8(1)

    executable = compile(f"""func.func @main(%x: tensor<{QUANTIZED}>) -> tensor<2xf32> {{
      {calling(type=QUANTIZED).splitlines()[1]}
      %1 = stablehlo.uniform_dequantize %0 : (tensor<{QUANTIZED}>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }}""")
    assert executable(np.array([3, 8], np.int8)).tolist() == [0.5, 3.0]
    assert calls == [(np.int8, [3, 8], ["tensor<2xi8>"])]


@BOTH
def test_quantized_tensors_in_tuples(compile: Compile) -> None:
    shlo_tools.custom_call("f")(lambda x, i: (i, x))
    one, pair = f"tensor<{QUANTIZED}>", f"tuple<tensor<{QUANTIZED}>, tensor<i32>>"
    x, i = (
        compile(f"""func.func @main(%x: {one}, %i: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {{
      %t = stablehlo.tuple %x, %i : {pair}
      %0:2 = stablehlo.custom_call @f(%t) : ({pair}) -> (tensor<i32>, tuple<{one}>)
      %1 = stablehlo.get_tuple_element %0#1[0] : (tuple<{one}>) -> {one}
      %2 = stablehlo.uniform_dequantize %1 : ({one}) -> tensor<2xf32>
      return %2, %0#0 : tensor<2xf32>, tensor<i32>
    }}""")(np.array([3, 8], np.int8), np.int32(4))
    )
    assert (x.tolist(), int(i)) == ([0.0, 2.5], 4)


@BOTH
def test_quantized_tensors_pass_what_only_annotates(compile: Compile) -> None:
    executable = compile(calling(type=QUANTIZED).replace("@f", "@Sharding"))
    assert executable(np.array([3, -8], np.int8)).tolist() == [3, -8]


@BOTH
def test_nested_tuples(compile: Compile) -> None:
    @shlo_tools.custom_call("f")
    def f(x: Array, y: Array) -> tuple[Array, Array]:
        return y, x

    one, pair = "tensor<2x3xf32>", "tuple<tensor<2x3xf32>, tuple<tensor<i32>>>"
    first, second = (
        compile(f"""func.func @main(%x: {one}, %i: tensor<i32>) -> (tensor<i32>, {one}) {{
      %a = stablehlo.tuple %i : tuple<tensor<i32>>
      %b = stablehlo.tuple %x, %a : {pair}
      %0:2 = stablehlo.custom_call @f(%b) : ({pair}) -> (tuple<tensor<i32>>, {one})
      %1 = stablehlo.get_tuple_element %0#0[0] : (tuple<tensor<i32>>) -> tensor<i32>
      return %1, %0#1 : tensor<i32>, {one}
    }}""")(X, np.int32(4))
    )
    assert first == 4
    np.testing.assert_array_equal(second, X)
