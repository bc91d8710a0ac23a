"""What keeps a program from an older version is what MLIR's own serializer refuses there."""

from __future__ import annotations

from typing import Any

import pytest
from version_rows import ROWS

from shlo_tools import mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.interop import blockers
from shlo_tools.program import versions

WINDOW = [str(version) for version in versions.window()]


def accepted(module: Any, version: str) -> bool:
    """Whether MLIR writes a program for a version."""
    try:
        program.serialize(module, version)
    except ShloError:
        return False
    return True


def _names(module: Any) -> list[str]:
    with mlir.library_context():
        return [op.name for op in mlir.walk(module.operation)]


def test_the_window_has_every_minor_version() -> None:
    """VHLO went from 0.20 to 1.0; the provider names both ends."""
    assert WINDOW[0] == "0.9.0"
    assert WINDOW[11:14] == ["0.20.0", "1.0.0", "1.1.0"]
    assert WINDOW[-1] == str(versions.current())
    assert len(set(WINDOW)) == len(WINDOW)


@pytest.mark.parametrize(
    ("version", "text"), [row[::2] for row in ROWS], ids=[" ".join(row[:2]) for row in ROWS]
)
def test_what_is_new_blocks_the_version_before(version: str, text: str) -> None:
    module = program.load(text)
    before = WINDOW[WINDOW.index(version) - 1]
    assert not accepted(module, before)
    assert accepted(module, version)
    explanation = blockers.explain(module, before)
    assert str(explanation.oldest) == version
    assert version in [str(blocker.needs) for blocker in explanation.blockers]
    assert all(blocker.place is not None for blocker in explanation.blockers)
    assert not blockers.explain(module, version).blockers
    artifact = program.serialize(module, version)
    assert _names(program.load(artifact)) == _names(module)


def test_everything_is_told_at_once() -> None:
    """The serializer stops at the first of these."""
    text = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf8E3M4>) -> tensor<2xf32> {
  %0 = stablehlo.tan %a : tensor<2xf32>
  %1 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi2>
  %2 = stablehlo.while(%i = %0) : tensor<2xf32> cond {
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = stablehlo.tan %i : tensor<2xf32>
    stablehlo.return %t : tensor<2xf32>
  }
  func.return %2 : tensor<2xf32>
}"""
    explanation = blockers.explain(program.load(text), "1.0.0")
    rows = [(b.op, b.what, str(b.needs), b.place and b.place.line) for b in explanation.blockers]
    assert rows == [
        ("func.func", "type", "1.7.0", 2),
        ("stablehlo.tan", "op", "1.4.0", 3),
        ("stablehlo.convert", "type", "1.2.0", 4),
        ("stablehlo.tan", "op", "1.4.0", 9),
    ]
    assert str(explanation.oldest) == "1.7.0"
    assert "tensor<2xf8E3M4>" in explanation.blockers[0].message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
            "  %0 = chlo.tan %a : tensor<f32> -> tensor<f32>\n  return %0 : tensor<f32>\n}",
            "chlo.tan cannot be written for any version of StableHLO: lower it first",
        ),
        (
            "func.func @main() -> tensor<1xi32> {\n"
            "  %0 = stablehlo.constant dense_resource<a> : tensor<1xi32>\n"
            "  return %0 : tensor<1xi32>\n}\n"
            '{-#\n  dialect_resources: {builtin: {a: "0x0400000001000000"}}\n#-}',
            "stablehlo.constant cannot be written for any version of StableHLO: it has a",
        ),
    ],
    ids=["chlo", "resource"],
)
def test_what_no_version_has(text: str, reason: str) -> None:
    module = program.load(text)
    explanation = blockers.explain(module)
    assert explanation.oldest is None
    assert [b.needs for b in explanation.blockers] == [None]
    assert explanation.blockers[0].message.startswith(reason)
    assert not any(accepted(module, version) for version in WINDOW)


def test_the_module_stays_as_it_is() -> None:
    module = program.load(ROWS[0][2])
    before = str(module)
    blockers.explain(module, "0.9.0")
    assert str(module) == before


def test_reasons_name_ops_and_versions_that_there_are() -> None:
    """The words for a feature of an op are those of a version at which the op changed."""
    answers = set()
    for _, _, text in ROWS:
        for blocker in blockers.explain(program.load(text), "0.9.0").blockers:
            answers.add((blocker.op.removeprefix("stablehlo."), str(blocker.needs)))
    assert set(blockers._FEATURES) <= answers


@pytest.mark.parametrize("target", ["", "1", "1.2", "x.y.z", "-1.0.0", "1.0.0 ", "99.0.0", "0.8.0"])
def test_what_is_no_target_is_refused(target: str) -> None:
    with pytest.raises(ShloError, match="version"):
        blockers.explain(program.load(ROWS[0][2]), target)


def test_ops_that_do_not_fit_together() -> None:
    """Each op is fine alone: it is a type that is VHLO's here, and not there."""
    text = """
func.func @main(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}"""
    module = program.load(text)
    explanation = blockers.explain(module)
    assert explanation.blockers
    assert explanation.oldest is None
    assert not any(accepted(module, version) for version in WINDOW)
