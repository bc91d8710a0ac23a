"""Shapes of custom calls by rules that users register."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import dims, ir, mlir
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.extend import shape_rules
from shlo_tools.extend.shape_rules import shape_rule
from shlo_tools.shapes import Shapes


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    before = dict(shape_rules._registered)
    with mlir.library_context():
        yield
    shape_rules._registered.clear()
    shape_rules._registered.update(before)


def _results(operands: str, types: str, results: str, attributes: str = "") -> list[str]:
    """The types of what a custom call @f of some arguments returns."""
    names = ", ".join(f"%{i}" for i in range(types.count("tensor")))
    count = results.count("tensor")
    returned = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
    listed = results if count == 1 else f"({results})"
    many = f":{count}" if count > 1 else ""
    text = f"""func.func @main({operands}) -> ({results}) {{
      %r{many} = stablehlo.custom_call @f({names}) {{{attributes}}} : ({types}) -> {listed}
      return {returned} : {results}
    }}"""
    module = mlir.parse_module(text.replace("%0", "%a").replace("%1", "%b"))
    return [str(type) for type in Shapes().function(ir.functions(module.operation)[0])]


def test_sizes_are_computed_as_expressions() -> None:
    @shape_rule("f")
    def outer(a: Any, b: Any) -> Any:
        return [a.like(shape=(a.shape[0], 2 * b.shape[0]))]

    types = _results(
        "%a: tensor<?xf32>, %b: tensor<?xf32>", "tensor<?xf32>, tensor<?xf32>", "tensor<?x?xf32>"
    )
    assert types == ["tensor<(arg0.0)x(2 * arg1.0)xf32>"]


def test_shapes_alone_and_several_results() -> None:
    @shape_rule("f")
    def both(a: Any) -> Any:
        return [(a.shape[0], 7), (dims.UNKNOWN,)]

    types = _results("%a: tensor<?xf32>", "tensor<?xf32>", "tensor<?x?xf32>, tensor<?xi32>")
    assert types == ["tensor<(arg0.0)x7xf32>", "tensor<(custom_call.0)xi32>"]


def test_attributes_and_declared_types() -> None:
    calls: dict[str, Any] = {}

    @shape_rule("f")
    def scaled(a: Any, *, attributes: Any, op_attributes: Any, result_types: Any) -> Any:
        calls.update(attributes=attributes, extra=op_attributes["my.attribute"])
        return result_types[0].with_shape([attributes["factor"] * a.shape[0]])

    attributes = 'api_version = 4 : i32, backend_config = {factor = 3 : i64}, my.attribute = "x"'
    types = _results("%a: tensor<?xf32>", "tensor<?xf32>", "tensor<?xbf16>", attributes)
    assert types == ["tensor<(3 * arg0.0)xbf16>"]
    assert calls == {"attributes": {"factor": 3}, "extra": "x"}


def test_a_rule_that_contradicts_the_declared_type() -> None:
    @shape_rule("f")
    def five(a: Any) -> Any:
        return [(5,)]

    with pytest.raises(ConstraintError, match=r"stablehlo.custom_call: .*tensor<5xf32>.*tensor<4x"):
        _results("%a: tensor<?xf32>", "tensor<?xf32>", "tensor<4xf32>")


def test_a_rule_for_another_number_of_results() -> None:
    @shape_rule("f")
    def two(a: Any) -> Any:
        return [a.shape, a.shape]

    with pytest.raises(ConstraintError, match="tells 2 results of 1"):
        _results("%a: tensor<?xf32>", "tensor<?xf32>", "tensor<?xf32>")


def test_what_a_rule_raises_names_the_op() -> None:
    @shape_rule("f")
    def refuses(a: Any) -> Any:
        raise ConstraintError("not today")

    with pytest.raises(ConstraintError, match=r"-:2:12: error: stablehlo.custom_call: not today"):
        _results("%a: tensor<?xf32>", "tensor<?xf32>", "tensor<?xf32>")


def test_a_target_has_one_rule() -> None:
    def rule(a: Any) -> Any:
        return [a.like()]

    def other(a: Any) -> Any:
        return [a.like()]

    shape_rule("f", "g")(rule)
    shape_rule("f")(rule)  # again, as in a notebook
    with pytest.raises(ShloError, match="'g' is registered already"):
        shape_rule("g")(other)
    with pytest.raises(ShloError, match="is no function"):
        shape_rule("h")(3)  # type: ignore[type-var]


# --- what is no shape -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "returned", [None, 6, "6xf32", ["6xf32"], [None], [6.0], [(True,)], [("6",)], [{}], [[None]]]
)
def test_a_rule_that_returns_no_types_is_an_error(returned: Any) -> None:
    shape_rule("f")(lambda a: returned)
    with pytest.raises(ConstraintError, match="shape rule for 'f'"):
        _results("%a: tensor<3xf32>", "tensor<3xf32>", "tensor<?xf32>")


@pytest.mark.parametrize("returned", [[(6,)], (6,), [[np.int64(6)]], [dims.UNKNOWN, 6][1:]])
def test_a_shape_in_every_form(returned: Any) -> None:
    shape_rule("f")(lambda a: returned)
    messages = _results("%a: tensor<3xf32>", "tensor<3xf32>", "tensor<?xf32>")
    assert messages == ["tensor<6xf32>"]


# --- both backends --------------------------------------------------------------------------------
PROGRAM = """func.func @main(%x: tensor<3xf32>) -> tensor<?xf32> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
@pytest.mark.parametrize("returned", [[(6,)], ["6xf32"], None, [(3, 1)], [(-1,)]], ids=repr)
def test_what_a_rule_says_is_checked(run: Callable[..., Any], returned: Any) -> None:
    """The function gives three elements, whatever the rule says."""
    shlo_tools.custom_call("f")(lambda x: x)
    shape_rule("f")(lambda x: returned)
    with pytest.raises(ShloError, match=r"'f'|tensor<3x1xf32>|-1"):
        run(PROGRAM, np.ones(3, np.float32))


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("run", [shlo_tools.run, shlo_tools.interpret])
def test_a_rule_reads_contents(run: Callable[..., Any]) -> None:
    shlo_tools.custom_call("f")(lambda n: np.arange(n[0], dtype=np.float32))
    shape_rule("f")(lambda n: [tuple(n.contents) if n.contents else (dims.UNKNOWN,)])
    program = """func.func @main() -> tensor<?xf32> {
      %n = stablehlo.constant dense<4> : tensor<1xi32>
      %0 = stablehlo.custom_call @f(%n) : (tensor<1xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    np.testing.assert_array_equal(run(program), np.arange(4, dtype=np.float32))
