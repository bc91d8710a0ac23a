"""A test suite that is written for upstream's tools runs with ours: one call in its lit.cfg.py.

The idioms are those of StableHLO's own tests; the results are what lit documents.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from shlo_tools.errors import ShloError
from shlo_tools.testing import substitutions

ROOT = Path(__file__).resolve().parents[3]
CONFIGURATION = """from shlo_tools.testing import configure_lit

config.name = "theirs"
configure_lit(config, lit_config)
"""

ADD = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
CALLS = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @double(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @double(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
CHECKED = """
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.add %a, %a : tensor<2xi32>
  check.expect_eq_const %b, dense<[2, 4]> : tensor<2xi32>
  func.return
}
"""

OPT = {
    "two_prefixes.mlir": (
        "// RUN: stablehlo-opt %s | FileCheck %s\n"
        "// RUN: stablehlo-opt -inline %s | FileCheck %s --check-prefix=INLINED\n"
        "// CHECK: call @double\n// INLINED-NOT: call\n// INLINED: stablehlo.add\n" + CALLS,
        "PASS",
    ),
    "fails.mlir": ("// RUN: stablehlo-opt %s | FileCheck %s\n// CHECK: tanh\n" + ADD, "FAIL"),
    "error.mlir": ("// RUN: not stablehlo-opt %s 2>&1 | FileCheck %s\n// CHECK: error:\nx", "PASS"),
    "no_error.mlir": ("// RUN: not stablehlo-opt %s 2>&1\n" + ADD, "FAIL"),
    "xfail.mlir": ("// XFAIL: *\n// RUN: not stablehlo-opt %s\n" + ADD, "XFAIL"),
    "asserts.mlir": ("// RUN: stablehlo-opt %s %if asserts %{ -debug-only=x %}\n" + ADD, "PASS"),
    "requires.mlir": ("// REQUIRES: no-such\n// RUN: false\n", "UNSUPPORTED"),
    "diagnostics.mlir": (
        "// RUN: stablehlo-opt %s -verify-diagnostics -split-input-file | FileCheck %s\n"
        "// CHECK-LABEL: @main\n" + ADD + "// -----\n" + ADD,
        "PASS",
    ),
    "bytecode.mlir": (
        "// RUN: mlir-opt -emit-bytecode %s > %t.bc\n// RUN: stablehlo-opt %t.bc > %t.0\n"
        "// RUN: cat %t.bc | stablehlo-opt > %t.1\n// RUN: diff %t.0 %t.1\n"
        "// RUN: not stablehlo-opt %t.bc --no-such\n// RUN: stablehlo-opt %t.1\n" + ADD,
        "PASS",
    ),
    "pipeline.mlir": (
        "// RUN: stablehlo-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' |"
        " FileCheck --check-prefixes=A,B %s\n// A: func\n// B: stablehlo.add\n" + ADD,
        "PASS",
    ),
}
TRANSLATE = {
    "round_trip.mlir": (
        "// RUN: stablehlo-opt %s > %t.1\n"
        "// RUN: stablehlo-translate --serialize --target=current %s |"
        " stablehlo-translate --deserialize | stablehlo-opt > %t.0\n"
        "// RUN: diff %t.1 %t.0\n" + ADD,
        "PASS",
    ),
    "interpret.mlir": (
        "// RUN: stablehlo-opt -inline %s | stablehlo-translate --interpret\n"
        "// RUN: stablehlo-translate --interpret -split-input-file %s\n" + CHECKED,
        "PASS",
    ),
    "interpret_fails.mlir": (
        "// RUN: not stablehlo-translate --interpret %s 2>&1 | FileCheck %s\n"
        "// CHECK: Element values don't match\n" + CHECKED.replace("[2, 4]", "[2, 5]"),
        "PASS",
    ),
    "probe.mlir": (
        "// RUN: mkdir -p %t.d\n// RUN: echo %t.d | xargs -I{DIR} stablehlo-translate --interpret"
        " --probe-output-dir={DIR} %s\n" + CHECKED,
        "PASS",
    ),
    "target.mlir": (
        "// RUN: not stablehlo-translate --serialize --target=0.0.1 %s\n" + ADD,
        "PASS",
    ),
}


def _lit(folder: Path) -> dict[str, str]:
    (folder / "lit.cfg.py").write_text(CONFIGURATION)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = "from lit.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "-v", "-j1", "."],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    rows = re.findall(r"^(\w+): theirs :: (\S+)", done.stdout, re.MULTILINE)
    return {name: result for result, name in rows}


@pytest.mark.parametrize(
    "suite",
    [
        pytest.param(OPT, id="opt"),
        pytest.param(
            TRANSLATE,
            id="translate",
            marks=pytest.mark.skipif(
                find_spec("shlo_tools.tools.translate") is None, reason="no shlo-translate yet"
            ),
        ),
    ],
)
def test_upstreams_idioms(suite: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    for name, (text, _) in suite.items():
        (tmp_path / name).write_text(text)
    assert _lit(tmp_path) == {name: result for name, (_, result) in suite.items()}


# --- substitutions --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "tools"),
    [
        ("stablehlo-opt x", 1),
        ("%stablehlo-opt x", 1),
        ("cat x|stablehlo-opt", 1),
        ("(mlir-opt x; stablehlo-translate y)", 2),
        ("x/stablehlo-opt/y ./mlir-opt", 0),
        ("stablehlo-opt.txt stablehlo-opts my-mlir-opt", 0),
    ],
)
def test_tools_are_words(line: str, tools: int) -> None:
    for pattern, command in substitutions.substitutions():
        line = re.sub(pattern, lambda _, with_=command: with_, line)
    assert line.count("shlo_tools.tools.") == tools


def test_filecheck_is_the_one_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FILECHECK=, else LLVM's on the PATH, else the one that pip brings."""
    for name in ("FileCheck", "chosen"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.delenv("FILECHECK", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert Path(substitutions.find_filecheck()).name == "filecheck"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert substitutions.find_filecheck() == str(tmp_path / "FileCheck")
    monkeypatch.setenv("FILECHECK", "chosen")
    assert substitutions.find_filecheck() == str(tmp_path / "chosen")
    monkeypatch.setenv("FILECHECK", "no-such")
    with pytest.raises(ShloError, match="FILECHECK=no-such is no program"):
        substitutions.find_filecheck()


def test_asserts_are_no_feature() -> None:
    assert "asserts" not in substitutions.features()
    assert {"mine", f"system-{sys.platform}"} <= substitutions.features(["mine"])
