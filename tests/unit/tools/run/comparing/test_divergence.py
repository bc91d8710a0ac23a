"""shlo-run --compare: what is blamed, what is not, and what is saved.

Native code is not known to be wrong: a custom call that answers one thing to compiled code and
another to the reference stands for a miscompiled op.
"""

from __future__ import annotations

import inspect
import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.cpu.stages import building
from shlo_tools.dtypes import ELEMENT_TYPES, Array
from shlo_tools.errors import ExecutionError, ShloError
from shlo_tools.passes.instrument import Instrument
from shlo_tools.passes.llvm.read_inits_as_inputs import ReadInitsAsInputs
from shlo_tools.tools.run.comparing import comparison, divergence, lit_test
from shlo_tools.tools.run.comparing.cut_out import cut_out
from shlo_tools.tools.run.comparing.sum_tolerance import widened
from shlo_tools.tools.run.run_request import Request

X = np.array([1.0, 2.0, 3.0, 4.0], np.float32)


def _by_reference() -> bool:
    files = [frame.filename for frame in inspect.stack()]
    return any(file.endswith("reference/custom_calls.py") for file in files)


@shlo_tools.custom_call("test.faulty_square")
def faulty_square(x: Array) -> Array:
    """The last element is one off where compiled code asks."""
    right = x * x
    if not _by_reference():
        right.flat[-1] += 1
    return right


@shlo_tools.custom_call("test.failing")
def failing(x: Array, *, attributes: dict[str, Any]) -> Array:
    if attributes["where"] == ("reference" if _by_reference() else "native"):
        raise ExecutionError("refused")
    return x


def square(operand: str = "%x", type: str = "tensor<4xf32>") -> str:
    return f"stablehlo.custom_call @test.faulty_square({operand}) : ({type}) -> {type}"


def compare(tmp_path: Path, text: str, *arguments: Any, **options: Any) -> str:
    """What a comparison that succeeds prints; else the ShloError is raised."""
    request = Request(model="model.mlir", save_to=str(tmp_path), **options)
    channel: Any = SimpleNamespace(tell=lambda activity: None)
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", printed)
        module = shlo_tools.load(text)
        assert divergence.compare(request, module, arguments, channel) == 0
    return printed.getvalue()


def difference(tmp_path: Path, text: str, *arguments: Any, **options: Any) -> str:
    with pytest.raises(ShloError) as raised:
        compare(tmp_path, text, *arguments, **options)
    return str(raised.value)


CHAIN = f"""func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = {square()} loc("squared"("model.py":7:8))
  return %0 : tensor<4xf32>
}}
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.negate %x : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %n, %y = %0) : tensor<i32>, tensor<4xf32>
  cond {{
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %squared = func.call @inner(%y) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %squared : tensor<i32>, tensor<4xf32>
  }}
  %last = stablehlo.add %r#1, %r#1 : tensor<4xf32>
  return %last : tensor<4xf32>
}}"""


def test_the_first_op_that_is_wrong_is_blamed(tmp_path: Path) -> None:
    message = difference(tmp_path, CHAIN, np.int32(2), X)
    first, *rest = message.splitlines()
    assert first.startswith("model.py:7:8: error: stablehlo.custom_call (tensor<4xf32>) -> ")
    assert "note: result0 differs: 1 of 4 elements" in rest[0]
    assert "first at [3]: got 17.0, expected 16.0" in rest[1]
    assert "note: named 'squared'" in rest
    assert "note: 4 values of 4 ops were compared" in rest  # negate, compare, subtract, and it
    assert any("custom_call @test.faulty_square" in line for line in rest)
    assert "drift" not in message


def test_the_saved_test_holds_the_op_its_inputs_and_the_right_values(tmp_path: Path) -> None:
    message = difference(tmp_path, CHAIN, np.int32(2), X)
    path = tmp_path / "model-stablehlo.custom_call.mlir"
    assert f"saved as a test with its inputs: {path}" in message
    saved = np.load(path.with_suffix(".npz"))
    assert sorted(saved) == ["arg0", "result0"]
    np.testing.assert_array_equal(saved["arg0"], -X)
    np.testing.assert_array_equal(saved["result0"], X * X)
    np.testing.assert_array_equal(shlo_tools.interpret(path, saved["arg0"]), X * X)
    assert "model.py:7:8" in path.read_text()
    assert path.read_text().count("stablehlo.") == path.read_text().count("stablehlo.custom_call")


def test_a_round_other_than_the_first_is_named(tmp_path: Path) -> None:
    """The target is faulty where the first element is above 1: -1.1 is not, its square is."""
    text = CHAIN.replace("test.faulty_square", "test.faulty_later")

    @shlo_tools.custom_call("test.faulty_later")
    def faulty_later(x: Array) -> Array:
        return faulty_square(x) if x.flat[0] > 1 else x * x

    assert "iteration" not in difference(tmp_path, text, np.int32(3), np.float32(-1.1) * X)
    assert "note: in iteration 1" in difference(tmp_path, text, np.int32(3), np.float32(1.1) * X)


