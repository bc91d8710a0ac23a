"""Ops that the dialect still registers and no specification describes any more."""

from __future__ import annotations

from collections.abc import Iterator

from cases._case import Array, Case, Input, Row, call, given
from cases._inputs import at_edges, moderate, small
from cases._regions import integers
from cases._types import QUANTIZED, TENSOR, is_quantized, tensor
from cases.collectives import ONE, SHAPES
from cases.contraction import WEIGHTS, accumulating
from cases.gather_scatter import indices
from cases.grouping import TOKEN


def _broadcast(element: str) -> Iterator[Case]:
    for shape, sizes in (
        ((3,), (2,)),
        ((), ()),
        ((), (67,)),
        ((0, 2), (3,)),
        ((2, 1, 3), (2, 1, 2)),
    ):
        operand = given(element, at_edges(element, shape))
        attributes = f"broadcast_sizes = {integers(sizes)}"
        yield call(
            "stablehlo.broadcast", [operand], [tensor(element, (*sizes, *shape))], attributes
        )


DOTS = (
    ((3, 5), (5, 4), (3, 4)),
    ((5,), (5,), ()),
    ((3, 5), (5,), (3,)),
    ((5,), (5, 4), (4,)),
    ((3, 0), (0, 4), (3, 4)),
    ((35, 67), (67, 3), (35, 3)),
)


def _weights(element: str, array: Array) -> Input:
    """A right-hand side: quantized ones must have zero point 0."""
    sizes = "".join(f"{size}x" for size in array.shape)
    return Input(
        f"tensor<{sizes}{WEIGHTS}>" if is_quantized(element) else tensor(element, array.shape),
        array,
    )


def _dot(element: str) -> Iterator[Case]:
    for lhs, rhs, result in DOTS:
        inputs = [
            given(element, moderate(element, lhs, 1)),
            _weights(element, moderate(element, rhs, 2)),
        ]
        near = accumulating(element, lhs[-1])
        yield call("stablehlo.dot", inputs, [tensor(element, result)], tolerance=near)


EINSUMS = (
    ("ij,jk->ik", (3, 5), (5, 4), (3, 4)),
    ("bij,bjk->bik", (2, 3, 5), (2, 5, 4), (2, 3, 4)),
    ("i,j->ji", (3,), (4,), (4, 3)),
    ("ab,cb->ca", (3, 5), (4, 5), (4, 3)),
    ("ab,ab->", (3, 5), (3, 5), ()),
)


def _einsum(element: str) -> Iterator[Case]:
    for config, lhs, rhs, result in EINSUMS:
        inputs = [
            given(element, moderate(element, lhs, 1)),
            given(element, moderate(element, rhs, 2)),
        ]
        near = accumulating(element, lhs[0] * lhs[-1])
        yield call(
            "stablehlo.einsum",
            inputs,
            [tensor(element, result)],
            f'einsum_config = "{config}"',
            tolerance=near,
        )


def _unary_einsum(element: str) -> Iterator[Case]:
    for config, shape, result in (
        ("ij->j", (3, 5), (5,)),
        ("ij->ji", (3, 5), (5, 3)),
        ("ijk->", (2, 3, 4), ()),
        ("i->i", (67,), (67,)),
    ):
        operand = given(element, moderate(element, shape))
        near = accumulating(element, operand.array.size)
        yield call(
            "stablehlo.unary_einsum",
            [operand],
            [tensor(element, result)],
            f'einsum_config = "{config}"',
            tolerance=near,
        )


def _torch_index_select(element: str) -> Iterator[Case]:
    forms = (
        ((5, 3), (4,), 0, 0, (4, 3)),
        ((2, 5, 3), (2, 4), 1, 1, (2, 4, 3)),
        ((5, 3), (2, 2), 1, 0, (5, 2, 2)),
        ((6,), (), 0, 0, ()),
    )
    for shape, index, dim, batch, result in forms:
        inputs = [given(element, at_edges(element, shape)), indices("i32", index, shape[dim], 2)]
        attributes = f"dim = {dim} : i64, batch_dims = {batch} : i64"
        yield call("stablehlo.torch_index_select", inputs, [tensor(element, result)], attributes)


def _create_token(element: str) -> Iterator[Case]:
    operand = given(element, at_edges(element, (3, 5)))
    text = f"""%t = "stablehlo.create_token"() : () -> {TOKEN}
    %out0, %u = "stablehlo.optimization_barrier"(%in0, %t)
      : ({operand.type}, {TOKEN}) -> ({operand.type}, {TOKEN})"""
    yield Case("token", text, (operand,), (operand.type,))


def _cross_replica_sum(element: str) -> Iterator[Case]:
    for shape in SHAPES:
        operand = given(element, small(element, shape))
        yield call("stablehlo.cross-replica-sum", [operand], [operand.type], ONE)


ROWS = (
    Row("stablehlo.broadcast", TENSOR + QUANTIZED, _broadcast),
    Row("stablehlo.create_token", ("i32", "f32"), _create_token),
    Row("stablehlo.cross-replica-sum", TENSOR + QUANTIZED, _cross_replica_sum),
    Row("stablehlo.dot", TENSOR + QUANTIZED, _dot),
    Row("stablehlo.einsum", TENSOR + QUANTIZED, _einsum),
    Row("stablehlo.torch_index_select", TENSOR + QUANTIZED, _torch_index_select),
    Row("stablehlo.unary_einsum", TENSOR + QUANTIZED, _unary_einsum),
)
