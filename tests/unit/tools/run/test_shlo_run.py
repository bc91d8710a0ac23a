"""shlo-run as its users meet it: what it prints, writes and compares."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from shlo_run_command import ADD, ENDLESS, ENVIRONMENT, PROGRAMS, output_of, refusal

import shlo_tools
from shlo_tools import demo, mlir, program
from shlo_tools.pipeline import runner


@pytest.fixture(autouse=True)
def in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("add.mlir").write_text(ADD)
    Path("endless.mlir").write_text(ENDLESS)


# --- first contact --------------------------------------------------------------------------------
def test_the_demo_runs_anywhere_and_agrees_with_jax(tmp_path: Path) -> None:
    text = output_of("--demo", f"--output={tmp_path / 'out.npz'}")
    assert "result4: tensor<f32>" in text
    assert text.count(" agrees: ") == 5
    recorded = np.load(PROGRAMS / "mlp_step.npz")
    written = np.load(tmp_path / "out.npz")
    assert sorted(written) == [f"result{i}" for i in range(5)]
    for name in written:
        bound = demo.ATOL + demo.RTOL * np.abs(recorded[name])
        assert (np.abs(written[name] - recorded[name]) <= bound).all()


def test_the_demo_is_the_recorded_program() -> None:
    for suffix in (".mlir", ".npz"):
        packaged = resources.files(demo) / f"{demo.NAME}{suffix}"
        assert packaged.read_bytes() == (PROGRAMS / f"{demo.NAME}{suffix}").read_bytes()
    entry = json.loads((PROGRAMS / "programs.json").read_text())[demo.NAME]
    assert (entry["rtol"], entry["atol"]) == (demo.RTOL, demo.ATOL)


def test_help_and_usage_errors_do_not_load_mlir() -> None:
    for arguments in (["--help"], ["--no-such-option"], ["missing.mlir"]):
        code = (
            "import sys\n"
            "from shlo_tools.tools.run import command as shlo_run\n"
            "try: shlo_run.main(sys.argv[1:])\n"
            "except SystemExit: pass\n"
            "print([m for m in ('shlo_tools.mlir', 'numpy', 'rich') if m in sys.modules])"
        )
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == "[]", (arguments, done)


def test_help_shows_examples() -> None:
    text = output_of("--help")
    assert "shlo-run model.mlir --input=random:0" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_version_names_what_it_stands_on() -> None:
    text = output_of("--version")
    for version in (
        shlo_tools.__version__,
        mlir.provider_version(),
        mlir.mlir_version().removeprefix("MLIR"),
        mlir.stablehlo_version(),
    ):
        assert version in text


def test_without_values_the_signature_is_printed() -> None:
    text = output_of("add.mlir")
    assert text.startswith("@main: 2 arguments, 1 result\n  arg0: tensor<2x3xf32>  images\n")
    example = re.search(r"shlo-run (add\.mlir --input=random:0)\n", text)
    assert example
    assert "result0: tensor<2x3xf32>" in output_of(*example[1].split())


def test_a_program_without_arguments_just_runs() -> None:
    text = "func.func @main() -> tensor<i8> {\n  %0 = stablehlo.constant dense<5> : tensor<i8>\n"
    Path("five.mlir").write_text(text + "  return %0 : tensor<i8>\n}\n")
    assert output_of("five.mlir") == "result0: tensor<i8>\n5\n"


def test_random_values_are_proposed_with_sizes_to_try() -> None:
    text = output_of("add.mlir", "--function=twice")
    assert "--input=@arg0.npy" in text
    assert "--input=8xi8=random:0" in text
    assert "--input=random" not in text


def test_values_that_are_no_tensors() -> None:
    text = "func.func @main(%x: !stablehlo.token) -> !stablehlo.token {\n"
    Path("token.mlir").write_text(text + "  return %x : !stablehlo.token\n}\n")
    assert "arg0: !stablehlo.token" in output_of("token.mlir")
    message = refusal("token.mlir", "--input=1")
    assert "a value of type !stablehlo.token cannot be passed in or out" in message


def test_list_functions() -> None:
    assert output_of("add.mlir", "--list-functions").splitlines() == [
        "@main(tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)",
        "@twice(tensor<?xi8>) -> (tensor<?xi8>)  private",
    ]


# --- values in and out ----------------------------------------------------------------------------
def test_three_spellings_and_printed_results() -> None:
    np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    text = output_of("add.mlir", "--input=@x.npy", "--input=2x3xf32=[1 2 3][4 5 0.5]")
    assert text == "result0: tensor<2x3xf32>\n[[1.  3.  5. ]\n [7.  9.  5.5]]\n"
    once, again = (output_of("add.mlir", "--input=random:7", "--input=0") for _ in range(2))
    assert once == again
    assert once != output_of("add.mlir", "--input=random:8", "--input=0")


@pytest.mark.parametrize("spelling", [["-input=1", "-input", "2"], ["-i", "1", "--input", "2"]])
def test_llvm_spellings(spelling: list[str]) -> None:
    assert "[[3. 3. 3.]" in output_of("add.mlir", *spelling)


def test_standard_input_is_the_default() -> None:
    for arguments in ([], ["-"]):
        text = output_of(*arguments, "--input=1", "--input=2", input=ADD)
        assert "[[3. 3. 3.]" in text


def test_another_function() -> None:
    text = ADD.replace("@main", "@other").replace("?xi8", "3xi8")
    Path("two.mlir").write_text(text)
    assert output_of("two.mlir", "--function=twice", "--input=[1,2,3]").endswith("[2 4 6]\n")


def test_bytecode_and_lowered_modules_run_alike() -> None:
    module = program.load(ADD)
    program.save(module, "add.mlirbc")
    runner.run("builtin.module(shlo-to-linalg)", module)
    program.save(module, "linalg.mlir")
    module = program.load(ADD.split("func.func private", maxsplit=1)[0])
    runner.run("builtin.module(shlo-to-llvm)", module)
    program.save(module, "llvm.mlir")
    for model in ("add.mlirbc", "linalg.mlir", "llvm.mlir"):
        assert "[[3. 3. 3.]" in output_of(model, "--input=1", "--input=2"), model


def test_output_files() -> None:
    np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    assert output_of("add.mlir", "--input=@x.npy", "--input=1", "--output=out.npy") == ""
    expected = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(np.load("out.npy"), expected, strict=True)
    output_of("add.mlir", "--input=@x.npy", "--input=1", "-o", "out.npz")
    np.testing.assert_array_equal(np.load("out.npz")["result0"], expected, strict=True)


def test_bf16_goes_through_files_without_pickle() -> None:
    text = ADD.split("func.func private", maxsplit=1)[0].replace("f32", "bf16")
    Path("bf16.mlir").write_text(text)
    output_of("bf16.mlir", "--input=1.5", "--input=2", "--output=out.npz")
    stored = np.load("out.npz", allow_pickle=False)["result0"]
    np.testing.assert_array_equal(
        stored.view(ml_dtypes.bfloat16), np.full((2, 3), 3.5, ml_dtypes.bfloat16), strict=True
    )
    text = output_of("bf16.mlir", "--input=@out.npz:result0", "--input=@out.npz:result0")
    assert "[[7 7 7]" in text


def test_input_and_output_may_be_the_same_file() -> None:
    np.save("x.npy", np.ones((2, 3), np.float32))
    for expected in (2, 4):
        output_of("add.mlir", "--input=@x.npy", "--input=@x.npy", "--output=x.npy")
        assert (np.load("x.npy") == expected).all()


def test_repeat_prints_times() -> None:
    text = output_of("add.mlir", "--input=random:0", "--repeat=5")
    number = r"[\d.e+]+ (s|ms|us)"
    last = text.splitlines()[-1]
    times = rf"compiled in {number}, first run {number}; 5 more: median {number}, min {number}"
    assert re.fullmatch(times, last), last


# --- comparing ------------------------------------------------------------------------------------
def test_expected_output_agrees() -> None:
    np.savez("both.npz", arg0=np.ones((2, 3), "f4"), arg1=np.ones((2, 3), "f4"),
             result0=np.full((2, 3), 2, "f4"))  # fmt: skip
    equal = "result0 agrees: equal\n"
    assert output_of("add.mlir", "--input=@both.npz", "--expected-output=@both.npz") == equal
    assert output_of("add.mlir", "--input=@both.npz", "--expected-output=2x3xf32=2") == equal
    text = output_of("add.mlir", "--input=@both.npz", "--expected-output=2.5", "--atol=0.5")
    assert text.startswith("result0 agrees: largest error 0.5, ")


def test_expected_output_differs() -> None:
    expected = "--expected-output=[[3,3,3],[3,4,2.5]]"
    text = refusal("add.mlir", "--input=1", "--input=2", expected, "--rtol=0.1", "--atol=0")
    assert text.splitlines() == [
        "error: result0 differs: 2 of 6 elements beyond 0 + 0.1 * |expected|",
        "  first at [1, 1]: got 3.0, expected 4.0",
        # f32: 3 is 0x40400000, 4 is 0x40800000, 2.5 is 0x40200000
        f"  largest error 1, {0x40800000 - 0x40400000} ulp",
    ]


def test_results_that_differ_are_written_all_the_same() -> None:
    refusal("add.mlir", "--input=1", "--input=2", "--expected-output=9", "--output=out.npy")
    assert (np.load("out.npy") == 3).all()


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("3xf32=1", "result 0 is a tensor<2x3xf32>; shape (3) given"),
        ("2x3xf64=1", "result 0 is a tensor<2x3xf32>; float64 given"),
        ("random:0", "random results cannot be expected"),
        ("[1,2", "this bracket is not closed"),
        ("@missing.npz", "cannot read 'missing.npz'"),
    ],
)
def test_expectations_that_do_not_fit(expected: str, message: str) -> None:
    assert message in refusal("add.mlir", "--input=random:0", f"--expected-output={expected}")
