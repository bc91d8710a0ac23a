"""Files of the safetensors format: written as it says, read by memory map, refused where broken."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shlo_tools.dtypes import ELEMENT_TYPES, TensorType, of_array
from shlo_tools.errors import ShloError
from shlo_tools.program import safetensors

ROW = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def _file(path: Path, header: Any, data: bytes = b"", *, length: int | None = None) -> str:
    """A file as the format describes it, of whatever header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    path.write_bytes(size.to_bytes(8, "little") + text + data)
    return str(path)


def test_a_file_is_what_the_format_says(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    arrays = {"a": np.arange(3, dtype=np.int8), "b": np.array([[1.5, -2.0]], np.float32)}
    safetensors.write(str(path), arrays, {"by": "me"})
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    assert header["__metadata__"] == {"by": "me"}
    assert (header["a"]["dtype"], header["a"]["shape"]) == ("I8", [3])
    assert (header["b"]["dtype"], header["b"]["shape"]) == ("F32", [1, 2])
    for name, array in arrays.items():
        start, end = header[name]["data_offsets"]
        assert data[start:end] == array.tobytes()
    assert sorted(offset for name in arrays for offset in header[name]["data_offsets"])[-1] == len(
        data
    )


def test_files_of_others_are_read(tmp_path: Path) -> None:
    values = np.array([1.5, -2.0], np.float32)
    header = {"__metadata__": {"format": "pt"}, "w": ROW}
    file = safetensors.Arrays(_file(tmp_path / "x", header, values.tobytes()))
    assert file.metadata == {"format": "pt"}
    np.testing.assert_array_equal(file.array("w", of_array(values)), values)


@pytest.mark.parametrize("name", [name for name in ELEMENT_TYPES if name != "index"])
def test_every_element_type_comes_back(name: str, tmp_path: Path) -> None:
    element = ELEMENT_TYPES[name]
    if element.is_complex:
        array = np.array([[1 + 2j, -3j, 0.5]], element.dtype)
    else:
        array = np.array([[0, 1, 1], [1, 0, 1]]).astype(element.dtype)
    path = str(tmp_path / "x")
    safetensors.write(path, {"x": array})
    result = safetensors.Arrays(path).array("x", of_array(array))
    assert result.dtype == array.dtype
    assert result.tobytes() == array.tobytes()
    assert not result.flags.writeable


@pytest.mark.parametrize(
    ("dtype", "spelling"),
    [
        (np.bool_, "BOOL"),
        (np.float16, "F16"),
        (np.uint64, "U64"),
        (ml_dtypes.bfloat16, "BF16"),
        (ml_dtypes.float8_e4m3fn, "F8_E4M3"),
        (ml_dtypes.float8_e5m2, "F8_E5M2"),
        (np.complex64, "C64"),
    ],
)
def test_types_have_the_formats_names(dtype: Any, spelling: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    safetensors.write(str(path), {"x": np.ones(4, dtype)})
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert (header["x"]["dtype"], header["x"]["shape"]) == (spelling, [4])


def test_what_the_format_lacks_is_bytes_of_elements(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    wide, narrow = np.array([1 + 2j]), np.array([[-8, 7]], ml_dtypes.int4)
    safetensors.write(path, {"wide": wide, "narrow": narrow})
    entries = safetensors.Arrays(path).entries
    assert str(entries["wide"].type) == "tensor<1x16xui8>"
    assert str(entries["narrow"].type) == "tensor<1x2x1xui8>"


def test_arrays_are_read_when_they_are_used(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    safetensors.write(path, {"x": np.zeros(4, np.float32)})
    array = safetensors.Arrays(path).array("x", of_array(np.zeros(4, np.float32)))
    with open(path, "r+b") as file:
        file.seek(-16, 2)
        file.write(np.float32(7).tobytes())
    assert array[0] == 7


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3)])
def test_shapes_are_kept(shape: tuple[int, ...], tmp_path: Path) -> None:
    path, array = str(tmp_path / "x"), np.ones(shape).T
    safetensors.write(path, {"x": array, "y": np.ones(1, np.int8)})
    entry = safetensors.Arrays(path).entries["x"]
    assert entry.type.shape == array.shape
    np.testing.assert_array_equal(safetensors.Arrays(path).array("x", entry.type), array)


def test_a_replaced_file_leaves_open_ones_alone(tmp_path: Path) -> None:
    path, type = str(tmp_path / "x"), of_array(np.zeros(4, np.float32))
    safetensors.write(path, {"x": np.full(4, 1, np.float32)})
    array = safetensors.Arrays(path).array("x", type)
    safetensors.write(path, {"x": np.full(4, 2, np.float32)})
    assert array[0] == 1
    assert safetensors.Arrays(path).array("x", type)[0] == 2
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


DATA = bytes(8)
TWICE = b'{"a": %s, "a": %s}' % (json.dumps(ROW).encode(), json.dumps(ROW).encode())


@pytest.mark.parametrize(
    ("header", "data", "message"),
    [
        (b"", b"", "no JSON"),
        (b"{", b"", "no JSON"),
        (b"[" * 100_000, b"", "no JSON"),
        (b"\xff\xfe", b"", "no JSON"),
        ([], b"", "no JSON object"),
        (TWICE, DATA, "'a' is there twice"),
        (b'{"a": {"dtype": "F32", "dtype": "I8"}}', b"", "'dtype' is there twice"),
        ({"__metadata__": {"a": 1}}, b"", "no object of texts"),
        ({"__metadata__": []}, b"", "no object of texts"),
        ({"a": 1}, b"", "has to have a dtype"),
        ({"a": {"dtype": "F32", "shape": [2]}}, b"", "has to have a dtype"),
        ({"a": {**ROW, "x": 1}}, DATA, "has to have a dtype"),
        ({"a": {**ROW, "dtype": "F31"}}, DATA, "the dtype 'F31', not supported"),
        ({"a": {**ROW, "dtype": "F4"}}, DATA, "the dtype 'F4', not supported"),
        ({"a": {**ROW, "dtype": ["F32"]}}, DATA, "not supported"),
        ({"a": {**ROW, "shape": [-2]}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "shape": [True, 2]}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "shape": [2.0]}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "shape": [1 << 70, 0]}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "shape": "2"}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "data_offsets": [0, 8, 8]}}, DATA, "no lists of sizes"),
        ({"a": {**ROW, "data_offsets": [8, 0]}}, DATA, "takes 8 bytes"),
        ({"a": {**ROW, "data_offsets": [0, 4]}}, DATA, "takes 8 bytes"),
        ({"a": {**ROW, "shape": [1 << 62, 1 << 62]}}, DATA, "takes 85"),
        ({"a": ROW}, DATA[1:], "'a' ends at byte 8 of the data, which has 7"),
        ({"a": ROW}, DATA + b"x", "nothing is in the bytes from 8 on"),
        ({"a": {**ROW, "data_offsets": [4, 12]}}, bytes(12), "nothing is in the bytes 0 to 4"),
        ({"a": ROW, "b": {**ROW, "data_offsets": [4, 12]}}, bytes(12), "overlap"),
        ({"a": ROW, "b": ROW}, DATA, "overlap"),
    ],
)
def test_broken_files_are_refused(header: Any, data: bytes, message: str, tmp_path: Path) -> None:
    path = _file(tmp_path / "x", header, data)
    with pytest.raises(ShloError, match=message) as caught:
        safetensors.Arrays(path)
    assert path in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"\1", bytes(7), b"\xff" * 8, b"\x10" + bytes(9)])
