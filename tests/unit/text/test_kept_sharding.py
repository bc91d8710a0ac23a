"""Shardy's annotations kept as attributes: nothing is lost, and programs compute what they did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.errors import ParseError, ShloError, UnsupportedError
from shlo_tools.text.sharding.kept import keep

# As JAX prints a function with in_shardings, out_shardings and with_sharding_constraint.
SHARDED = """#sharding = #sdy.sharding<@mesh, [{"x"}, {}]>
#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2}]}} loc(#loc)
  func.func public @main(
    %arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, a.b} loc("a"),
    %arg1: tensor<2x2xf32>
  ) -> (tensor<4x2xf32> {jax.result_info = "result[0]", sdy.sharding = #sharding}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
      : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32> loc(#loc)
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x2xf32> loc("here")
    %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<4x2xf32>
    %3 = stablehlo.tanh %2 : tensor<4x2xf32>
    return %3 : tensor<4x2xf32>
  }
}
"""
A = np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2)
B = np.array([[1, 2], [-1, 0.5]], np.float32)


def attributes(op: mlir.Operation) -> dict[str, str]:
    return {name: getattr(value, "value", value) for name, value in op.attributes.items()}


def test_everything_is_recoverable() -> None:
    module = shlo_tools.load(SHARDED, shardings="keep")
    by_name = {op.name: op for op in mlir.walk(module.operation)}
    meshes = module.operation.attributes["shlo.meshes"]
    assert meshes["mesh"].value == '<["x"=2, "y"=2]>'
    func = by_name["func.func"].attributes
    assert func["arg_attrs"][0]["shlo.sharding"].value == '#sdy.sharding<@mesh, [{"x"}, {"y"}]>'
    assert "a.b" in func["arg_attrs"][0] and len(func["arg_attrs"][1]) == 0
    assert func["res_attrs"][0]["shlo.sharding"].value == '#sdy.sharding<@mesh, [{"x"}, {}]>'
    first, second = [
        op for op in mlir.walk(module.operation) if op.name == "stablehlo.optimization_barrier"
    ]
    assert attributes(first) == {"shlo.sharding_constraint": '<@mesh, [{"x"}, {}]>'}
    assert attributes(second) == {"shlo.propagation_barrier": "allowed_direction=NONE"}
    assert "here" in str(first.location)


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_on_one_device_the_results_are_the_same(backend: str) -> None:
    module = shlo_tools.load(SHARDED, shardings="keep")
    shlo_tools.verify(module)
    result = shlo_tools.compile(module, backend=backend)(A, B)
    np.testing.assert_allclose(result, np.tanh(A @ B), rtol=1e-5, atol=1e-6)


def test_they_survive_files(tmp_path: Path) -> None:
    module = shlo_tools.load(SHARDED, shardings="keep")
    for name in ("x.mlir", "x.mlirbc"):
        shlo_tools.save(module, tmp_path / name)
        assert str(shlo_tools.load(tmp_path / name)) == str(module)


def test_without_keep_several_devices_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="a mesh of 4 devices") as caught:
        shlo_tools.load(SHARDED)
    assert "shardings='keep'" in caught.value.render()
    with pytest.raises(ShloError, match="shardings='kept'"):
        shlo_tools.load(SHARDED, shardings="kept")  # type: ignore[arg-type]


def test_lines_stay() -> None:
    text, meshes = keep(SHARDED)
    assert meshes == {"mesh": '<["x"=2, "y"=2]>'}
    assert "sdy." not in text.replace("#sdy.sharding<", "")
    assert len(text.splitlines()) == len(SHARDED.splitlines())
    with pytest.raises(ParseError) as caught:
        shlo_tools.load(SHARDED.replace("stablehlo.tanh", "stablehlo.tan_h"), shardings="keep")
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert "stablehlo.tanh" in SHARDED.splitlines()[place.line - 1]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{sdy.x}", "{shlo.x}"),
        ("{a, sdy.x = 1 , b}", '{a, shlo.x = "1" , b}'),
        ('{sdy.x = "a\\"b"}', '{shlo.x = "\\22a\\5C\\22b\\22"}'),
        ("{sdy.x = [1,\n 2]}", '{shlo.x = "[1,\\0A 2]"\n}'),
        ("// sdy.mesh @a = <[]>", "// sdy.mesh @a = <[]>"),
        ('%0 = "a"() {z = "sdy.z = 1"}', '%0 = "a"() {z = "sdy.z = 1"}'),
    ],
)
def test_what_is_written_instead(text: str, kept: str) -> None:
    assert keep(text)[0] == kept


@pytest.mark.parametrize(
    "text",
    [
        '%0 = sdy.manual_computation(%a) manual_axes={"x"}',
        "sdy.sharding_group %0 group_id=0 : tensor<4xi32>",
        "%1 = sdy.all_gather [{}] %0 out_sharding=<@m, [{}]> : tensor<4xi32>",
        "%1 = sdy.sharding_constraint",
        "%1 = sdy.sharding_constraint %0 <@m",
        "sdy.mesh",
        "{sdy.x = ",
    ],
)
def test_what_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedError, match="not supported"):
        keep(text)


def test_bytecode_cannot_keep_them() -> None:
    path = Path(__file__).parent / "artifacts" / "two_devices.mlirbc"
    with pytest.raises(UnsupportedError, match="annotations in bytecode") as caught:
        shlo_tools.load(path, shardings="keep")
    assert "as text" in caught.value.render()


# As JAX prints shard_map, one in another; the outer one is manual along "x" alone.
MANUAL = """module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<4x4xf32>) -> tensor<4x2xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>]
        out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"}
        (%arg1: tensor<2x4xf32> loc("a")) {
      %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[
        <@mesh, [{?}, {?}]>] manual_axes={"y"} (%arg2: tensor<2x2xf32>) {
        %2 = stablehlo.negate %arg2 : tensor<2x2xf32>
        sdy.return %2 : tensor<2x2xf32>
      } : (tensor<2x4xf32>) -> tensor<2x2xf32>
      sdy.return %1 : tensor<2x2xf32>
    } : (tensor<4x4xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
"""


def test_manual_computations_become_functions() -> None:
    module = shlo_tools.load(MANUAL, shardings="keep")
    shlo_tools.verify(module)
    calls = [op for op in mlir.walk(module.operation) if op.name == "stablehlo.custom_call"]
    outer, inner = (attributes(call) for call in calls)
    assert outer["call_target_name"] == inner["call_target_name"] == "shlo.manual_computation"
    assert (outer["shlo.manual_axes"], inner["shlo.manual_axes"]) == ('{"x"}', '{"y"}')
    assert inner["shlo.in_shardings"] == '[<@mesh, [{?}, {"y", ?}]>]'
    text = str(module)
    assert "@manual_computation(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32>" in text
    assert "@manual_computation_1(%arg0: tensor<2x4xf32>) -> tensor<2x2xf32>" in text


def test_programs_with_meshes_have_no_other_unknown_ops() -> None:
    broken = MANUAL.replace("stablehlo.negate %arg2", '"a.b"(%arg2)').replace(
        ": tensor<2x2xf32>\n        sdy", ": (tensor<2x2xf32>) -> tensor<2x2xf32>\n        sdy"
    )
    with pytest.raises(ParseError, match=r"'a\.b' is unregistered"):
        shlo_tools.load(broken, shardings="keep")


def test_manual_computations_use_their_own_values() -> None:
    broken = MANUAL.replace("negate %arg2 : tensor<2x2xf32>", "slice %arg1 [0:2, 0:2] : T")
    broken = broken.replace(": T", ": (tensor<2x4xf32>) -> tensor<2x2xf32>")
    with pytest.raises(ParseError, match="values from around it"):
        shlo_tools.load(broken, shardings="keep")
