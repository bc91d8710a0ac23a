"""``shlo_tools.custom_call``: what functions see and return, and when they are called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from custom_calls import LOOP, Array, X, calling, registering

import shlo_tools
from shlo_tools.errors import ExecutionError, ExecutionTimeout

pytestmark = pytest.mark.usefixtures("own_registry")


# --- what a function sees -------------------------------------------------------------------------
def test_operands_are_views_that_cannot_be_written() -> None:
    calls: list[str] = []

    @registering
    def look(x: Array) -> Array:
        assert not x.flags.owndata and not x.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            x.flags.writeable = True
        calls.append(f"{x.dtype}{x.shape}")
        return x + 1

    x = X.copy()
    np.testing.assert_array_equal(calling("look")(x), X + 1)
    np.testing.assert_array_equal(x, X)
    assert calls == ["float32(4,)"]


@pytest.mark.parametrize(
    "type", ["4xf32", "f64", "0x3xi8", "3xi1", "2x2xbf16", "3xi4", "2xcomplex<f32>"]
)
def test_every_element_type_and_shape_passes(type: str) -> None:
    registering_twice = shlo_tools.custom_call("same")
    inputs: list[Array] = []

    @registering_twice
    def same(x: Array) -> Array:
        inputs.append(x.copy())
        return x

    executable = calling("same", type)
    expected = executable.signature.inputs[0]
    x = np.ones(expected.static_shape, expected.element_type.dtype)
    result = executable(x)
    assert inputs[0].dtype == result.dtype == x.dtype
    assert inputs[0].shape == result.shape == x.shape
    assert inputs[0].tobytes() == result.tobytes() == x.tobytes()


CONFIG = """{a = 3 : i32, b = 200 : ui8, c = 2.5 : f32, d = true, e = "text", f = [1, "q"],
  g = dense<[1, 2]> : tensor<2xi16>, h, i = array<i64: 4, 5>, j = {k = 6 : i64}, l = i1}"""


@pytest.mark.parametrize("form", ["api_version = 4 : i32, backend_config", "mhlo.backend_config"])
def test_attributes_are_python_values(form: str) -> None:
    calls: dict[str, Any] = {}

    @registering
    def configured(x: Array, *, attributes: dict[str, Any]) -> Array:
        calls.update(attributes)
        return x

    calling("configured", attributes=f"{form} = {CONFIG}")(X)
    numbers = calls.pop("g")
    assert numbers.dtype == np.int16 and numbers.tolist() == [1, 2]
    assert calls == {
        **{"a": 3, "b": 200, "c": 2.5, "d": True, "e": "text", "f": [1, "q"], "h": True},
        **{"i": [4, 5], "j": {"k": 6}, "l": "i1"},
    }


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", {}),
        ('backend_config = "opaque"', {"backend_config": "opaque"}),
        (r'backend_config = "\FF\00"', {"backend_config": b"\xff\0"}),
        ('backend_config = "", mhlo.backend_config = {a = 1 : i32}', {"a": 1}),
    ],
)
def test_attributes_of_other_forms(attributes: str, expected: dict[str, Any]) -> None:
    calls: list[dict[str, Any]] = []

    @registering
    def configured(x: Array, *, attributes: dict[str, Any]) -> Array:
        calls.append(attributes)
        return x

    calling("configured", attributes=attributes)(X)
    assert calls == [expected]


def test_result_types_and_place_are_offered() -> None:
    @registering
    def zeros(*, result_types: Any, place: Any) -> Array:
        assert place.line == 2
        return np.full(result_types[0].static_shape, 7, result_types[0].element_type.dtype)

    executable = shlo_tools.compile("""func.func @main() -> tensor<2x3xi16> {
      %0 = stablehlo.custom_call @zeros() : () -> tensor<2x3xi16>
      return %0 : tensor<2x3xi16>
    }""")
    np.testing.assert_array_equal(executable(), np.full((2, 3), 7, np.int16))


def test_a_function_without_signature_is_fine() -> None:
    shlo_tools.custom_call("negative")(np.negative)
    np.testing.assert_array_equal(calling("negative")(X), -X)


def test_layouts_do_not_change_values() -> None:
    """Column-major layouts are where another compiler puts elements, not what they are."""

    @registering
    def first_row(x: Array) -> Array:
        return x[0]

    program = """func.func @main(%x: tensor<2x3xi32>) -> tensor<3xi32> {{
      %0 = stablehlo.custom_call @first_row(%x) {{
        operand_layouts = [dense<{}> : tensor<2xindex>],
        result_layouts = [dense<0> : tensor<1xindex>]}} : (tensor<2x3xi32>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    }}"""
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    for layout in ([1, 0], [0, 1]):
        assert shlo_tools.compile(program.format(layout))(x).tolist() == [0, 1, 2]


def test_aliases_do_not_write_operands() -> None:
    @registering
    def increment(x: Array) -> Array:
        return x + 1

    executable = shlo_tools.compile("""
      func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
        %0 = stablehlo.custom_call @increment(%x) {output_operand_aliases = [
          #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
                                          operand_tuple_indices = []>]}
          : (tensor<4xf32>) -> tensor<4xf32>
        %1 = stablehlo.add %0, %x : tensor<4xf32>
        return %0, %1 : tensor<4xf32>, tensor<4xf32>
      }""")
    x = X.copy()
    x.flags.writeable = False
    one, both = executable(x)
    np.testing.assert_array_equal(one, X + 1)
    np.testing.assert_array_equal(both, 2 * X + 1)


# --- results and effects --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ((X, X), "returned 2 results, not 1"),
        (None, "returned 0 results, not 1"),
        (np.float32(1), r"returned a float32 array of shape \(\) as result 0, which is ten"),
        (X.astype(np.float64), "returned a float64 array"),
        (X.astype(">f4"), "returned a >f4 array"),
        (X.reshape(2, 2), r"returned a float32 array of shape \(2, 2\)"),
        ([0, 1, 2, 3], "returned a int64 array"),
    ],
)
def test_wrong_results_are_told(returned: Any, message: str) -> None:
    shlo_tools.custom_call("wrong")(lambda x: returned)
    with pytest.raises(ExecutionError, match=f"custom_call 'wrong' {message}") as caught:
        calling("wrong")(X)
    assert "-:2:" in str(caught.value)


def test_several_results_tuples_and_tokens() -> None:
    @registering
    def halves(x: Array) -> tuple[Array, Array]:
        return x[:2], x[2:]

    program = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {{
      %token = stablehlo.create_token : !stablehlo.token
      {}
      return %r : tensor<2xf32>
    }}"""
    several = """%a, %r, %t = stablehlo.custom_call @halves(%x, %token)
      : (tensor<4xf32>, !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, !stablehlo.token)"""
    packed = """%p = stablehlo.custom_call @halves(%x)
      : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
      %r = stablehlo.get_tuple_element %p[1]
      : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>"""
    for form in (several, packed):
        assert shlo_tools.compile(program.format(form))(X).tolist() == [2, 3]