def test_truncated_files_are_refused(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(raw)
    with pytest.raises(ShloError, match="broken safetensors file"):
        safetensors.Arrays(str(path))


def test_every_shorter_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    safetensors.write(str(path), {"a": np.arange(5, dtype=np.int32), "b": np.ones(3, np.bool_)})
    raw = path.read_bytes()
    for size in range(len(raw)):
        path.write_bytes(raw[:size])
        with pytest.raises(ShloError):
            safetensors.Arrays(str(path))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ShloError, match="No such file"):
        safetensors.Arrays(str(tmp_path / "x"))
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ShloError, match="no regular file"):
            safetensors.Arrays(str(path))


def test_arrays_have_to_be_what_is_wanted(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    safetensors.write(path, {"weight": np.zeros((2, 3), np.float32)})
    file = safetensors.Arrays(path)
    with pytest.raises(ShloError, match="no array 'weigth'") as caught:
        file.array("weigth", of_array(np.zeros((2, 3), np.float32)))
    assert "weight" in caught.value.render()
    for other in (np.zeros((3, 2), np.float32), np.zeros((2, 3), np.int32), np.zeros((2, 3))):
        with pytest.raises(ShloError, match="is wanted"):
            file.array("weight", of_array(other))


@pytest.mark.parametrize(("name", "byte"), [("i1", 2), ("i4", 16), ("ui2", 4), ("f6E2M3FN", 64)])
def test_bytes_that_are_no_elements_are_refused(name: str, byte: int, tmp_path: Path) -> None:
    """Compiled code believes that bits which no element has are zero."""
    element = ELEMENT_TYPES[name]
    spelling, shape = ("BOOL", [1]) if name == "i1" else ("U8", [1, 1])
    row = {"dtype": spelling, "shape": shape, "data_offsets": [0, 1]}
    file = safetensors.Arrays(_file(tmp_path / "x", {"a": row}, bytes([byte])))
    with pytest.raises(ShloError, match=f"the byte {byte}, which is no {name}"):
        file.array("a", TensorType((1,), element))
