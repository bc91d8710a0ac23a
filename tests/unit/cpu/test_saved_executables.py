"""Executables in files: the same results in another process, and clear refusals of all else."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import errors, files
from shlo_tools.cpu.machine_code import objects
from shlo_tools.cpu.saved import files as saved_files
from shlo_tools.cpu.stages import building
from shlo_tools.errors import ArgumentError, ShapeMismatchError, ShloError, UnsupportedError

pytestmark = pytest.mark.skipif(not objects.is_supported(), reason="no objects are loaded here")

W = np.random.default_rng(1).standard_normal((65, 40)).astype(np.float32)

LAYER = f"""func.func @main(%x: tensor<33x65xf32>) -> (tensor<33x40xf32>, tensor<33xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<"0x{W.tobytes().hex()}"> : tensor<65x40xf32>
  %0 = stablehlo.tanh %x : tensor<33x65xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
      : (tensor<33x65xf32>, tensor<65x40xf32>) -> tensor<33x40xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<33x40xf32>, tensor<f32>) -> tensor<33xf32>
  return %1, %2 : tensor<33x40xf32>, tensor<33xf32>
}}"""

LOOP = """func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<8xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %even = stablehlo.and %i, %one : tensor<i32>
      %u = "stablehlo.case"(%even) ({
        %a = stablehlo.multiply %v, %half : tensor<8xf32>
        stablehlo.return %a : tensor<8xf32>
      }, {
        %b = stablehlo.sine %v : tensor<8xf32>
        stablehlo.return %b : tensor<8xf32>
      }) : (tensor<i32>) -> tensor<8xf32>
      stablehlo.return %j, %u : tensor<i32>, tensor<8xf32>
    }
  return %r#1, %r#0 : tensor<8xf32>, tensor<i32>
}"""

SIZED = """func.func @main(%x: tensor<?x7xf32>, %y: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x7xf32>
  %1 = stablehlo.tanh %0 : tensor<?x7xf32>
  return %1 : tensor<?x7xf32>
}"""

CALL = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @test.saved.twice(%x) {api_version = 4 : i32}
    : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""

FFT = """func.func @main(%x: tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [8]
    : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return %0 : tensor<3x8xcomplex<f32>>
}"""

UPDATE = """func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %y : tensor<64xf32>
  return %0 : tensor<64xf32>
}"""

X = np.random.default_rng(0).standard_normal((33, 65)).astype(np.float32)


def through_a_file(text: str, folder: Path, **options: Any) -> Any:
    """What was compiled, and loaded again."""
    path = folder / "program.shlox"
    shlo_tools.compile(text, **options).save(path)
    return shlo_tools.load_executable(path)


def listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


LOADING = """
import sys
import numpy as np
import shlo_tools
from shlo_tools.cpu.machine_code.compilation import Compilation
from shlo_tools.pipeline.runner import Pipeline
generated, passes = [], []
begin = Compilation.__init__
def counted(self, module, names, *rest):
    generated.extend(names)
    begin(self, module, names, *rest)
