"""Programs built in Python: functions, calls, operators, constants, and mistakes."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import dtypes, mlir, ops, program
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ops import Tensor

ROOT = Path(__file__).resolve().parents[2]


def same(module: Module, text: str) -> bool:
    """Whether a module is what ``text`` says, up to names of values."""
    return str(module) == str(program.load(text))


def test_functions_are_named_after_python_functions() -> None:
    module = Module()

    @module.func("2x3xf32")
    def main(x: Tensor) -> Tensor:
        return ops.negate(x)

    assert same(
        module,
        """func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
             %0 = stablehlo.negate %a : tensor<2x3xf32>
             return %0 : tensor<2x3xf32>
           }""",
    )
    assert module.functions["main"] is main
    assert [str(t) for t in main.input_types or ()] == ["tensor<2x3xf32>"]
    assert [str(t) for t in main.result_types or ()] == ["tensor<2x3xf32>"]
    program.verify(module.module)


def test_a_name_of_ones_own() -> None:
    module = Module()
    module.func(name="other")(lambda: None)
    assert same(module, "func.func @other() { return }")


@pytest.mark.parametrize("returned", [None, (), []])
def test_no_results(returned: Any) -> None:
    module = Module()
    module.func("i1", name="main")(lambda x: returned)
    assert same(module, "func.func @main(%a: tensor<i1>) { return }")


def test_several_results_and_none_of_them_computed() -> None:
    module = Module()
    module.func("i1", "2xi8", name="main")(lambda a, b: (b, a, b))
    assert same(
        module,
        """func.func @main(%a: tensor<i1>, %b: tensor<2xi8>)
               -> (tensor<2xi8>, tensor<i1>, tensor<2xi8>) {
             return %b, %a, %b : tensor<2xi8>, tensor<i1>, tensor<2xi8>
           }""",
    )


def test_types_in_every_spelling() -> None:
    module = Module()
    third = dtypes.parse_tensor_type("2x?xf32")
    module.func("2x?xf32", "tensor<2x?xf32>", third, "!stablehlo.token", name="main")(
        lambda a, b, c, token: (a, token)
    )
    expected = ", ".join(["tensor<2x?xf32>"] * 3 + ["!stablehlo.token"])
    with mlir.library_context():
        (func,) = [op for op in mlir.walk(module.module.operation) if op.name == "func.func"]
        assert str(func.attributes["function_type"].value).startswith(f"({expected}) -> ")


def test_calls() -> None:
    module = Module()

    @module.func("f32", "f32")
    def _both(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return a + b, a - b

    @module.func("f32")
    def _square(a: Tensor) -> Tensor:
        return a * a

    @module.func("f32")
    def main(a: Tensor) -> Any:
        total, difference = _both(a, _square(a))
        return total / difference

    assert same(
        module,
        """func.func private @_both(%a: tensor<f32>, %b: tensor<f32>)
               -> (tensor<f32>, tensor<f32>) {
             %0 = stablehlo.add %a, %b : tensor<f32>
             %1 = stablehlo.subtract %a, %b : tensor<f32>
             return %0, %1 : tensor<f32>, tensor<f32>
           }
           func.func private @_square(%a: tensor<f32>) -> tensor<f32> {
             %0 = stablehlo.multiply %a, %a : tensor<f32>
             return %0 : tensor<f32>
           }
           func.func @main(%a: tensor<f32>) -> tensor<f32> {
             %0 = call @_square(%a) : (tensor<f32>) -> tensor<f32>
             %1:2 = call @_both(%a, %0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
             %2 = stablehlo.divide %1#0, %1#1 : tensor<f32>
             return %2 : tensor<f32>
           }""",
    )


def test_operators_are_ops() -> None:
    """Every operator, with the tensor on either side of a number."""
    module = Module()

    @module.func("2xf32")
    def main(x: Tensor) -> tuple[Any, ...]:
        return x + 1, 1 + x, x - 1, 1 - x, x * 2, 2 * x, x / 2, 2 / x, -x

    with mlir.library_context():
        names = [op.name.removeprefix("stablehlo.") for op in mlir.walk(module.module.operation)]
    target = ["add"] * 2 + ["subtract"] * 2 + ["multiply"] * 2 + ["divide"] * 2 + ["negate"]
    assert [name for name in names if name in target] == target
    run = shlo_tools.compile(module)
    x = np.array([3, 5], np.float32)
    expected = (x + 1, 1 + x, x - 1, 1 - x, x * 2, 2 * x, x / 2, 2 / x, -x)
    for got, want in zip(run(x), expected, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (np.float32(1.5), "dense<1.500000e+00> : tensor<f32>"),
        (np.array([[1, 2]], np.uint8), "dense<[[1, 2]]> : tensor<1x2xui8>"),
        (np.zeros((0, 2), ml_dtypes.bfloat16), "dense<> : tensor<0x2xbf16>"),
        (np.array([True, False]), "dense<[true, false]> : tensor<2xi1>"),
        (np.complex64(1 + 2j), "dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>"),
        (np.array([-8, 7], ml_dtypes.int4), "dense<[-8, 7]> : tensor<2xi4>"),
        (np.asfortranarray([[1, 2], [3, 4]]), "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>"),
    ],
)
def test_constants(inputs: Any, text: str) -> None:
    module = Module()
    module.func(name="main")(lambda: ops.constant(inputs))
    assert f"stablehlo.constant {text}" in str(module)


def test_locations_are_those_of_python() -> None:
    module = Module()

    @module.func("f32")
    def main(x: Tensor) -> Tensor:
        return ops.sine(x)

    with mlir.library_context():
        (op,) = [op for op in mlir.walk(module.module.operation) if op.name == "stablehlo.sine"]
        place = mlir.place_of(op.location)
    assert place is not None
    assert Path(place.file).name == "test_builder.py"


def test_a_while_loop_runs() -> None:
    """Regions capture outer values, and nest."""
    module = Module()

    @module.func("i32", "f32")
    def main(count: Tensor, factor: Tensor) -> Any:
        def body(i: Tensor, x: Tensor) -> Any:
            (scaled,) = ops.if_(ops.compare(i, 2, "LT"), lambda: x * factor, lambda: x + 1.0)
            return i + 1, scaled

        start = (np.int32(0), np.float32(1))
        return ops.while_(start, lambda i, x: ops.compare(i, count, "LT"), body)

    assert "stablehlo.while" in str(module)
    steps, value = shlo_tools.compile(module)(np.int32(5), np.float32(3))
    assert (int(steps), float(value)) == (5, 1 * 3 * 3 + 3)


# --- mistakes -------------------------------------------------------------------------------------
def test_a_function_is_defined_once() -> None:
    module = Module()
    module.func(name="main")(lambda: None)
    with pytest.raises(ShloError, match="@main is defined already"):
        module.func(name="main")(lambda: None)
    assert same(module, "func.func @main() { return }")


def test_a_failed_function_leaves_nothing_behind() -> None:
    module = Module()
    with pytest.raises(ShloError):
        module.func("2xf32", "3xf32", name="main")(lambda a, b: a + b)
    assert same(module, "module {}")
    module.func("2xf32", name="main")(lambda a: a)
    assert list(module.functions) == ["main"]


def test_an_error_of_the_python_function_is_not_changed() -> None:
    module = Module()
    with pytest.raises(ZeroDivisionError):
        module.func(name="main")(lambda: 1 // 0)
    assert same(module, "module {}")


@pytest.mark.parametrize("returned", [3, "x", object, np.ones(2)], ids=str)
@pytest.mark.parametrize("wrapped", [tuple, lambda values: values[0]], ids=["tuple", "alone"])
def test_only_tensors_are_returned(returned: Any, wrapped: Any) -> None:
    with pytest.raises(ShloError, match="no tensor"):
        Module().func(name="main")(lambda: wrapped([returned]))


@pytest.mark.parametrize("type", ["2x3", "f33", "2x3xf32>", "", "tensor<*xf32>"])
def test_wrong_types_are_refused(type: str) -> None:
    with pytest.raises(ShloError):
        Module().func(type, name="main")(lambda x: x)


def test_a_shape_alone_is_no_argument_type() -> None:
    shape: Any = (2, 3)
    with pytest.raises(ShloError, match="no result type"):
        Module().func(shape, name="main")(lambda x: x)


def test_a_call_needs_the_types_of_the_function() -> None:
    module = Module()
    inner = module.func("2xf32", name="_inner")(lambda x: x)
    with pytest.raises(ShloError, match=r"takes \(tensor<2xf32>\), not \(tensor<3xf32>\)"):
        module.func("3xf32", name="main")(lambda x: inner(x))
    with pytest.raises(ShloError, match=r"takes \(tensor<2xf32>\), not \(\)"):
        module.func("3xf32", name="main")(lambda x: inner())


def test_a_function_of_another_module_is_not_called() -> None:
    """Neither by a call nor as a symbol: the name means nothing here."""
    other = Module().func("2xf32", name="other")(lambda x: x)
    for build in (other, lambda x: ops.composite([x], "a.b", decomposition=other)):
        with pytest.raises(ShloError, match="@other is a function of another module"):
            Module().func("2xf32", name="main")(build)


def test_calls_take_numbers_and_arrays() -> None:
    module = Module()
    inner = module.func("2xf32", "2xi32", name="_inner")(lambda x, n: (n, x))
    module.func(name="main")(lambda: inner(1.5, np.array([1, 2], np.int32)))
    numbers, scaled = shlo_tools.compile(module)()
    np.testing.assert_array_equal(numbers, [1, 2])
    np.testing.assert_array_equal(scaled, [1.5, 1.5])


def test_a_slice_of_a_scalar_is_printed_so_that_it_parses() -> None:
    """MLIR's short form of it does not."""
    module = Module()
    module.func("f32", name="main")(lambda x: ops.dynamic_slice(x, [], []))
    assert shlo_tools.compile(str(module))(1.5) == 1.5


def test_a_wrong_number_of_parameters_is_explained() -> None:
    with pytest.raises((ShloError, TypeError), match=r"argument|parameter"):
        Module().func("2xf32", "2xf32", name="main")(lambda x: x)


def test_a_value_of_another_function_is_refused() -> None:
    """It would be used where it is not defined."""
    module = Module()
    kept: list[Tensor] = []
    module.func("2xf32", name="first")(lambda x: kept.append(x))
    with pytest.raises((ShloError, VerifyError)):
        module.func("2xf32", name="second")(lambda x: x + kept[0])
    assert "second" not in module.functions


# The functions that fail are taken apart again; a wrong order of that shows as a crash.
FAILING = """
import gc
from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError

def fail(*types):
    def attempt(build):
        module = Module()
        try:
            module.func(*types, name="main")(build)
        except (ShloError, ZeroDivisionError) as error:
            kept.append(error)
        else:
            raise SystemExit("did not fail")
    return attempt

for round in range(30):
    kept = []
    fail("i32", "f32")(lambda i, x: ops.case(i, [lambda: ops.negate(x), lambda: i]))
    fail("i32", "f32")(lambda i, x: ops.case(i, [lambda: x * x, lambda: 1 // 0]))
    fail("2xf32", "f32")(lambda a, x: ops.reduce((a,), (x,), (9,), lambda p, q: p + q))
    fail("2xf32", "f32")(
        lambda a, x: ops.reduce((a,), (x,), (0,), lambda p, q: (p * x, q))
    )
    fail("i32", "f32")(
        lambda i, x: ops.case(i, [lambda: ops.case(i, [lambda: x, lambda: 1 // 0]), lambda: (x,)])
    )
    del kept
    gc.collect()
print("survived")
"""


def test_failed_regions_do_not_end_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAILING], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "survived\n", f"exit {done.returncode}: {done.stderr}"


def test_modules_come_and_go() -> None:
    """A value outlives the module it was built in without taking the process along."""
    kept = []

    def keep(x: Tensor) -> Tensor:
        kept.append(x)
        return ops.negate(x)

    for _ in range(50):
        Module().func("2xf32", name="main")(keep)
    gc.collect()
    assert len(kept) == 50
    assert {str(x.type) for x in kept} == {"tensor<2xf32>"}
