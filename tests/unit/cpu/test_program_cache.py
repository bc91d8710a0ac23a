"""Programs on disk: found by later processes, and made again whatever happens to the files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import errors
from shlo_tools.cpu.machine_code import objects, store
from shlo_tools.cpu.stages import building
from shlo_tools.errors import ShloError

pytestmark = pytest.mark.skipif(not objects.is_supported(), reason="nothing is kept here")

LAYERS = """func.func @main(%x: tensor<19x41xf32>) -> tensor<41x19xf32> {{
  %c = stablehlo.constant dense<{constant}> : tensor<19x41xf32>
  %0 = stablehlo.multiply %x, %c : tensor<19x41xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<19x41xf32>) -> tensor<41x19xf32>
  return %1 : tensor<41x19xf32>
}}"""
TEXT = LAYERS.format(constant=2.0)
SIZED = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.sine %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}"""
X = np.arange(19 * 41, dtype=np.float32).reshape(19, 41)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The programs that are cut into stages, as they are not on disk."""
    names: list[str] = []
    build = building.build

    def counted(*arguments: Any, **options: Any) -> Any:
        names.append(options["function"])
        return build(*arguments, **options)

    monkeypatch.setattr(building, "build", counted)
    yield names


def kept(folder: Path, kind: str = "") -> list[Path]:
    return sorted((folder / "objects").glob(f"{kind}*-*"))


def test_a_program_is_found_by_its_bytes(built: list[str], tmp_path: Path) -> None:
    for _ in range(3):
        executable = shlo_tools.compile(TEXT, cache=tmp_path)
        np.testing.assert_array_equal(executable(X), 2 * X.T)
    assert len(built) == 1
    for constant in (3.0, 4.0):
        text = LAYERS.format(constant=constant)
        np.testing.assert_array_equal(shlo_tools.compile(text, cache=tmp_path)(X), constant * X.T)
    assert len(built) == 3


def test_programs_of_all_forms(built: list[str], tmp_path: Path) -> None:
    path, folder = tmp_path / "m.mlir", tmp_path / "cache"
    path.write_text(TEXT)
    module = shlo_tools.load(TEXT)
    for source in (TEXT, TEXT.encode(), str(path), path, module):
        for _ in range(2):
            count = len(built)
            executable = shlo_tools.compile(source, cache=folder)
            np.testing.assert_array_equal(executable(X), 2 * X.T)
        assert len(built) == count
    path.write_text(LAYERS.format(constant=9.0))
    np.testing.assert_array_equal(shlo_tools.compile(path, cache=folder)(X), 9 * X.T)


def test_options_are_told_apart(built: list[str], tmp_path: Path) -> None:
    text = TEXT + "\n" + TEXT.replace("@main", "@other").replace("multiply", "add")
    for _ in range(2):
        donated = shlo_tools.compile(text, cache=tmp_path, donate=[0])
        other = shlo_tools.compile(text, cache=tmp_path, function="other")
        plain = shlo_tools.compile(text, cache=tmp_path)
        assert (donated.donated, plain.donated) == ({0}, frozenset())
        np.testing.assert_array_equal(other(X), X.T + 2)
        np.testing.assert_array_equal(plain(X), 2 * X.T)
    assert len(built) == 3


def test_sizes_that_calls_tell(built: list[str], tmp_path: Path) -> None:
    for count in (3, 5):
        executable = shlo_tools.compile(SIZED, cache=tmp_path)
        x = np.linspace(0, 1, count, dtype=np.float32)
        np.testing.assert_allclose(executable(x), np.sin(x), rtol=1e-6)
    assert len(built) == 1


def test_a_found_program_shows_its_text(tmp_path: Path) -> None:
    first, second = (shlo_tools.compile(TEXT, cache=tmp_path) for _ in range(2))
    for stage in ("stablehlo", "stages"):
        assert first.ir(stage) == second.ir(stage)


def test_what_is_not_in_its_bytes_is_compiled_again(built: list[str], tmp_path: Path) -> None:
    """Custom calls mean what is registered."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    for _ in range(2):
        shlo_tools.compile(text, cache=tmp_path)
    assert len(built) == 2
    assert not kept(tmp_path, "program")


def test_programs_are_kept_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(
        shlo_tools.cpu.stages.kernels, "_known", type(shlo_tools.cpu.stages.kernels._known)()
    )
    user = tmp_path / "user" / "shlo-tools"
    shlo_tools.compile(LAYERS.format(constant=21.0))(X)
    assert not kept(user, "program") and not kept(user, "kernel")
    shlo_tools.compile(LAYERS.format(constant=22.0), cache=True)(X)
    assert len(kept(user, "program")) == 1 and kept(user, "kernel")
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path / "chosen"))
    shlo_tools.compile(LAYERS.format(constant=23.0))(X)
    assert len(kept(tmp_path / "chosen", "program")) == 1
    shlo_tools.compile(LAYERS.format(constant=24.0), cache=False)(X)
    assert len(kept(tmp_path / "chosen", "program")) == 1
    monkeypatch.setenv("SHLO_CACHE_DIR", "")
    shlo_tools.compile(LAYERS.format(constant=25.0), cache=True)(X)
    assert len(kept(user, "program")) == 1


