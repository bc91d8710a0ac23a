"""Programs survive artifacts of every version that will do, and no others are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import FAMILIES, rows
from cases._case import Row
from cases._case import program as program_of

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.interop import blockers
from shlo_tools.program import versions

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.mlir"))
EXAMPLES = ROOT / "tests" / "conformance" / "spec_examples.json"
WINDOW = versions.window()


def _printed(module: Any) -> str:
    with mlir.library_context():
        return ir.printed(module.operation)


def _through_vhlo(module: Any) -> str:
    """What MLIR's passes make of a program, to VHLO and back: defaults are written out, or left."""
    with mlir.library_context():
        copy = program.clone(module)
        passes = "builtin.module(stablehlo-legalize-to-vhlo,vhlo-legalize-to-stablehlo)"
        mlir.run_passes(mlir.parse_pipeline(passes), copy.operation)
        return ir.printed(copy.operation)


def _ops(module: Any) -> list[tuple[str, list[str]]]:
    """The ops of a program, with the types of their results."""
    with mlir.library_context():
        ops = mlir.walk(module.operation)
        return [(op.name, [str(result.type) for result in op.results]) for op in ops]


def _check(source: str | Path) -> int:
    """Try a program at every version; returns at how many it came back."""
    module = program.load(source)
    before, oldest = _printed(module), blockers.explain(module).oldest
    text = _through_vhlo(module) if oldest else before
    ops = _ops(module)
    trips = 0
    for version in WINDOW:
        if oldest is None or version < oldest:
            with pytest.raises(ShloError):
                program.serialize(module, str(version))
            continue
        artifact = program.serialize(module, str(version))
        assert versions.of_artifact(artifact) == version
        again = program.load(artifact)
        assert _printed(again) == text, f"{version}"
        assert _ops(again) == ops
        trips += 1
    assert _printed(module) == before
    return trips


def _smallest(row: Row, number: int) -> str:
    """The first case of an op, on an element type that differs from op to op."""
    element = row.elements[number % len(row.elements)]
    return program_of([next(iter(row.build(element)))])


@pytest.mark.parametrize("family", FAMILIES)
def test_ops_of_a_family(family: str) -> None:
    for number, row in enumerate(rows(family)):
        _check(_smallest(row, number))


def test_the_programs_are_there() -> None:
    assert len(PROGRAMS) > 30


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_exported_programs(path: Path) -> None:
    _check(path)


def test_most_programs_are_printed_as_before() -> None:
    """``shlo-opt`` prints the same of them, byte for byte."""
    same = 0
    for path in PROGRAMS:
        module = program.load(path)
        if blockers.explain(module).oldest is not None:
            again = program.load(program.serialize(module))
            same += _printed(again) == _printed(module)
    assert same > 20


def test_examples_of_the_specification() -> None:
    examples = [e for e in json.loads(EXAMPLES.read_text()) if e["module"]]
    assert len(examples) > 50
    trips = sum(_check(example["module"]) for example in examples)
    assert trips > 2 * len(examples)
