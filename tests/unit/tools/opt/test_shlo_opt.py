"""shlo-opt as a process: bad input, interruption, crashes, and what it leaves behind.

What the options do to programs is in ``tests/lit/shlo-opt``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from shlo_opt_command import COMMAND, DEEP, ENVIRONMENT, GOOD, PLUGIN, shlo_opt


def refused(*arguments: str | Path, source: str | bytes = b"") -> str:
    """What a run that must fail, and do nothing else, says."""
    done = shlo_opt(*arguments, source=source)
    message = done.stderr.decode()
    assert done.returncode == 1, message
    assert "Traceback" not in message
    assert "crashed" not in message
    assert done.stdout == b""
    return message


# --- start ----------------------------------------------------------------------------------------
def loaded_after(call: str) -> str:
    """Which of the heavy modules the parent process has loaded after a call of ``main``."""
    script = f"""
        import sys
        from shlo_tools.tools.opt import command as shlo_opt
        try:
            shlo_opt.main({call})
        except SystemExit as end:
            assert end.code == 0, end.code
        heavy = {{"torch_mlir", "shlo_tools.mlir", "shlo_tools.ops", "numpy", "rich"}}
        print("LOADED", *sorted(heavy & set(sys.modules)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        input=GOOD,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert not done.stderr
    return done.stdout


def test_help_does_not_load_mlir() -> None:
    message = loaded_after("['--help']")
    assert message.endswith("LOADED\n")
    assert "shlo-opt model.mlir --to=linalg -o out.mlir" in message


def test_only_the_child_loads_mlir() -> None:
    message = loaded_after("['--cse', '--emit-bytecode', '-o', '/dev/null']")
    assert message == "LOADED\n"


# --- bad input ------------------------------------------------------------------------------------
def nested(before: str, opening: str, inside: str, closing: str, after: str) -> str:
    return before + opening * DEEP + inside + closing * DEEP + after


BAD_PROGRAMS = {
    "empty": (b"", "<stdin>: the input is empty"),
    "binary": (bytes(range(256)) * 20, "<stdin>: neither MLIR text nor bytecode"),
    "text with a null": (b"module {}\0", "<stdin>: neither MLIR text nor bytecode"),
    "broken bytecode": (b"ML\xefR" + b"\x01\x02\x03" * 50, "error: "),
    "truncated": (GOOD[:-10].encode(), "<stdin>:3:"),
    "unknown op": (
        b'func.func @f() { "stablehlo.tranpose"() : () -> () return }',
        "did you mean 'stablehlo.transpose'?",
    ),
    "types that differ": (
        b"func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n"
        b"  %0 = stablehlo.add %a, %b : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}",
        "<stdin>:2:26: error: use of value '%b' expects different type",
    ),
    "an attribute of the wrong type": (
        b'func.func @f(%a: tensor<2x3xf32>) { %0 = "stablehlo.transpose"(%a) '
        b'{permutation = "x"} : (tensor<2x3xf32>) -> tensor<3x2xf32> return }',
        "error: ",
    ),
    "duplicate symbol": (
        b"func.func @f() { return }\nfunc.func @f() { return }",
        "<stdin>:2:1: error: redefinition of symbol named 'f'",
    ),
    "deep attribute": (nested("module attributes {a.b = ", "[", "1", "]", "} {}"), "deep"),
    "deep dictionary": (nested("module attributes {a.b = ", "{x=", "1", "}", "} {}"), "deep"),
    "deep regions": (nested("", '"a.b"() ({', "", "}) : () -> ()", ""), "deep"),
    "deep type": (nested("func.func private @f(", "tuple<", "i1", ">", ")"), "deep"),
    "deep function type": (nested("func.func private @f(", "(", "", ")->()", ")"), "deep"),
    "deep location": (nested("module {} loc(", "fused[", "unknown", "]", ")"), "deep"),
    "deep call site": (
        nested("module {} loc(", "callsite(", "unknown", " at unknown)", ")"),
        "deep",
    ),
    "deep affine expression": (
        nested("module attributes {a.b = affine_map<(d) -> (", "(", "d", ")", ")>} {}"),
        "deep",
    ),
    "never closed": ("[" * DEEP, "deep"),
}


@pytest.mark.parametrize("name", BAD_PROGRAMS)
def test_bad_program(name: str) -> None:
    program, message = BAD_PROGRAMS[name]
    messages = refused(source=program)
    assert message in messages
    assert re.match(r"(<stdin>:\d+:\d+: )?error: ", messages)


def test_brackets_that_do_not_nest_are_no_error() -> None:
    text = f'// {"[" * DEEP}\nmodule attributes {{a.b = "{"(" * DEEP}"}} {{}}'
    assert shlo_opt(source=text).returncode == 0


def test_truncated_files(tmp_path: Path) -> None:
    """Every prefix of a program, of its bytecode and of an artifact is refused or a program."""
    bytecode = shlo_opt("--emit-bytecode", source=GOOD).stdout
    for whole in (GOOD.encode(), bytecode):
        for length in range(1, len(whole) - 2, max(1, len(whole) // 6)):
            done = shlo_opt(source=whole[:length])
            assert b"crashed" not in done.stderr
            assert b"Traceback" not in done.stderr
            assert done.returncode == 1


def test_missing_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.mlir"
    message = f"error: cannot open input file {str(missing)!r}: No such file or directory\n"
    assert refused(missing) == message
    assert "Is a directory" in refused(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cze"], "there is no option or pass '--cze'"),
        (["--verify-eech"], "did you mean '--verify-each'?"),
        (["--verify-each=2"], "'2' is invalid value"),
        (["--mlir-elide-elementsattrs-if-larger=many"], "'many' is not a valid integer"),
        (["--mlir-elide-elementsattrs-if-larger=-1"], "-1 is not in the range"),
        (["--pass-pipeline"], "requires an argument"),
        (["--pass-pipeline=builtin.module(cse"], "missing ')'"),
        (["--pass-pipeline=builtin.module(" + "func.func(" * 5_000], "nested too deeply"),
        (["--cse={"], "missing '}'"),
        (["--to=ptx"], "'ptx' is not one of"),
        (["--explain=stablehlo.nothing"], "there is no op 'stablehlo.nothing'"),
        (["--run-reproducer"], "there is no mlir_reproducer in it"),
        (["a.mlir", "b.mlir"], "unexpected extra argument"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str) -> None:
    assert message in refused(*arguments, source=GOOD)


def test_closed_and_full_standard_streams() -> None:
    script = " ".join(COMMAND)
    for redirection, message in (
        ("<&-", "cannot read '-': Bad file descriptor"),
        (">&-", "cannot write '-': Bad file descriptor"),
        ("> /dev/full", "cannot write '-': No space left on device"),
    ):
        if "full" in redirection and not os.path.exists("/dev/full"):
            continue
        done = subprocess.run(
            f"{script} {redirection}",
            shell=True,
            input=GOOD,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        assert (done.returncode, done.stderr) == (1, f"error: {message}\n")


# --- output ---------------------------------------------------------------------------------------
def test_unwritable_output_is_an_error_before_the_work(tmp_path: Path) -> None:
    plugin = f"--load-pass-plugin={PLUGIN}"
    for output, why in (
        (tmp_path / "missing" / "out.mlir", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (Path("/dev/null/x"), "Not a directory"),
    ):
        message = refused(plugin, "--test-remark", "-o", output, source=GOOD)
        assert message == f"error: cannot write {str(output)!r}: {why}\n"
        assert "remark" not in message


def test_input_and_output_may_be_one_file(tmp_path: Path) -> None:
    file = tmp_path / "program.mlir"
    file.write_text(GOOD)
    file.chmod(0o640)
    assert shlo_opt(file, "--mlir-print-op-generic", "-o", file).returncode == 0
    assert '"stablehlo.add"' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["program.mlir"]


def test_a_failure_leaves_the_output_as_it_was(tmp_path: Path) -> None:
    output = tmp_path / "out.mlir"
    output.write_text("precious")
    plugin = f"--load-pass-plugin={PLUGIN}"
    for fails in (["--test-fail"], ["--test-die"], ["--test-raise"]):
        done = shlo_opt(plugin, *fails, "-o", output, source=GOOD, cwd=tmp_path)
        assert done.returncode == 1
        assert output.read_text() == "precious"
    assert shlo_opt("-o", output, source="nonsense").returncode == 1
    assert output.read_text() == "precious"


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target.mlir", tmp_path / "link.mlir"
    link.symlink_to(target)
    assert shlo_opt("-o", link, source=GOOD).returncode == 0
    assert "stablehlo.add" in target.read_text()
    assert link.is_symlink()


def test_a_reader_that_has_seen_enough() -> None:
    """``shlo-opt large.mlir | head -c 100`` is silent."""
    large = "".join(f"func.func @f{i}() {{ return }}\n" for i in range(20_000))
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as tool:
        assert tool.stdin and tool.stdout and tool.stderr
        tool.stdin.write(large.encode())
        tool.stdin.close()
        assert tool.stdout.read(10) == b"module {\n "
        tool.stdout.close()
        assert tool.stderr.read() == b""
        assert tool.wait(timeout=60) == 1