@pytest.mark.parametrize("choice", ["", 3, 2.5, ["a"]])
def test_what_is_no_cache_is_refused(choice: Any) -> None:
    with pytest.raises(ShloError, match="cache="):
        shlo_tools.compile(TEXT, cache=choice)


# --- damage ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["empty", "half", "flipped", "digest"])
def test_damaged_files_are_healed(form: str, built: list[str], tmp_path: Path) -> None:
    shlo_tools.compile(TEXT, cache=tmp_path)
    (path,) = kept(tmp_path, "program")
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    damaged = {"empty": b"", "half": whole[:middle], "flipped": flipped, "digest": whole[:20]}
    path.write_bytes(damaged[form])
    np.testing.assert_array_equal(shlo_tools.compile(TEXT, cache=tmp_path)(X), 2 * X.T)
    assert len(built) == 2
    assert path.read_bytes() == whole
    shlo_tools.compile(TEXT, cache=tmp_path)
    assert len(built) == 2


def test_a_file_whose_contents_are_of_another_form_is_made_again(
    built: list[str], tmp_path: Path
) -> None:
    """Its digest is right."""
    shlo_tools.compile(TEXT, cache=tmp_path)
    (path,) = kept(tmp_path, "program")
    for content in (b"", b"{}", b"\2\0\0\0\0\0\0\0{}", bytes(100)):
        store.write([str(path)], lambda name, content=content: Path(name).write_bytes(content))
        np.testing.assert_array_equal(shlo_tools.compile(TEXT, cache=tmp_path)(X), 2 * X.T)
    assert len(built) == 5


def test_open_folders_are_refused_once(tmp_path: Path) -> None:
    folder = tmp_path / "objects"
    folder.mkdir()
    folder.chmod(0o777)
    heard = errors.Collected()
    with errors.listening(heard):
        for _ in range(3):
            np.testing.assert_array_equal(shlo_tools.compile(TEXT, cache=tmp_path)(X), 2 * X.T)
    assert len(heard.diagnostics) == 1
    assert "can be written by others" in heard.diagnostics[0].message
    assert not list(folder.iterdir())


def test_a_full_disk_is_not_spoken_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    np.testing.assert_array_equal(shlo_tools.compile(TEXT, cache=tmp_path)(X), 2 * X.T)
    assert not list((tmp_path / "objects").iterdir())


def test_a_folder_that_can_only_be_read_is_read(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shlo_tools.compile(TEXT, cache=tmp_path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(store.os, "utime", refuse)
    np.testing.assert_array_equal(shlo_tools.compile(TEXT, cache=tmp_path)(X), 2 * X.T)
    assert len(built) == 1


# --- several at a time ----------------------------------------------------------------------------
WORK = """
import sys, os
import numpy as np
import shlo_tools
folder, text = sys.argv[1], sys.argv[2]
x = np.arange(19 * 41, dtype=np.float32).reshape(19, 41)
for turn in range(6):
    for constant in (2.0, 3.0, 4.0):
        program = text.format(constant=constant)
        np.testing.assert_array_equal(shlo_tools.compile(program, cache=folder)(x), constant * x.T)
    for name in os.listdir(folder + "/objects")[turn :: 5]:  # and somebody clears, or does harm
        path = f"{folder}/objects/{name}"
        try:
            if turn % 2:
                os.unlink(path)
            elif not name.startswith("."):
                os.truncate(path, 40)
        except FileNotFoundError:
            pass
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORK, str(tmp_path), LAYERS]
    running = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ})
        for _ in range(4)
    ]
    for process in running:
        _, messages = process.communicate(timeout=120)
        assert process.returncode == 0, messages
    assert not [path for path in (tmp_path / "objects").iterdir() if path.name[0] == "."]


def test_a_forked_child_uses_the_folder(built: list[str], tmp_path: Path) -> None:
    shlo_tools.compile(TEXT, cache=tmp_path)
    child = os.fork()
    if not child:
        try:
            right = (shlo_tools.compile(TEXT, cache=tmp_path)(X) == 2 * X.T).all()
            other = shlo_tools.compile(LAYERS.format(constant=5.0), cache=tmp_path)
            os._exit(0 if right and (other(X) == 5 * X.T).all() and len(built) == 2 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(kept(tmp_path, "program")) == 2


def test_threads_use_a_folder_at_once(tmp_path: Path) -> None:
    def work(number: int) -> bool:
        constant = 30.0 + number % 3
        program = shlo_tools.compile(LAYERS.format(constant=constant), cache=tmp_path / "one")
        return bool((program(X) == constant * X.T).all())

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(work, range(24)))
    assert len(kept(tmp_path / "one", "program")) == 3
