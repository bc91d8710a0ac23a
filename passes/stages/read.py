"""A stage's function as nodes, read straight from StableHLO.

What an op computes on scalars is the legalization's own rule; here stands only which ops there are
and where they read their operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.lowered import ELEMENTS, ROWS, SHAPES, STAGE
from shlo_tools.codegen.stages.folds import is_number, known_number, neutral_number
from shlo_tools.codegen.stages.nodes import (
    CONTROL,
    Extent,
    Node,
    NodeKind,
    Regions,
    Stage,
    UnsupportedStage,
    are_known,
    is_one,
    used_dimensions,
)
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.codegen.stages.sorts.orders import Sorting
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.bits import joined_bits, part_of_bits
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.stages.op_nodes import typed
from shlo_tools.passes.stages.read_contraction import convolution, dot_general
from shlo_tools.passes.stages.read_places import gather, scatter, sizes_in
from shlo_tools.passes.stages.read_random import rng, rng_bit_generator
from shlo_tools.passes.stages.read_reduction import reduce, reduce_window, select_and_scatter
from shlo_tools.passes.stages.read_sort import sort_key
from shlo_tools.passes.stages.regions import number_of, region, rule_of
from shlo_tools.passes.stages.vectors import VectorEmit, as_held, as_number
from shlo_tools.program.loop_counts import iterations

_I32, _I64 = ELEMENT_TYPES["i32"], ELEMENT_TYPES["i64"]


def read(func: Operation) -> Stage:
    """The nodes of a stage's function.

    Raises:
        UnsupportedStage: it holds an op that kernels do not read.
    """
    block = func.regions[0].blocks[0]
    split = _split(func)
    stage = Stage(ir.symbol_name(func), ir.text_of(func, STAGE), split, [])
    nodes: dict[mlir.Value, Node] = {}
    for place, argument in enumerate(block.arguments):
        type = named_sizes.type_of(argument)
        node = Node(NodeKind.INPUT, type.shape, type.element_type, number=place)
        stage.arguments.append(node)
        nodes[argument] = node
    stage.results = _read_block(block, nodes, stage.kind)
    return stage


def _read_block(block: mlir.Block, nodes: dict[mlir.Value, Node], kind: str) -> list[Node]:
    """Read the ops of a block; what it returns."""
    for view in block.operations:
        op = mlir.inner_operation(view)
        operands = [nodes[value] for value in op.operands]
        if op.name in ("func.return", "stablehlo.return"):
            return operands
        is_control = op.name in _CONTROL
        node = _control(op, operands, nodes, kind) if is_control else _node(op, operands, kind)
        nodes[op.results[0]] = node
        for number, result in enumerate(op.results if is_control or len(op.results) > 1 else ()):
            nodes[result] = _of_type(NodeKind.RESULT, result, (node,), number)
    raise UnsupportedStage("a block without an end")


def _of_type(kind: NodeKind, value: mlir.Value, operands: tuple[Node, ...], number: int) -> Node:
    type = named_sizes.type_of(value)
    return Node(kind, type.shape, type.element_type, operands, number=number)


_CONTROL = {f"stablehlo.{kind.value}": kind for kind in CONTROL}


def _control(
    op: Operation, operands: Sequence[Node], nodes: dict[mlir.Value, Node], kind: str
) -> Node:
    """Control flow with its regions, which is read where a stage of tiny tensors holds it."""
    if kind != "tiny":
        raise UnsupportedStage(op.name)
    parameters, results = [], []
    for part in op.regions:
        (block,) = part.blocks
        inside = [
            _of_type(NodeKind.PARAMETER, argument, (), number)
            for number, argument in enumerate(block.arguments)
        ]
        nodes |= dict(zip(block.arguments, inside, strict=True))
        parameters.append(tuple(inside))
        results.append(tuple(_read_block(block, nodes, kind)))
    captured = [nodes[value] for value in ir.captured(op)]
    times = iterations(op) or 0 if op.name == "stablehlo.while" else 0
    regions = Regions(tuple(parameters), tuple(results), times)
    inputs = (*operands, *captured)
    return Node(_CONTROL[op.name], (), ELEMENT_TYPES["i1"], inputs, attributes=regions)


def _split(func: Operation) -> tuple[Extent, Extent] | None:
    """Rows and columns of a stage."""
    if ROWS not in func.attributes:
        return None
    text = getattr(func.attributes[ROWS], "value", None)
    rows, columns = named_sizes.shape(text) if text else ir.integers_of(func, ROWS)
    return rows, columns


# Ops that kernels read whose sizes run time tells; elementwise ones beside.
_SIZED = {
    *("broadcast_in_dim", "cast", "dynamic_broadcast_in_dim", "dynamic_iota", "dynamic_reshape"),
    *("concatenate", "dot_general", "dynamic_gather", "dynamic_pad", "dynamic_slice"),
    *("dynamic_update_slice", "gather", "pad"),
    *("real_dynamic_slice", "reduce", "reverse", "slice", "transpose"),
}


def _node(op: Operation, operands: Sequence[Node], kind: str) -> Node:
    if ELEMENTS in op.attributes:
        return _sizes(op)
    dialect, _, name = op.name.partition(".")
    is_sized = SHAPES in op.attributes or any(mlir.is_dynamic(v.type) for v in op.operands)
    if is_sized and name not in _SIZED and op.name not in SCALARS:
        raise UnsupportedStage(f"{op.name} of unknown sizes")
    if kind in ("tiny", "batched") and op.name == "stablehlo.dot_general":
        return dot_general(op, tuple(operands), packs=False)
    if (dialect == "stablehlo" and name in _READERS) or op.name in (
        "arith.constant",
        "tensor.cast",
    ):
        return _READERS[name](op, tuple(operands))
    if op.name in SCALARS:
        return _elementwise(op, tuple(operands))
    raise UnsupportedStage(op.name)


Read = Callable[[Operation, tuple[Node, ...]], Node]
_READERS: dict[str, Read] = {
    "dot_general": dot_general,
    "convolution": convolution,
    "gather": gather,
    "dynamic_gather": gather,
    "reduce": reduce,
    "reduce_window": reduce_window,
    "scatter": scatter,
    "select_and_scatter": select_and_scatter,
    "rng": rng,
    "rng_bit_generator": rng_bit_generator,
}


def _reads(rule: Read) -> Read:
    _READERS[rule.__name__] = rule
    return rule


def _sizes(op: Operation) -> Node:
    """A tensor of sizes: a constant of one; several are read by ops that know them by name."""
    elements = named_sizes.shape(ir.text_of(op, ELEMENTS))
    value = elements[0] if len(elements) == 1 else elements
    return typed(op, NodeKind.CONSTANT, value=value)


def _element(value: mlir.Value) -> dtypes.ElementType:
    return dtypes.tensor_type(value.type).element_type


def _elementwise(op: Operation, operands: tuple[Node, ...]) -> Node:
    shapes = {operand.shape for operand in operands if operand.shape}
    if len(shapes) > 1:
        raise UnsupportedStage("operands whose sizes may differ")
    for node, other in zip(operands, reversed(operands), strict=True):
        if len(operands) == 2 and _leaves(op, node, other):
            return other
    name = op.name.rpartition(".")[2]
    return typed(op, NodeKind.ELEMENTWISE, operands, name=name, rule=rule_of(op))


def _leaves(op: Operation, node: Node, other: Node) -> bool:
    """Whether an op with a number leaves the other operand as it is: a maximum with -inf."""
    if known_number(node) is None or node.element != other.element:
        return False
    return is_number(node, neutral_number(op.name.removeprefix("stablehlo."), other.element))


@_reads
def constant(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(op, NodeKind.CONSTANT, value=number_of(op)[0])


@_reads
def iota(op: Operation, operands: tuple[Node, ...]) -> Node:
    cast: Any = partial(cast_scalar, target=_element(op.results[0]))

    def rule(reader: Memory, values: Sequence[Value]) -> Value:
        source = _I32 if values[0].type.bits == _I32.bits else _I64
        return as_held(cast(VectorEmit(op, reader), values[0], source=source))

    return typed(op, NodeKind.IOTA, dimensions=(ir.integer_of(op, "iota_dimension"),), rule=rule)


@_reads
def bitcast_convert(op: Operation, operands: tuple[Node, ...]) -> Node:
    source, target = _element(op.operands[0]), _element(op.results[0])
    if source.bits == target.bits:
        return _elementwise(op, operands)
    cut: Any = partial(part_of_bits, source=source, target=target)
    join: Any = partial(joined_bits, source=source, target=target)

    def rule(reader: Memory, values: Sequence[Value]) -> Value:
        """Of a wider element and the number of the part, or of all the narrower ones."""
        emit = VectorEmit(op, reader)
        if source.bits > target.bits:
            return as_held(cut(emit, as_number(values[0], source), values[1]))
        return as_held(join(emit, [as_number(value, source) for value in values]))

    return typed(op, NodeKind.BITCAST, operands, rule=rule)


@_reads
def broadcast_in_dim(op: Operation, operands: tuple[Node, ...]) -> Node:
    dimensions = tuple(ir.integers_of(op, "broadcast_dimensions"))
    source, shape = operands[0], named_sizes.type_of(op.results[0]).shape
    used = used_dimensions(dimensions, source.shape)
    if are_known(*shape) and math.prod(shape) == source.count and used == sorted(used):
        return typed(op, NodeKind.RESHAPE, operands[:1])
    return typed(op, NodeKind.BROADCAST, operands[:1], dimensions=dimensions)


@_reads
def reshape(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(op, NodeKind.RESHAPE, operands[:1])


_READERS["dynamic_broadcast_in_dim"] = broadcast_in_dim


@_reads
def real_dynamic_slice(op: Operation, operands: tuple[Node, ...]) -> Node:
    starts, _, steps = map(sizes_in, operands[1:])
    return typed(op, NodeKind.SLICE, operands[:1], starts=starts, steps=steps)


def _apart(operand: Node, interior: Sequence[Extent]) -> tuple[Extent, ...]:
    """How far apart padding puts elements; of one that is alone any number may be said."""
    pairs = zip(operand.shape, interior, strict=True)
    return tuple(1 if is_one(size) else gap + 1 for size, gap in pairs)


@_reads
def dynamic_pad(op: Operation, operands: tuple[Node, ...]) -> Node:
    low, _, interior = map(sizes_in, operands[2:])
    steps = _apart(operands[0], interior)
    return typed(op, NodeKind.PAD, operands[:2], starts=low, steps=steps)


_READERS["dynamic_iota"] = iota
_READERS["dynamic_reshape"] = reshape
_READERS["cast"] = reshape


@_reads
def transpose(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(
        op, NodeKind.TRANSPOSE, operands, dimensions=tuple(ir.integers_of(op, "permutation"))
    )


@_reads
def slice(op: Operation, operands: tuple[Node, ...]) -> Node:
    starts, steps = tuple(ir.integers_of(op, "start_indices")), tuple(ir.integers_of(op, "strides"))
    return typed(op, NodeKind.SLICE, operands, starts=starts, steps=steps)


@_reads
def reverse(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(op, NodeKind.REVERSE, operands, dimensions=tuple(ir.integers_of(op, "dimensions")))


@_reads
def pad(op: Operation, operands: tuple[Node, ...]) -> Node:
    low, interior = (
        tuple(ir.integers_of(op, "edge_padding_low")),
        tuple(ir.integers_of(op, "interior_padding")),
    )
    steps = _apart(operands[0], interior)
    return typed(op, NodeKind.PAD, operands, starts=low, steps=steps)


@_reads
def concatenate(op: Operation, operands: tuple[Node, ...]) -> Node:
    dimension = (ir.integer_of(op, "dimension"),)
    return typed(op, NodeKind.CONCATENATE, operands, dimensions=dimension)


@_reads
def dynamic_slice(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(op, NodeKind.DYNAMIC_SLICE, operands)


@_reads
def dynamic_update_slice(op: Operation, operands: tuple[Node, ...]) -> Node:
    return typed(op, NodeKind.DYNAMIC_UPDATE_SLICE, operands)


@_reads
def sort(op: Operation, operands: tuple[Node, ...]) -> Node:
    shape = operands[0].shape
    dimension = ir.integer_of(op, "dimension", missing=-1)
    place = dimension % len(shape) if shape else 0
    attributes = Sorting(place, region(op), sort_key(op, operands, constant))
    return typed(op, NodeKind.SORT, operands, attributes=attributes)
