"""Pipelines: the order in which C++ and Python passes run, named pipelines, failures.

The order is MLIR's own: the same pipeline is run by MLIR with C++ passes only, which print what
they run on, and by the library with some of them replaced by Python passes.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from example_passes import LOG
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shlo_tools import ir, mlir, program
from shlo_tools.errors import PassError, PipelineError, ShloError
from shlo_tools.pipeline import registry, runner
from shlo_tools.pipeline.instrumentation import Instrumentation
from shlo_tools.pipeline.registry import Pass
from shlo_tools.pipeline.runner import Pipeline

ROOT = Path(__file__).resolve().parents[3]


pytestmark = pytest.mark.usefixtures("example_passes")


# --- order ----------------------------------------------------------------------------------------
PROGRAM = """
func.func @f() { return }
module @inner {
  func.func @g() { return }
  func.func @h() { return }
}
memref.global "private" @data : memref<2xf32> = dense<0.0>
func.func @k(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


NATIVE = ("cse", "sccp", "mem2reg", "control-flow-sink")  # passes for any op


@contextmanager
def standard_error() -> Iterator[io.StringIO]:
    """What is written to file descriptor 2, by C++ too."""
    message = io.StringIO()
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield message
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            message.write(file.read().decode())


_DUMP = re.compile(
    r"IR Dump Before \w+(?:: | \()([\w-]+)[^\n]*\n(?:[\w.]+(?: private)? @?([\w]*))?"
)


def dumped(text: str) -> list[tuple[str, str]]:
    """(pass, symbol of the op it runs on) from printed IR; the module's name is its op's."""
    return [(name, symbol or "builtin.module") for name, symbol in _DUMP.findall(text)]


def by_mlir(pipeline: str) -> list[tuple[str, str]]:
    """What MLIR runs, in order."""
    module = program.load(PROGRAM)
    with mlir.library_context():
        manager: Any = mlir.parse_pipeline(pipeline)
        manager.enable_ir_printing(print_before_all=True, print_after_all=False)
        with standard_error() as message:
            manager.run(module.operation)
    return dumped(message.getvalue())


def in_python(pipeline: str, replaced: frozenset[str]) -> str:
    """The pipeline with some C++ passes replaced by ones that record that they ran."""
    for name in replaced:
        pipeline = re.sub(rf"(?<![\w-]){name}(?![\w-])", f"test-record{{mark={name}}}", pipeline)
    return pipeline


def check_order(pipeline: str, replaced: frozenset[str]) -> None:
    expected = by_mlir(pipeline)
    mixed = in_python(pipeline, replaced)
    LOG.clear()
    Pipeline(mixed).run(program.load(PROGRAM))
    assert [row for row in expected if row[0] in replaced] == LOG, mixed

    stream = io.StringIO()
    Pipeline(mixed).run(
        program.load(PROGRAM), Instrumentation(before=lambda name: True, stream=stream)
    )
    observed = [symbol for _, symbol in dumped(stream.getvalue())]
    assert observed == [symbol for _, symbol in expected], mixed


ORDERS = [
    "builtin.module(cse,sccp)",
    "builtin.module(func.func(cse,sccp))",
    "builtin.module(func.func(cse,sccp),mem2reg,func.func(cse))",
    "builtin.module(func.func(cse),func.func(sccp))",
    "builtin.module(func.func(cse),builtin.module(func.func(sccp)),func.func(mem2reg))",
    "builtin.module(builtin.module(func.func(cse,sccp),mem2reg),func.func(cse))",
    "builtin.module(any(cse,sccp))",
    "builtin.module(any(cse),any(sccp))",
    "builtin.module(any(cse),func.func(sccp))",
    "builtin.module(func.func(cse),any(sccp))",
    "builtin.module(any(func.func(cse)),sccp)",
    "builtin.module(any(cse,llvm-request-c-wrappers,sccp))",
    "builtin.module(func.func(any(cse)),sccp)",
    "any(func.func(cse),sccp)",
    "builtin.module(gpu.module(cse),sccp)",
]


@pytest.mark.parametrize("pipeline", ORDERS)
@pytest.mark.parametrize("replaced", [("cse",), ("sccp",), NATIVE], ids="+".join)
def test_order_is_that_of_mlir(pipeline: str, replaced: tuple[str, ...]) -> None:
    check_order(pipeline, frozenset(replaced))


def nested(anchors: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(NATIVE)
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            "{}({})".format, anchors, st.lists(inner, min_size=1, max_size=3).map(",".join)
        ),
        max_leaves=6,
    )


