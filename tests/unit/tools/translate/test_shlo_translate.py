"""shlo-translate as a process: what it starts, bad input, and how translations follow one another.

What the options do to programs is in ``tests/lit/shlo-translate``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from served import module

from shlo_tools.program import versions
from shlo_tools.tools.translate import translations
from shlo_tools.tools.translate.request import TRANSLATIONS

ROOT = Path(__file__).resolve().parents[4]
COMMAND = [sys.executable, "-m", "shlo_tools.tools.translate"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
GOOD = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
"""


def shlo_translate(*arguments: str, source: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*module("shlo_tools.tools.translate"), *arguments]
    return subprocess.run(command, input=source, capture_output=True, env=ENVIRONMENT, timeout=120)


def refused(*arguments: str, source: bytes = b"") -> str:
    """What a run that must fail, and write nothing, says."""
    done = shlo_translate(*arguments, source=source)
    message = done.stderr.decode()
    assert done.returncode == 1, message
    assert "Traceback" not in message
    assert "crashed" not in message
    assert done.stdout == b""
    return message


def artifact(version: str = "current") -> bytes:
    return shlo_translate("--serialize", f"--target={version}", source=GOOD.encode()).stdout


def test_each_translation_has_a_function() -> None:
    assert set(TRANSLATIONS) == set(translations.FUNCTIONS)


def test_the_parent_loads_no_mlir() -> None:
    """Its child may crash; a parent without threads of MLIR can tell of that."""
    script = """
        import sys
        from shlo_tools.tools.translate import command
        try:
            command.main(["--help"])
        except SystemExit as end:
            assert end.code == 0, end.code
        heavy = {"shlo_tools.mlir", "numpy", "rich"}
        print("LOADED", *sorted(heavy & set(sys.modules)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert not done.stderr
    assert "Examples:" in done.stdout
    assert done.stdout.splitlines()[-1] == "LOADED"


def test_versions_are_told() -> None:
    done = shlo_translate("--version")
    assert f"StableHLO {versions.current()}" in done.stdout.decode()


def test_translations_run_in_the_order_given() -> None:
    """The second reads what the first wrote, also where one is named twice."""
    words = ("--serialize", "-deserialize", "--serialize", "--target=1.2.0")
    done = shlo_translate(*words, source=GOOD.encode())
    assert done.returncode == 0, done.stderr
    assert str(versions.of_artifact(done.stdout)) == "1.2.0"
    again = shlo_translate("--deserialize", "--interpret", "--args=[dense<2.0> : tensor<f32>]")
    assert again.returncode == 1
    text = shlo_translate(
        "--deserialize", "--interpret", "--args=[dense<2.0> : tensor<f32>]", source=done.stdout
    )
    assert text.stdout == b"tensor<f32> {4.000000e+00}\n", text.stderr


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"ML\xefR",
        b"ML\xefR\rStableHLO_v1.9.0",
        b"ML\xefR\rStableHLO_v1.9.0\0" + b"\xff" * 40,
        b"ML\xefR\rStableHLO_v99999999999999.9.0\0",
        b"func.func @f(",
        b"(" * 100_000,
    ],
    ids=["empty", "nul", "no text", "magic", "cut", "noise", "version", "text", "deep"],
)
@pytest.mark.parametrize("name", ["--deserialize", "--explain-target=1.0.0"])
def test_bad_input_is_one_error(source: bytes, name: str) -> None:
    assert "error: " in refused(name, source=source)


def test_damage_anywhere_is_an_error_or_a_program() -> None:
    """Every byte that is another may be read as something else, and never ends in a crash."""
    whole = artifact("1.9.0")
    for position in range(20, len(whole), 23):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        done = shlo_translate("--deserialize", source=bytes(damaged))
        assert "Traceback" not in done.stderr.decode()
        assert done.returncode in (0, 1)
        assert (done.returncode == 1) == (b"error: " in done.stderr)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to do"),
        (("--serialize", "--explain-target=1.0.0"), "too much"),
        (("--serialise",), "No such option"),
        (("--interpret", "--args"), "requires an argument"),
        (("--serialize", "--target=1.0.0", "-o", "/nowhere/x"), "cannot write '/nowhere/x'"),
        (("--serialize", "--strip-debuginfo=maybe"), "invalid value for boolean"),
    ],
)
def test_bad_options_are_one_error(words: tuple[str, ...], message: str) -> None:
    assert message in refused(*words, source=GOOD.encode())


def test_errors_while_it_runs_are_no_aborts() -> None:
    """Upstream's interpreter dies of these."""
    endless = b"""func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = func.call @f(%0) : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}"""
    assert "error: " in refused("--interpret", source=endless)
    unknown = b"""func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @nobody_knows() : () -> tensor<i32>
  return %0 : tensor<i32>
}"""
    assert "nobody_knows" in refused("--interpret", source=unknown)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = [*COMMAND, "--deserialize"]
    source = GOOD.replace("  return", "  %1 = stablehlo.abs %0 : tensor<f32>\n" * 1 + "  return")
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout and process.stdin and process.stderr
        process.stdout.close()
        process.stdin.write(source.encode())
        process.stdin.close()
        assert process.stderr.read() == b""


def test_what_the_program_prints_comes_before_its_results() -> None:
    source = b"""func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  interpreter.print %0 : tensor<i32>
  return %0 : tensor<i32>
}
// -----
func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<2> : tensor<i32>
  interpreter.print %0 : tensor<i32>
  return %0 : tensor<i32>
}"""
    done = shlo_translate("--interpret", "--split-input-file", source=source)
    values = [line.split("{")[1] for line in done.stdout.decode().splitlines()]
    assert values == ["1}", "1}", "2}", "2}"]


@pytest.mark.parametrize("operand", ["tensor<?xi32>", "tensor<2x!quant.uniform<i8:f32, 0.5>>"])
def test_results_have_the_types_of_their_values(operand: str) -> None:
    """Sizes are those that the values have; quantized ones are shown as their integers."""
    source = f"""func.func @main(%a: {operand}) -> {operand} {{
  %0 = stablehlo.add %a, %a : {operand}
  return %0 : {operand}
}}"""
    element = "i8" if "quant" in operand else "i32"
    argument = f"[dense<[1, 2]> : tensor<2x{element}>]"
    done = shlo_translate("--interpret", f"--args={argument}", source=source.encode())
    assert done.stdout.decode() == f"tensor<2x{element}> {{\n  [2, 4]\n}}\n", done.stderr


def test_llvm_ir_of_what_cannot_be_translated_is_an_error() -> None:
    """The bindings' own function crashes on each of these."""
    for body in (
        "%0 = arith.addi %a, %a : i32",
        "%0 = builtin.unrealized_conversion_cast %a : i32 to i64",
    ):
        source = f"llvm.func @f(%a: i32) -> i32 {{ {body}\n llvm.return %a : i32 }}"
        assert "LLVM" in refused("--mlir-to-llvmir", source=source.encode())
