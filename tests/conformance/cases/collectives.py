"""Collectives of a process that is alone in its grid; grids of several are simulated elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cases._case import Case, Row, call, given
from cases._inputs import at_edges, small
from cases._regions import reducer
from cases._types import QUANTIZED, TENSOR

# The first dimension is gathered or scattered along: the verifier wants it not to be empty.
SHAPES = ((3, 5), (1,), (2, 0), (5, 67), (2, 1, 3, 1, 2, 3))
ONE = "replica_groups = dense<0> : tensor<1x1xi64>"
NONE = "replica_groups = dense<> : tensor<1x0xi64>"


def _moving(op: str, *attributes: str) -> Callable[[str], Iterator[Case]]:
    """Collectives that compute nothing."""

    def build(element: str) -> Iterator[Case]:
        for array in attributes:
            for shape in SHAPES:
                operand = given(element, at_edges(element, shape))
                yield call(op, [operand], [operand.type], array)

    return build


def _combining(op: str, more: str = "") -> Callable[[str], Iterator[Case]]:
    def build(element: str) -> Iterator[Case]:
        for shape in SHAPES:
            operand = given(element, small(element, shape))
            yield call(op, [operand], [operand.type], ONE + more, regions=reducer("add", element))

    return build


def _id(op: str) -> Callable[[str], Iterator[Case]]:
    def build(element: str) -> Iterator[Case]:
        yield call(op, [], ["tensor<ui32>"], label=op)

    return build


PER_TENSOR = TENSOR + QUANTIZED
PERMUTED = (
    "source_target_pairs = dense<0> : tensor<1x2xi64>",
    "source_target_pairs = dense<> : tensor<0x2xi64>",
)

ROWS = (
    Row(
        "stablehlo.all_gather",
        PER_TENSOR,
        _moving("stablehlo.all_gather", f"all_gather_dim = 0 : i64, {ONE}"),
    ),
    Row("stablehlo.all_reduce", PER_TENSOR, _combining("stablehlo.all_reduce")),
    Row(
        "stablehlo.all_to_all",
        PER_TENSOR,
        _moving(
            "stablehlo.all_to_all",
            f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, {ONE}",
        ),
    ),
    Row(
        "stablehlo.collective_broadcast", PER_TENSOR, _moving("stablehlo.collective_broadcast", ONE)
    ),
    Row(
        "stablehlo.collective_permute",
        PER_TENSOR,
        _moving("stablehlo.collective_permute", *PERMUTED),
    ),
    Row("stablehlo.collective_reduce", PER_TENSOR, _combining("stablehlo.collective_reduce")),
    Row(
        "stablehlo.reduce_scatter",
        PER_TENSOR,
        _combining("stablehlo.reduce_scatter", ", scatter_dimension = 0 : i64"),
    ),
    Row("stablehlo.partition_id", ("ui32",), _id("stablehlo.partition_id")),
    Row("stablehlo.replica_id", ("ui32",), _id("stablehlo.replica_id")),
)
