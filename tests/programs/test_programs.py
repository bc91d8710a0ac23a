"""Recorded programs run natively, and their results are those that were recorded."""

import json
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from recording import HERE, INDEX, Array, Bound

import shlo_tools

ENTRIES: dict[str, Any] = json.loads(INDEX.read_text())


def recorded(name: str, prefix: str) -> list[Array]:
    """The recorded arguments (``arg``) or results (``result``) of a program, read-only."""
    dtypes = ENTRIES[name].get("dtypes", {})
    arrays = []
    with np.load(HERE / f"{name}.npz", allow_pickle=False) as archive:
        count = sum(key.startswith(prefix) for key in archive)
        for key in (f"{prefix}{number}" for number in range(count)):
            array = archive[key]
            array = array.view(getattr(ml_dtypes, dtypes[key])) if key in dtypes else array
            array.flags.writeable = False
            arrays.append(array)
    return arrays


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_results_are_the_recorded_ones(name: str) -> None:
    entry = ENTRIES[name]
    bound = Bound(entry["rtol"], entry["atol"], entry["reason"])
    executable = shlo_tools.compile(HERE / f"{name}.mlir")
    arguments = recorded(name, "arg")
    results = executable(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    for got, want in zip(results, recorded(name, "result"), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        assert bound.excess(got, want) <= 1
    for used, fresh in zip(arguments, recorded(name, "arg"), strict=True):
        assert used.tobytes() == fresh.tobytes(), "an argument was written"


@pytest.mark.parametrize("name", ["mixed_precision_step", "newton"])
def test_shlo_run_takes_the_recorded_files(name: str) -> None:
    """Types without a numpy name too."""
    entry, arrays = ENTRIES[name], f"@{HERE / name}.npz"
    options = [f"--rtol={entry['rtol']}", f"--atol={entry['atol']}"]
    command = ["-m", "shlo_tools.tools.run", f"{HERE / name}.mlir", *options]
    done = subprocess.run(
        [sys.executable, *command, f"--input={arrays}", f"--expected-output={arrays}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = len(recorded(name, "result"))
    assert done.stdout.count(" agrees") == results


@pytest.mark.parametrize("name", ["mlp_step", "newton"])
def test_the_bound_sees_a_wrong_result(name: str) -> None:
    """Other arguments give results that the bound refuses: it is no bound that fits anything."""
    entry = ENTRIES[name]
    bound = Bound(entry["rtol"], entry["atol"], entry["reason"])
    arguments = [array * 2 if array.dtype.kind == "f" else array for array in recorded(name, "arg")]
    results = shlo_tools.compile(HERE / f"{name}.mlir")(*arguments)
    pairs = zip(results, recorded(name, "result"), strict=True)
    assert max(bound.excess(got, want) for got, want in pairs) > 1
