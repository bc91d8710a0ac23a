"""Sums of columns: rows of sums that stay near, blocks of rows, vectors that go without masks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from reduction_programs import JAX, SELECTED, extreme, kept, selection, tensor
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.codegen.stages.reductions import walks
from shlo_tools.passes.stages import lower_stages

Shape = tuple[int, ...]
SHAPES: list[tuple[Shape, tuple[int, ...]]] = [
    *(((300, 160), (0,)), ((41, 257), (0,)), ((70, 33), (0,)), ((9, 128), (0,)), ((513, 8), (0,))),
    *(((3, 37, 192), (1,)), ((5, 11, 7, 131), (0, 2)), ((2, 19, 200), (0, 1))),
]


def reduction(shape: Shape, dimensions: Sequence[int], element: str, op: str, init: str) -> str:
    whole, scalar, result = (tensor(s, element) for s in (shape, (), kept(shape, list(dimensions))))
    return f"""
    func.func public @main(%x: {whole}) -> {result} {{
      %start = stablehlo.constant dense<{init}> : {scalar}
      %0 = stablehlo.reduce(%x init: %start) applies stablehlo.{op}
          across dimensions = {list(dimensions)} : ({whole}, {scalar}) -> {result}
      return %0 : {result}
    }}"""


@pytest.fixture(params=[0, 1 << 40], ids=["distant", "near"])
def _caches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches that hold nothing, or everything; sums of few rows are stored and merged."""
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(walks, "_DISTANT", request.param)
    monkeypatch.setattr(walks, "_WORK", 1024)


@pytest.mark.usefixtures("_caches")
@pytest.mark.parametrize(("shape", "dimensions"), SHAPES, ids=str)
@pytest.mark.parametrize(("element", "op"), [
    ("f32", "add"), ("f64", "add"), ("bf16", "add"), ("i32", "add"), ("i8", "add"),
    ("f32", "maximum"), ("f16", "minimum"), ("i64", "multiply"),
])  # fmt: skip
def test_columns(shape: Shape, dimensions: tuple[int, ...], element: str, op: str) -> None:
    starts = {"add": "0", "multiply": "1"}
    init = starts.get(op) or extreme(element, is_least=op == "maximum")
    if init == "0" and element[0] in "fb":
        init = "0.0"
    x = np.random.default_rng(1).integers(-4, 5, shape).astype(SELECTED[element])
    assert_staged(reduction(shape, dimensions, element, op, init), x)


@pytest.mark.usefixtures("_caches")
@pytest.mark.parametrize("shape", [(300, 160), (77, 257), (3, 64)], ids=str)
@pytest.mark.parametrize("element", ["f32", "i32", "bf16"])
def test_places_of_extremes(shape: Shape, element: str) -> None:
    x = np.random.default_rng(2).integers(-4, 5, shape).astype(SELECTED[element])
    assert_staged(selection(shape, 0, element, JAX), x)


@pytest.mark.usefixtures("_caches")
def test_random_shapes() -> None:
    random = np.random.default_rng(3)
    for _ in range(30):
        shape = tuple(int(n) for n in random.integers(1, [6, 90, 12, 300]))
        count = int(random.integers(1, 4))
        dimensions = tuple(sorted(int(d) for d in random.choice(3, count, replace=False)))
        x = random.integers(-9, 9, shape).astype(np.int32)
        assert_staged(reduction(shape, dimensions, "i32", "add", "0"), x)


@pytest.mark.parametrize("element", [np.float32, ml_dtypes.bfloat16])
def test_many_rows_are_summed_up_exactly_enough(element: type) -> None:
    """No sum has more than some hundred roundings of f32 behind it, by any threads."""
    rows, columns = 16384, 321
    name = "f32" if element is np.float32 else "bf16"
    text = reduction((rows, columns), (0,), name, "add", "0.0")
    x = np.random.default_rng(4).standard_normal((rows, columns)).astype(element)
    alone = compile(text, threads=1)(x)
    shared = compile(text, threads=2)
    for _ in range(5):
        np.testing.assert_array_equal(shared(x).view(np.uint8), alone.view(np.uint8))
    exact, terms = x.astype(np.float64).sum(axis=0), np.abs(x.astype(np.float64)).sum(axis=0)
    rounded = 0 if element is np.float32 else np.abs(exact) * 2.0**-8
    assert (np.abs(alone.astype(np.float64) - exact) <= 8 * 2.0**-24 * terms + rounded).all()
