"""Arithmetic on sizes and on what stands beside them gives what Python says of the integers.

Every op runs on constants, which the pass computes, and on arguments, which the program does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError

BACKENDS = ("native", "reference")
both = pytest.mark.parametrize("backend", BACKENDS)
_WORD = 1 << 64


def legalized(text: str) -> Any:
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-shape)").run(module)
    return module


def signed(value: int) -> int:
    """A number as 64 bits hold it."""
    low = value % _WORD
    return low - _WORD if low >= _WORD // 2 else low


def unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, b: signed(function(a % _WORD, b % _WORD))


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# arith's name, index's name, what Python computes
INTEGERS: tuple[tuple[str, str, Callable[[int, int], int]], ...] = (
    ("addi", "add", lambda a, b: a + b),
    ("subi", "sub", lambda a, b: a - b),
    ("muli", "mul", lambda a, b: signed(a * b)),
    ("divsi", "divs", truncated),
    ("divui", "divu", unsigned(lambda a, b: a // b)),
    ("ceildivsi", "ceildivs", lambda a, b: -(-a // b)),
    ("ceildivui", "ceildivu", unsigned(lambda a, b: -(-a // b))),
    ("floordivsi", "floordivs", lambda a, b: a // b),
    ("remsi", "rems", lambda a, b: a - truncated(a, b) * b),
    ("remui", "remu", unsigned(lambda a, b: a % b)),
    ("maxsi", "maxs", max),
    ("maxui", "maxu", unsigned(max)),
    ("minsi", "mins", min),
    ("minui", "minu", unsigned(min)),
    ("andi", "and", lambda a, b: a & b),
    ("ori", "or", lambda a, b: a | b),
    ("xori", "xor", lambda a, b: a ^ b),
)
SHIFTS: tuple[tuple[str, str, Callable[[int, int], int]], ...] = (
    ("shli", "shl", lambda a, b: signed(a << b)),
    ("shrsi", "shrs", lambda a, b: a >> b),
    ("shrui", "shru", lambda a, b: signed((a % _WORD) >> b)),
)
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a % _WORD < b % _WORD,
    "ule": lambda a, b: a % _WORD <= b % _WORD,
    "ugt": lambda a, b: a % _WORD > b % _WORD,
    "uge": lambda a, b: a % _WORD >= b % _WORD,
}
NUMBERS = [(a, b) for a in (7, -7, 6, 0, -(2**62)) for b in (2, -2, 3, 1, -1)]
SHIFTED = [(a, b) for a in (7, -7, 1 << 40) for b in (0, 1, 5)]


def lines(shifts: bool) -> tuple[list[str], list[str], list[Callable[[int, int], Any]]]:
    """Ops %0, %1, ... on %a and %b, their types, and oracles."""
    rows: list[tuple[str, str, Callable[[int, int], Any]]] = []
    for of_arith, of_index, oracle in SHIFTS if shifts else INTEGERS:
        rows.append((f"arith.{of_arith} %a, %b : index", "index", oracle))
        rows.append((f"index.{of_index} %a, %b", "index", oracle))
    for name, oracle in {} if shifts else COMPARISONS.items():
        rows.append((f"arith.cmpi {name}, %a, %b : index", "i1", oracle))
        rows.append((f"index.cmp {name}(%a, %b)", "i1", oracle))
    if not shifts:
        floored = lambda a, b: a // b  # noqa: E731
        rows.append(("shape.div %a, %b : index, index -> index", "index", floored))
        rows.append(("shape.add %a, %b : index, index -> index", "index", lambda a, b: a + b))
        rows.append(
            ("shape.mul %a, %b : index, index -> index", "index", lambda a, b: signed(a * b))
        )
    texts = [f"%{n} = {text}" for n, (text, _, _) in enumerate(rows)]
    return texts, [type for _, type, _ in rows], [oracle for _, _, oracle in rows]


def program(arguments: str, before: str, shifts: bool) -> str:
    texts, types, _ = lines(shifts)
    body = "\n".join(texts)
    values = ", ".join(f"%{n}" for n in range(len(texts)))
    return f"""
    func.func @main({arguments}) -> ({", ".join(types)}) {{
      %present = shape.const_size 1
      {before}
      {body}
      return {values} : {", ".join(types)}
    }}"""


@pytest.mark.parametrize("shifts", [False, True], ids=["arithmetic", "shifts"])
@both
def test_of_arguments(backend: str, shifts: bool) -> None:
    text = program("%a: index, %b: index", "", shifts)
    executable = shlo_tools.compile(legalized(text), backend=backend)
    _, _, oracles = lines(shifts)
    for a, b in SHIFTED if shifts else NUMBERS:
        results = [int(x) for x in executable(np.int64(a), np.int64(b))]
        assert results == [int(oracle(a, b)) for oracle in oracles], (a, b)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (0, 3), (-(2**62), -1)])
def test_of_constants(a: int, b: int) -> None:
    """What the pass computes itself is what it would have the program compute."""
    before = f"%a = arith.constant {a} : index\n%b = index.constant {b}"
    module = legalized(program("", before, shifts=False))
    _, _, oracles = lines(shifts=False)
    results = [int(x) for x in shlo_tools.compile(module, backend="reference")()]
    assert results == [int(oracle(a, b)) for oracle in oracles]


@both
def test_scalars_of_other_types(backend: str) -> None:
    text = """
    func.func @main(%n: index, %t: tensor<?x3xf32>)
        -> (i32, i1, i64, i64, f32, index, tensor<2xi32>) {
      %present = shape.const_size 1
      %0 = arith.index_cast %n : index to i32
      %bit = arith.trunci %0 : i32 to i1
      %ones = arith.extsi %bit : i1 to i64
      %one = arith.extui %bit : i1 to i64
      %c1 = arith.constant 1 : index
      %x = tensor.extract %t[%n, %c1] : tensor<?x3xf32>
      %half = arith.constant 5.0e-01 : f32
      %y = arith.mulf %x, %half : f32
      %back = arith.index_castui %0 : i32 to index
      %rows = tensor.dim %t, %n : tensor<?x3xf32>
      %i = arith.index_cast %rows : index to i32
      %v = tensor.from_elements %0, %i : tensor<2xi32>
      return %0, %bit, %ones, %one, %y, %back, %v : i32, i1, i64, i64, f32, index, tensor<2xi32>
    }"""
    executable = shlo_tools.compile(legalized(text), backend=backend)
    table = np.arange(6, dtype=np.float32).reshape(2, 3)
    results = [x.tolist() for x in executable(np.int64(1), table)]
    assert results == [1, True, -1, 1, 2.0, 1, [1, 3]]
    results = [x.tolist() for x in executable(np.int64(0), table)]
    assert results == [0, False, 0, 0, 0.5, 0, [0, 2]]
    with pytest.raises(ShloError, match=r"index 2 is outside of a dimension of size 2"):
        executable(np.int64(2), table)


@both
def test_extent_tensors(backend: str) -> None:
    text = """
    func.func @main(%x: tensor<?x3xf32>)
        -> (tensor<?x?xf32>, tensor<2xindex>, tensor<2xi1>, !shape.shape, index) {
      %e = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
      %k = arith.constant dense<[1, 2]> : tensor<2xindex>
      %threes = arith.constant dense<3> : tensor<2xindex>
      %sum = arith.addi %e, %k : tensor<2xindex>
      %product = arith.muli %sum, %threes : tensor<2xindex>
      %more = arith.cmpi sgt, %e, %k : tensor<2xindex>
      %larger = arith.select %more, %e, %k : tensor<2xi1>, tensor<2xindex>
      %i = arith.index_cast %larger : tensor<2xindex> to tensor<2xi32>
      %y = stablehlo.dynamic_reshape %x, %i : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %none = "shape.from_extents"() : () -> !shape.shape
      %b = shape.broadcast %none, %e : !shape.shape, tensor<2xindex> -> !shape.shape
      %one = arith.constant 1 : index
      %d = shape.dim %x, %one : tensor<?x3xf32>, index -> index
      return %y, %product, %more, %b, %d
        : tensor<?x?xf32>, tensor<2xindex>, tensor<2xi1>, !shape.shape, index
    }"""
    executable = shlo_tools.compile(legalized(text), backend=backend)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y, *rest = executable(x)
    assert np.array_equal(y, x)
    assert [results.tolist() for results in rest] == [[9, 15], [True, True], [2, 3], 3]


@both
def test_generated_extents(backend: str) -> None:
    text = """
    func.func @main(%x: tensor<?x3xf32>) -> (tensor<2xindex>, tensor<3xindex>, index) {
      %e = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
      %rank = shape.rank %e : tensor<2xindex> -> index
      %0 = tensor.generate %rank {
      ^bb0(%i: index):
        %extent = tensor.extract %e[%i] : tensor<2xindex>
        %twice = arith.addi %extent, %extent : index
        tensor.yield %twice : index
      } : tensor<?xindex>
      %1 = tensor.cast %0 : tensor<?xindex> to tensor<2xindex>
      %2 = tensor.splat %rank : tensor<3xindex>
      %bits = index.sizeof
      return %1, %2, %bits : tensor<2xindex>, tensor<3xindex>, index
    }"""
    executable = shlo_tools.compile(legalized(text), backend=backend)
    results = [x.tolist() for x in executable(np.zeros((5, 3), np.float32))]
    assert results == [[10, 6], [2, 2, 2], 64]


SIZES = """
func.func @main(%a: !shape.size, %b: !shape.size, %i: index)
    -> (!shape.size, !shape.size, !shape.size, !shape.size, !shape.size, !shape.size, index) {
  %ten = shape.const_size 10
  %sum = shape.add %a, %b : !shape.size, !shape.size -> !shape.size
  %product = shape.mul %sum, %i : !shape.size, index -> !shape.size
  %quotient = shape.div %product, %ten : !shape.size, !shape.size -> !shape.size
  %larger = shape.max %a, %b : !shape.size, !shape.size -> !shape.size
  %smaller = shape.min %a, %b : !shape.size, !shape.size -> !shape.size
  %cast = shape.index_to_size %i
  %same = shape.meet %ten, %ten : !shape.size, !shape.size -> !shape.size
  %back = shape.size_to_index %same : !shape.size
  return %sum, %product, %quotient, %larger, %smaller, %cast, %back
    : !shape.size, !shape.size, !shape.size, !shape.size, !shape.size, !shape.size, index
}
"""


@both
def test_sizes(backend: str) -> None:
    executable = shlo_tools.compile(legalized(SIZES), backend=backend)
    for a, b, i in ((3, 4, 5), (0, 9, 1), (8, 8, 0)):
        results = [int(x) for x in executable(*map(np.int64, (a, b, i)))]
        product = (a + b) * i
        assert results == [a + b, product, math.floor(product / 10), max(a, b), min(a, b), i, 10]


@both
def test_contradicting_sizes_and_division_by_zero(backend: str) -> None:
    text = """
    func.func @main(%a: !shape.size, %b: !shape.size) -> !shape.size {
      %same = shape.meet %a, %b, error = "not one batch" : !shape.size, !shape.size -> !shape.size
      %q = shape.div %same, %b : !shape.size, !shape.size -> !shape.size
      return %q : !shape.size
    }"""
    executable = shlo_tools.compile(legalized(text), backend=backend)
    assert int(executable(np.int64(6), np.int64(6))) == 1
    with pytest.raises(ShloError, match="not one batch"):
        executable(np.int64(6), np.int64(5))
    with pytest.raises(ShloError, match="0 is divided by 0"):
        executable(np.int64(0), np.int64(0))