Compilation.__init__ = counted
Pipeline.run = lambda *_: passes.append(1)
executable = shlo_tools.load_executable(sys.argv[1])
arguments = np.load(sys.argv[2])
results = executable(*(arguments[name] for name in arguments.files))
np.savez(sys.argv[3], *(results if isinstance(results, tuple) else (results,)))
assert not generated and not passes
print(executable.signature, executable.memory.temporaries)
"""


@pytest.mark.parametrize(
    ("text", "arguments"),
    [(LAYER, [X]), (LOOP, [np.arange(8, dtype=np.float32), np.int32(7)])],
    ids=["layer", "loop"],
)
def test_another_process_runs_it_without_compiling(
    text: str, arguments: list[Any], tmp_path: Path
) -> None:
    executable = shlo_tools.compile(text)
    paths = [str(tmp_path / name) for name in ("p.shlox", "in.npz", "out.npz")]
    executable.save(paths[0])
    np.savez(paths[1], *arguments)
    done = subprocess.run(
        [sys.executable, "-c", LOADING, *paths],
        env={**os.environ, "SHLO_CACHE_DIR": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert executable.memory is not None
    assert done.stdout.strip() == f"{executable.signature} {executable.memory.temporaries}"
    expected = listed(shlo_tools.interpret(text, *arguments))
    kept = np.load(paths[2])
    for name, native, value in zip(
        kept.files, listed(executable(*arguments)), expected, strict=True
    ):
        np.testing.assert_array_equal(kept[name], native)
        np.testing.assert_allclose(kept[name], value, rtol=1e-5, atol=1e-5)


def test_constants_stay_in_the_file(tmp_path: Path) -> None:
    executable = through_a_file(LAYER, tmp_path)
    (constant,) = executable.contents().constants
    np.testing.assert_array_equal(constant, W)
    assert not constant.flags.owndata and not constant.flags.writeable
    assert constant.ctypes.data % 64 == 0
    (tmp_path / "program.shlox").unlink()  # what is mapped stays
    np.testing.assert_allclose(executable(X)[0], np.tanh(X) @ W, rtol=1e-4, atol=1e-4)


def test_what_was_loaded_is_saved_again(tmp_path: Path) -> None:
    executable = through_a_file(LAYER, tmp_path)
    executable.save(tmp_path / "second.shlox")
    np.testing.assert_array_equal(
        shlo_tools.load_executable(tmp_path / "second.shlox")(X)[1], executable(X)[1]
    )


def test_sizes_that_a_call_tells(tmp_path: Path) -> None:
    executable = through_a_file(SIZED, tmp_path)
    assert str(executable.signature) == str(shlo_tools.compile(SIZED).signature)
    for rows in (1, 5, 40):
        x, y = np.random.default_rng(rows).standard_normal((2, rows, 7)).astype(np.float32)
        np.testing.assert_allclose(executable(x, y), np.tanh(x + y), rtol=1e-5, atol=1e-6)
    unlike = np.zeros((3, 7), np.float32), np.zeros((4, 7), np.float32)
    messages = []
    for program in (executable, shlo_tools.compile(SIZED)):
        with pytest.raises(ShapeMismatchError) as caught:
            program(*unlike)
        messages.append(str(caught.value))  # places in the program as well
    assert messages[0] == messages[1]
    executable.save(tmp_path / "again.shlox")
    np.testing.assert_array_equal(
        shlo_tools.load_executable(tmp_path / "again.shlox")(x, y), executable(x, y)
    )


def test_custom_calls_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not registered is told when it is loaded, and refused when it is called."""
    from shlo_tools import extend

    x = np.arange(4, dtype=np.float32)
    monkeypatch.setattr(extend, "_registered", {"test.saved.twice": lambda a: 2 * a})
    executable = through_a_file(CALL, tmp_path)
    np.testing.assert_array_equal(executable(x), 3 * x)
    monkeypatch.setattr(extend, "_registered", {})
    heard = errors.Collected()
    with errors.listening(heard):
        loaded = shlo_tools.load_executable(tmp_path / "program.shlox")
    assert "test.saved.twice" in heard.diagnostics[0].message
    with pytest.raises(UnsupportedError, match=r"test\.saved\.twice"):
        loaded(x)
    monkeypatch.setattr(extend, "_registered", {"test.saved.twice": lambda a: 3 * a})
    np.testing.assert_array_equal(loaded(x), 4 * x)


