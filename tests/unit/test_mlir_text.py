"""Programs read and written through the bindings, and what is wrong with them."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from mlir_modules import TEXT

from shlo_tools import mlir, program
from shlo_tools.errors import ParseError, ShloError, VerifyError

# jax.export of lambda x: maximum(x * 2 + 1, 0) on f32[2,3], by JAX 0.10.2 (StableHLO 1.15.0):
# mlir_module_serialized, compressed.
ARTIFACT = zlib.decompress(
    base64.b64decode("""
eNpdkd1q1EAUx2f27NkxDGEIISzLMoRlCTWUbl1KkdJ1aytWiy21FhHxImQ3KU3NF/koW7zQF/HWe5/BR/BBfAUnWVTswMyc
358zZ/5n5uz01xv9svIXcfjy9Ny7nU6mu5NHhI6QokGBgxBmf2iPN+DzB4MeCsEZF2qMueC8nUPFfycMVQYXptK5bdsUuQC9
L1jfZJ1vHTkG6WygZWPfAJTuppzuyL19YFZ/oOrgwKAEhyjRliOGIxyjs4WMaT9xw9oCqW035H9E19pV9LilEjetJ4oOGjr5
ZOsU4LlOxxzglQ5n53JLbsup3LGZRtRoty8Ha3pKNdrpuKjpmks1TXkCdIEK2f2B9IKZlHW/A0X2mgHrfgVrE7hN4IgiMLWy
dtWA4bHO1VGm9XRApBoei4aR94RiruOx0TDoPXUDCkN0KZg9VZiSI9wVXIwcxzElDhx3zzSsvhgY7kBwY1FHcRWl5PY6zkiS
BXUckmWWlpWfVuqnyKLI/GDpl5UXpV4QJY12VafLZk9qdTSP75rYD4JW8ldRUrdZRVjVRdpEs7IKonROZrGfLAJ/Tm781aQu
w9Irr/089PIsvkuyIr+OyoQkysgkVSVyv6iiKlJe/mlFmMeRckNuosrz1uXIqqGHf4q7ZLZuY/6/vK3c3lOU5/s5/qo1V4Sl
6k21fJWRdaw6U6+U1wt1P3ng6LhP+bMXJxeX8BbewXs4/A2pEZno
""")
)


# --- reading programs -----------------------------------------------------------------------------
def test_text_bytes_paths_and_bytecode_are_told_apart(tmp_path: Path) -> None:
    expected = str(program.load(TEXT))
    bytecode = program.to_bytecode(program.load(TEXT))
    text_file, binary_file = tmp_path / "a.mlir", tmp_path / "b.bin"
    text_file.write_text(TEXT)
    binary_file.write_bytes(bytecode)
    for source in (TEXT.encode(), bytecode, text_file, str(text_file), binary_file):
        assert str(program.load(source)) == expected
    assert str(program.load(bytecode, isolated=True)) == expected


@pytest.mark.parametrize("isolated", [False, True])
def test_portable_artifacts_become_stablehlo(isolated: bool) -> None:
    module = program.load(ARTIFACT, isolated=isolated)
    with mlir.library_context():
        names = [op.name for op in mlir.walk(module.operation)]
    expected = ["constant"] * 3 + ["broadcast_in_dim", "multiply"] + ["broadcast_in_dim", "add"]
    expected += ["broadcast_in_dim", "maximum"]
    assert [n.removeprefix("stablehlo.") for n in names if n.startswith("stablehlo.")] == expected
    assert not [name for name in names if name.startswith("vhlo.")]


def test_artifacts_of_another_version_are_explained() -> None:
    future = ARTIFACT.replace(b"StableHLO_v1.15.0", b"StableHLO_v9.99.9")
    with pytest.raises(ParseError):
        program.load(future[:200], isolated=True)


@pytest.mark.parametrize("kind", ["bytecode", "artifact"])
def test_corrupted_bytes_cannot_end_the_process(kind: str) -> None:
    """Cut short, and with random bytes changed: an error, or a module that verifies."""
    whole = ARTIFACT if kind == "artifact" else program.to_bytecode(program.load(TEXT))
    random = np.random.default_rng(7)
    damaged = [whole[:length] for length in (5, len(whole) // 2, len(whole) - 1)]
    for _ in range(5):
        changed = bytearray(whole)
        for at in random.integers(4, len(whole), 4):
            changed[at] = random.integers(256)
        damaged.append(bytes(changed))
    refused = 0
    for source in damaged:
        try:
            module = program.load(source, isolated=True)
        except ShloError as error:
            refused += 1
            assert str(error).strip()
        else:
            program.verify(module)
    assert refused >= 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "neither MLIR text nor bytecode"),
        (b"\x7fELF\x02\x01\x01\0", "neither MLIR text nor bytecode"),
        (b"ML\xefR", "error"),
        ("module {", "-:1:"),
        ("module { stablehlo.ad }", "stablehlo.ad"),
    ],
)
def test_what_is_no_module_is_refused(source: str | bytes, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        program.load(source)


def test_errors_point_into_the_source(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT.replace("%a, %b : tensor<2x3xf32>", "%a, %b : tensor<2x3xf64>"))
    with pytest.raises(ShloError) as caught:
        program.load(path)
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert (place.file, place.line) == (str(path), 3)
    assert "stablehlo.add %a, %b : tensor<2x3xf64>\n" in str(caught.value)


def test_verification_errors_are_a_kind_of_their_own() -> None:
    wrong = TEXT.replace(
        "stablehlo.add %a, %b : tensor<2x3xf32>",
        "stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    )
    with pytest.raises(VerifyError, match="permutation"):
        program.load(wrong)


def test_misspelled_ops_get_a_suggestion() -> None:
    with pytest.raises(ShloError, match=r"did you mean 'stablehlo\.transpose'"):
        program.load(TEXT.replace("stablehlo.add %a, %b", "stablehlo.transpos %a"))


# --- writing --------------------------------------------------------------------------------------
def test_save_and_load(tmp_path: Path) -> None:
    module = program.load(TEXT)
    for name in ("a.mlir", "a.mlirbc", "a.bc"):
        program.save(module, tmp_path / name)
        assert str(program.load(tmp_path / name)) == str(module)
    assert (tmp_path / "a.bc").read_bytes().startswith(program.BYTECODE_MAGIC)
    assert (tmp_path / "a.mlir").read_text() == str(module)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bc", "a.mlir", "a.mlirbc"]


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    module = program.load(TEXT)
    with pytest.raises(ShloError, match="cannot write"):
        program.save(module, tmp_path / "missing" / "a.mlir")
    with pytest.raises(ShloError, match="cannot write"):
        program.save(module, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_saving_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.mlir", tmp_path / "link.mlir"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("real.mlir")
    program.save(program.load(TEXT), link)
    assert link.is_symlink()
    assert str(program.load(real)) == str(program.load(TEXT))
    assert os.stat(real).st_mode & 0o777 == 0o640


def test_standard_input_is_read() -> None:
    script = "from shlo_tools import program; print(program.load('-'))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, input=TEXT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(program.load(TEXT)).strip()


# --- diagnostics ----------------------------------------------------------------------------------
NO_TEXT = """
import threading
from shlo_tools import mlir, program
from shlo_tools.errors import ShloError

