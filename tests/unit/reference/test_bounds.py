"""What a type says of unknown sizes holds for arguments, whatever runs the program."""

from __future__ import annotations

import numpy as np
import pytest

import shlo_tools
from shlo_tools.dtypes import parse_tensor_type
from shlo_tools.errors import ArgumentError

BOUNDED = "tensor<?x2xf32, #stablehlo.bounds<4, ?>>"


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_size_over_its_bound_is_refused(backend: str) -> None:
    text = f"func.func @main(%x: {BOUNDED}) -> {BOUNDED} {{ return %x : {BOUNDED} }}"
    program = shlo_tools.compile(text, backend=backend)
    for rows in (0, 4):
        assert program(np.ones((rows, 2), np.float32)).shape == (rows, 2)
    with pytest.raises(ArgumentError, match="bounds<4, "):
        program(np.ones((5, 2), np.float32))


@pytest.mark.parametrize(
    ("type", "shape", "admits"),
    [
        ("tensor<2x3xf32>", (2, 3), True),
        ("tensor<2x3xf32>", (3, 2), False),
        ("tensor<2x3xf32>", (2, 3, 1), False),
        ("tensor<?x3xf32>", (0, 3), True),
        ("tensor<?x3xf32>", (7, 2), False),
        ("tensor<?xf32>", (), False),
        (BOUNDED, (4, 2), True),
        (BOUNDED, (5, 2), False),
    ],
)
def test_shapes_that_a_type_admits(type: str, shape: tuple[int, ...], admits: bool) -> None:
    assert parse_tensor_type(type).admits(shape) is admits
