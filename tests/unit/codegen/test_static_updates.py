"""Updates of most of a tensor at a known place: all ways to write them, alone and behind ops."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged, staged

DTYPES: dict[str, Any] = {
    **{"f64": np.float64, "f32": np.float32, "bf16": ml_dtypes.bfloat16, "i64": np.int64},
    **{"i32": np.int32, "ui8": np.uint8, "i1": np.bool_, "complex<f32>": np.complex64},
}
Shape = tuple[int, ...]


def typed(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def numbers(shape: Shape, element: str, seed: int) -> np.ndarray:
    """Small whole numbers, some of them -0.0: every sum is exact."""
    random = np.random.default_rng([seed, *shape])
    whole = random.integers(0, 3, shape)
    dtype = np.dtype(DTYPES[element])
    if element in ("f64", "f32", "bf16"):
        return np.where(whole == 0, -0.0, whole).astype(dtype)
    return (whole + 2j).astype(dtype) if dtype.kind == "c" else whole.astype(dtype)


def scatter(
    shape: Shape, window: Shape, starts: Shape, element: str, *, combines: str, indices: str = ""
) -> str:
    """The lines of a scatter of ``%u`` into ``%x`` as ``%s``; of all dimensions by default."""
    rank = len(shape)
    every = list(range(rank))
    parts = [
        f"%c{d} = stablehlo.constant dense<{start}> : tensor<1xi32>"
        for d, start in enumerate(starts)
    ]
    names = ", ".join(f"%c{d}" for d in every)
    types = ", ".join(["tensor<1xi32>"] * rank)
    joined = f"%at = stablehlo.concatenate {names}, dim = 0 : ({types}) -> tensor<{rank}xi32>"
    lines = indices or "\n".join([*parts, joined])
    old, one = typed(shape, element), typed((), element)
    body = f"%r = stablehlo.{combines} %a, %b : {one}\n" if combines else ""
    return f"""
      {lines}
      %s = "stablehlo.scatter"(%x, %at, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = {every}, scatter_dims_to_operand_dims = {every}>}}> ({{
      ^bb0(%a: {one}, %b: {one}):
        {body}
        stablehlo.return {"%r" if combines else "%b"} : {one}
      }}) : ({old}, tensor<{rank}xi32>, {typed(window, element)}) -> {old}"""


def of_arguments(shape: Shape, window: Shape, element: str, lines: str) -> str:
    old, part = typed(shape, element), typed(window, element)
    return f"""
    func.func @main(%x: {old}, %u: {part}) -> {old} {{
      {lines}
      return %s : {old}
    }}"""


PLACES: dict[str, tuple[Shape, Shape, Shape]] = {
    "inside": ((9, 70), (7, 68), (1, 1)),
    "at the start": ((100,), (77,), (0,)),
    "at the end": ((5, 40), (5, 33), (0, 7)),
    "all": ((3, 33), (3, 33), (0, 0)),
    "rows": ((12, 20), (10, 20), (2, 0)),
    "of three dimensions": ((6, 7, 33), (5, 6, 31), (1, 0, 2)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("combines", ["", "add", "multiply", "maximum"])
def test_scatter(place: str, combines: str) -> None:
    shape, window, starts = PLACES[place]
    text = of_arguments(
        shape, window, "f32", scatter(shape, window, starts, "f32", combines=combines)
    )
    assert_staged(text, numbers(shape, "f32", 0), numbers(window, "f32", 1))


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("combines", ["", "add"])
def test_types(element: str, combines: str) -> None:
    shape, window = (4, 50), (3, 45)
    text = of_arguments(
        shape, window, element, scatter(shape, window, (1, 2), element, combines=combines)
    )
    assert_staged(text, numbers(shape, element, 0), numbers(window, element, 1))


@pytest.mark.parametrize("start", [-3, 0, 2, 9])
def test_dynamic_update_slice(start: int) -> None:
    """Starts beyond are moved inside."""
    lines = f"""
      %c = stablehlo.constant dense<{start}> : tensor<i32>
      %s = stablehlo.dynamic_update_slice %x, %u, %c, %c : (tensor<9x70xf32>, tensor<7x66xf32>,
        tensor<i32>, tensor<i32>) -> tensor<9x70xf32>"""
    text = of_arguments((9, 70), (7, 66), "f32", lines)
    assert_staged(text, numbers((9, 70), "f32", 0), numbers((7, 66), "f32", 1))


@pytest.mark.parametrize("start", [-1, 3])
def test_what_is_not_inside_is_left_out(start: int) -> None:
    """A window that does not fit is a scatter's as before."""
    shape, window = (70,), (68,)
    text = of_arguments(
        shape, window, "f32", scatter(shape, window, (start,), "f32", combines="add")
    )
    assert_staged(text, numbers(shape, "f32", 0), numbers(window, "f32", 1))


def test_inserted_dimensions() -> None:
    """A row of two, of which the update has no dimension."""
    text = """
    func.func @main(%x: tensor<2x70xf32>, %u: tensor<69xf32>) -> tensor<2x70xf32> {
      %at = stablehlo.constant dense<1> : tensor<2xi32>
      %s = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [0], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0, 1]>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %r = stablehlo.subtract %a, %b : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) : (tensor<2x70xf32>, tensor<2xi32>, tensor<69xf32>) -> tensor<2x70xf32>
      return %s : tensor<2x70xf32>
    }"""
    assert_staged(text, numbers((2, 70), "f32", 0), numbers((69,), "f32", 1))