def test_ops_that_compute_what_their_operands_demand_are_not_blamed(tmp_path: Path) -> None:
    """Random numbers differ: every later value does, and no op is wrong."""
    text = """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {
      %shape = stablehlo.constant dense<4> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
      %1 = stablehlo.exponential %0 : tensor<4xf32>
      %2 = stablehlo.multiply %1, %0 : tensor<4xf32>
      return %2 : tensor<4xf32>
    }"""
    message = compare(tmp_path, text, np.float32(0), np.float32(1))
    assert "3 values of 3 ops were compared" in message
    assert "result0 may differ, and does" in message and "no op is wrong" in message
    assert "values drift apart from stablehlo.rng" in message
    assert "up to the implementation" in message
    assert list(tmp_path.iterdir()) == []

    faulty = text.replace("stablehlo.exponential %0 : tensor<4xf32>", square("%0"))
    message = difference(tmp_path, faulty, np.float32(0), np.float32(1))
    assert "error: stablehlo.custom_call" in message
    assert "values drift apart from stablehlo.rng" in message


def test_ways_that_part_are_said_to(tmp_path: Path) -> None:
    text = """func.func @main(%a: tensor<f32>, %b: tensor<f32>, %middle: tensor<f32>)
        -> tensor<f32> {
      %shape = stablehlo.constant dense<> : tensor<0xi64>
      %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
      %1 = stablehlo.compare LT, %0, %middle : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = "stablehlo.if"(%1) ({
        %3 = stablehlo.negate %0 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }, {
        %4 = stablehlo.abs %0 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      RETURN
    }"""
    plain = text.replace("RETURN", "return %0 : tensor<f32>")
    bounds = (np.float32(0), np.float32(1))
    drawn = [
        float(shlo_tools.compile(plain, backend=name)(*bounds, np.float32(0)))
        for name in ("native", "reference")
    ]
    middle = np.float32(sum(drawn) / 2)
    message = difference(
        tmp_path, text.replace("RETURN", "return %2 : tensor<f32>"), *bounds, middle
    )
    assert "their ways through the program part" in message
    assert "drift apart from stablehlo.rng" in message


@pytest.mark.parametrize("where", ["native", "reference"])
def test_a_failure_of_one_side_is_its_error(tmp_path: Path, where: str) -> None:
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = stablehlo.negate %x : tensor<4xf32>
      %1 = stablehlo.custom_call @test.failing(%0) {{api_version = 4 : i32,
        backend_config = {{where = "{where}"}}}} : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }}"""
    message = difference(tmp_path, text, X)
    assert "refused" in message
    assert ("native fails here; the reference does not" in message) == (where == "native")


def test_tolerances_can_be_given(tmp_path: Path) -> None:
    text = CHAIN.replace("return %last", "return %0")
    assert "result0 agrees" in compare(tmp_path, text, np.int32(1), X, atol=1.5)
    assert "differ" in difference(tmp_path, text, np.int32(1), X, atol=0.5)
    assert "--atol=0.5" in (tmp_path / "model-stablehlo.custom_call.mlir").read_text()


def test_a_saved_test_works_under_lit(tmp_path: Path) -> None:
    """It passes where results are as expected, and fails where they are not."""
    text = "func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {\n"
    text += "  %0 = stablehlo.negate %x : tensor<2xbf16>\n  return %0 : tensor<2xbf16>\n}\n"
    x = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    folder = tmp_path / "tests" / "lit"
    folder.mkdir(parents=True)
    lit_test.save(str(folder), "right", ["Negates."], text, [x], [-x])
    lit_test.save(str(folder), "wrong", ["Negates."], text, [x], [x])
    root = Path(__file__).resolve().parents[5]
    (tmp_path / "lit.cfg.py").write_text((root / "lit.cfg.py").read_text())
    (folder / "lit.local.cfg.py").write_text("config.suffixes = ['.mlir']\n")
    (tmp_path / "shlo_tools").symlink_to(root / "shlo_tools")
    lit = Path(sys.executable).with_name("lit")
    done = subprocess.run(
        [str(lit), "-v", str(folder)], capture_output=True, text=True, cwd=tmp_path
    )
    assert "PASS: shlo-tools :: tests/lit/right.mlir" in done.stdout, done.stdout
    assert "FAIL: shlo-tools :: tests/lit/wrong.mlir" in done.stdout
    assert "result0 differs: 2 of 2 elements" in done.stdout


# --- single ops -----------------------------------------------------------------------------------
def alone(text: str, op: str) -> mlir.Module:
    """The only op of a name, cut out of a program."""
    module = shlo_tools.load(text)
    with mlir.library_context():
        (matching,) = (f for f in Instrument().sites(module.operation) if f.op.name == op)
        return cut_out(
            [matching.op], matching.operands, list(matching.op.results), module.operation
        )


def test_what_a_region_captures_becomes_an_argument() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        reducer(%a: tensor<f32>, %b: tensor<f32>) {
          %1 = stablehlo.multiply %b, %half : tensor<f32>
          %2 = func.call @plus(%a, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          stablehlo.return %2 : tensor<f32>
        }
      return %0 : tensor<f32>
    }
    func.func private @plus(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }"""
    executable = shlo_tools.compile(alone(text, "stablehlo.reduce"), backend="reference")
    assert len(executable.signature.inputs) == 3
    assert executable(X, np.float32(0), np.float32(1.0)) == 10  # not halved: 1 + 2 + 3 + 4


