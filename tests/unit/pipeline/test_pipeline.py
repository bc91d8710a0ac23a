"""Textual pipelines: their grammar, and the order in which C++ and Python passes run.

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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shlo_tools import ir, mlir, program
from shlo_tools.errors import PassError, PipelineError, ShloError, did_you_mean
from shlo_tools.pipeline import grammar, registry, runner
from shlo_tools.pipeline.grammar import Node
from shlo_tools.pipeline.registry import Pass
from shlo_tools.pipeline.runner import Instrumentation, Pipeline

ROOT = Path(__file__).resolve().parents[3]
LOG: list[tuple[str, str]] = []


@dataclass(frozen=True)
class Record(Pass):
    """Notes which op it ran on."""

    name = "test-record"
    anchor = "any"
    mark: str = "seen"

    def run(self, op: mlir.Operation) -> None:
        LOG.append((self.mark, ir.symbol_name(op) or op.name))


@dataclass(frozen=True)
class OnFunctions(Pass):
    """Runs on functions only."""

    name = "test-on-functions"
    anchor = "func.func"

    def run(self, op: mlir.Operation) -> None:
        LOG.append(("function", ir.symbol_name(op)))


@dataclass(frozen=True)
class Break(Pass):
    """Leaves IR that does not verify."""

    name = "test-break"

    def run(self, op: mlir.Operation) -> None:
        for func in ir.functions(op):
            ir.terminator(func.regions[0].blocks[0]).erase()


@dataclass(frozen=True)
class Fail(Pass):
    """Always fails."""

    name = "test-fail"

    def run(self, op: mlir.Operation) -> None:
        raise PassError("this pass fails on purpose")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    registry.names()
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    monkeypatch.setattr(registry, "_pipelines", dict(registry._pipelines))
    for cls in (Record, OnFunctions, Break, Fail):
        registry.register_pass(cls)
    LOG.clear()
    yield


# --- grammar --------------------------------------------------------------------------------------
def shape(nodes: tuple[Node, ...]) -> list[Any]:
    """Nodes without their positions."""
    return [(n.name, n.options, None if n.children is None else shape(n.children)) for n in nodes]


names = st.from_regex(r"[a-z][a-z0-9_]{0,5}([-.][a-z0-9]{1,5}){0,2}", fullmatch=True)
words = st.from_regex(r"[A-Za-z0-9_.,:/+-]{1,8}", fullmatch=True)
values = st.one_of(
    words,
    st.lists(words, max_size=3).map(lambda ws: "{" + " ".join(ws) + "}"),
    st.from_regex(r"'[ a-z,(){}=\"]{0,8}'", fullmatch=True),
    st.from_regex(r"\"[ a-z,(){}=']{0,8}\"", fullmatch=True),
)
option_lists = st.lists(
    st.tuples(names, st.one_of(st.none(), values)), max_size=3, unique_by=lambda pair: pair[0]
)


def written(options: list[tuple[str, str | None]]) -> str:
    return " ".join(key if value is None else f"{key}={value}" for key, value in options)


passes = st.builds(Node, names, option_lists.map(written))
trees = st.recursive(
    passes,
    lambda inner: st.builds(
        Node, names, st.just(""), st.lists(inner, max_size=3).map(lambda nodes: tuple(nodes))
    ),
    max_leaves=8,
)


@given(st.lists(trees, max_size=4).map(tuple))
def test_pipelines_print_as_they_parse(nodes: tuple[Node, ...]) -> None:
    text = ",".join(str(node) for node in nodes)
    assert shape(grammar.parse(text)) == shape(nodes)


@given(trees, st.sampled_from(["", " ", "\n\t "]))
def test_space_between_elements_means_nothing(node: Node, space: str) -> None:
    text = f"{space}{node}{space},{space}cse{space}"
    assert shape(grammar.parse(text)) == [*shape((node,)), ("cse", "", None)]


@given(option_lists)
def test_options_split_as_they_are_written(options: list[tuple[str, str | None]]) -> None:
    def plain(value: str | None) -> str | None:
        return value[1:-1] if value and value[0] in "{'\"" else value

    split = grammar.split_options(written(options))
    assert split == {key: plain(value) for key, value in options}


@given(st.text(alphabet="ab-.,(){}='\" \n", max_size=20))
def test_any_text_is_a_pipeline_or_an_error(text: str) -> None:
    """And what is accepted prints as something equal."""
    try:
        nodes = grammar.parse(text)
    except PipelineError:
        return
    assert shape(grammar.parse(",".join(map(str, nodes)))) == shape(nodes)


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        ("builtin.module(cse", "missing ')'", "(cse"),
        ("builtin.module(cse))", "unexpected ')'", ")"),
        ("builtin.module(cse,)", "expected a pass or op name", ")"),
        ("builtin.module(,cse)", "expected a pass or op name", ",cse"),
        ("builtin.module(cse{a=b)", "missing '}'", "{a=b"),
        ("builtin.module(cse canonicalize)", "expected ','", " canonicalize)"),
        ("builtin.module(cse)canonicalize", "unexpected 'c'", "canonicalize"),
        ("cse", "wrapped with the anchor", "cse"),
        ("func.func(cse)", "expected the anchor 'builtin.module'", "func.func"),
        ("", "wrapped with the anchor", ""),
        ("builtin.module(func.func(cse,(cse)))", "expected a pass or op name", "(cse)))"),
        ("builtin.module(no-such-pass)", "no pass 'no-such-pass'", "no-such-pass"),
        ("builtin.module(cse,canonicalise)", "no pass 'canonicalise'", "canonicalise"),
        ("builtin.module(test-on-functions)", "runs on 'func.func'", "test-on-functions"),
        ("builtin.module(func.func(test-break))", "runs on 'builtin.module'", "test-break"),
        ("builtin.module(llvm-request-c-wrappers)", "'func.func'", "llvm-request-c-wrappers"),
        ("builtin.module(cse{no-such=1})", "no-such", "cse{"),
        ("builtin.module(canonicalize{max-iterations=x})", "x", "canonicalize{"),
    ],
)
def test_errors_have_a_caret(text: str, said: str, at: str) -> None:
    with pytest.raises(PipelineError) as caught:
        Pipeline(text)
    first = caught.value.diagnostics[0]
    assert said in first.message
    assert first.place is not None
    offset = len(text) - len(at) if text.endswith(at) else text.index(at)
    assert first.place.column == offset + 1
    assert str(caught.value).split("\n")[2] == " " * (2 + offset) + "^"


def test_a_pipeline_for_functions_is_told_how_to_run_on_a_module() -> None:
    with pytest.raises(PipelineError) as raised:
        Pipeline("func.func(cse)")
    assert raised.value.diagnostics[0].hint == "builtin.module(func.func(cse))"


def test_the_hint_prefers_what_was_cut_short() -> None:
    known = ["stablehlo.and", "stablehlo.pad", "stablehlo.add"]
    assert did_you_mean("stablehlo.ad", known) == "did you mean 'stablehlo.add'?"


def test_errors_suggest() -> None:
    with pytest.raises(PipelineError, match="did you mean 'canonicalize'"):
        Pipeline("builtin.module(canonicalise)")
    with pytest.raises(PipelineError, match="did you mean 'shlo-to-linalg'"):
        Pipeline("builtin.module(shlo-to-linlag)")
    with pytest.raises(PipelineError, match=r"nest it: func\.func\(test-on-functions\)"):
        Pipeline("builtin.module(test-on-functions)")
    with pytest.raises(PipelineError, match=r"hint: builtin\.module\(cse,canonicalize\)"):
        Pipeline("cse,canonicalize")


def test_nesting_is_bounded() -> None:
    with pytest.raises(PipelineError, match="too deeply"):
        Pipeline("builtin.module(" * 20_000 + "cse" + ")" * 20_000)


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
    said = io.StringIO()
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            said.write(file.read().decode())


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
        with standard_error() as said:
            manager.run(module.operation)
    return dumped(said.getvalue())


def in_python(pipeline: str, replaced: frozenset[str]) -> str:
    """The pipeline with some C++ passes replaced by ones that record that they ran."""
    for name in replaced:
        pipeline = re.sub(rf"(?<![\w-]){name}(?![\w-])", f"test-record{{mark={name}}}", pipeline)
    return pipeline


def check_order(pipeline: str, replaced: frozenset[str]) -> None:
    wanted = by_mlir(pipeline)
    mixed = in_python(pipeline, replaced)
    LOG.clear()
    Pipeline(mixed).run(program.load(PROGRAM))
    assert [row for row in wanted if row[0] in replaced] == LOG, mixed

    stream = io.StringIO()
    Pipeline(mixed).run(
        program.load(PROGRAM), Instrumentation(before=lambda name: True, stream=stream)
    )
    seen = [symbol for _, symbol in dumped(stream.getvalue())]
    assert seen == [symbol for _, symbol in wanted], mixed


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
            found = [o for o in mlir.walk(op) if o.name == "arith.addi"]
            counts.append(len(found))
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
    told: list[str] = []
    pipeline = Pipeline("builtin.module(cse,func.func(sccp),test-record,canonicalize)")
    pipeline.run(program.load(PROGRAM), Instrumentation(on_pass=told.append))
    assert ",".join(told) == "cse,sccp,test-record,canonicalize"


def test_a_pipeline_runs_again() -> None:
    pipeline = Pipeline("builtin.module(cse,test-record,func.func(canonicalize))")
    for _ in range(3):
        pipeline.run(program.load(PROGRAM))
    assert len(LOG) == 3
