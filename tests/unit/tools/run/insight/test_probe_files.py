"""Files that probes leave: named when they are whole, and told apart by the index."""

from __future__ import annotations

import csv
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.passes.instrument.sites import Site
from shlo_tools.probes.hits import Hit
from shlo_tools.tools.run.insight import probe_files
from shlo_tools.tools.run.insight.probe_files import Recorder, recording


def hit(*results: Array, iteration: int = 0, location: str = "-:3:4") -> Hit:
    types = tuple(f"type {n}" for n in range(len(results)))
    site = Site(0, "stablehlo.add", 'jit(f)/"add", again', location, "main", 0, types)
    return Hit(site, iteration, iteration, results)


def rows(folder: Path) -> list[dict[str, str]]:
    with open(folder / "index.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_rows_and_files_belong_together(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path), "model.mlir", limit=10)
    recorder(hit(np.float32([1, 2]), np.int8([[3]])))
    recorder(hit(np.float32([4, 5]), np.int8([[6]]), iteration=1))
    recorder.write_index()
    results = rows(tmp_path)
    assert [(row["sequence"], row["result"], row["iteration"]) for row in results] == [
        ("0", "0", "0"),
        ("0", "1", "0"),
        ("1", "0", "1"),
        ("1", "1", "1"),
    ]
    assert [row["type"] for row in results] == ["type 0", "type 1"] * 2
    assert {row["location"] for row in results} == {"model.mlir:3:4"}
    assert {row["name"] for row in results} == {'jit(f)/"add", again'}
    values = [np.load(tmp_path / row["file"]) for row in results]
    assert [value.tolist() for value in values] == [[1, 2], [[3]], [4, 5], [[6]]]
    assert {p.name for p in tmp_path.iterdir()} == {"index.csv", *(row["file"] for row in results)}
    assert recorder.files == 4


@pytest.mark.parametrize(
    "value",
    [
        np.array([1.5, -0.0], ml_dtypes.bfloat16),
        np.array(-7, ml_dtypes.int4),
        np.zeros((0, 3), np.float64),
        np.arange(6).reshape(2, 3).T,
    ],
    ids=["bf16", "i4 scalar", "empty", "strided"],
)
def test_values_come_back_to_the_bit(tmp_path: Path, value: Array) -> None:
    recorder = Recorder(str(tmp_path), "-", limit=10)
    recorder(hit(value))
    back = np.load(tmp_path / "000000-stablehlo.add-0.npy")
    assert back.shape == value.shape
    assert back.view(value.dtype).tobytes() == value.tobytes()


def test_a_loop_leaves_no_more_than_the_limit(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path), "m.mlir", limit=3)
    for iteration in range(10):
        recorder(hit(np.float32(iteration), iteration=iteration))
    assert recorder.files == 3
    assert recorder.dropped == {"stablehlo.add at m.mlir:3:4": 7}
    assert "7 more were not written" in recorder.summary()


def test_the_index_is_there_however_the_run_ends(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), recording(str(tmp_path / "a" / "b"), "m", 9) as recorder:
        assert recorder is not None
        recorder(hit(np.float32(1)))
        raise ZeroDivisionError
    assert len(rows(tmp_path / "a" / "b")) == 1


def test_a_killed_run_leaves_an_index_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe_files, "_INDEX_EVERY", 0.0)
    recorder = Recorder(str(tmp_path), "m", limit=9)
    recorder(hit(np.float32(1)))
    recorder(hit(np.float32(2)))
    assert len(rows(tmp_path)) == 2


def test_folders_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ShloError, match="cannot make folder"):
        Recorder(str(tmp_path / "file"), "m", limit=9)
    recorder = Recorder(str(tmp_path / "gone"), "m", limit=9)
    (tmp_path / "gone").rmdir()
    with pytest.raises(ShloError, match="cannot write"):
        recorder(hit(np.float32(1)))


def test_without_a_folder_nothing_is_recorded() -> None:
    with recording(None, "m", 9) as recorder:
        assert recorder is None
