"""``shlo-opt`` is interrupted, or what it runs crashes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from shlo_opt_command import COMMAND, DEEP, ENVIRONMENT, GOOD, PLUGIN, shlo_opt


# --- Ctrl-C ---------------------------------------------------------------------------------------
def interrupt(tool: subprocess.Popen[bytes]) -> tuple[int, bytes, float]:
    """Press Ctrl-C: status, standard error and how long the end took."""
    start = time.monotonic()
    os.killpg(tool.pid, signal.SIGINT)
    _, message = tool.communicate(timeout=60)
    return tool.returncode, message, time.monotonic() - start


def start(*arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def test_ctrl_c_in_a_pass(tmp_path: Path) -> None:
    program, output = tmp_path / "program.mlir", tmp_path / "out.mlir"
    program.write_text(GOOD)
    passes = ("--mlir-print-ir-before=test-sleep", "--test-sleep")
    tool = start(str(program), f"--load-pass-plugin={PLUGIN}", *passes, "-o", str(output))
    assert tool.stderr is not None
    assert b"IR Dump Before" in tool.stderr.readline()  # the pass starts
    status, message, seconds = interrupt(tool)
    assert status == 130
    assert message.splitlines()[-1] == b"interrupted"
    assert b"Traceback" not in message
    assert seconds < 5, "the pass sleeps for a minute"
    assert os.listdir(tmp_path) == ["program.mlir"]


def test_ctrl_c_while_the_input_is_read() -> None:
    tool = start(stdin=subprocess.PIPE)
    time.sleep(1.0)
    status, message, _ = interrupt(tool)
    assert (status, message) == (130, b"interrupted\n")


def test_ctrl_c_at_any_moment(tmp_path: Path) -> None:
    """From parsing to printing: the end, or the whole output; never anything between."""
    program, output = tmp_path / "program.mlir", tmp_path / "out.mlir"
    body = "".join(
        f"  %{i + 1} = stablehlo.add %{i}, %{i} : tensor<4xf32>\n" for i in range(100_000)
    )
    program.write_text(
        f"func.func @f(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{body}"
        f"  return %100000 : tensor<4xf32>\n}}\n"
    )
    begin = time.monotonic()
    whole = shlo_opt(program, "--canonicalize").stdout
    seconds = time.monotonic() - begin  # the first ones are Python's own start
    interrupted = 0
    for share in (0.25, 0.4, 0.55, 0.7, 0.85, 1.0):
        tool = start(str(program), "--canonicalize", "-o", str(output))
        time.sleep(share * seconds)
        status, message, _ = interrupt(tool)
        if status == 0:
            assert output.read_bytes() == whole
        else:
            assert (status, message) == (130, b"interrupted\n")
            interrupted += 1
        leftover = set(os.listdir(tmp_path)) - {"program.mlir", "out.mlir"}
        assert not leftover
    assert interrupted


# --- crashes --------------------------------------------------------------------------------------
def test_a_crash_leaves_a_reproducer_where_one_is_asked_for(tmp_path: Path) -> None:
    dying = [f"--load-pass-plugin={PLUGIN}", "--test-die", "--cse"]
    done = shlo_opt(*dying, source=GOOD, cwd=tmp_path)
    assert done.returncode == 1
    first, second = done.stderr.decode().splitlines()
    assert first == "error: crashed with SIGSEGV in pass 'test-die'"
    assert not os.listdir(tmp_path)
    option = second.removeprefix("note: for a reproducer, add ").replace("FILE", "why.mlir")
    done = shlo_opt(*dying, option, source=GOOD, cwd=tmp_path)
    _, second = done.stderr.decode().splitlines()
    (name,) = os.listdir(tmp_path)
    assert name == "why.mlir"
    command = second.removeprefix("note: reproducer written; run it by: shlo-opt ").split()
    assert command == ["--run-reproducer", f"--load-pass-plugin={PLUGIN}", name]
    again = shlo_opt(*command, cwd=tmp_path)
    assert again.stderr.decode() == first + "\n"
    assert os.listdir(tmp_path) == [name]


def test_a_crash_on_bytecode_leaves_text(tmp_path: Path) -> None:
    bytecode = shlo_opt("--emit-bytecode", source=GOOD).stdout
    file = tmp_path / "reproducer.mlir"
    done = shlo_opt(
        f"--load-pass-plugin={PLUGIN}",
        "--test-die=with-signal=SIGFPE",
        f"--mlir-pass-pipeline-crash-reproducer={file}",
        source=bytecode,
    )
    assert b"crashed with SIGFPE in pass 'test-die'" in done.stderr
    text = file.read_text()
    assert "stablehlo.add" in text
    assert 'pipeline: "builtin.module(func.func(test-die{with-signal=SIGFPE}))"' in text


def test_a_reproducer_that_cannot_be_written_is_said() -> None:
    done = shlo_opt(
        f"--load-pass-plugin={PLUGIN}",
        "--test-die",
        "--mlir-pass-pipeline-crash-reproducer=/dev/null/x",
        source=GOOD,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "error: crashed with SIGSEGV in pass 'test-die'\n"
        "error: cannot write '/dev/null/x': Not a directory\n"
    )


FATAL_TO_MLIR = {
    "result number": "func.func @f() -> i1 {\n  %0 = arith.constant 1 : i1\n"
    "  return %0#2147483648 : i1\n}",
    "dimension numbers": "func.func @f(%x: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {\n"
    "  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f, 9223372036854775807]x[o, i, 0]"
    "->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    " : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>\n"
    "  return %0 : tensor<1x1x1xf32>\n}",
    "alignment of a resource": "module attributes {a.b = dense_resource<r> : tensor<1xf32>} {}\n"
    '{-# dialect_resources: { builtin: { r: "0x0000000000000000" } } #-}',
    "attributes by alias": "#a0 = 1\n"
    + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(DEEP))
    + f"module attributes {{a.b = #a{DEEP}}} {{}}",
}


@pytest.mark.parametrize("name", FATAL_TO_MLIR)
def test_what_ends_the_parser_is_said(name: str, tmp_path: Path) -> None:
    """Each of these texts makes MLIR abort; the tool's answer is a message."""
    done = shlo_opt(source=FATAL_TO_MLIR[name], cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    assert re.search(rb"^(<stdin>:.*)?error: ", done.stderr, re.MULTILINE)
    if b"crashed" in done.stderr and b"while parsing" in done.stderr:
        (kept,) = tmp_path.iterdir()
        assert kept.read_text() == FATAL_TO_MLIR[name]
