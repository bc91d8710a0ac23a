"""``dot_general`` over every arrangement of batching, contracting and free dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation, type_of
from cases._inputs import edges, noise
from cases._tolerances import EXACT, Tolerance, Within
from cases._types import COMPLEX, dtype_of
from expected import FLOATS, INTEGERS, wrapped

Array = np.ndarray[Any, Any]
Axes = Sequence[int]

pytestmark = pytest.mark.usefixtures("way", "unmapped_neighbours")


@dataclass(frozen=True)
class Dims:
    """Shapes of the operands and the four lists of dimensions."""

    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    lhs_contracting: Axes = ()
    rhs_contracting: Axes = ()
    lhs_batching: Axes = ()
    rhs_batching: Axes = ()

    def attribute(self) -> str:
        fields = {
            "lhs_batching_dimensions": self.lhs_batching,
            "rhs_batching_dimensions": self.rhs_batching,
            "lhs_contracting_dimensions": self.lhs_contracting,
            "rhs_contracting_dimensions": self.rhs_contracting,
        }
        text = ", ".join(f"{name} = {list(axes)}" for name, axes in fields.items() if axes)
        return f"dot_dimension_numbers = #stablehlo.dot<{text}>"

    def einsum(self) -> str:
        """Result dimensions: batching, free ones of lhs, free ones of rhs."""
        letters = iter(ascii_letters)
        lhs = [next(letters) for _ in self.lhs]
        rhs = [next(letters) for _ in self.rhs]
        pairs = zip(
            [*self.lhs_batching, *self.lhs_contracting],
            [*self.rhs_batching, *self.rhs_contracting],
            strict=True,
        )
        for left, right in pairs:
            rhs[right] = lhs[left]
        shared = {*self.lhs_batching, *self.lhs_contracting}
        batch = [lhs[d] for d in self.lhs_batching]
        free = [lhs[d] for d in range(len(lhs)) if d not in shared]
        free += [rhs[d] for d in range(len(rhs)) if rhs[d] not in lhs]
        return f"{''.join(lhs)},{''.join(rhs)}->{''.join([*batch, *free])}"


DIMS = {
    "matrices": Dims((3, 4), (4, 5), [1], [0]),
    "transposed lhs": Dims((4, 3), (4, 5), [0], [0]),
    "transposed rhs": Dims((3, 4), (5, 4), [1], [1]),
    "matrix and vector": Dims((3, 4), (4,), [1], [0]),
    "vectors": Dims((7,), (7,), [0], [0]),
    "outer product": Dims((3,), (4,)),
    "scalars": Dims((), ()),
    "scalar and matrix": Dims((), (2, 3)),
    "batch": Dims((2, 3, 4), (2, 4, 5), [2], [1], [0], [0]),
    "batch at the end": Dims((3, 4, 2), (4, 5, 2), [1], [0], [2], [2]),
    "two batches": Dims((2, 3, 4, 5), (3, 5, 2, 6), [3], [1], [0, 1], [2, 0]),
    "batches in another order": Dims((2, 3, 4), (2, 3, 4), [2], [2], [1, 0], [1, 0]),
    "batch only": Dims((2, 5), (5, 2), [], [], [0, 1], [1, 0]),
    "two contracted": Dims((2, 3, 4), (4, 3, 5), [1, 2], [1, 0]),
    "all contracted": Dims((2, 3, 4), (4, 2, 3), [0, 1, 2], [1, 2, 0]),
    "free on both sides": Dims((2, 5, 3), (4, 5, 6), [1], [1]),
    "size 1": Dims((1, 4, 1), (1, 4, 1), [1], [1], [0], [0]),
    "contraction of nothing": Dims((2, 0), (0, 3), [1], [0]),
    "vectors of nothing": Dims((0,), (0,), [0], [0]),
    "no rows": Dims((0, 4), (4, 5), [1], [0]),
    "no batch": Dims((0, 2, 3), (0, 3, 4), [2], [1], [0], [0]),
    "beyond vector widths": Dims((33, 65), (65, 35), [1], [0]),
}


def _dot(
    dims: Dims, lhs: Array, rhs: Array, expected: Array, near: Tolerance = EXACT, result: str = ""
) -> Case:
    result = result or type_of(expected)
    return operation(
        "dot_general", [lhs, rhs], expected, dims.attribute(), tolerance=near, result=result
    )


def _operands(dims: Dims, element: str) -> tuple[Array, Array]:
    """Small whole numbers: every sum is exact, in whatever order."""
    random = np.random.default_rng(3)
    low = 0 if element.startswith("ui") else -2
    lhs, rhs = (random.integers(low, 3, shape) for shape in (dims.lhs, dims.rhs))
    if element in COMPLEX:
        lhs, rhs = lhs + 1j * np.flip(lhs), rhs - 2j
    return lhs.astype(dtype_of(element)), rhs.astype(dtype_of(element))


def _exact(dims: Dims, lhs: Array, rhs: Array, element: str) -> Array:
    wide = np.complex128 if element in COMPLEX else np.int64
    exact = np.einsum(dims.einsum(), lhs.astype(wide), rhs.astype(wide))
    return np.asarray(exact).astype(dtype_of(element))


@pytest.mark.parametrize("name", DIMS)
def test_dimensions(name: str) -> None:
    dims = DIMS[name]
    cases = []
    for element in ("f32", "i32", "bf16", "complex<f32>"):
        lhs, rhs = _operands(dims, element)
        cases.append(_dot(dims, lhs, rhs, _exact(dims, lhs, rhs, element)))
    check(cases)


SOME = ("matrices", "batch at the end", "two contracted", "vectors", "contraction of nothing")


@pytest.mark.parametrize("name", SOME)
def test_every_type(name: str) -> None:
    dims = DIMS[name]
    cases = []
    for element in (*INTEGERS, *FLOATS, *COMPLEX):
        lhs, rhs = _operands(dims, element)
        cases.append(_dot(dims, lhs, rhs, _exact(dims, lhs, rhs, element)))
    check(cases)


def test_booleans() -> None:
    """A sum of i1 is "or", a product "and"."""
    cases = []
    for name in SOME:
        dims = DIMS[name]
        lhs, rhs = (_operands(dims, "i32")[i] > 0 for i in range(2))
        expected = np.einsum(dims.einsum(), lhs.astype(int), rhs.astype(int)) > 0
        cases.append(_dot(dims, lhs, rhs, expected))
    check(cases)


def test_integers_wrap_around() -> None:
    dims = DIMS["transposed rhs"]
    cases = []
    for element in INTEGERS:
        lhs = np.resize(edges(element), dims.lhs)
        rhs = np.resize(noise(element), dims.rhs)
        exact = np.einsum(dims.einsum(), lhs.astype(object), rhs.astype(object))
        expected = [wrapped(int(value), element) for value in exact.reshape(-1)]
        cases.append(
            _dot(dims, lhs, rhs, np.array(expected, dtype_of(element)).reshape(exact.shape))
        )
    check(cases)


WIDER = [("i8", "i32"), ("ui8", "ui32"), ("i8", "i16"), ("i16", "i64"), ("i32", "i64")]


def test_integers_with_a_wider_result() -> None:
    """Operands are extended before they are multiplied: nothing wraps."""
    dims = DIMS["transposed rhs"]
    cases = []
    for narrow, wide in WIDER:
        lhs, rhs = np.resize(edges(narrow), dims.lhs), np.resize(noise(narrow), dims.rhs)
        exact = np.einsum(dims.einsum(), lhs.astype(object), rhs.astype(object))
        expected = [wrapped(int(value), wide) for value in exact.reshape(-1)]
        cases.append(_dot(dims, lhs, rhs, np.array(expected, dtype_of(wide)).reshape(exact.shape)))
    check(cases)


PROMOTED = [("f16", "f32"), ("bf16", "f32"), ("f32", "f64")]


def _sum_bound(dims: Dims, lhs: Array, rhs: Array, eps: float) -> Array:
    """n * eps * sum|terms|, what any order of summation keeps."""
    terms = np.einsum(dims.einsum(), np.abs(lhs), np.abs(rhs))
    count = max(1, int(np.prod([dims.lhs[d] for d in dims.lhs_contracting])))
    return np.asarray(count * eps * terms)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [*PROMOTED, ("f16", "f16"), ("bf16", "bf16"), ("f32", "f32"), ("f64", "f64")],
)
def test_floats(narrow: str, wide: str) -> None:
    """Close to the exact sum; 16-bit results are rounded once, from an f32 sum."""
    cases = []
    for name in ("beyond vector widths", "two batches", "vectors"):
        dims = DIMS[name]
        lhs = noise(narrow, count=int(np.prod(dims.lhs))).reshape(dims.lhs)
        rhs = noise(narrow, count=int(np.prod(dims.rhs)), seed=1).reshape(dims.rhs)
        exact = lhs.astype(np.longdouble), rhs.astype(np.longdouble)
        expected = np.einsum(dims.einsum(), *exact)
        bound = _sum_bound(dims, *exact, 2.0**-52 if wide == "f64" else 2.0**-23)
        if wide in ("f16", "bf16"):
            bound = bound + np.abs(expected) * 2.0 ** -(11 if wide == "f16" else 8) * 1.01
        result = type_of(np.zeros(expected.shape, dtype_of(wide)))
        cases.append(_dot(dims, lhs, rhs, expected, Within(bound), result))
    check(cases)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_16_bit_floats_accumulate_in_f32(element: str) -> None:
    """A sum of 5000 ones does not stick at 2048 (256), nor do large terms overflow on the way."""
    dims = Dims((5000,), (5000,), [0], [0])
    ones = np.ones(5000, dtype_of(element))
    largest = np.array([60000.0] * 3 + [-60000.0] * 2 + [0.0]).astype(dtype_of(element))
    pair = Dims((6,), (6,), [0], [0])
    check(
        [
            _dot(dims, ones, ones, np.array(5000.0).astype(dtype_of(element))),
            _dot(pair, largest, np.ones(6, dtype_of(element)), np.asarray(largest[0])),
        ]
    )


def test_nan_and_infinity_go_through() -> None:
    dims = DIMS["matrix and vector"]
    lhs = np.array([[1, np.inf, 0, 0], [np.inf, -np.inf, 1, 1], [0, 0, np.nan, 0]])
    cases = []
    for element in FLOATS:
        vector = np.array([1, 2, 0, 4]).astype(dtype_of(element))
        expected = np.array([np.inf, np.nan, np.nan]).astype(dtype_of(element))
        cases.append(_dot(dims, lhs.astype(dtype_of(element)), vector, expected))
    check(cases)


def test_precision_config_is_accepted() -> None:
    dims = DIMS["matrices"]
    lhs, rhs = _operands(dims, "f32")
    levels = "#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>"
    attributes = f"{dims.attribute()}, precision_config = [{levels}]"
    check([operation("dot_general", [lhs, rhs], _exact(dims, lhs, rhs, "f32"), attributes)])
