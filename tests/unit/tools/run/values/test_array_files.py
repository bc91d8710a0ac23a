"""Files of arrays: every element type survives, nothing is unpickled, damage is an error."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shlo_tools.cpu import memory
from shlo_tools.dtypes import ELEMENT_TYPES, Array, ElementType, parse_tensor_type
from shlo_tools.errors import ArgumentError, ShloError
from shlo_tools.tools.run.values import array_files, inputs
from shlo_tools.tools.run.values.inputs import Wanted
from shlo_tools.tools.run.values.signature import Slot


def read(text: str, type: str) -> Array:
    """What ``--input=text`` gives to a function of one argument."""
    expected = Wanted("--input", "argument", "arg", (Slot("", f"tensor<{type}>"),))
    [array] = inputs.read([text], expected)
    return array


@pytest.mark.parametrize("element", ELEMENT_TYPES.values(), ids=str)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_every_type_survives_files_without_pickle(
    element: ElementType, suffix: str, tmp_path: Path
) -> None:
    type = parse_tensor_type(f"2x3x{element}")
    array = inputs.random_values(type, np.random.default_rng(1))
    path = tmp_path / f"x{suffix}"
    with path.open("wb") as file:
        array_files.write(file, str(path), [array])
    plain: Any = np.load(path, allow_pickle=False)
    stored = plain["result0"] if suffix == ".npz" else plain
    np.testing.assert_array_equal(stored.view(element.dtype), array, strict=True)
    text = f"@{path}" if suffix == ".npy" else f"@{path}:result0"
    back = read(text, f"2x3x{element}")
    np.testing.assert_array_equal(back, array, strict=True)


def test_numpys_own_file_of_a_foreign_type_is_read(tmp_path: Path) -> None:
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", array)
    back = read(f"@{tmp_path / 'x.npy'}", "2xbf16")
    np.testing.assert_array_equal(back, array, strict=True)
    with pytest.raises(ArgumentError, match="void16 given"):  # not two bytes of anything
        read(f"@{tmp_path / 'x.npy'}", "2xf16")


def test_bits_of_a_foreign_type_are_not_taken_for_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([0x3F80], np.uint16))
    with pytest.raises(ArgumentError, match=r"uint16 given\n.*x\.view\('V2'\)"):
        read(f"@{tmp_path / 'x.npy'}", "1xbf16")
    np.save(tmp_path / "x.npy", np.array([0x3F80], np.uint16).view("V2"))
    assert read(f"@{tmp_path / 'x.npy'}", "1xbf16").astype(float) == [1.0]


def test_stored_narrow_integers_lose_bits_they_do_not_have(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([0xF8, 0x17], np.uint8).view("V1"))
    back = read(f"@{tmp_path / 'x.npy'}", "2xi4")
    assert back.view(np.uint8).tolist() == [0x08, 0x07]


def test_stored_booleans_are_zero_or_one(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([0, 1, 2, 255], np.uint8).view(np.bool_))
    back = read(f"@{tmp_path / 'x.npy'}", "4xi1")
    assert back.view(np.uint8).tolist() == [0, 1, 1, 1]


class Exploding:
    """Its unpickling would leave a trace."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("unpickled",))


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_pickled_content_is_never_loaded(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"x{suffix}"
    array = np.array([Exploding()], object)
    if suffix == ".npy":
        np.save(path, array, allow_pickle=True)
    else:
        np.savez(path, arg0=array)
    np.load(path, allow_pickle=True)[() if suffix == ".npy" else "arg0"]
    assert "unpickled" in capsys.readouterr().out  # the trap works
    with pytest.raises(ShloError, match="pickled Python objects, which are never loaded"):
        read(f"@{path}", "1xf32")
    assert capsys.readouterr().out == ""


def _archive() -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, arg0=np.arange(50, dtype=np.float32), arg1=np.ones(3))
    return buffer.getvalue()


def _array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(9, dtype=np.float32))
    return buffer.getvalue()


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([_archive(), _array()]), st.data())
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: Any, content: bytes, data: Any
) -> None:
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(0, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "x"
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    try:
        names = array_files.members(str(path))
        for name in [None] if names is None else names:
            array_files.read(str(path), name)
    except ShloError:
        pass


def test_an_archive_that_would_unpack_to_more_than_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "x.npz", arg0=np.zeros(2_000_000, np.float32))
    assert (tmp_path / "x.npz").stat().st_size < 100_000
    monkeypatch.setattr(memory, "_physical_memory", lambda: 1_000_000)
    with pytest.raises(ShloError, match="this machine has 1,000,000"):
        read(f"@{tmp_path / 'x.npz'}", "2000000xf32")
