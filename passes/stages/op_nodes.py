"""Nodes that have the type of an op's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Rule
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.dtypes import ElementType
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.stages.vectors import VectorEmit, as_held, as_number


def typed(op: Operation, kind: NodeKind, operands: tuple[Node, ...] = (), **fields: Any) -> Node:
    """A node of the shape and element type of an op's first result."""
    type = named_sizes.type_of(op.results[0])
    return Node(kind, type.shape, type.element_type, operands, **fields)


def converted(op: Operation, node: Node, element: ElementType) -> Node:
    """The elements of a node as those of another type."""
    if node.element == element:
        return node
    rule = rule_of_cast(op, node.element, partial(cast_scalar, source=node.element, target=element))
    return Node(NodeKind.ELEMENTWISE, node.shape, element, (node,), rule=rule)


def rule_of_cast(op: Operation, source: ElementType, cast: Callable[[Any, Any], Any]) -> Rule:
    """What a function of the legalization makes of elements."""

    def rule(reader: Memory, values: Sequence[Value]) -> Value:
        return as_held(cast(VectorEmit(op, reader), as_number(values[0], source)))

    return rule
