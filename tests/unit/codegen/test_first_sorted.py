"""Where only the first elements of what is sorted are wanted, no others are written."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from staged_programs import assert_staged
from test_sort_kernels import argsort, compared, typed, values

from shlo_tools import compile, mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.library import selecting
from shlo_tools.codegen.target import Target
from shlo_tools.cpu.process_library import parts

# Shape, dimension, how many are wanted: picked, selected, sorted whole, and by jobs.
LINES = [((3, 400), 1, 10), ((900, 3), 0, 7), ((2, 300, 5), 1, 1), ((65, 33), 1, 30)]
LINES += [((2, 70), 1, 70), ((2, 9000), 1, 3), ((33_000,), 0, 5), ((33_000,), 0, 32_900)]
LINES += [((3, 201), 1, 25), ((4, 5), 1, 0), ((3, 201), 1, 64), ((3, 333), 1, 65)]
LINES += [((70, 1), 1, 1), ((5, 32), 1, 32), ((3, 9), 1, 1), ((2, 5000), 1, 16)]


def cut(text: str, shape: tuple[int, ...], dimension: int, most: int, element: str) -> str:
    """A program that returns the first ones of what another one sorts."""
    limits = ", ".join(f"0:{most if d == dimension else n}" for d, n in enumerate(shape))
    small = tuple(most if d == dimension else n for d, n in enumerate(shape))
    results = [typed(small, kind) for kind in (element, "i32")]
    slices = "".join(
        f"      %s{k} = stablehlo.slice %0#{k} [{limits}] : ({typed(shape, kind)}) -> {result}\n"
        for k, (kind, result) in enumerate(zip((element, "i32"), results, strict=True))
    )
    old = ", ".join(typed(shape, kind) for kind in (element, "i32"))
    text = text.replace(f"-> ({old}) {{\n      %i", f"-> ({', '.join(results)}) {{\n      %i")
    before, _, _ = text.rpartition("      return")
    return f"{before}{slices}      return %s0, %s1 : {', '.join(results)}\n    }}"


@pytest.mark.parametrize("element", ["f32", "i8", "ui64", "f64"])
@pytest.mark.parametrize(("shape", "dimension", "most"), LINES, ids=str)
def test_the_first_ones(shape: tuple[int, ...], dimension: int, most: int, element: str) -> None:
    x = values(shape, element)
    for direction in ("LT", "GT"):
        text = argsort(shape, dimension, element, compared(element, direction))
        assert_staged(cut(text, shape, dimension, most, element), x)


@pytest.mark.parametrize("order", [1, -1])
def test_each_element_is_better_than_all_before(order: int) -> None:
    x = order * np.arange(3000, dtype=np.float32)[None]
    text = argsort((1, 3000), 1, "f32", compared("f32", "GT"))
    assert_staged(cut(text, (1, 3000), 1, 12, "f32"), x)


def test_few_of_very_many() -> None:
    x = np.random.default_rng(1).standard_normal(1 << 20).astype(np.float32)
    text = argsort(x.shape, 0, "f32", compared("f32", "GT"))
    best, places = compile(cut(text, x.shape, 0, 5, "f32"))(x)
    np.testing.assert_array_equal(places, np.argsort(-x, kind="stable")[:5])
    np.testing.assert_array_equal(best, x[places])


@pytest.mark.parametrize("by", [target.host(), Target("narrow", 16, 16, fma=False)], ids=str)
@pytest.mark.parametrize("count", [1, 3, 15, 16, 31, 32, 33, 100, 257])
def test_picking(by: Target, count: int) -> None:
    """Entries of all magnitudes, none of them equal; what is behind the room stays."""
    with mlir.library_context():
        _engine, addresses = parts.compiled(selecting.picking(by))
    numbers = [ctypes.c_int64] * 2
    pick = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *numbers)(
        addresses[selecting.PICK]
    )
    random = np.random.default_rng(count)
    entries = np.full(count + 65, 7, np.uint64)
    entries[:count] = random.permutation(count).astype(np.uint64) << np.uint64(55)
    entries[:count] += random.integers(0, 9, count).astype(np.uint64)
    expected = np.sort(entries[:count])
    most = min(count, 40)
    picked = np.zeros(most + 1, np.uint64)
    pick(entries.ctypes.data, picked.ctypes.data, count, most)
    np.testing.assert_array_equal(picked, [*expected[:most], 0])
    assert entries[-1] == 7


def test_other_comparators() -> None:
    text = argsort((5, 300), 1, "i64", compared("i64", "LT", names="%b, %a"))
    assert_staged(cut(text, (5, 300), 1, 9, "i64"), values((5, 300), "i64"))


@pytest.mark.parametrize("number", [0, 1])
def test_one_of_two_results(number: int) -> None:
    """Values or places alone, read twice, with ops behind them."""
    element = ("f32", "i32")[number]
    text = argsort((4, 500), 1, "f32", compared("f32", "GT")).rpartition("      return")[0]
    old, new = (
        f"-> ({typed((4, 500), 'f32')}, {typed((4, 500), 'i32')}) {{\n      %i",
        "tensor<4x6x",
    )
    text = text.replace(old, f"-> ({new}{element}>, {new}{element}>) {{\n      %i")
    part = f"stablehlo.slice %0#{number} [0:4, 0:6] : ({typed((4, 500), element)})"
    text += f"""
      %s = {part} -> {new}{element}>
      %t = {part} -> {new}{element}>
      %u = stablehlo.add %s, %t : {new}{element}>
      return %u, %t : {new}{element}>, {new}{element}>
    }}"""
    assert_staged(text, values((4, 500), "f32"))


def test_the_whole_is_wanted_as_well() -> None:
    text = argsort((4, 500), 1, "f32", compared("f32", "GT")).rpartition("      return")[0]
    whole, small = typed((4, 500), "f32"), typed((4, 6), "f32")
    old = f"-> ({whole}, {typed((4, 500), 'i32')}) {{\n      %i"
    text = text.replace(old, f"-> ({whole}, {small}) {{\n      %i")
    text += f"""
      %s = stablehlo.slice %0#0 [0:4, 0:6] : ({whole}) -> {small}
      return %0#0, %s : {whole}, {small}
    }}"""
    assert_staged(text, values((4, 500), "f32"))
