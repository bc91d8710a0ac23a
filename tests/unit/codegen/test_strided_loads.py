"""Elements of rows that lie apart, as runs that end where the tensor does."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

TYPES = {
    **{"f32": np.float32, "f64": np.float64, "i8": np.int8, "ui16": np.uint16, "i1": np.bool_},
    **{"complex<f32>": np.complex64, "i64": np.int64},
}


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 63, 64, 65, 67, 128, 129, 513])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("step", [2, 3, 4, 5])
def test_elements_apart(element: str, size: int, start: int, step: int) -> None:
    x = np.random.default_rng(size).integers(0, 9, (3, size + 1)).astype(TYPES[element])
    count = (size + step - start) // step
    whole, part = (f"tensor<3x{n}x{element}>" for n in (size + 1, count))
    assert_staged(
        f"""
        func.func @main(%x: {whole}) -> {part} {{
          %0 = stablehlo.slice %x [0:3, {start}:{size + 1}:{step}] : ({whole}) -> {part}
          %1 = stablehlo.multiply %0, %0 : {part}
          return %1 : {part}
        }}""",
        x,
    )
