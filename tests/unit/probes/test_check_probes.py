"""Probe folders: what is written can be read, here and by numpy; so can StableHLO's own."""

from __future__ import annotations

import csv
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionError, ShloError
from shlo_tools.reference import probes

PROBES = """
func.func @main(%a: tensor<2x{type}>) -> tensor<2x{type}> {{
  %0 = interpreter.probe %a, probe_id = "p" : tensor<2x{type}>
  check.expect_serialized_eq %0, probe_id = "p", iteration = 1 : tensor<2x{type}>
  return %0 : tensor<2x{type}>
}}
"""


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize(
    ("type", "values"),
    [
        ("f32", np.array([1, np.nan], np.float32)),
        ("i1", np.array([True, False])),
        ("bf16", np.array([1, 2], ml_dtypes.bfloat16)),
        ("ui8", np.array([1, 255], np.uint8)),
        ("complex<f64>", np.array([1 + 2j, -0.0])),
    ],
)
def test_probes_are_written_and_read(
    backend: str, type: str, values: np.ndarray, tmp_path: Path
) -> None:
    run = shlo_tools.compile(PROBES.format(type=type), backend=backend)  # type: ignore[arg-type]
    with probes.writing(str(tmp_path)):
        result = run(values)
    assert result.tobytes() == values.tobytes()
    with open(tmp_path / probes.INDEX, newline="") as index:
        assert list(csv.reader(index)) == [["p", f"tensor<2x{type}>", str(tmp_path / "probe1.npy")]]
    stored = np.load(tmp_path / "probe1.npy")
    assert stored.tobytes() == values.tobytes()
    if type in ("f32", "ui8", "i1", "complex<f64>"):
        assert stored.dtype == values.dtype


def test_without_a_folder_a_probe_is_its_operand() -> None:
    text = PROBES.replace("check.expect_serialized_eq", "// ").format(type="f32")
    values = np.array([1, 2], np.float32)
    assert np.array_equal(shlo_tools.interpret(text, values), values)
    with pytest.raises(ExecutionError, match="no folder of probes is given"):
        shlo_tools.interpret(PROBES.format(type="f32"), values)


def folder(path: Path, row: str, value: np.ndarray) -> probes.Probes:
    np.save(path / "probe1.npy", value)
    (path / probes.INDEX).write_text(row)
    return probes.Probes(path)


def test_a_folder_of_stablehlos_interpreter(tmp_path: Path) -> None:
    """It stores f32 as such, i64 as unsigned and f16 as u2, and its folders may move."""
    known = folder(tmp_path, "a b,tensor<2xi64>,/gone/probe1.npy\n", np.array([1, 2], np.uint64))
    type, stored = known.read("a b", 1)
    assert type == "tensor<2xi64>"
    assert probes.as_type(stored, np.zeros(2, np.int64)).tolist() == [1, 2]
    half = probes.as_type(np.array([0x3C00], np.uint16), np.zeros(1, np.float16))
    assert half.tolist() == [1.0]


@pytest.mark.parametrize(
    ("row", "iteration", "message"),
    [
        ("other,tensor<f32>,probe1.npy\n", 1, "0 values of probe 'p', and no 1"),
        ("p,tensor<f32>,probe1.npy\n", 2, "1 values of probe 'p', and no 2"),
        ("p,tensor<f32>,probe1.npy\n", 0, "and no 0"),
        ("p,tensor<f32>,missing.npy\n", 1, "cannot read .*missing.npy"),
        ("p,tensor<f32>,index.csv\n", 1, "index.csv is damaged"),
        ("p\n\n,,\n", 1, "0 values"),
    ],
)
def test_broken_folders(row: str, iteration: int, message: str, tmp_path: Path) -> None:
    known = folder(tmp_path, row, np.zeros((), np.float32))
    with pytest.raises(ShloError, match=message):
        known.read("p", iteration)


def test_a_file_of_other_size_is_refused() -> None:
    with pytest.raises(ShloError, match="the file has 8 bytes of values, not 4"):
        probes.as_type(np.zeros(1), np.zeros(1, np.float32))


def test_a_missing_folder() -> None:
    with pytest.raises(ShloError, match=r"cannot read .*index\.csv"):
        probes.Probes(Path("/nowhere")).read("p", 1)


def test_processes_of_a_grid_write_to_the_folder_of_their_caller(tmp_path: Path) -> None:
    text = """
    func.func @main() {
      "interpreter.run_parallel"() {programs = [[@p, @p], [@p, @p]]} : () -> ()
      return
    }
    func.func @p() {
      %0 = stablehlo.partition_id : tensor<ui32>
      %1 = interpreter.probe %0, probe_id = "id" : tensor<ui32>
      return
    }
    """
    with probes.writing(str(tmp_path)):
        shlo_tools.compile(text, backend="reference")()
    known = probes.Probes(tmp_path)
    results = sorted(int(known.read("id", iteration)[1]) for iteration in range(1, 5))
    assert results == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (np.array(1.5), "tensor<f64>", "%x = tensor<f64> {1.500000e+00}"),
        (
            np.arange(4, dtype=np.uint8).reshape(2, 2),
            "t",
            "%x = t {\n  [\n    [0, 1],\n    [2, 3]\n  ]\n}",
        ),
        (np.zeros((0,), np.int8), "t", "%x = t {\n  []\n}"),
        (np.arange(200, dtype=np.int32), "t", f"%x = t {{\n  {list(range(200))}\n}}"),
    ],
)
def test_printing(value: np.ndarray, type: str, expected: str) -> None:
    assert probes.shown("%x", type, value) == expected
