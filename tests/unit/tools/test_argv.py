"""LLVM's spellings of options, as mlir-opt takes them, on top of click.

The expected meanings are those of LLVM's CommandLine library; ``REFERENCE`` below states them for
the property test as a table of (spelling, meaning).
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools.tools import argv, isolation


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("input", default="-")
@click.option("-o", "output", default="-")
@click.option("--pipeline", multiple=True)
@click.option("--count", type=int)
@argv.boolean("--each", default=True)
@argv.boolean("--quiet")
@click.option("--split", cls=argv.ValueOptional, bare="// -----", default="")
@click.option("--version", is_flag=True)
@argv.pass_flags()
def command(**options: Any) -> dict[str, Any]:
    """A command with every kind of option."""
    return options


@click.command()
@click.argument("input", default="-")
@click.option("--pipeline", multiple=True)
def without_passes(**options: Any) -> dict[str, Any]:
    """A command whose long options are all declared."""
    return options


DEFAULTS = {
    "input": "-",
    "output": "-",
    "pipeline": (),
    "count": None,
    "each": True,
    "quiet": False,
    "split": "",
    "version": False,
    "pass_flags": (),
}


def parsed(*arguments: str, by: click.Command = command) -> dict[str, Any]:
    with by.make_context("tool", argv.normalized(arguments, by)) as context:
        results: dict[str, Any] = by.invoke(context)
        return results


@pytest.mark.parametrize(
    ("arguments", "meaning"),
    [
        (["in.mlir"], {"input": "in.mlir"}),
        (["-"], {"input": "-"}),
        (["-o", "out"], {"output": "out"}),
        (["-o=out"], {"output": "out"}),
        (["--o", "out"], {"output": "out"}),
        (["-o", "-weird"], {"output": "-weird"}),
        (["-pipeline=a(b)"], {"pipeline": ("a(b)",)}),
        (["--pipeline", "a(b)", "-pipeline", "c"], {"pipeline": ("a(b)", "c")}),
        (["--pipeline="], {"pipeline": ("",)}),
        (["-count", "3"], {"count": 3}),
        (["--each", "in.mlir"], {"each": True, "input": "in.mlir"}),
        (["--each=false"], {"each": False}),
        (["-each=0"], {"each": False}),
        (["--quiet"], {"quiet": True}),
        (["-quiet=TRUE"], {"quiet": True}),
        (["--split", "in.mlir"], {"split": "// -----", "input": "in.mlir"}),
        (["-split=// @@", "in.mlir"], {"split": "// @@", "input": "in.mlir"}),
        (["--split="], {"split": ""}),
        (["-version"], {"version": True}),
        (["--", "-quiet"], {"input": "-quiet"}),
        (["--cse", "-inline", "--cse"], {"pass_flags": ("cse", "inline", "cse")}),
        (["-one-shot-bufferize"], {"pass_flags": ("one-shot-bufferize",)}),
        (["--fold=a=1 b={c d}", "x"], {"pass_flags": ("fold{a=1 b={c d}}",), "input": "x"}),
        (["--fold="], {"pass_flags": ("fold",)}),
    ],
)
def test_a_spelling_means(arguments: list[str], meaning: dict[str, Any]) -> None:
    assert parsed(*arguments) == {**DEFAULTS, **meaning}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--each=perhaps"], "'perhaps' is invalid value for boolean argument"),
        (["-o"], "'-o' requires an argument"),
        (["--pipeline"], "'--pipeline' requires an argument"),
        (["--count=x"], "'x' is not a valid integer"),
        (["a", "b"], "unexpected extra argument"),
        (["--Not-A-Pass"], "--Not-A-Pass"),
        (["---cse"], "---cse"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        parsed(*arguments)
    assert message in refused.value.format_message()


def test_without_pass_flags_an_unknown_option_is_an_error() -> None:
    assert parsed("-pipeline=a", by=without_passes) == {"input": "-", "pipeline": ("a",)}
    with pytest.raises(click.NoSuchOption):
        parsed("--cse", by=without_passes)
    with pytest.raises(click.NoSuchOption):
        parsed("-cse", by=without_passes)


# What an argument list says, one piece after the other: (spelling without dashes, what it sets).
REFERENCE = st.one_of(
    st.just((("quiet",), ("quiet", True))),
    st.sampled_from(["1", "true", "True", "TRUE"]).map(lambda v: ((f"each={v}",), ("each", True))),
    st.sampled_from(["0", "false", "False", "FALSE"]).map(
        lambda v: ((f"each={v}",), ("each", False))
    ),
    st.just((("split",), ("split", "// -----"))),
    st.text("-/= ab", min_size=1).map(lambda v: ((f"split={v}",), ("split", v))),
    st.text("-=ab(){},", min_size=1).map(lambda v: ((f"o={v}",), ("output", v))),
    st.text("-=ab(){},", min_size=1).map(lambda v: (("o", v), ("output", v))),
    st.text("-=ab(){},").map(lambda v: ((f"pipeline={v}",), ("pipeline", v))),
    st.text("-=ab(){},").map(lambda v: (("pipeline", v), ("pipeline", v))),
    st.sampled_from(["cse", "a-b", "x.y", "o2"]).map(lambda v: ((v,), ("pass_flags", v))),
    st.text("ab=1 ,", min_size=1).map(lambda v: ((f"fold={v}",), ("pass_flags", f"fold{{{v}}}"))),
)


@given(st.lists(st.tuples(REFERENCE, st.sampled_from(["-", "--"])), max_size=6), st.data())
def test_any_list_of_options(pieces: list[Any], data: st.DataObject) -> None:
    """One or two dashes, joined or apart, anywhere around the input: the meanings add up."""
    position = data.draw(st.integers(0, len(pieces)))
    arguments: list[str] = []
    expected: dict[str, Any] = {**DEFAULTS, "input": "in.mlir"}
    for index, ((words, (name, value)), dashes) in enumerate(pieces):
        if index == position:
            arguments.append("in.mlir")
        arguments += [dashes + words[0], *words[1:]]
        repeats = isinstance(DEFAULTS[name], tuple)
        expected[name] = (*expected[name], value) if repeats else value
    if position == len(pieces):
        arguments.append("in.mlir")
    assert parsed(*arguments) == expected


@given(st.lists(st.text("-=abo \t\n{", max_size=8), max_size=5))
def test_no_list_of_arguments_is_more_than_a_usage_error(arguments: list[str]) -> None:
    with contextlib.suppress(click.UsageError, click.exceptions.Exit):
        parsed(*arguments)


def test_the_end_of_a_tool(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    def misused() -> int:
        raise click.UsageError("no such thing")

    cases = ((lambda: 0, 0, ""), (interrupted, 130, "interrupted\n"))
    for main, status, message in (*cases, (misused, 1, "error: no such thing\n")):
        with pytest.raises(SystemExit) as ended:
            isolation.end(main)
        assert ended.value.code == status
        assert capsys.readouterr().err == message


# --- completion in shells -------------------------------------------------------------------------
@click.command()
@click.argument("input", default="-", type=click.Path())
@click.option("--to", type=click.Choice(["linalg", "llvm"]))
@argv.boolean("--quiet")
@argv.unsupported("--quick", "it takes its time")
def completed(**options: Any) -> int:
    """A command to complete words of."""
    raise AssertionError("completion runs nothing")


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("--qui", ["plain,--quiet"]),
        ("--to l", ["plain,linalg", "plain,llvm"]),
        ("-quiet a", ["file,a"]),
        ("-qui", ["plain,--quiet"]),
        ("-to l", ["plain,linalg", "plain,llvm"]),
        ("--quiet --to l", ["plain,linalg", "plain,llvm"]),
    ],
)
def test_words_are_completed(
    words: str,
    completions: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_A_TOOL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"a-tool {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert argv.invoke(completed, [], "a-tool") == 0
    assert capsys.readouterr().out.splitlines() == completions


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_A_TOOL_COMPLETE", f"{shell}_source")
    assert argv.invoke(completed, [], "a-tool") == 0
    assert f"_A_TOOL_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_what_no_shell_asks_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for instruction in ("tcsh_source", "bash", "bash_run", ""):
        monkeypatch.setenv("_A_TOOL_COMPLETE", instruction)
        with pytest.raises(click.UsageError, match="there are bash_source, zsh_source and fish"):
            argv.invoke(completed, [], "a-tool")


# --- options that are refused ---------------------------------------------------------------------
def test_an_unsupported_option_is_refused_with_the_reason() -> None:
    for spelling in (["--quick"], ["-quick=5"], ["--quick", "5"]):
        with pytest.raises(click.UsageError, match="--quick is not supported: it takes its time"):
            argv.invoke(completed, spelling, "a-tool")
    assert "--quick" not in completed.get_help(click.Context(completed))


def test_help_shows_groups() -> None:
    @click.command(cls=argv.GroupedCommand)
    @argv.Group("Colors", argv.boolean("--red"), argv.boolean("--blue"))
    @argv.Group("Shapes", argv.boolean("--round"))
    def drawn(**options: Any) -> None:
        """Draw."""

    text = drawn.get_help(click.Context(drawn))
    assert re.findall(r"^(?:  --\w+|\w+:$)", text, re.M) == (
        ["Colors:", "  --red", "  --blue", "Shapes:", "  --round", "Help:", "  --help"]
    )
