"""The text of pipelines: what parses, how it prints, how mistakes are told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools.errors import PipelineError, did_you_mean
from shlo_tools.pipeline import grammar
from shlo_tools.pipeline.grammar import Node
from shlo_tools.pipeline.runner import Pipeline

pytestmark = pytest.mark.usefixtures("example_passes")


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
    ("text", "message", "at"),
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
def test_errors_have_a_caret(text: str, message: str, at: str) -> None:
    with pytest.raises(PipelineError) as caught:
        Pipeline(text)
    first = caught.value.diagnostics[0]
    assert message in first.message
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