def test_built_in_host_calls(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((3, 16)).astype(np.float32).view(np.complex64)
    np.testing.assert_allclose(through_a_file(FFT, tmp_path)(x), np.fft.fft(x), rtol=1e-4)


def test_donated_arguments(tmp_path: Path) -> None:
    executable = through_a_file(UPDATE, tmp_path, donate=[0])
    assert executable.donated == {0}
    x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
    start = x.ctypes.data
    result = executable(x, y)
    assert result.ctypes.data == start
    np.testing.assert_array_equal(result, np.arange(64) + 1)
    with pytest.raises(ArgumentError):
        executable(np.arange(128, dtype=np.float32)[::2], y)


SAVING = """
import sys, shlo_tools
shlo_tools.compile(sys.argv[1]).save(sys.argv[2])
"""


def test_the_same_program_is_the_same_file(tmp_path: Path) -> None:
    """Whatever the order of sets is, which differs between processes."""
    program, paths = tmp_path / "update.mlir", [tmp_path / "1.shlox", tmp_path / "2.shlox"]
    program.write_text(UPDATE)  # one kernel: threads divide more of them as they come
    for seed, path in enumerate(paths):
        subprocess.run(
            [sys.executable, "-c", SAVING, program, path],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            timeout=120,
        )
    assert paths[0].read_bytes() == paths[1].read_bytes()


# --- files that are none --------------------------------------------------------------------------
@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "program.shlox"
    shlo_tools.compile(UPDATE).save(file)
    return file


def test_damage_is_told(path: Path) -> None:
    """Whatever is done to a file, it is refused, and nothing of it is run."""
    whole = path.read_bytes()
    chance = random.Random(0)
    for number in range(300):
        changed = bytearray(whole)
        if number % 3:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        else:
            del changed[chance.randrange(len(changed)) :]
        path.write_bytes(changed)
        with pytest.raises(ShloError):
            shlo_tools.load_executable(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"module {}", "is no file of an executable"), (b"\x7fELF", "is no file")],
)
def test_other_files(content: bytes, message: str, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(ShloError, match=message):
        shlo_tools.load_executable(path)


@pytest.mark.parametrize("name", ["missing.shlox", ".", "/dev/null", "a\0b"])
def test_what_is_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(ShloError, match="cannot"):
        shlo_tools.load_executable(str(tmp_path / name) if name[0] != "a" else name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ShloError, match="no regular file"):
        shlo_tools.load_executable(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("sources", "other", "another version of shlo-tools"),
        ("MLIR", "20200101", "20200101, and this is"),
        ("target", "abacus", "the target abacus"),
        ("features", ["beads", "wires"], "a processor with beads, wires"),
    ],
)
def test_files_of_another_place_are_refused(
    name: str, value: object, message: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what differs."""
    here = saved_files._surroundings()
    monkeypatch.setattr(saved_files, "_surroundings", lambda: {**here, name: value})
    shlo_tools.compile(UPDATE).save(path)
    monkeypatch.undo()
    with pytest.raises(UnsupportedError, match=message) as caught:
        shlo_tools.load_executable(path)
    assert len(caught.value.diagnostics) == 1


def test_a_newer_form_is_refused(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8] = 77
    path.write_bytes(data)
    with pytest.raises(UnsupportedError, match="is of version 77"):
        shlo_tools.load_executable(path)


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o602])
def test_files_that_others_can_write_are_refused(mode: int, path: Path) -> None:
    path.chmod(mode)
    with pytest.raises(ShloError, match="can be written by others"):
        shlo_tools.load_executable(path)
    x = np.ones(64, np.float32)
    np.testing.assert_array_equal(shlo_tools.load_executable(path, trusted=True)(x, x), 2 * x)


def test_a_save_that_fails_leaves_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(ShloError, match="No space left"):
        shlo_tools.compile(LOOP).save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_what_cannot_be_saved_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.shlox"
    reference = shlo_tools.compile(UPDATE, backend="reference")
    with pytest.raises(UnsupportedError, match="only native code"):
        reference.save(path)
    with pytest.raises(UnsupportedError, match="when it is called"):
        shlo_tools.compile(SIZED, specialize=True).save(path)
    monkeypatch.setattr(building, "build", lambda *_, **__: None)
    with pytest.raises(UnsupportedError, match="through linalg"):
        shlo_tools.compile(UPDATE).save(path)
    assert not os.path.exists(path)


PROGRAMS = sorted((Path(__file__).resolve().parents[2] / "programs").glob("*.mlir"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_real_programs(program: Path, tmp_path: Path) -> None:
    """What is loaded has the bits of what was compiled, whatever the program holds."""
    compiled = shlo_tools.compile(program)
    if not all(type.is_static for type in compiled.signature.inputs):
        pytest.skip("sizes are the caller's")
    try:
        compiled.save(tmp_path / "program.shlox")
    except UnsupportedError:
        pytest.skip("a part of it has no kernel")
    loaded = shlo_tools.load_executable(tmp_path / "program.shlox")
    with np.load(program.with_suffix(".npz")) as values:
        names = sorted(n for n in values.files if n.startswith("arg"))
        arguments = [values[n] for n in sorted(names, key=lambda n: int(n.removeprefix("arg")))]
    types = compiled.signature.inputs
    passed = [a.view(t.element_type.dtype) for a, t in zip(arguments, types, strict=True)]
    for one, other in zip(listed(compiled(*passed)), listed(loaded(*passed)), strict=True):
        assert one.tobytes() == other.tobytes()
