"""``docs/upstream.md`` says of the passes of stablehlo-opt what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shlo_opt_command import shlo_opt

from shlo_tools import load, mlir
from shlo_tools.errors import PipelineError
from shlo_tools.pipeline import registry
from shlo_tools.pipeline.runner import Pipeline, anchor_of

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "upstream.md").read_text()

# What upstream registers, by its own documentation: a page that loses a row fails.
UPSTREAM = [
    "chlo-legalize-to-stablehlo",
    "hlo-test-broadcast",
    "hlo-test-infer",
    "hlo-test-speculatability",
    "interpreter-instrument-with-probe",
    "shape-legalize-to-stablehlo",
    "stablehlo-aggressive-folder",
    "stablehlo-aggressive-simplification",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-check-shape-assertions",
    "stablehlo-compatibility-expander",
    "stablehlo-complex-math-expander",
    "stablehlo-convert-to-signless",
    "stablehlo-legalize-composite-to-call",
    "stablehlo-legalize-deprecated-ops",
    "stablehlo-legalize-qdq-to-quantized-op",
    "stablehlo-legalize-quant-to-math",
    "stablehlo-legalize-quantized-op-to-qdq",
    "stablehlo-legalize-to-linalg",
    "stablehlo-legalize-to-tosa",
    "stablehlo-legalize-to-vhlo",
    "stablehlo-prepare-for-tosa",
    "stablehlo-quant-legalize-to-tosa-rescale",
    "stablehlo-refine-arguments",
    "stablehlo-refine-shapes",
    "stablehlo-target-independent-optimization",
    "stablehlo-wrap-in-composite",
    "tosa-rescale-legalize-to-stablehlo",
    "vhlo-legalize-to-stablehlo",
    "vhlo-to-version",
]

PROGRAM = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def _rows(title: str) -> list[list[str]]:
    """The cells of a table's rows, under a heading."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in section.split("\n") if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


PASSES = [(_quoted(name)[0], *rest) for name, *rest in _rows("Passes")]
SERVED = [row for row in PASSES if row[3] != "no"]
REFUSED = [row for row in PASSES if row[3] == "no"]


def test_every_pass_has_a_row() -> None:
    assert [row[0] for row in PASSES] == sorted(UPSTREAM)


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row[0])
def test_pass_runs_with_each_option(row: tuple[str, ...]) -> None:
    name, anchor, cell, served, _ = row
    written = _quoted(cell)
    assert bool(written) == (cell != "-")
    is_ours = registry.find_pass(name) is not None
    assert {"wheel": False, "here": True}[served] == is_ours
    assert mlir.is_native_pass(name) != is_ours
    needed = [option for option in written if option.startswith(("target=", "types="))]
    for options in [needed, *([option] for option in written), written]:
        text = f"{name}{{{' '.join(options)}}}" if options else name
        nested = text if anchor == "builtin.module" else f"{anchor}({text})"
        Pipeline(f"builtin.module({nested})").run(load(PROGRAM))


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row[0])
def test_bare_flags_nest_passes_where_they_run(row: tuple[str, ...]) -> None:
    name, anchor = row[:2]
    runs_anywhere = registry.find_pass(name) is not None and (
        getattr(registry.find_pass(name), "anchor", "") == "any"
    )
    assert anchor_of(name) == ("builtin.module" if runs_anywhere else anchor)


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_refused_passes_are_refused_with_the_reason(row: tuple[str, ...]) -> None:
    for text in (f"func.func({row[0]})", row[0]):
        with pytest.raises(PipelineError, match=f"pass '{row[0]}' is not supported: .*TOSA"):
            Pipeline(f"builtin.module({text})")
    done = shlo_opt(f"--{row[0]}", source=PROGRAM.encode())
    assert done.returncode == 1
    assert f"error: pass '{row[0]}' is not supported".encode() in done.stderr


@pytest.mark.parametrize("row", _rows("Pipelines"), ids=lambda row: _quoted(row[0])[0])
def test_pipelines_are_registered(row: list[str]) -> None:
    name = _quoted(row[0])[0]
    meaning = registry.find_pipeline(name) or ""
    assert all(pass_name in meaning for pass_name in _quoted(row[2]))
    module = load(PROGRAM)
    if name == "stablehlo-deserialize":
        Pipeline("builtin.module(stablehlo-legalize-to-vhlo)").run(module)
    Pipeline(f"builtin.module({name})").run(module)
    assert "stablehlo.add" in str(module)


@pytest.mark.parametrize("target", ["", "zz", "9.9.9", "0.8.0"])
def test_expander_refuses_targets_that_are_none(target: str) -> None:
    """MLIR asserts them, in builds with assertions; in others it does nothing."""
    with pytest.raises(PipelineError, match="option 'target' of pass 'stablehlo-compat"):
        Pipeline(f"builtin.module(stablehlo-compatibility-expander{{target={target}}})")
