"""Deprecated ops run as what replaces them: against numpy and the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases._case import type_of

import shlo_tools
from shlo_tools import program, reference
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.errors import ConstraintError, ShloError, UnsupportedError

Array = np.ndarray[Any, Any]


def _numbers(*shape: int, dtype: Any = np.int32, seed: int = 0) -> Array:
    """Small whole numbers: their sums of products are exact in every type but the narrowest."""
    random = np.random.default_rng([seed, *shape])
    return random.integers(-4, 5, shape).astype(dtype)


def _program(name: str, operands: Sequence[Array], expected: Array, attributes: str = "") -> str:
    arguments = ", ".join(f"%a{i}: {type_of(x)}" for i, x in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(type_of(x) for x in operands)
    return f"""func.func @main({arguments}) -> {type_of(expected)} {{
      %0 = "stablehlo.{name}"({names}) {{{attributes}}} : ({types}) -> {type_of(expected)}
      return %0 : {type_of(expected)}
    }}"""


def _check(
    name: str,
    operands: Sequence[Array],
    expected: Array,
    attributes: str = "",
) -> None:
    text = _program(name, operands, expected, attributes)
    program.verify(program.load(text))
    for x in operands:
        x.flags.writeable = False
    for compile in (shlo_tools.compile, reference.compile):
        got = compile(text)(*operands)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


# --- dot, broadcast -------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float16, np.float32, np.complex64, bool])
@pytest.mark.parametrize(
    ("lhs", "rhs"), [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4))]
)
def test_dot(lhs: tuple[int, ...], rhs: tuple[int, ...], dtype: Any) -> None:
    a, b = _numbers(*lhs, dtype=dtype), _numbers(*rhs, dtype=dtype, seed=1)
    _check("dot", [a, b], np.asarray(np.dot(a, b)))


def test_dot_sums_in_the_type_of_its_result() -> None:
    a = np.full((2, 40), 100, np.int8)
    _check("dot", [a, a.T.copy()], np.full((2, 2), 400000, np.int32))


def test_dot_of_nothing_is_zero() -> None:
    _check("dot", [_numbers(2, 0), _numbers(0, 3)], np.zeros((2, 3), np.int32))


@pytest.mark.parametrize("sizes", [(), (4,), (2, 0), (2, 1, 3)])
def test_broadcast(sizes: tuple[int, ...]) -> None:
    a = _numbers(3, 1)
    expected = np.broadcast_to(a, (*sizes, 3, 1)).copy()
    attributes = ", ".join(str(size) for size in sizes)
    attribute = f"broadcast_sizes = array<i64{': ' if sizes else ''}{attributes}>"
    _check("broadcast", [a], expected, attribute)


# --- tokens, sums of processes --------------------------------------------------------------------
def test_create_token() -> None:
    text = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %t = stablehlo.create_token : !stablehlo.token
      %0:2 = stablehlo.optimization_barrier %a, %t : tensor<2xf32>, !stablehlo.token
      return %0#0 : tensor<2xf32>
    }"""
    a = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(shlo_tools.compile(text)(a), a)


def test_cross_replica_sum() -> None:
    a = _numbers(3, dtype=np.float32)
    _check("cross-replica-sum", [a], a, "replica_groups = dense<0> : tensor<1x1xi64>")
    with pytest.raises(ShloError, match="runs alone"):
        shlo_tools.compile(
            _program(
                "cross-replica-sum", [a], a, "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
            )
        )