def refused(call):
    try:
        call()
    except ShloError as error:
        print("quotes bytes that are no text" in str(error), flush=True)

name = 'func.func private @"\\\\FF"()' + chr(10)
if {loads}:
    refused(lambda: program.load(name * 2))
    thread = threading.Thread(target=lambda: program.load("module {{}}"))
    thread.start()
    thread.join()
else:
    module = program.load(name + "func.func private @other()")
    first, second = module.body.operations
    second.attributes["sym_name"] = first.attributes["sym_name"]
    refused(lambda: program.verify(module))
"""


@pytest.mark.parametrize("loads", [True, False])
def test_messages_that_are_no_text_are_errors(loads: bool) -> None:
    """MLIR quotes names, which are any bytes; the bindings fail on its message.

    Its lock on messages is not given back then: other threads would wait for ever. So a program
    that may be quoted is read by another process first.
    """
    command = [sys.executable, "-c", NO_TEXT.format(loads=loads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_a_printed_op_is_one_line_of_a_note() -> None:
    text = "func.func private @f()\nfunc.func @f() { return }"
    with mlir.library_context(), pytest.raises(mlir.MLIRError) as caught:
        mlir.parse_module(text)
    (message,) = mlir.diagnostics_of(caught.value)
    current, _ = [note.message for note in message.notes]
    assert current.startswith('see current operation: "func.func"()')
    assert current.endswith("({ ...")