def test_quantized_values_and_tuples_are_made_from_their_leaves() -> None:
    quantized = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"
    pair = f"tuple<{quantized}, tensor<2xi32>>"
    text = f"""func.func @main(%q: {quantized}, %i: tensor<2xi32>) -> tensor<2xi32> {{
      %t = stablehlo.tuple %q, %i : {pair}
      %0 = stablehlo.get_tuple_element %t[0] : ({pair}) -> {quantized}
      %1 = stablehlo.add %0, %q : {quantized}
      return %i : tensor<2xi32>
    }}"""
    get = shlo_tools.compile(alone(text, "stablehlo.get_tuple_element"), backend="reference")
    q, i = np.array([5, 7], np.int8), np.array([1, 2], np.int32)
    np.testing.assert_array_equal(get(q, i), q)
    add = shlo_tools.compile(alone(text, "stablehlo.add"), backend="reference")
    np.testing.assert_array_equal(add(q, q), 2 * (q - 3) + 3)  # (q - zero point) * scale adds up


def test_room_for_the_order_of_sums_is_what_theory_says() -> None:
    generator = np.random.default_rng(0)
    lhs, rhs = (generator.standard_normal((8, 8)).astype(np.float32) for _ in range(2))
    default = comparison.tolerance(ELEMENT_TYPES["f32"], None, None)

    def product(operands: Any) -> list[Array]:
        return [operands[0] @ operands[1]]

    limit = widened(default, "stablehlo.dot_general", 0, product, [lhs, rhs])
    bound = 2 * 8 * np.finfo(np.float32).eps * (np.abs(lhs) @ np.abs(rhs))
    np.testing.assert_allclose(limit.atol, np.maximum(bound, default.atol), rtol=1e-6)
    assert widened(default, "stablehlo.add", 0, product, [lhs, rhs]) is default
    exact = comparison.tolerance(ELEMENT_TYPES["i32"], None, None)
    assert widened(exact, "stablehlo.dot_general", 0, product, [lhs, rhs]) is exact
    got = product([lhs, rhs])[0] + np.float32(4) * bound.astype(np.float32)
    assert comparison.compare(got, product([lhs, rhs])[0], limit).mismatches > 0


# --- what only fusion makes wrong -----------------------------------------------------------------
FUSED = """func.func @main(%x: tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  %2 = stablehlo.dot_general %1, %x, batching_dims = [0] x [0], contracting_dims = [] x []
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("model.py":5:3)
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.negate %3 : tensor<4x3xf32>
  %5 = stablehlo.cosine %4 : tensor<4x3xf32>
  return %5, %0 : tensor<4x3xf32>, tensor<4xf32>
}"""


def test_ops_that_are_wrong_only_together_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this pass, fusion repeats the product's sum for each element of the broadcast."""
    monkeypatch.setattr(ReadInitsAsInputs, "run", lambda self, op: None)
    monkeypatch.setattr(building, "is_fit", lambda module: False)  # kernels know no such pass
    message = difference(tmp_path, FUSED, X)
    assert "without probes, that is" in message
    blamed = "stablehlo.dot_general, stablehlo.broadcast_in_dim"
    assert f"model.py:5:3: note: fused, these 2 ops are wrong: {blamed}" in message
    path = tmp_path / "model-fused.mlir"
    assert f"saved as a test with its inputs: {path}" in message
    saved = np.load(path.with_suffix(".npz"))
    product = (np.sin(X) + X) * X
    np.testing.assert_allclose(saved["result0"], np.repeat(product, 3).reshape(4, 3), rtol=1e-6)
    arguments = [saved[name] for name in ("arg0", "arg1")]
    assert not np.allclose(shlo_tools.compile(path)(*arguments), saved["result0"])
    monkeypatch.undo()
    np.testing.assert_allclose(shlo_tools.compile(path)(*arguments), saved["result0"], rtol=1e-6)


def test_a_result_of_random_numbers_is_excused(tmp_path: Path) -> None:
    message = compare(
        tmp_path,
        """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<9xf32>, tensor<f32>) {
          %shape = stablehlo.constant dense<9> : tensor<1xi64>
          %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
            : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
          %1 = stablehlo.negate %0 : tensor<9xf32>
          %2 = stablehlo.add %a, %b : tensor<f32>
          return %1, %2 : tensor<9xf32>, tensor<f32>
        }""",
        np.float32(0),
        np.float32(1),
    )
    excuse = "though no op is wrong: it depends on what stablehlo.rng gives"
    assert f"result0 may differ, and does, {excuse}" in message
    assert "differs:" not in message
    assert "result1 agrees" in message