# --- einsum ---------------------------------------------------------------------------------------
BINARY = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("ibj,bjk->kib", (2, 5, 3), (5, 3, 4)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("ij,ji->", (2, 3), (3, 2)),
    ("i,j->ji", (2,), (3,)),
    (",ij->ij", (), (2, 3)),
    (",->", (), ()),
    ("ij,kl->ik", (2, 3), (4, 5)),
    ("ij,kl->", (2, 3), (4, 5)),
    ("ijk,lm->jl", (2, 3, 4), (2, 5)),
    ("ii,ij->j", (3, 3), (3, 2)),
    ("iij,kk->jk", (2, 2, 3), (4, 4)),
    ("iji,jk->k", (2, 3, 2), (3, 4)),
    ("aA,Ab->Aab", (2, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 3)),
    ("ij,jk->ik", (0, 2), (2, 3)),
    (" ij , jk -> ik ", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("zj,jA", (2, 3), (3, 4)),
    ("ij,ij", (2, 3), (2, 3)),
    ("...ij,...jk->...ik", (5, 2, 3), (5, 3, 4)),
    ("...ij,...jk->...ik", (6, 5, 2, 3), (5, 3, 4)),
    ("...ij,...jk->...ik", (1, 2, 3), (5, 3, 4)),
    ("...ij,...jk->...ik", (6, 1, 2, 3), (1, 5, 3, 4)),
    ("...ij,jk->...ik", (6, 5, 2, 3), (3, 4)),
    ("i...,i...->...", (3, 2, 1), (3, 4)),
    ("i...j,j->...", (3, 2, 4), (4,)),
    ("...,...", (2, 3), (2, 3)),
    ("...,...->...", (), (2, 3)),
    ("...ii,i...->i...", (2, 3, 3), (3, 2)),
]
UNARY = [
    ("ij->ij", (2, 3)),
    ("ij->ji", (2, 3)),
    ("ij->j", (2, 3)),
    ("ij->", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii->", (3, 3)),
    ("iii->i", (3, 3, 3)),
    ("ijij->ji", (2, 3, 2, 3)),
    ("ijkk->j", (2, 3, 4, 4)),
    ("ij->i", (2, 0)),
    ("ii->i", (0, 0)),
    ("->", ()),
    ("ij", (2, 3)),
    ("ba", (2, 3)),
    ("ii", (3, 3)),
    ("...i->...", (2, 3, 4)),
    ("...ii->...i", (4, 3, 3)),
    ("i...i", (3, 2, 3)),
    ("...", (2, 3)),
]


def _einsum(config: str, *operands: Array) -> None:
    name = "einsum" if len(operands) == 2 else "unary_einsum"
    expected = np.asarray(np.einsum(config, *operands))
    _check(name, operands, expected, f'einsum_config = "{config}"')


@pytest.mark.parametrize(("config", "lhs", "rhs"), BINARY)
def test_einsum(config: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    _einsum(config, _numbers(*lhs), _numbers(*rhs, seed=1))


@pytest.mark.parametrize(("config", "shape"), UNARY)
def test_unary_einsum(config: str, shape: tuple[int, ...]) -> None:
    _einsum(config, _numbers(*shape))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.uint8, "bf16", "f16"])
def test_einsum_of_other_types(dtype: Any) -> None:
    array = ELEMENT_TYPES[dtype].dtype if isinstance(dtype, str) else dtype
    a, b = _numbers(3, 3, 4).astype(array), _numbers(3, 5, seed=1).astype(array)
    wide = np.complex128 if array == np.complex128 else np.int64
    expected = np.einsum("iij,ik->j", a.astype(wide), b.astype(wide)).astype(array)
    _check("einsum", [a, b], expected, 'einsum_config = "iij,ik->j"')


def test_einsum_of_booleans_is_whether_any() -> None:
    a, b = np.eye(3, dtype=bool), np.ones((3, 2), bool)
    expected = (a[:, :, None] & b[None]).any(axis=1)
    _check("einsum", [a, b], expected, 'einsum_config = "ij,jk->ik"')


def test_einsum_sums_in_the_type_of_its_result() -> None:
    a = np.full((2, 40), 100, np.int8)
    expected = np.full((2,), 40 * 100 * 100 * 40, np.int32)
    _check("einsum", [a, a.T.copy()[:, 0]], expected // 40, 'einsum_config = "ij,j->i"')
    _check("einsum", [a, a], np.full((2, 2), 4000 * 4000, np.int32), 'einsum_config = "ij,kl->ik"')


def test_sums_of_16_bits_are_kept_in_more() -> None:
    """4096 ones: a sum kept in f16 would stay at 2048."""
    ones = np.ones((4096,), np.float16)
    _check("unary_einsum", [ones], np.array(4096, np.float16), 'einsum_config = "i->"')


def test_values_on_a_diagonal() -> None:
    """numpy has no such form; NaN and infinity next to the zeros show that nothing is summed."""
    a = np.array([[1, np.nan, 3], [np.inf, 5, -0.0]], np.float32)
    expected = np.zeros((3, 2, 3, 3), np.float32)
    for i in range(3):
        expected[i, :, i, i] = a[:, i]
    _check("unary_einsum", [a], expected, 'einsum_config = "ji->ijii"')
    b = np.array([2, 3], np.float32)
    expected = np.array([np.diag([2, 6]), np.diag([4, 9])], np.float32)
    inputs = [np.array([[1, 2], [2, 3]], np.float32), b]
    _check("einsum", inputs, expected, 'einsum_config = "ij,j->ijj"')


def test_a_diagonal_takes_nothing_from_beside_it() -> None:
    a = np.full((3, 3), np.nan, np.float32)
    np.fill_diagonal(a, [1, 2, 3])
    _check("unary_einsum", [a], np.array(6, np.float32), 'einsum_config = "ii->"')


REFUSED = [
    ("ij,jk->ik", ((2, 3), (4, 5)), (2, 5), r"\(C3\) 'j' has sizes 3 and 4"),
    ("i->i", ((2, 3),), (2,), r"\(C2\) 'i'"),
    ("i...j->...", ((2,),), (), r"\(C2\) 'i...j'"),
    ("ij->i", ((2, 3),), (3,), r"\(C4\)"),
    ("i->ij", ((2,),), (2, 2), r"\(C4\)"),
    ("i.j->j", ((2, 3),), (3,), r"\(C1\) 'i.j->j' is not understood"),
    ("ij", ((2, 3), (2, 3)), (2, 3), r"\(C1\) 'ij' for 2 operands"),
    ("...,...->...", ((2,), (3,)), (3,), r"\(C3\) '...1' has sizes 2 and 3"),
]


@pytest.mark.parametrize(("config", "shapes", "result", "message"), REFUSED)
def test_einsum_that_does_not_fit(
    config: str, shapes: Sequence[tuple[int, ...]], result: tuple[int, ...], message: str
) -> None:
    operands = [_numbers(*shape) for shape in shapes]
    name = "einsum" if len(operands) == 2 else "unary_einsum"
    text = _program(name, operands, _numbers(*result), f'einsum_config = "{config}"')
    with pytest.raises(ConstraintError, match=f"stablehlo.{name}: {message}"):
        program.verify(program.load(text))
    for compile in (shlo_tools.compile, reference.compile):
        with pytest.raises(ShloError, match=f"stablehlo.{name}.*: {message}"):
            compile(text)(*operands)


# --- torch_index_select ---------------------------------------------------------------------------
SELECTIONS = [
    ((5, 4), (3,), 0, 0),
    ((5, 4), (3,), 1, 0),
    ((5, 4), (2, 3), 1, 0),
    ((5, 4), (), 0, 0),
    ((2, 5, 4), (2, 3), 1, 1),
    ((2, 3, 5, 4), (2, 6), 2, 1),
    ((2, 3, 5), (2, 3, 6), 2, 2),
    ((2, 3, 5), (2, 3), 2, 2),
    ((5, 0), (3,), 0, 0),
    ((5, 4), (0,), 0, 0),
    ((0, 4), (0,), 0, 0),
]


def _selected(a: Array, index: Array, dim: int, batch_dims: int) -> Array:
    """By single elements; an index outside takes the nearest one."""
    tail = index.shape[batch_dims:]
    result = np.empty((*a.shape[:dim], *tail, *a.shape[dim + 1 :]), a.dtype)
    for place in np.ndindex(*result.shape):
        outer, inner = place[:dim], place[dim : dim + len(tail)]
        chosen = int(index[(*outer[:batch_dims], *inner)])
        at = min(max(chosen, 0), a.shape[dim] - 1)
        result[place] = a[(*outer, at, *place[dim + len(tail) :])]
    return result


@pytest.mark.parametrize(("shape", "places", "dim", "batch_dims"), SELECTIONS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.int8])
def test_torch_index_select(
    shape: tuple[int, ...], places: tuple[int, ...], dim: int, batch_dims: int, dtype: Any
) -> None:
    a = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    info = np.iinfo(dtype)
    random = np.random.default_rng(7)
    index = random.integers(0, max(1, shape[dim]), places).astype(dtype)
    flat = index.reshape(-1)
    flat[: min(2, flat.size)] = [info.max, info.min][: flat.size]  # far outside
    attributes = f"dim = {dim} : i64, batch_dims = {batch_dims} : i64"
    _check("torch_index_select", [a, index], _selected(a, index, dim, batch_dims), attributes)


@pytest.mark.parametrize(("shape", "dim", "batch_dims"), [((0, 3), 0, 0), ((2, 0, 3), 1, 1)])
def test_there_is_nothing_to_select(shape: tuple[int, ...], dim: int, batch_dims: int) -> None:
    a, index = np.zeros(shape, np.float32), np.zeros((*shape[:batch_dims], 2), np.int32)
    expected = np.zeros((*shape[:dim], 2, *shape[dim + 1 :]), np.float32)
    attributes = f"dim = {dim} : i64, batch_dims = {batch_dims} : i64"
    text = _program("torch_index_select", [a, index], expected, attributes)
    for compile in (shlo_tools.compile, reference.compile):
        with pytest.raises(UnsupportedError, match=f"nothing along dimension {dim} to select"):
            compile(text)(a, index)