def test_effects_happen_in_program_order_and_are_kept() -> None:
    message: list[str] = []

    @registering
    def say(*, attributes: dict[str, Any]) -> None:
        message.append(attributes["word"])

    call = (
        "stablehlo.custom_call @say()"
        " {{has_side_effect = true, mhlo.backend_config = {{word = {}}}}} : () -> ()"
    )
    words = ['"one"', '"two"', '"one"', '"three"']
    lines = "\n".join(call.format(word) for word in words)
    shlo_tools.compile(f"func.func @main() {{ {lines} return }}")()
    assert message == ["one", "two", "one", "three"]


def test_in_a_loop() -> None:
    @registering
    def step(state: Array, i: Array) -> Array:
        return 3 * state + i

    executable = shlo_tools.compile(LOOP)
    expected = 1
    for i in range(9):
        expected = 3 * expected + i
    assert executable(np.int32(9), np.int32(1)) == expected
    assert executable(np.int32(0), np.int32(5)) == 5


def test_a_timeout_stops_a_loop_of_calls() -> None:
    @registering
    def step(state: Array, i: Array) -> Array:
        return state

    with pytest.raises(ExecutionTimeout):
        shlo_tools.compile(LOOP)(np.int32(2**31 - 1), np.int32(0), timeout=0.1)
