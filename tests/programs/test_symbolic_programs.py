"""Programs exported for any sizes: compiled once, right for all, and refusing what JAX refuses."""

import gc
import json
import re
from typing import Any

import numpy as np
import pytest
from recording import HERE, INDEX, Array, Bound

import shlo_tools
from shlo_tools.errors import ExecutionError

ENTRIES: dict[str, Any] = json.loads(INDEX.read_text())
NAMES = sorted(name for name, entry in ENTRIES.items() if "refused" in entry)


def recorded(name: str) -> list[tuple[list[Array], list[Array]]]:
    """Arguments and results of each recorded choice of sizes, read-only."""
    cases: dict[int, tuple[list[Array], list[Array]]] = {}
    with np.load(HERE / f"{name}_sizes.npz", allow_pickle=False) as archive:
        for key in sorted(archive, key=lambda key: [int(n) for n in re.findall(r"\d+", key)]):
            case = cases.setdefault(int(key.split(".")[0]), ([], []))
            array = archive[key]
            array.flags.writeable = False
            case["result" in key].append(array)
    return [cases[number] for number in sorted(cases)]


def results_of(returned: Any) -> list[Array]:
    return list(returned) if isinstance(returned, tuple) else [returned]


def test_there_are_programs() -> None:
    assert len(NAMES) >= 6
    for name in NAMES:
        assert "tensor<?x" in (HERE / f"{name}.mlir").read_text()


@pytest.mark.parametrize("specialize", [False, 2])
@pytest.mark.parametrize("name", NAMES)
def test_one_executable_serves_all_sizes(name: str, specialize: int) -> None:
    """Between calls that are refused, too; and no argument is written."""
    entry = ENTRIES[name]
    bound = Bound(entry["rtol"], entry["atol"], entry["reason"])
    executable = shlo_tools.compile(HERE / f"{name}.mlir", specialize=specialize)
    for _ in range(1 if specialize else 2):
        for arguments, expected in recorded(name):
            before = [array.tobytes() for array in arguments]
            results = results_of(executable(*arguments))
            for got, want in zip(results, expected, strict=True):
                assert (got.dtype, got.shape) == (want.dtype, want.shape)
                assert bound.excess(got, want) <= 1
            assert [array.tobytes() for array in arguments] == before
            _check_refusals(executable, entry["refused"])


def _check_refusals(executable: Any, refused: list[dict[str, Any]]) -> None:
    """The message is the exporter's own, with the sizes that were given."""
    for case in refused:
        arguments = [np.ones(shape, np.float32) for shape in case["shapes"]]
        with pytest.raises(ExecutionError) as raised:
            executable(*arguments)
        assert raised.value.diagnostics[0].message == case["message"]
        assert all((array == 1).all() for array in arguments)


@pytest.mark.parametrize("name", ["symbolic_heads"])
def test_refused_calls_leave_nothing_behind(name: str) -> None:
    executable = shlo_tools.compile(HERE / f"{name}.mlir")
    refused = ENTRIES[name]["refused"]
    _check_refusals(executable, refused)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        _check_refusals(executable, refused)
    gc.collect()
    assert len(gc.get_objects()) - before < 100
