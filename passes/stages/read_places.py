"""Gathers and scatters as nodes."""

from __future__ import annotations

from shlo_tools import ir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, UnsupportedStage
from shlo_tools.codegen.stages.reading.gather import IndexVectors, Slices
from shlo_tools.codegen.stages.scatter import Updates
from shlo_tools.mlir import Operation
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS, SCATTER_DIMENSION_NUMBERS
from shlo_tools.passes.stages.regions import region


def gather(op: Operation, operands: tuple[Node, ...]) -> Node:
    numbers = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    batching = tuple(numbers.get("operand_batching_dims", ()))
    vectors = IndexVectors(
        windows=tuple(numbers.get("offset_dims", ())),
        dropped=frozenset((*numbers.get("collapsed_slice_dims", ()), *batching)),
        starts=tuple(numbers.get("start_index_map", ())),
        vector=numbers.get("index_vector_dim", 0),
        batching=tuple(zip(batching, numbers.get("start_indices_batching_dims", ()), strict=True)),
    )
    source, indices, *named = operands
    sizes: tuple[Extent, ...] = tuple(ir.integers_of(op, "slice_sizes", ()))
    if named:  # of dynamic_gather
        sizes = sizes_in(named[0])
    if any(sizes[d] == 0 for d in vectors.dropped):
        raise UnsupportedStage("slices of nothing")
    return _node(op, NodeKind.GATHER, (source, indices), Slices(vectors, sizes))


def sizes_in(node: Node) -> tuple[Extent, ...]:
    """The sizes in an operand that holds such."""
    if node.kind is not NodeKind.CONSTANT or len(node.shape) != 1:
        raise UnsupportedStage("sizes that depend on data")
    return node.value if isinstance(node.value, tuple) else (node.value,) * node.count


def scatter(op: Operation, operands: tuple[Node, ...]) -> Node:
    numbers = SCATTER_DIMENSION_NUMBERS.decode(op.attributes["scatter_dimension_numbers"])
    batching = tuple(numbers.get("input_batching_dims", ()))
    vectors = IndexVectors(
        windows=tuple(numbers.get("update_window_dims", ())),
        dropped=frozenset((*numbers.get("inserted_window_dims", ()), *batching)),
        starts=tuple(numbers.get("scatter_dims_to_operand_dims", ())),
        vector=numbers.get("index_vector_dim", 0),
        batching=tuple(
            zip(batching, numbers.get("scatter_indices_batching_dims", ()), strict=True)
        ),
    )
    return _node(op, NodeKind.SCATTER, operands, Updates(vectors, region(op)))


def _node(
    op: Operation, kind: NodeKind, operands: tuple[Node, ...], attributes: Slices | Updates
) -> Node:
    type = named_sizes.type_of(op.results[0])
    return Node(kind, type.shape, type.element_type, operands, attributes=attributes)
