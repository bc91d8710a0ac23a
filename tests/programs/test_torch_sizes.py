"""Dynamic programs of PyTorch as torch-mlir lowers them, shape dialect included."""

import re
from typing import Any

import numpy as np
import pytest
from torch_sizes import PROGRAMS

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.dtypes import of_array
from shlo_tools.errors import ExecutionError
from shlo_tools.pipeline import runner

OPTIONS = ({}, {"specialize": True}, {"backend": "reference"})


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_equal_those_of_numpy(name: str) -> None:
    program = PROGRAMS[name]
    text = program.stablehlo()
    for options in OPTIONS:
        executable: Any = shlo_tools.compile(text, **options)
        for shapes in program.calls:
            arguments = program.values(shapes)
            got, want = executable(*arguments), program.expected(*arguments)
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, 1e-5, 1e-5)


def test_shapes_that_do_not_stretch_are_refused() -> None:
    text = PROGRAMS["where"].stablehlo()
    assert "shape.cstr_broadcastable" in text
    arguments = PROGRAMS["where"].values([(3, 4), (3, 4), (5,)])
    for options in OPTIONS:
        executable: Any = shlo_tools.compile(text, **options)
        with pytest.raises(ExecutionError, match="required broadcastable shapes"):
            executable(*arguments)


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_sizes_leave_nothing_dynamic(name: str) -> None:
    case = PROGRAMS[name]
    arguments = case.values(case.calls[0])
    types = ",".join(str(of_array(array)) for array in arguments)
    with mlir.library_context():
        module = program.parse(case.stablehlo())
        runner.run(
            f"builtin.module(shlo-legalize-shape,shlo-refine-arguments{{types={types}}},"
            "shlo-refine-shapes,shlo-canonicalize-dynamism,shlo-check-shape-assertions)",
            module,
        )
        text = str(module)
    assert "?" not in text
    assert not re.search(r"dynamic_(?!slice|update)|real_dynamic|dimension_size|shape_", text)
    got, want = shlo_tools.compile(text)(*arguments), case.expected(*arguments)
    np.testing.assert_allclose(got, want, 1e-5, 1e-5)
