"""What shlo-run refuses, and how it says so; files appear whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from shlo_run_command import ADD, COMMAND, ENDLESS, ENVIRONMENT, refusal, run


@pytest.fixture(autouse=True)
def in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("add.mlir").write_text(ADD)
    Path("endless.mlir").write_text(ENDLESS)


# --- bad programs ---------------------------------------------------------------------------------
CALLS = """\
func.func private @other(tensor<f32>) -> tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = func.call @{callee}(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}
"""
HUGE = """\
func.func @main(%x: tensor<f32>) -> tensor<1000000x1000000xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000x1000000xf32>
  return %0 : tensor<1000000x1000000xf32>
}
"""
FOREIGN = """\
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = tosa.reverse %x {axis = 0 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""
RESOURCE = """\
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense_resource<weights> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "bad.mlir: the input is empty"),
        (bytes(range(256)), "bad.mlir: neither MLIR text nor bytecode"),
        (b"func.func @main(%x: tensor<4xf32>", r"bad\.mlir:1:\d+: error: expected"),
        (b"ML\xefR\x0dStableHLO_v1.0.0\0\x01", "error: "),
        (b"ML\xefR\x09MLIR",
            "bad.mlir: "),
        (b"{" * 20_000, "bad.mlir:1:501: error: nested more than 500 levels deep"),
        (b"module {" * 20_000 + b"}" * 20_000, "nested more than 500 levels deep"),
        (ADD.replace("@main", "@start"), "no function @main\n  hint: .*@start, @twice"),
        (ADD.replace("@main", "@mian"), "no function @main\n  hint: did you mean 'mian'?"),
        ("func.func private @main(tensor<f32>)", "@main is a declaration without a body"),
        (CALLS.format(callee="main"), "bad.mlir:2:1: error: recursion: @main calls @main"),
        (CALLS.format(callee="other"),
            "bad.mlir:3:8: error: not supported: func.call .*: @other is declared without a body"),
        (ADD + ADD, "bad.mlir:9:1: error: redefinition of symbol named 'main'"),
        (ADD.replace("add", "addd"), r"'?stablehlo\.addd'?[^\n]*\n(.*\n)*.*did you mean"),
        (FOREIGN, r"bad\.mlir:2:8: error: (.*\n)*.*tosa\.reverse.*tensor<2x4xf32>"),
        (RESOURCE, "dense_resource<weights.* has no data"),
        (HUGE, "4,000,000,000,000 bytes are needed"),
    ],
)  # fmt: skip
def test_bad_programs(source: str | bytes, message: str) -> None:
    Path("bad.mlir").write_bytes(source if isinstance(source, bytes) else source.encode())
    text = refusal("bad.mlir", "--input=random:0")
    assert re.search(message, text), text


def test_missing_files_and_folders() -> None:
    assert "cannot read 'none.mlir': No such file" in refusal("none.mlir")
    assert "cannot read '.': Is a directory" in refusal(".")


def test_a_misspelled_attribute_is_warned_of() -> None:
    line = '%0 = "stablehlo.add"(%x, %y) {dimensionz = 1} : '
    line += "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"
    Path("odd.mlir").write_text(ADD.replace("%0 = stablehlo.add %x, %y : tensor<2x3xf32>", line))
    done = run("odd.mlir", "--input=1", "--input=2")
    assert done.returncode == 0
    assert "odd.mlir:2:8: warning: stablehlo.add has no attribute 'dimensionz'" in done.stderr


# --- bad values and options -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input=1"], "1 argument given, 2 wanted"),
        (["--input=1"] * 3, "3 arguments given, 2 wanted"),
        (["--input=[[1,2,3],[4,5]]", "--input=1"], "--input:1:10: error: 2 values here, 3 in"),
        (["--input=3xf32=1", "--input=1"], "argument 0 (images) is a tensor<2x3xf32>; shape (3)"),
        (["--input=@big.npy", "--input=1"], "float32 in another byte order given"),
        (["--input=@object.npz"], "holds pickled Python objects, which are never loaded"),
        (["--input=@cut.npy", "--input=1"], "'cut.npy' is damaged"),
        (["--input=@none.npy", "--input=1"], "cannot read 'none.npy'"),
        (["--input=x.npy", "--input=1"], "hint: a file is written @x.npy"),
        (["--inptu=1"], "No such option '--inptu'"),
        (["--input"], "Option '--input' requires an argument"),
        (["--input=1", "--input=1", "--timeout=0"], "Invalid value for '--timeout'"),
        (["--input=1", "--input=1", "--timeout=nan"], "'nan' is not a number"),
        (["--input=1", "--input=1", "--timeout=1e300"], "Invalid value for '--timeout'"),
        (["--input=1", "--input=1", "--rtol=-1"], "Invalid value for '--rtol'"),
        (["--input=1", "--input=1", "--repeat=-1"], "Invalid value for '--repeat'"),
        (["--input=1", "--input=1", "--threads=0"], "Invalid value for '--threads'"),
        (["--input=1", "--input=1", "--threads=-2"], "Invalid value for '--threads'"),
        (["--input=1", "--input=1", "--threads=1.5"], "Invalid value for '--threads'"),
        (
            ["--input=1", "--input=1", "--threads=1", "--backend=reference"],
            "--threads is for native code",
        ),
        (["--demo"], "--demo brings its own model"),
        (["--function=nain", "--input=1"], "there is no function @nain"),
        (["--input=random:0", "--output=x.txt"], "the name must end in .npy or .npz"),
        (["--input=random:0", "--output=none/x.npz"], "cannot write 'none/x.npz'"),
        (["--input=random:0", "--output=folder.npz"], "cannot write 'folder.npz'"),
    ],
)
def test_bad_values_and_options(arguments: list[str], message: str) -> None:
    np.save("big.npy", np.ones((2, 3), ">f4"))
    np.savez("object.npz", arg0=np.array([None]), arg1=np.ones(1))
    np.save("whole.npy", np.ones((2, 3), "f4"))
    Path("cut.npy").write_bytes(Path("whole.npy").read_bytes()[:-1])
    Path("folder.npz").mkdir()
    assert message in refusal("add.mlir", *arguments)


def test_several_results_need_an_archive() -> None:
    text = ADD.split("func.func private", maxsplit=1)[0]
    text = text.replace("-> tensor<2x3xf32>", "-> (tensor<2x3xf32>, tensor<2x3xf32>)")
    text = text.replace(
        "return %0 : tensor<2x3xf32>", "return %0, %x : tensor<2x3xf32>, tensor<2x3xf32>"
    )
    Path("two.mlir").write_text(text)
    message = refusal("two.mlir", "--input=random:0", "--output=x.npy")
    assert "2 results do not fit an .npy file, use .npz" in message


# --- files appear whole or not at all -------------------------------------------------------------
def test_an_existing_file_survives_a_failed_run() -> None:
    Path("out.npz").write_text("precious")
    message = refusal("endless.mlir", "--input=0", "--timeout=0.2", "--output=out.npz")
    assert message == "error: stopped after 0.2 seconds while running @main\n"
    assert Path("out.npz").read_text() == "precious"
    assert sorted(os.listdir()) == ["add.mlir", "endless.mlir", "out.npz"]


def test_an_unwritable_output_is_refused_before_the_run() -> None:
    # The endless program shows it: nothing else would end it.
    assert "cannot write" in refusal("endless.mlir", "--input=0", "--output=none/out.npz")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output(unbuffered: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    command = [*COMMAND, "add.mlir", "--input=random:0"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command,
            env={**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    message = "error: No space left on device while writing results\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_reader_that_has_seen_enough() -> None:
    text = ADD.split("func.func private", maxsplit=1)[0].replace("2x3x", "100x100x")
    Path("large.mlir").write_text(text)
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "p.stdout.close()\n"
        "print(repr(p.stderr.read()))"
    )
    command = [sys.executable, "-c", code, *COMMAND, "large.mlir", "--input=random:0"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "b''\n"