@given(
    st.lists(nested(st.sampled_from(["func.func", "builtin.module"])), min_size=1, max_size=4),
    st.sets(st.sampled_from(NATIVE), min_size=1),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_order_of_any_nesting_is_that_of_mlir(elements: list[str], replaced: set[str]) -> None:
    text = f"builtin.module({','.join(elements)})"
    check_order(text, frozenset(replaced))


def test_nothing_to_do() -> None:
    module = program.load(PROGRAM)
    before = str(module)
    for text in ("builtin.module()", "builtin.module(func.func())", "builtin.module( )"):
        Pipeline(text).run(module)
    assert str(module) == before


@pytest.mark.parametrize("nothing", ["f()", "builtin.module(func.func())", "any(a(b()),c())"])
def test_anchors_over_nothing(nothing: str) -> None:
    """Alone, and beside passes; MLIR itself does not parse them."""
    module = program.load(PROGRAM)
    Pipeline(f"builtin.module({nothing},cse,builtin.module({nothing},cse))").run(module)


def test_any_runs_where_all_of_its_passes_can() -> None:
    """As in MLIR: with a pass for functions only, functions are what is left of any op."""
    Pipeline("builtin.module(any(test-record,test-on-functions))").run(program.load(PROGRAM))
    assert LOG == [("seen", "f"), ("function", "f"), ("seen", "k"), ("function", "k")]


def test_python_passes_see_what_cpp_passes_did() -> None:
    """And the other way round: constants folded in between are gone afterwards."""
    module = program.load("""
        func.func @f() -> i32 {
          %a = arith.constant 1 : i32
          %b = arith.addi %a, %a : i32
          return %b : i32
        }""")
    counts = []

    @registry.register_pass
    @dataclass(frozen=True)
    class Count(Pass):
        """Counts additions, and adds one that nobody uses."""

        name = "test-count"

        def run(self, op: mlir.Operation) -> None:
            matching = [o for o in mlir.walk(op) if o.name == "arith.addi"]
            counts.append(len(matching))
            (func,) = ir.functions(op)
            end = ir.terminator(func.regions[0].blocks[0])
            (value,) = end.operands
            ir.Build(mlir.before(end), end.location).value("arith.addi", [value] * 2, value.type)

    runner.run("builtin.module(test-count,canonicalize,test-count,cse)", module)
    assert counts == [1, 0]
    assert "arith.addi" not in str(module)


# --- named pipelines ------------------------------------------------------------------------------
def test_named_pipelines_stand_for_their_passes() -> None:
    registry.register_pipeline("test-inner", "test-record{mark=a},cse")
    registry.register_pipeline("test-outer", "test-inner,func.func(test-record{mark=b}),test-inner")
    assert str(Pipeline("builtin.module(sccp,test-outer)")) == (
        "builtin.module(sccp,test-record{mark=a},cse,func.func(test-record{mark=b}),"
        "test-record{mark=a},cse)"
    )
    Pipeline("builtin.module(test-outer)").run(program.load("func.func @f() { return }"))
    assert LOG == [("a", "builtin.module"), ("b", "f"), ("a", "builtin.module")]


def test_a_pipeline_cannot_contain_itself() -> None:
    registry.register_pipeline("test-first", "test-second")
    registry.register_pipeline("test-second", "cse,test-first")
    with pytest.raises(PipelineError, match="contains itself"):
        Pipeline("builtin.module(test-first)")


def test_a_named_pipeline_has_no_options() -> None:
    registry.register_pipeline("test-line", "cse")
    with pytest.raises(PipelineError, match="no options"):
        Pipeline("builtin.module(test-line{a=1})")


def test_ours_lower_a_program() -> None:
    module = program.load(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {"
        " %0 = stablehlo.add %a, %a : tensor<2xf32>\n return %0 : tensor<2xf32> }"
    )
    Pipeline("builtin.module(shlo-to-linalg)").run(module)
    with mlir.library_context():
        names = {op.name for op in mlir.walk(module.operation)}
    assert any(name.startswith("linalg.") for name in names)
    assert not any(name.startswith("stablehlo.") for name in names)
    Pipeline("builtin.module(shlo-to-llvm)").run(module)
    with mlir.library_context():
        left = {op.name.split(".", maxsplit=1)[0] for op in mlir.walk(module.operation)}
    assert left == {"builtin", "llvm"}


# --- failures -------------------------------------------------------------------------------------
def test_a_failing_pass_stops_the_pipeline() -> None:
    with pytest.raises(PassError, match="fails on purpose"):
        runner.run("builtin.module(test-fail,test-record)", program.load(PROGRAM))
    assert LOG == []


def test_broken_ir_is_found_after_the_pass() -> None:
    text = "func.func @f() { return }"
    with pytest.raises(PassError, match="block"):
        runner.run("builtin.module(test-break,test-record)", program.load(text))
    assert LOG == []


def test_broken_ir_is_not_looked_for_when_not_wanted() -> None:
    module = program.load("func.func @f() { return }")
    Pipeline("builtin.module(test-break,test-record)").run(
        module, Instrumentation(verify_each=False)
    )
    assert LOG == [("seen", "builtin.module")]


def test_a_cpp_pass_that_fails_says_why() -> None:
    bad = program.load("""
        func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.negate %a : tensor<2xf32>
          return %0 : tensor<2xf32>
        }""")
    with pytest.raises(ShloError, match="bufferize") as caught:
        runner.run("builtin.module(one-shot-bufferize)", bad)
    assert isinstance(caught.value, PassError)


def test_cpp_passes_run_together_are_told_by_name() -> None:
    """``on_pass`` hears every pass: a crash report needs the names."""
    messages: list[str] = []
    pipeline = Pipeline("builtin.module(cse,func.func(sccp),test-record,canonicalize)")
    pipeline.run(program.load(PROGRAM), Instrumentation(on_pass=messages.append))
    assert ",".join(messages) == "cse,sccp,test-record,canonicalize"


def test_a_pipeline_runs_again() -> None:
    pipeline = Pipeline("builtin.module(cse,test-record,func.func(canonicalize))")
    for _ in range(3):
        pipeline.run(program.load(PROGRAM))
    assert len(LOG) == 3
