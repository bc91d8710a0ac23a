"""Attributes of ops: which are known, and how their values cross between MLIR and Python."""

from __future__ import annotations

from typing import Any

import pytest

from shlo_tools import builder, errors, mlir, ops, program
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.ops import DotAlgorithm, ResultAccuracy, ResultAccuracyMode
from shlo_tools.ops._op import read_arguments

DEFAULT, HIGHEST = ResultAccuracyMode.DEFAULT, ResultAccuracyMode.HIGHEST


def _only(module: mlir.Module, name: str) -> mlir.Operation:
    (matching,) = (op for op in mlir.walk(module.operation) if op.name == f"stablehlo.{name}")
    return matching


def _arguments(module: mlir.Module, name: str) -> dict[str, Any]:
    with mlir.library_context():
        return read_arguments(_only(module, name))


# --- strings --------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", ["", "text", "é\0", b"\xff\x00", b"\x80 half of a letter"])
def test_a_config_is_text_or_bytes(config: str | bytes) -> None:
    """MLIR's strings are bytes; those that are no UTF-8 stay what they are."""
    module = builder.Module()

    @module.func()
    def main() -> None:
        ops.custom_call((), "f", (), backend_config=config)

    program.verify(module.module)
    assert _arguments(module.module, "custom_call")["backend_config"] == config


def test_a_name_that_is_no_text_is_an_error() -> None:
    module = program.load(r"""
      func.func @main() {
        "stablehlo.custom_call"() {call_target_name = "\FF"} : () -> ()
        return
      }""")
    with pytest.raises(ConstraintError, match=r'^-:3:9: .*custom_call: "\\FF" is no text'):
        program.verify(module)


# --- structs --------------------------------------------------------------------------------------
FUNCTIONS = (
    *("cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic"),
    *("rsqrt", "sine", "sqrt", "tan", "tanh"),
)

ACCURACIES = [
    (ResultAccuracy(ulps=4), "ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>"),
    (ResultAccuracy(1 / 3, 1e-5, 2), "atol = 0.33333333333333331, rtol = 1.0e-5, ulps = 2, "
     "mode = #stablehlo.result_accuracy_mode<TOLERANCE>"),
    (ResultAccuracy(rtol=float("inf")), "rtol = 0x7FF0000000000000, "
     "mode = #stablehlo.result_accuracy_mode<TOLERANCE>"),
    (ResultAccuracy(mode=HIGHEST), "mode = #stablehlo.result_accuracy_mode<HIGHEST>"),
    (ResultAccuracy(mode=DEFAULT), "mode = #stablehlo.result_accuracy_mode<DEFAULT>"),
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("accuracy", "written"), ACCURACIES)
def test_functions_may_be_asked_for_accuracy(
    function: str, accuracy: ResultAccuracy, written: str
) -> None:
    """The built attribute is the one written in IR, and is read back."""
    module = builder.Module()

    @module.func("2xf32")
    def main(x: ops.Tensor) -> Any:
        return getattr(ops, function)(x, result_accuracy=accuracy)

    program.verify(module.module)
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.{function}"(%x) {{
        result_accuracy = #stablehlo.result_accuracy<{written}>
      }} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    assert str(module) == str(program.load(text))
    assert _arguments(module.module, function)["result_accuracy"] == accuracy


ALGORITHMS = [
    (DotAlgorithm("tf32", "tf32", "f32"), "tf32 tf32 f32 1 1 1 false"),
    (DotAlgorithm("bf16", "bf16", "f32", 1, 1, 6), "bf16 bf16 f32 1 1 6 false"),
    (
        DotAlgorithm("f8E5M2", "f8E4M3FN", "f32", allow_imprecise_accumulation=True),
        "f8E5M2 f8E4M3FN f32 1 1 1 true",
    ),
]
FIELDS = (
    *("lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count"),
    *("rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"),
)


@pytest.mark.parametrize(("algorithm", "values"), ALGORITHMS)
def test_dot_products_may_be_given_an_algorithm(algorithm: DotAlgorithm, values: str) -> None:
    module = builder.Module()

    @module.func("2x2xf32")
    def main(x: ops.Tensor) -> Any:
        return ops.dot_general(x, x, (), (), [1], [0], ["DEFAULT", "DEFAULT"], algorithm=algorithm)

    program.verify(module.module)
    inputs = zip(FIELDS, values.split(), strict=True)
    assert str(module) == str(program.load(_dot(", ".join(f"{n} = {v}" for n, v in inputs))))
    assert _arguments(module.module, "dot_general")["algorithm"] == algorithm


def _dot(algorithm: str) -> str:
    type = "tensor<2x2xf32>"
    return f"""func.func @main(%x: {type}) -> {type} {{
      %0 = "stablehlo.dot_general"(%x, %x) {{
        dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
          rhs_contracting_dimensions = [0]>,
        precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
        algorithm = #stablehlo.dot_algorithm<{algorithm}>
      }} : ({type}, {type}) -> {type}
      return %0 : {type}
    }}"""


MISTAKES: list[tuple[Any, str]] = [
    (lambda x: ops.exponential(x, ResultAccuracy(atol=-1)), "[Nn]egative tolerance"),
    (lambda x: ops.exponential(x, ResultAccuracy(ulps=1, mode=HIGHEST)), "mode HIGHEST"),
    (lambda x: loose.exponential(x, 4), "a ResultAccuracy is wanted, not 4"),
    (lambda x: _with_algorithm(x, DotAlgorithm("f32", "f32", "f32", 0)), "must be positive"),
    (lambda x: _with_algorithm(x, DotAlgorithm("float", "f32", "f32")), "float"),
    (lambda x: _with_algorithm(x, DotAlgorithm("f32", "f32", "f32"), "HIGH"), r"\(C21\)"),
]
loose: Any = ops  # mypy would find these mistakes first


def _with_algorithm(x: Any, algorithm: DotAlgorithm, precision: Any = "DEFAULT") -> Any:
    precisions = [precision, precision]
    return ops.dot_general(x, x, (), (), [1], [0], precisions, algorithm=algorithm)


@pytest.mark.parametrize(("build", "message"), MISTAKES)
def test_structs_that_say_nothing_sensible(build: Any, message: str) -> None:
    module = builder.Module()
    with pytest.raises(ShloError, match=message):
        module.func("2x2xf32", name="main")(build)


# --- names ----------------------------------------------------------------------------------------
def test_only_attributes_that_nobody_reads_are_warned_of() -> None:
    """Functions of custom calls are given all attributes of the op, whatever their names."""
    module = program.load("""
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        stablehlo.custom_call @f(%x) {indices = 1 : i64, error_message = "no"}
          : (tensor<2xf32>) -> ()
        %0 = stablehlo.negate %x {dimensionz = 1 : i64} : tensor<2xf32>
        return %0 : tensor<2xf32>
      }""")
    heard = errors.Collected()
    with errors.listening(heard):
        program.verify(module)
    (warned,) = heard.diagnostics
    assert "stablehlo.negate has no attribute 'dimensionz'" in warned.message
