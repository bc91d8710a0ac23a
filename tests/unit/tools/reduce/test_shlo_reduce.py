"""``shlo-reduce`` as a command: what counts as the same failure, limits, files, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from served import module

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.cosine %x : tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %2 = stablehlo.add %1, %y : tensor<4xf32>
  return %2, %0 : tensor<4xf32>, tensor<4xf32>
}
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


def reduce(folder: Path, *options: str, text: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    (folder / "model.mlir").write_text(text)
    return subprocess.run(
        [*module("shlo_tools.tools.reduce"), "model.mlir", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=120,
    )


def test_the_smallest_program_that_fails_alike(tmp_path: Path) -> None:
    """Without a sine the test fails in another way, with another status."""
    test = "grep -q stablehlo.sine {} || exit 2; exit 3"
    done = reduce(tmp_path, f"--test={test}", "-o", "small.mlir")
    assert done.returncode == 0, done.stderr
    small = (tmp_path / "small.mlir").read_text()
    assert "stablehlo.sine" in small and "cosine" not in small and "add" not in small
    assert "tensor<1xf32>" in small and "tensor<4xf32>" not in small
    assert "the test fails: exit status 3" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.mlir", "small.mlir"]


def test_the_output_must_match(tmp_path: Path) -> None:
    test = "cat {}; exit 1"
    done = reduce(tmp_path, f"--test={test}", r"--match=stablehlo\.(cosine|tanh)")
    assert done.returncode == 0, done.stderr
    assert "stablehlo.cosine" in done.stdout and "sine %0" not in done.stdout


def test_tools_of_this_python_start_as_forks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no others: those of another installation are what the test means."""
    ours, theirs = Path(sys.executable).parent, tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "shlo-run").write_text("#!/bin/sh\n")
    (theirs / "shlo-run").chmod(0o755)
    if not (ours / "shlo-run").exists():
        pytest.skip("the package is not installed")
    for first, pattern in ((ours, "fork-server.*bin/shlo-run"), (theirs, "theirs/shlo-run")):
        path = os.pathsep.join([str(first), str(ours), os.environ["PATH"]])
        monkeypatch.setitem(ENVIRONMENT, "PATH", path)
        done = reduce(tmp_path, "--test=command -v shlo-run; exit 1 {}", f"--match={pattern}")
        assert done.returncode == 0, done.stderr


def test_an_inverted_test_keeps_what_succeeds(tmp_path: Path) -> None:
    done = reduce(tmp_path, "--test=! grep -q stablehlo.add {}")
    assert "stablehlo.add" in done.stdout and "sine" not in done.stdout


def test_a_signal_is_a_way_to_fail(tmp_path: Path) -> None:
    done = reduce(tmp_path, "--test=grep -q stablehlo.add {} && kill -SEGV $$")
    assert "died of SIGSEGV" in done.stderr
    assert "stablehlo.add" in done.stdout and "sine" not in done.stdout


def test_a_test_that_takes_too_long_fails_by_that(tmp_path: Path) -> None:
    done = reduce(tmp_path, "--test=grep -q stablehlo.add {} && sleep 60", "--timeout=0.3")
    assert "the test fails: ran out of time" in done.stderr
    assert "stablehlo.add" in done.stdout and "sine" not in done.stdout


@pytest.mark.parametrize(
    "options, message",
    [
        (["--test=true {}"], "the test succeeds on the program as it is"),
        (["--test=exit 1"], "does not say where the program goes"),
        (["--test=echo no {}; exit 1", "--match=yes"], "does not match 'yes'"),
        (["--test=exit 1 {}", "--match=("], "is no regular expression"),
        (["--test=exit 1 {}", "--timeout=0"], "a test needs some time"),
        (["--test=exit 1 {}", "-o", "no/where.mlir"], "cannot write"),
        ([], "Missing option '--test'"),
    ],
)
def test_mistakes_are_one_error(options: list[str], message: str, tmp_path: Path) -> None:
    done = reduce(tmp_path, *options)
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr


def test_what_is_no_program_is_an_error(tmp_path: Path) -> None:
    done = reduce(tmp_path, "--test=exit 1 {}", text="func.func @main(")
    assert done.returncode == 1 and "model.mlir:1:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_best_so_far(tmp_path: Path, signum: signal.Signals) -> None:
    (tmp_path / "model.mlir").write_text(PROGRAM)
    # The last test never ends, but for the signal.
    test = "grep -q stablehlo.sine {} || exit 2; [ -e small.mlir ] || exit 3;"
    test += " while :; do echo >> beats; sleep 0.02; done"
    # Where the caller ignores Ctrl-C, so would the child.
    main = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    main += "from shlo_tools.tools.reduce.command import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "model.mlir", f"--test={test}", "-o", "small.mlir"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    end = time.monotonic() + 60
    while not (tmp_path / "beats").exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signum)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 130, message
    assert "Traceback" not in message
    assert "stablehlo.sine" in (tmp_path / "small.mlir").read_text()
    assert not list(tmp_path.glob(".small*"))
    beats = (tmp_path / "beats").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "beats").stat().st_size == beats, "the test runs on"