STEP = """
func.func @main(%x: tensor<20x40xf32>, %y: tensor<20x40xf32>, %k: tensor<f32>) -> (RESULTS) {
  %0 = stablehlo.slice %y [1:19, 1:39] : (tensor<20x40xf32>) -> tensor<18x38xf32>
  %1 = stablehlo.slice %y [0:18, 1:39] : (tensor<20x40xf32>) -> tensor<18x38xf32>
  %2 = stablehlo.slice %y [1:19, 2:40] : (tensor<20x40xf32>) -> tensor<18x38xf32>
  %3 = stablehlo.subtract %0, %1 : tensor<18x38xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<18x38xf32>
  %5 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<18x38xf32>
  %half = stablehlo.constant dense<0.5> : tensor<18x38xf32>
  %6 = stablehlo.multiply %5, %half : tensor<18x38xf32>
  %7 = stablehlo.compare GT, %4, %6 : (tensor<18x38xf32>, tensor<18x38xf32>) -> tensor<18x38xi1>
  %8 = stablehlo.select %7, %4, %3 : tensor<18x38xi1>, tensor<18x38xf32>
  %u = stablehlo.add %8, %8 : tensor<18x38xf32>
  SCATTER
  return VALUES
}"""


def step(results: str, values: str, behind: str = "") -> str:
    lines = scatter((20, 40), (18, 38), (1, 1), "f32", combines="add") + behind
    return STEP.replace("SCATTER", lines).replace("RESULTS", results).replace("VALUES", values)


@pytest.mark.parametrize(
    ("results", "values"),
    [
        ("tensor<20x40xf32>", "%s : tensor<20x40xf32>"),
        ("tensor<20x40xf32>, tensor<18x38xf32>", "%s, %3 : tensor<20x40xf32>, tensor<18x38xf32>"),
        ("tensor<20x40xf32>, tensor<18x38xf32>", "%s, %u : tensor<20x40xf32>, tensor<18x38xf32>"),
    ],
    ids=["of nothing else", "of a part", "of what is written"],
)
def test_behind_ops(results: str, values: str) -> None:
    """What is computed for the update alone is computed in one stage with it."""
    arrays = [numbers((20, 40), "f32", seed) for seed in (0, 1)]
    assert_staged(step(results, values), *arrays, np.float32(3))


def test_one_stage() -> None:
    text = step("tensor<20x40xf32>", "%s : tensor<20x40xf32>")
    assert staged(text).ir("stages").count("shlo.stage =") == 1


def test_in_a_loop() -> None:
    """A stencil over its own result reads what is there before."""
    text = """
    func.func @main(%x: tensor<16x70xf32>) -> tensor<16x70xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %s:2 = stablehlo.while(%v = %x, %i = %zero) : tensor<16x70xf32>, tensor<i32>
      cond {
        %end = stablehlo.constant dense<5> : tensor<i32>
        %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %n = stablehlo.add %i, %one : tensor<i32>
        %a = stablehlo.slice %v [0:14, 1:69] : (tensor<16x70xf32>) -> tensor<14x68xf32>
        %b = stablehlo.slice %v [2:16, 1:69] : (tensor<16x70xf32>) -> tensor<14x68xf32>
        %c = stablehlo.slice %v [1:15, 0:68] : (tensor<16x70xf32>) -> tensor<14x68xf32>
        %d = stablehlo.slice %v [1:15, 2:70] : (tensor<16x70xf32>) -> tensor<14x68xf32>
        %ab = stablehlo.add %a, %b : tensor<14x68xf32>
        %cd = stablehlo.subtract %c, %d : tensor<14x68xf32>
        %u = stablehlo.subtract %ab, %cd : tensor<14x68xf32>
        %w = stablehlo.dynamic_update_slice %v, %u, %one, %one : (tensor<16x70xf32>,
          tensor<14x68xf32>, tensor<i32>, tensor<i32>) -> tensor<16x70xf32>
        stablehlo.return %w, %n : tensor<16x70xf32>, tensor<i32>
      }
      return %s#0 : tensor<16x70xf32>
    }"""
    assert_staged(text, numbers((16, 70), "f32", 0))


@pytest.mark.parametrize("seed", range(12))
def test_random(seed: int) -> None:
    random = np.random.default_rng(seed)
    rank = int(random.integers(1, 4))
    shape = tuple(int(n) for n in random.integers(3, 40 if rank < 3 else 12, rank))
    window = tuple(max(1, n - int(random.integers(0, 3))) for n in shape)
    starts = tuple(int(random.integers(0, n - k + 1)) for n, k in zip(shape, window, strict=True))
    combines = str(random.choice(["", "add", "subtract", "minimum"]))
    element = str(random.choice(["f32", "i32", "f64", "bf16"]))
    text = of_arguments(
        shape, window, element, scatter(shape, window, starts, element, combines=combines)
    )
    assert_staged(text, numbers(shape, element, seed), numbers(window, element, seed + 1))
