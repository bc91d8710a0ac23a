"""Passes that end the process: each is refused here, and tried in a child."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shlo_tools import mlir
from shlo_tools.errors import PipelineError
from shlo_tools.pipeline import crashes
from shlo_tools.pipeline.runner import Pipeline

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")

# What MLIR is given here as it is, each in a child of its own; printed is who died.
TRY = """
import json, os, signal, sys
from shlo_tools import mlir

PROGRAMS = [
    "module {}",
    "func.func private @f(tensor<4xf32>) -> tensor<4xf32>",
    "llvm.func @e(%x: i64) -> i64 { llvm.return %x : i64 }",
    "func.func @main(%x: memref<?xf32>, %i: index) -> f32 {"
    " %0 = memref.load %x[%i] : memref<?xf32>"
    " %1 = math.tanh %0 : f32"
    " %2 = arith.addf %0, %1 : f32"
    " return %2 : f32 }",
    "func.func @main(%p: i1) { cf.cond_br %p, ^bb1, ^bb1 ^bb1: return }",
]

def run(pipeline):
    for program in PROGRAMS:
        module = mlir.parse_module(program)
        try:
            mlir.parse_pipeline(pipeline).run(module.operation)
        except (ValueError, mlir.MLIRError):
            pass

def died(pipeline):
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(60)
        with mlir.library_context():
            run(pipeline)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

with mlir.library_context():
    mlir.parse_module("module {}")
print(json.dumps([pipeline for pipeline in json.load(sys.stdin) if died(pipeline)]))
"""


def dying(pipelines: list[str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", TRY],
        input=json.dumps(pipelines),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def empty(name: str, option: str) -> str:
    return f"builtin.module({name}{{{option}=}})"


REFUSED = [
    *([f"builtin.module({name})"] for name in sorted(crashes.ALWAYS)),
    *(
        [f"builtin.module(func.func({name}))", f"builtin.module(any({name}))"]
        for name in sorted(crashes.FOR_MODULES)
    ),
    *([empty(name, option)] for name, option in sorted(crashes.NOT_EMPTY.items())),
]


@pytest.mark.parametrize("pipelines", REFUSED)
def test_refused(pipelines: list[str]) -> None:
    for text in pipelines:
        with pytest.raises(
            PipelineError, match=r"ends the process|runs on|needs a value"
        ) as message:
            Pipeline(text)
        assert message.value.diagnostics[0].place is not None


def test_options_and_nesting_that_do_not_crash_are_taken() -> None:
    Pipeline("builtin.module(convert-to-llvm,tosa-to-spirv-tosa)")
    Pipeline("builtin.module(arith-emulate-unsupported-floats{source-types=bf16 target-type=f32})")


def test_no_row_is_out_of_date() -> None:
    """Every pass that is refused ends the process still, one way or another."""
    deaths = dying([text for pipelines in REFUSED for text in pipelines])
    assert not [pipelines for pipelines in REFUSED if not set(pipelines) & set(deaths)]


@pytest.mark.slow
def test_no_other_pass_ends_the_process() -> None:
    """None that MLIR registers, by itself, on functions and on whatever it takes."""
    pipelines = []
    for name in mlir.native_pass_names():
        for text in (f"builtin.module({name})", f"builtin.module(func.func({name}))"):
            if name not in crashes.ALWAYS and not any(text in refused for refused in REFUSED):
                pipelines.append(text)
    assert dying(pipelines) == []
