"""Products and convolutions as nodes: sums in the type that they are kept in, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.library.contractions import element_copies
from shlo_tools.codegen.stages.contractions.convolutions import Convolution, Window
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Rule,
    UnsupportedStage,
)
from shlo_tools.codegen.stages.reading.elements import register_type
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.convolution import spatial_dimensions
from shlo_tools.passes.legalize_to_linalg.dot_algorithm import algorithm_of, rounded_operand
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulation_type
from shlo_tools.passes.stages.op_nodes import converted, rule_of_cast


def dot_general(op: Operation, operands: tuple[Node, ...], *, packs: bool = True) -> Node:
    """A product; where nothing ``packs`` its operands, all have rules that make factors of them."""
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    sides = []
    for side, node in zip(("lhs", "rhs"), operands, strict=True):
        batch = tuple(numbers.get(f"{side}_batching_dimensions", ()))
        summed = tuple(numbers.get(f"{side}_contracting_dimensions", ()))
        free = tuple(d for d in range(len(node.shape)) if d not in (*batch, *summed))
        sides.append((batch, summed, free))
    result = named_sizes.type_of(op.results[0])
    algorithm = algorithm_of(op)
    sums = sums_of(op, result.element_type)
    casts = [_cast(op, node.element, sums, packs=packs) for node in operands]
    if algorithm is not None:
        casts = [
            rule_of_cast(
                op, n.element, partial(rounded_operand, source=n.element, precision=p, target=sums)
            )
            for n, p in zip(operands, algorithm.precisions, strict=True)
        ]
    node = Node(
        NodeKind.DOT,
        result.shape,
        sums,
        operands,
        contraction=tuple(sides),
        casts=tuple(casts),
    )
    return converted(op, node, result.element_type)


def convolution(op: Operation, operands: tuple[Node, ...]) -> Node:
    lhs, rhs = (tensor_type(value.type) for value in op.operands)
    result = tensor_type(op.results[0].type)
    if len(result.shape) > 5:
        raise UnsupportedStage("a convolution of more than three dimensions")
    sums = sums_of(op, result.element_type)
    node = Node(
        NodeKind.CONVOLUTION,
        result.static_shape,
        sums,
        operands,
        casts=tuple(_cast(op, operand.element, sums) for operand in operands),
        attributes=_attributes(op, lhs, rhs, result),
    )
    return converted(op, node, result.element_type)


def _attributes(op: Operation, lhs: TensorType, rhs: TensorType, result: TensorType) -> Convolution:
    numbers = CONVOLUTION_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    spatial: Sequence[Any] = spatial_dimensions(op, lhs, rhs, result)
    flags: Sequence[bool] = [False] * len(spatial)
    if "window_reversal" in op.attributes:
        listed: Any = op.attributes["window_reversal"]
        flags = list(listed)
    windows = tuple(
        Window(
            *(d.size, d.window, d.stride, d.low, d.base_dilation, d.dilation, d.count),
            is_reversed=bool(flag),
        )
        for d, flag in zip(spatial, flags, strict=True)
    )

    def places(kind: str, *names: str) -> tuple[int, ...]:
        ends = (numbers[f"{kind}_{name}_dimension"] for name in names)
        return (*ends, *numbers[f"{kind}_spatial_dimensions"])

    feature_groups: Any = op.attributes["feature_group_count"]
    batch_groups: Any = op.attributes["batch_group_count"]
    return Convolution(
        windows,
        places("input", "batch", "feature"),
        places("kernel", "input_feature", "output_feature"),
        places("output", "batch", "feature"),
        feature_groups.value,
        batch_groups.value,
    )


def sums_of(op: Operation, result: ElementType) -> ElementType:
    """What sums of products are kept in: integers wrap, so a wider type gives the same bits."""
    algorithm = algorithm_of(op) if op.name == "stablehlo.dot_general" else None
    element = accumulation_type(algorithm.accumulation if algorithm else result)
    if element.is_boolean:
        return ELEMENT_TYPES["ui32"]  # how many products are true
    if element.is_integer and element.bits < 32:
        return ELEMENT_TYPES["ui32" if element.name.startswith("u") else "i32"]
    return element


def _cast(
    op: Operation, source: ElementType, sums: ElementType, *, packs: bool = True
) -> Rule | None:
    """What makes factors of elements; None where packing does."""
    is_packed = packs and not sums.is_complex
    if source == sums or (is_packed and element_copies.converts(source.name, register_type(sums))):
        return None
    return rule_of_cast(op, source, partial(cast_scalar, source=source, target=sums))
