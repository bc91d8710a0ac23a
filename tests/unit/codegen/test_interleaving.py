"""Concatenations of a few short rows: lanes are rows, and their parts are interleaved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged, staged

DTYPES: dict[str, Any] = {
    **{"f64": np.float64, "f32": np.float32, "bf16": ml_dtypes.bfloat16, "i64": np.int64},
    **{"i32": np.int32, "ui8": np.uint8, "i1": np.bool_, "complex<f32>": np.complex64},
}
PARTS = [(1, 1), (1, 1, 1), (1, 2), (2, 0, 1), (1, 1, 1, 1), (2, 2), (1, 3), (3, 2)]


def joined(
    rows: tuple[int, ...], widths: tuple[int, ...], element: str, operation: str = ""
) -> str:
    """A program that joins arguments, or what an op makes of each."""
    types = [f"tensor<{'x'.join(map(str, (*rows, width)))}x{element}>" for width in widths]
    names = [f"%{k}" for k in range(len(widths))]
    lines = [
        f"{n} = stablehlo.{operation} %a{n[1:]} : {t}" for n, t in zip(names, types, strict=True)
    ]
    names = names if operation else [f"%a{n[1:]}" for n in names]
    result = f"tensor<{'x'.join(map(str, (*rows, sum(widths))))}x{element}>"
    arguments = ", ".join(f"%a{k}: {type}" for k, type in enumerate(types))
    return f"""
    func.func @main({arguments}) -> {result} {{
      {chr(10).join(lines) if operation else ""}
      %r = stablehlo.concatenate {", ".join(names)}, dim = {len(rows)}
        : ({", ".join(types)}) -> {result}
      return %r : {result}
    }}"""


def arrays(rows: tuple[int, ...], widths: tuple[int, ...], element: str) -> list[np.ndarray]:
    random = np.random.default_rng(len(widths))
    return [
        random.integers(0, 2 + 98 * (element != "i1"), (*rows, width)).astype(DTYPES[element])
        for width in widths
    ]


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("widths", PARTS)
def test_parts(element: str, widths: tuple[int, ...]) -> None:
    rows = (3, 47)
    assert_staged(joined(rows, widths, element), *arrays(rows, widths, element))


@pytest.mark.parametrize("rows", [(5,), (32,), (64, 2), (2, 3, 700)])
@pytest.mark.parametrize("operation", ["", "negate", "abs"])
def test_rows(rows: tuple[int, ...], operation: str) -> None:
    assert_staged(joined(rows, (1, 1, 1), "f32", operation), *arrays(rows, (1, 1, 1), "f32"))


def test_indices() -> None:
    """As indices of several dimensions are made: of what is spread, counted and a number."""
    text = """
    func.func @main(%x: tensor<2x60xi32>, %y: tensor<2x60x5xi32>, %t: tensor<70x9x8xf32>)
        -> (tensor<2x60x5x3xi32>, tensor<2x60x5xf32>) {
      %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x60xi32>) -> tensor<2x60x5x1xi32>
      %1 = stablehlo.reshape %y : (tensor<2x60x5xi32>) -> tensor<2x60x5x1xi32>
      %2 = stablehlo.iota dim = 2 : tensor<2x60x5x1xi32>
      %3 = stablehlo.concatenate %0, %1, %2, dim = 3 : (tensor<2x60x5x1xi32>,
        tensor<2x60x5x1xi32>, tensor<2x60x5x1xi32>) -> tensor<2x60x5x3xi32>
      %4 = "stablehlo.gather"(%t, %3) <{dimension_numbers = #stablehlo.gather<
          collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 3>,
          slice_sizes = array<i64: 1, 1, 1>}>
        : (tensor<70x9x8xf32>, tensor<2x60x5x3xi32>) -> tensor<2x60x5xf32>
      return %3, %4 : tensor<2x60x5x3xi32>, tensor<2x60x5xf32>
    }"""
    random = np.random.default_rng(0)
    x, y = random.integers(-2, 72, (2, 60)), random.integers(0, 9, (2, 60, 5))
    table = random.standard_normal((70, 9, 8)).astype(np.float32)
    assert_staged(text, x.astype(np.int32), y.astype(np.int32), table)


def test_each_part_is_computed_once(tmp_path: Path) -> None:
    """A column computes its own part alone: two sines, and not one for each pair of columns."""
    text = joined((900,), (1, 1), "f32", "sine")
    x, y = (np.linspace(k, 30 + k, 900, dtype=np.float32)[:, None] for k in (0, 1))
    result = staged(text)(x, y)
    np.testing.assert_allclose(result, np.sin(np.hstack([x, y])), rtol=2e-6, atol=1e-6)
    staged(text).dump_kernels(str(tmp_path))
    (kernel,) = tmp_path.glob("*.llvm.mlir")
    assert kernel.read_text().count("call @shlo_rt_sin") == 2


@pytest.mark.parametrize("element", ["ui8", "f32", "i1", "complex<f32>"])
@pytest.mark.parametrize("columns", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("cut", [1, 30])
def test_rows_rolled(element: str, columns: int, cut: int) -> None:
    """Parts in one piece, sliced from a matrix: each is walked by rows of its own."""
    rows = 70
    whole, tail, head = (f"tensor<{n}x{columns}x{element}>" for n in (rows, rows - cut, cut))
    program = f"""
    func.func @main(%x: {whole}) -> {whole} {{
      %0 = stablehlo.slice %x [{cut}:{rows}, 0:{columns}] : ({whole}) -> {tail}
      %1 = stablehlo.slice %x [0:{cut}, 0:{columns}] : ({whole}) -> {head}
      %2 = stablehlo.concatenate %0, %1, dim = 0 : ({tail}, {head}) -> {whole}
      return %2 : {whole}
    }}"""
    assert_staged(program, *arrays((rows,), (columns,), element))


@pytest.mark.parametrize("element", ["ui8", "f32"])
def test_tables_joined(element: str) -> None:
    """Part of a table of other columns, a transposed one and one of a number."""
    table, other, part, rest, whole = (
        f"tensor<{shape}x{element}>" for shape in ("9x200", "100x8", "8x100", "4x100", "20x100")
    )
    program = f"""
    func.func @main(%a: {table}, %b: {other}) -> {whole} {{
      %0 = stablehlo.slice %a [1:9, 0:200:2] : ({table}) -> {part}
      %1 = stablehlo.transpose %b, dims = [1, 0] : ({other}) -> {part}
      %c = stablehlo.constant dense<3> : tensor<4x100xi32>
      %2 = stablehlo.convert %c : (tensor<4x100xi32>) -> {rest}
      %3 = stablehlo.concatenate %0, %1, %2, dim = 0 : ({part}, {part}, {rest}) -> {whole}
      return %3 : {whole}
    }}"""
    assert_staged(program, *arrays((9,), (200,), element), *arrays((100,), (8,), element))
