"""The benchmark of collectives times programs that compute what numpy computes, on all engines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from shlo_tools import parallel
from shlo_tools.tools.bench.collectives import times as collectives
from shlo_tools.tools.bench.collectives.cases import Case, arguments, expected, text


@pytest.mark.parametrize("processes", [1, 2, 4])
@pytest.mark.parametrize("op", ["all_reduce", "all_gather", "chain", "training_step"])
def test_programs_compute_what_numpy_computes(op: str, processes: int) -> None:
    case = Case(op, 1024, processes)
    results = parallel.run_spmd(text(case), arguments(case), num_replicas=processes)
    for values in results:
        listed = values if isinstance(values, tuple) else [values]
        for actual, values_of_numpy in zip(listed, expected(case), strict=True):
            np.testing.assert_allclose(actual, values_of_numpy, rtol=1e-4, atol=1e-4)


def test_a_run_prints_a_table_and_writes_what_was_measured(tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    words = ["--sizes=1", "--processes=2", "--select=all_gather", "--rounds=1", f"--json={path}"]
    run = CliRunner().invoke(collectives.main, [*words, "--mpiexec="])
    assert run.exit_code == 0, run.output
    assert "| all_gather | 1 KiB | 2 |" in run.output
    (row,) = json.loads(path.read_text())
    assert (row["op"], row["size"], row["processes"]) == ("all_gather", 1024, 2)
    assert row["seconds"]["threads"] > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--sizes=1,big", "no list of positive numbers"),
        ("--processes=0", "no list of positive numbers"),
        ("--select=nothing", "no case for 'nothing'"),
        ("--rounds=0", "not in the range"),
        ("--xla-python=/nowhere/python", "there is no program /nowhere/python"),
        ("--mpiexec=/nowhere/mpiexec", "there is no program /nowhere/mpiexec"),
        ("--json=/nowhere/at/all.json", "cannot write"),
    ],
)
def test_options_are_checked_first(option: str, message: str) -> None:
    run = CliRunner().invoke(collectives.main, [option])
    assert run.exit_code != 0
    assert message in run.output
