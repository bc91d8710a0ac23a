"""Portable artifacts: written for a version, read back, and refused where they are broken."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.errors import ParseError, ShloError
from shlo_tools.program import versions

TEXT = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a : tensor<2xf32> loc("x.py":1:2)
  return %0 : tensor<2xf32>
}"""


@pytest.fixture
def module() -> Any:
    return program.load(TEXT)


def _by_the_bindings(module: Any, version: str) -> bytes:
    """What the provider's own serializer writes; it makes VHLO of what it is given."""
    bindings: Any = importlib.import_module(f"{mlir.PROVIDER}._mlir_libs._stablehlo")
    with mlir.library_context():
        copy = program.clone(module)
        data: bytes = bindings.serialize_portable_artifact(copy, version)
    return data


@pytest.mark.parametrize("version", ["0.9.0", "0.11.0", "0.13.0", "0.14.0", "1.0.0", "1.19.0"])
def test_bytes_are_those_of_the_bindings(module: Any, version: str) -> None:
    """One version for each version of the bytecode format."""
    assert program.serialize(module, version) == _by_the_bindings(module, version)


def test_the_module_stays_stablehlo(module: Any) -> None:
    before = module.operation.get_asm(enable_debug_info=True)
    program.serialize(module, "1.0.0", strip_debuginfo=True)
    assert module.operation.get_asm(enable_debug_info=True) == before


def test_without_locations_nothing_of_the_source_is_left(module: Any) -> None:
    assert b"x.py" in program.serialize(module)
    assert b"x.py" not in program.serialize(module, strip_debuginfo=True)


def test_the_header_names_the_target(module: Any) -> None:
    assert str(versions.of_artifact(program.serialize(module, "1.2.0"))) == "1.2.0"
    current = versions.of_artifact(program.serialize(module, "current"))
    assert current == versions.current()
    assert versions.of_artifact(program.to_bytecode(module)) is None
    assert versions.of_artifact(TEXT.encode()) is None


@pytest.mark.parametrize("target", ["0.9.0", "current"])
def test_save_and_load(module: Any, target: str, tmp_path: Path) -> None:
    path = tmp_path / "model.mlir.bc"
    shlo_tools.save(module, path, target=target)
    assert str(versions.of_artifact(path.read_bytes())) == str(versions.target(target))
    assert str(shlo_tools.load(path)) == str(module)


def test_a_file_survives_what_cannot_be_saved(module: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.bc"
    path.write_text("kept")
    for target in ("0.1.0", "99.0.0", "x", ""):
        with pytest.raises(ShloError, match=r"target version|version specified"):
            shlo_tools.save(module, path, target=target)
    with pytest.raises(ShloError, match="a portable artifact is bytecode"):
        shlo_tools.save(module, path, bytecode=False, target="1.0.0")
    assert path.read_text() == "kept"


def test_what_a_version_lacks_is_named() -> None:
    module = program.load(TEXT.replace("tanh", "tan"))
    with pytest.raises(ShloError) as raised:
        program.serialize(module, "1.3.0")
    first, last = raised.value.diagnostics
    assert "failed to legalize operation 'vhlo.tan_v2'" in first.message
    assert last.message == "failed to convert VHLO to v1.3.0"


def test_a_text_of_vhlo_is_serialized_as_its_stablehlo() -> None:
    """Its ops are of another version than the target."""
    artifact = program.serialize(program.load(TEXT), "1.9.0")
    with mlir.library_context():
        vhlo = mlir.parse_module(artifact)
    assert "vhlo.tanh_v1" in str(vhlo)
    again = program.serialize(program.load(str(vhlo)), strip_debuginfo=True)
    assert again == program.serialize(program.load(TEXT), strip_debuginfo=True)


def _damaged() -> dict[str, bytes]:
    artifact = program.serialize(program.load(TEXT), "1.9.0")
    return {
        "magic alone": artifact[:4],
        "cut in the version": artifact[:14],
        "cut in the middle": artifact[: len(artifact) // 2],
        "cut at the end": artifact[:-1],
        "bytes missing": artifact[:60] + artifact[80:],
        "other bytes": artifact[:60] + b"\xff" * 20 + artifact[80:],
    }


@pytest.mark.parametrize("damage", list(_damaged()))
def test_broken_artifacts_are_one_error(damage: str) -> None:
    with pytest.raises(ParseError, match=r"^error: a\.bc: broken") as raised:
        program.load(_damaged()[damage], name="a.bc")
    assert "Traceback" not in raised.value.render()


def test_nothing_is_no_artifact() -> None:
    with pytest.raises(ParseError, match="the input is empty"):
        program.load(b"")


def test_an_artifact_of_a_newer_version_says_so() -> None:
    """One that uses what this version does not know cannot be read."""
    artifact = program.serialize(program.load(TEXT), "1.9.0")
    newer = artifact.replace(b"v1.9.0", b"v9.1.0").replace(b"tanh_v", b"tanh_x")
    with pytest.raises(ParseError, match=r"artifact of StableHLO 9\.1\.0") as raised:
        program.load(newer)
    assert f"newer than this StableHLO, {versions.current()}" in raised.value.render()
