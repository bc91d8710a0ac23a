"""Crashes, timeouts and Ctrl-C end shlo-run with one line, in whatever stage."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from shlo_run_command import ADD, COMMAND, ENDLESS, ENVIRONMENT, refusal


@pytest.fixture(autouse=True)
def in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("add.mlir").write_text(ADD)
    Path("endless.mlir").write_text(ENDLESS)


# --- crashes --------------------------------------------------------------------------------------
CRASHING = """\
import ctypes, sys
from shlo_tools.tools.run import command as shlo_run

def crash(*arguments, **options):
    ctypes.string_at(0)

def broken(work):
    def inner(request, source, channel):
        import {module} as module
        module.{name} = crash
        return work(request, source, channel)
    return inner

shlo_run._work = broken(shlo_run._work)
shlo_run._compile_singly = broken(shlo_run._compile_singly)
shlo_run.main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("module", "name", "where"),
    [
        ("shlo_tools.mlir", "parse_module", "while parsing"),
        ("shlo_tools.passes.partition", "Partition.run", "in pass 'shlo-partition'"),
        ("shlo_tools.cpu.stages.kernels", "compiled", "while generating machine code"),
        ("shlo_tools.cpu.executable", "Executable.__call__", "while running @main"),
    ],
)
def test_a_crash_in_native_code_is_one_line(module: str, name: str, where: str) -> None:
    code = CRASHING.format(module=module, name=name)
    command = [sys.executable, "-c", code, "add.mlir", "--input=random:0", "--output=out.npz"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: crashed with SIGSEGV {where}\n"
    assert not Path("out.npz").exists()


# --- time and patience ----------------------------------------------------------------------------
def test_a_run_that_does_not_ask_for_the_time_is_stopped_too() -> None:
    code = CRASHING.replace("ctypes.string_at(0)", "ctypes.PyDLL(None).pause()").format(
        module="shlo_tools.cpu.executable", name="Executable.__call__"
    )
    command = [sys.executable, "-c", code, "add.mlir", "--input=random:0", "--timeout=0.3"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    message = "error: stopped after 0.3 seconds while running @main\n"
    assert (done.returncode, done.stderr) == (1, message)


def chain(count: int, op: Callable[[int], str]) -> str:
    lines = "\n".join(f"  %{i + 1} = {op(i)}" for i in range(count))
    head = "func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {"
    return f"{head}\n{lines}\n  return %{count} : tensor<8xf32>\n}}\n"


# Programs that keep each stage busy for longer than anybody wants to wait.
SLOW = {
    "while parsing": lambda: chain(700_000, "stablehlo.add %{0}, %{0} : tensor<8xf32>".format),
    "while compiling": lambda: chain(100_000, "stablehlo.sine %{} : tensor<8xf32>".format),
    "while running @main": lambda: ENDLESS,
}
TELLING = """\
import sys
from shlo_tools.tools import isolation
from shlo_tools.tools.run import command as shlo_run

class Loud(isolation.Channel):
    def tell(self, activity, item=0):
        super().tell(activity, item)
        print(activity, file=sys.stderr, flush=True)

isolation.Channel = Loud
shlo_run.main(sys.argv[1:])
"""


@pytest.mark.parametrize("stage", SLOW)
def test_interrupt_ends_every_stage_at_once(stage: str) -> None:
    Path("slow.mlir").write_text(SLOW[stage]())
    Path("out.npz").write_text("precious")
    arguments = ["slow.mlir", "--input=0", "--output=out.npz"]
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, *arguments],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    while process.stderr.readline() not in (f"{stage}\n", ""):
        pass
    time.sleep(0.5)
    assert process.poll() is None, "the stage is over too soon"
    start = time.monotonic()
    os.killpg(process.pid, 2)  # as a terminal does: to parent and child
    output, errors = process.communicate(timeout=60)
    seconds = time.monotonic() - start
    assert (process.returncode, output, errors) == (130, "", "interrupted\n")
    assert seconds < 0.5
    assert Path("out.npz").read_text() == "precious"
    assert sorted(os.listdir()) == ["add.mlir", "endless.mlir", "out.npz", "slow.mlir"]


def test_progress_is_shown_on_a_terminal_only() -> None:
    pty = pytest.importorskip("pty")
    reader, terminal = pty.openpty()
    command = [*COMMAND, "endless.mlir", "--input=0", "--timeout=2.5"]
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, env=environment, stderr=terminal, stdout=terminal)
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(reader, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        shown += part
    assert process.wait() == 1
    assert b"running @main" in shown
    assert shown.endswith(b"error: stopped after 2.5 seconds while running @main\r\n")
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")  # the cursor is back
    quiet = refusal("endless.mlir", "--input=0", "--timeout=1.5")
    assert quiet == "error: stopped after 1.5 seconds while running @main\n"
