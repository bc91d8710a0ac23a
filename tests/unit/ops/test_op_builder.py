"""The ``@op`` decorator as builder: what it makes, and how mistakes are explained.

Expected programs are written by hand after the examples of the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from op_calls import BUILT, add, argument_list, attempt, loose

from shlo_tools import ops, program
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError, ShloError, VerifyError


# --- as builder -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", BUILT)
def test_builder_makes_the_op_of_the_specification(name: str) -> None:
    types, build, body = BUILT[name]
    module = Module()
    main = module.func(*types, name="main")(build)
    assert main.result_types is not None
    results = ", ".join(str(t) for t in main.result_types)
    expected = f"func.func @main({argument_list(types)}) -> ({results}) {{{body}\n}}"
    assert str(module) == str(program.load(expected))


def test_composite_takes_a_function_of_the_module() -> None:
    module = Module()

    @module.func("f32", "f32")
    def _my_op(a: Any, b: Any) -> Any:
        return ops.add(a, b)

    @module.func("f32", "f32")
    def main(a: Any, b: Any) -> Any:
        return ops.composite((a, b), "my_namespace.my_op", _my_op, {"my_attribute": "my_value"}, 1)

    expected = """
        func.func private @_my_op(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.add %a, %b : tensor<f32>
          return %0 : tensor<f32>
        }
        func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
          %0 = "stablehlo.composite"(%a, %b) {
            name = "my_namespace.my_op", composite_attributes = {my_attribute = "my_value"},
            decomposition = @_my_op, version = 1 : i32
          } : (tensor<f32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }"""
    assert str(module) == str(program.load(expected))


def test_custom_call_needs_no_more_than_a_name() -> None:
    """Every attribute but the target is optional, and one left out is not written."""
    module = Module()
    module.func(name="main")(lambda: ops.custom_call((), "foo", ()))
    expected = "func.func @main() { stablehlo.custom_call @foo() : () -> ()\n return }"
    assert str(module) == str(program.load(expected))


def test_numbers_and_arrays_are_operands() -> None:
    """A number takes the element type of the first tensor, an array keeps its own."""
    built = str(attempt(("2xbf16",), lambda x: (x + 1, ops.multiply(2.5, x))))
    assert "dense<1.000000e+00> : tensor<bf16>" in built
    assert "dense<2.500000e+00> : tensor<bf16>" in built
    assert built.count("broadcast_in_dim") == 2
    with pytest.raises(ConstraintError, match="C1"):
        attempt(("2xbf16",), lambda x: x / np.ones(2, np.float32))


def test_an_array_on_the_left_of_an_operator_is_an_operand() -> None:
    """numpy must leave the operation to the tensor instead of spreading it over its elements."""
    built = str(attempt(("2xf32",), lambda x: np.array([1, 2], np.float32) - x))
    assert "stablehlo.subtract %cst, %arg0 : tensor<2xf32>" in built


# --- mistakes of a user ---------------------------------------------------------------------------
MISTAKES: list[tuple[str, tuple[str, ...], Callable[..., Any], str]] = [
    ("misspelled parameter", ("f32",),
     lambda x: loose.transpose(x, permutaton=()), "permutation"),
    ("missing parameter", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0,)), "body"),
    ("number for axes", ("2xf32",), lambda x: loose.reduce((x,), (0,), 0, add), "sequence"),
    ("float for axis", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0.0,), add), "integer"),
    ("unknown enum", ("2xf32",), lambda x: loose.compare(x, x, "LESS"), "LT"),
    ("no region", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0,), x), "function"),
    ("string operand", ("2xf32",), lambda x: loose.add(x, "1"), "tensor"),
    ("one tensor for several", ("2xf32",),
     lambda x: loose.reduce(x, (0,), (0,), add), "sequence"),
    ("no result type", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", ("nonsense",)), "nonsense"),
    ("no type in MLIR", ("2xf32",), lambda x: loose.custom_call((x,), "f", ("!no",)), "!no"),
    ("number as name", ("2xf32",), lambda x: loose.custom_call((x,), 3, ()), "3"),
    ("word for yes", ("2xf32",), lambda x: loose.custom_call((x,), "f", (), "yes"), "yes"),
    ("iterator", ("2xf32",),
     lambda x: loose.concatenate((y for y in (x, x)), 0), "sequence"),
    ("function for operands", ("2xf32",), lambda x: loose.concatenate(add, 0), "sequence"),
    ("array for operands", ("2xf32",),
     lambda x: loose.concatenate(np.array("x"), 0), "sequence"),
    ("no inputs to sort", (), lambda: loose.sort((), comparator=add), "C1"),
    ("no inputs to map", (), lambda: loose.map((), (), add), "C2"),
    ("no inputs to scatter", ("2x1xi64",),
     lambda i: loose.scatter((), i, (), (), (), update_computation=add), "C5"),
    ("no inputs to reduce_window", (),
     lambda: loose.reduce_window((), (), (1,), body=add), "C1"),
    ("function of one argument", ("2xf32",),
     lambda x: loose.reduce((x,), (0.0,), (0,), lambda a: a), "2 arguments.*takes \\(a\\)"),
    ("class as a region", ("2xf32",), lambda x: loose.reduce((x,), (0.0,), (0,), int), "function"),
    ("array for an axis", ("2xf32",),
     lambda x: loose.iota(np.zeros(2, np.int64), "2xf32"), "integer"),
    ("name for epsilon", ("2x3xf32", "3xf32"),
     lambda x, s: loose.batch_norm_training(x, s, s, "small", 1), "float"),
    ("number for groups", ("2xf32",), lambda x: loose.cross_replica_sum(x, 2), "sequence"),
    ("rows of two lengths", ("2xf32",),
     lambda x: loose.cross_replica_sum(x, [[0], [1, 2]]), "one length"),
    ("list for a channel", ("2xf32",),
     lambda x: loose.collective_broadcast(x, [[0]], [1]), "integer"),
    ("flag for dimensions", ("3xf32", "1xi64"),
     lambda x, i: loose.gather(x, i, True, (0,), slice_sizes=(1,)), "sequence"),
    ("float in a shape", ("2xf32",), lambda x: loose.reshape(x, [2.0]), "result type"),
    ("long size", ("2xf32",), lambda x: loose.reshape(x, [10**5000]), r"2\^63 - 1"),
    ("long digits", ("2xf32",), lambda x: loose.reshape(x, "9" * 5000 + "xf32"), "no tensor type"),
    ("tensor in a shape", ("2xf32",), lambda x: loose.reshape(x, [x]), "result type"),
    ("list for a number", ("2xf32",), lambda x: loose.chlo.constant_like(x, [1, 2]), "number"),
    ("word for a dictionary", ("2xf32",),
     lambda x: loose.composite((x,), "a.b", "f", "x", result_types=("2xf32",)), "Mapping"),
    ("number as config", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", (), backend_config=0), "dictionary"),
    ("number as a function's name", ("2xf32",),
     lambda x: loose.composite((x,), "a.b", 3, result_types=("2xf32",)), "3"),
    ("nothing to wait for", (), lambda: loose.async_start((), lambda: None), "C1"),
    ("object as config", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", (), backend_config={"a": object()}), "object"),
    ("number as key of a config", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", (), backend_config={1: 2}), "1 is no name"),
    ("large number in a config", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", (), backend_config={"a": 1 << 64}), "65 bits"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("types", "build", "message"), [pytest.param(*row[1:], id=row[0]) for row in MISTAKES]
)
def test_mistakes_are_explained(
    types: tuple[str, ...], build: Callable[..., Any], message: str
) -> None:
    with pytest.raises(ShloError, match=message):
        attempt(types, build)


def test_building_outside_a_function_is_explained() -> None:
    with pytest.raises(ShloError, match="no function is being built"):
        ops.iota(0, "4xi32")


def test_an_error_in_a_region_leaves_the_module_usable() -> None:
    module = Module()
    with pytest.raises(ConstraintError, match="C6"):
        module.func("2xf32", name="main")(
            lambda x: ops.reduce((x,), (0.0,), (0,), lambda a, b: ops.compare(a, b, "EQ"))
        )
    module.func("2xf32", name="main")(lambda x: ops.reduce((x,), (0.0,), (0,), add))
    assert str(module).count("func.func") == 1


def test_module_verifies_what_was_built() -> None:
    """What no rule checks, MLIR's verifier does before the function is accepted."""
    with pytest.raises(VerifyError, match="backend_config"):
        attempt(("f32",), lambda x: ops.custom_call((x,), "f", ("f32",), False, "text", 4))
