"""The specification's examples, run by the reference semantics.

``spec_examples.json`` holds 151 of them: 112 of the specification and 39 of its first draft. Where
the comment beside an example is wrong, ``expected_corrected`` tells what it should say.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import reference
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import UnsupportedError

EXAMPLES = json.loads((Path(__file__).parent / "spec_examples.json").read_text())
WITHOUT_MEANING = {"000/custom_call/1"}  # its target is whatever an implementation makes of it
RANDOM = {"000/rng/1"}  # the numbers are the implementation's choice


def _value(value: Any, type: TensorType) -> np.ndarray[Any, Any]:
    """A JSON value: complex numbers are ``{"tuple": [re, im]}``, hex strings are bit patterns."""
    dtype = type.element_type.dtype
    flat: list[Any] = []

    def visit(item: Any) -> None:
        if isinstance(item, list):
            for inner in item:
                visit(inner)
        else:
            flat.append(_number(item, dtype))

    visit(value)
    return np.array(flat, dtype).reshape([d for d in type.shape if isinstance(d, int)])


def _number(item: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(item, dict):
        real, imaginary = (float(part) for part in item["tuple"])
        return complex(real, imaginary)
    if isinstance(item, str) and item.startswith("0x"):
        bits = int(item, 16).to_bytes(dtype.itemsize, "little")
        return np.frombuffer(bits, dtype)[0]
    return float(item) if isinstance(item, str) else item


def _close(actual: Any, expected: np.ndarray[Any, Any]) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.dtype.kind in "fcV" and actual.dtype.itemsize > 1:
        wide = np.complex128 if actual.dtype.kind == "c" else np.float64
        # sin(3.14159265f) is not 0, though the comment says so: pi is not a float.
        near = float(np.finfo(actual.dtype).eps) if actual.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(
            actual.astype(wide), expected.astype(wide), rtol=1e-5, atol=2 * near
        )
    else:
        np.testing.assert_array_equal(actual, expected)


def _of_process(rows: list[Any], process: list[int]) -> list[Any]:
    return [row for row in rows if row.get("process", process) == process]


def _check(example: dict[str, Any], results: Any, types: Any, process: list[int]) -> None:
    results = results if isinstance(results, tuple) else (results,)
    expected = example.get("expected_corrected", example["expected"])
    for number, row in enumerate(_of_process(expected, process)):
        number = row.get("result", number)
        _close(results[number], _value(row["value"], types[number]))


def _single(example: dict[str, Any]) -> None:
    program = reference.compile(example["module"])
    inputs = [_plain(t) for t in program.signature.inputs]
    arguments = [_value(a["value"], t) for a, t in zip(example["args"], inputs, strict=True)]
    options: dict[str, Any] = {}
    if "infeed" in example:
        grid = reference.interpret_grid(
            example["module"],
            [[arguments]],
            infeed={(0, 0): [tuple(np.array(x) for x in row) for row in example["infeed"]]},
        )
        results = grid[0, 0]
    else:
        results = program(*arguments, **options)
    _check(example, results, [_plain(t) for t in program.signature.results], [0, 0])


def _plain(type: Any) -> TensorType:
    assert isinstance(type, TensorType)
    return type


def _on_grid(example: dict[str, Any]) -> None:
    replicas, partitions = example["grid"]["num_replicas"], example["grid"]["num_partitions"]
    names = example.get("programs", [["main"] * partitions] * replicas)
    programs = [[reference.compile(example["module"], function=n) for n in row] for row in names]
    arguments = [
        [
            [
                _value(row["value"], _plain(type))
                for row, type in zip(
                    _of_process(example["args"], [r, p]),
                    programs[r][p].signature.inputs,
                    strict=False,
                )
            ]
            for p in range(partitions)
        ]
        for r in range(replicas)
    ]
    grid = reference.interpret_grid(example["module"], arguments, function=names, timeout=60)
    for r in range(replicas):
        for p in range(partitions):
            rows = [row for row in example["expected"] if row.get("process") == [r, p]]
            if rows:
                types = [_plain(t) for t in programs[r][p].signature.results]
                _check(example, grid[r, p], types, [r, p])


@pytest.mark.parametrize("example", EXAMPLES, ids=[e["id"] for e in EXAMPLES])
def test_example(example: dict[str, Any]) -> None:
    if example["id"] in WITHOUT_MEANING:
        with pytest.raises(UnsupportedError, match="foo"):
            reference.interpret(example["module"], np.zeros(()))
    elif example["id"] in RANDOM:
        arguments = [0, 2, [3, 3]]
        result = reference.interpret(example["module"], *arguments)
        assert result.shape == (3, 3)
        assert set(result.reshape(-1).tolist()) <= {0, 1}
        np.testing.assert_array_equal(result, reference.interpret(example["module"], *arguments))
    elif "grid" in example:
        _on_grid(example)
    else:
        _single(example)


def test_every_example_is_there() -> None:
    assert len(EXAMPLES) == 151
    checked = [e for e in EXAMPLES if e["expected"]]
    assert len(checked) >= 148  # after_all, outfeed and custom_call have no value to compare
