"""A stage's function as nodes, read straight from StableHLO.

What an op computes on scalars is the legalization's own rule; here stands only which ops there are
and where they read their operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.lowered import ROWS, STAGE
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    constant_value,
)
from shlo_tools.codegen.stages.reading import Reader
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.bitcast import joined_bits, part_of_bits
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.stages.vectors import VectorEmit, as_held, as_number

_I64 = dtypes.ELEMENT_TYPES["i64"]


def read(func: Operation) -> Stage:
    """The nodes of a stage's function.

    Raises:
        UnsupportedStage: it holds an op that kernels do not read.
    """
    block = func.regions[0].blocks[0]
    rows = numbers_of(func, ROWS) if ROWS in func.attributes else ()
    split = (rows[0], rows[1]) if rows else None
    stage = Stage(ir.symbol_name(func), ir.text_of(func, STAGE), split, [])
    nodes: dict[mlir.Value, Node] = {}
    for place, argument in enumerate(block.arguments):
        type = dtypes.tensor_type(argument.type)
        node = Node(NodeKind.INPUT, _shape(type), type.element_type, number=place)
        stage.arguments.append(node)
        nodes[argument] = node
    for view in block.operations:
        op = mlir.inner_operation(view)
        operands = [nodes[value] for value in op.operands]
        if op.name == "func.return":
            stage.results = operands
            return stage
        node = _node(op, operands)
        nodes[op.results[0]] = node
        for number, result in enumerate(op.results if len(op.results) > 1 else ()):
            type = dtypes.tensor_type(result.type)
            shape, element = _shape(type), type.element_type
            nodes[result] = Node(NodeKind.RESULT, shape, element, (node,), number=number)
    raise UnsupportedStage("a function without an end")


def _shape(type: TensorType) -> tuple[int, ...]:
    shape = tuple(size for size in type.shape if isinstance(size, int))
    if len(shape) != type.rank:
        raise UnsupportedStage("unknown sizes")
    return shape


def _node(op: Operation, operands: Sequence[Node]) -> Node:
    dialect, _, name = op.name.partition(".")
    if (dialect == "stablehlo" and name in _READERS) or op.name == "arith.constant":
        return _READERS[name](op, tuple(operands))
    if op.name in SCALARS:
        return _elementwise(op, tuple(operands))
    raise UnsupportedStage(op.name)


Read = Callable[[Operation, tuple[Node, ...]], Node]
_READERS: dict[str, Read] = {}


def _reads(rule: Read) -> Read:
    _READERS[rule.__name__] = rule
    return rule


def _typed(op: Operation, kind: NodeKind, operands: tuple[Node, ...] = (), **fields: Any) -> Node:
    type = dtypes.tensor_type(op.results[0].type)
    return Node(kind, _shape(type), type.element_type, operands, **fields)


def _element(value: mlir.Value) -> dtypes.ElementType:
    return dtypes.tensor_type(value.type).element_type


def _rule(op: Operation) -> Callable[[Reader, Sequence[Value]], Value]:
    scalar: Any = SCALARS[op.name]
    elements = [_element(operand) for operand in op.operands]

    def rule(reader: Reader, values: Sequence[Value]) -> Value:
        operands = map(as_number, values, elements)
        return as_held(scalar(VectorEmit(op, reader), *operands))

    return rule


def _elementwise(op: Operation, operands: tuple[Node, ...]) -> Node:
    return _typed(op, NodeKind.ELEMENTWISE, operands, rule=_rule(op))


@_reads
def constant(op: Operation, operands: tuple[Node, ...]) -> Node:
    value = op.attributes["value"]
    is_splat = getattr(value, "is_splat", False)
    array = dtypes.splat_element(value) if is_splat else dtypes.from_attribute(value)
    type = dtypes.tensor_type(op.results[0].type)
    number = constant_value(array, type.element_type)
    if number is None:
        raise UnsupportedStage("a constant of several numbers")  # those are taken out before
    return _typed(op, NodeKind.CONSTANT, value=number)


@_reads
def iota(op: Operation, operands: tuple[Node, ...]) -> Node:
    cast: Any = partial(cast_scalar, source=_I64, target=_element(op.results[0]))

    def rule(reader: Reader, values: Sequence[Value]) -> Value:
        return as_held(cast(VectorEmit(op, reader), values[0]))

    return _typed(op, NodeKind.IOTA, dimensions=(_number(op, "iota_dimension"),), rule=rule)


@_reads
def bitcast_convert(op: Operation, operands: tuple[Node, ...]) -> Node:
    source, target = _element(op.operands[0]), _element(op.results[0])
    if source.bits == target.bits:
        return _elementwise(op, operands)
    cut: Any = partial(part_of_bits, source=source, target=target)
    join: Any = partial(joined_bits, source=source, target=target)

    def rule(reader: Reader, values: Sequence[Value]) -> Value:
        """Of a wider element and the number of the part, or of all the narrower ones."""
        emit = VectorEmit(op, reader)
        if source.bits > target.bits:
            return as_held(cut(emit, as_number(values[0], source), values[1]))
        return as_held(join(emit, [as_number(value, source) for value in values]))

    return _typed(op, NodeKind.BITCAST, operands, rule=rule)


@_reads
def broadcast_in_dim(op: Operation, operands: tuple[Node, ...]) -> Node:
    dimensions = numbers_of(op, "broadcast_dimensions")
    return _typed(op, NodeKind.BROADCAST, operands, dimensions=dimensions)


@_reads
def reshape(op: Operation, operands: tuple[Node, ...]) -> Node:
    return _typed(op, NodeKind.RESHAPE, operands)


@_reads
def transpose(op: Operation, operands: tuple[Node, ...]) -> Node:
    return _typed(op, NodeKind.TRANSPOSE, operands, dimensions=numbers_of(op, "permutation"))


@_reads
def slice(op: Operation, operands: tuple[Node, ...]) -> Node:
    starts, steps = numbers_of(op, "start_indices"), numbers_of(op, "strides")
    return _typed(op, NodeKind.SLICE, operands, starts=starts, steps=steps)


@_reads
def reverse(op: Operation, operands: tuple[Node, ...]) -> Node:
    return _typed(op, NodeKind.REVERSE, operands, dimensions=numbers_of(op, "dimensions"))


@_reads
def pad(op: Operation, operands: tuple[Node, ...]) -> Node:
    low, interior = numbers_of(op, "edge_padding_low"), numbers_of(op, "interior_padding")
    steps = tuple(k + 1 for k in interior)
    return _typed(op, NodeKind.PAD, operands, starts=low, steps=steps)


@_reads
def concatenate(op: Operation, operands: tuple[Node, ...]) -> Node:
    dimension = (_number(op, "dimension"),)
    return _typed(op, NodeKind.CONCATENATE, operands, dimensions=dimension)


@_reads
def reduce(op: Operation, operands: tuple[Node, ...]) -> Node:
    body = combining_op(op)
    if body is None:
        raise UnsupportedStage("a reduction by several ops")
    return _typed(
        op,
        NodeKind.REDUCE,
        operands,
        dimensions=numbers_of(op, "dimensions"),
        combine=body.name.partition(".")[2],
        rule=_rule(body),
    )


def combining_op(op: Operation) -> Operation | None:
    """The op that a reduction of one tensor repeats, where it is only one."""
    block = op.regions[0].blocks[0]
    body = [mlir.inner_operation(view) for view in block.operations]
    if len(op.results) != 1 or len(body) != 2 or len(body[0].operands) != 2:
        return None
    first, end = body
    used = set(first.operands) == set(block.arguments)
    is_known = first.name in SCALARS
    return first if used and is_known and end.operands[0] == first.results[0] else None


@_reads
def dot_general(op: Operation, operands: tuple[Node, ...]) -> Node:
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    sides = []
    for side, node in zip(("lhs", "rhs"), operands, strict=True):
        batch = tuple(numbers.get(f"{side}_batching_dimensions", ()))
        summed = tuple(numbers.get(f"{side}_contracting_dimensions", ()))
        free = tuple(d for d in range(len(node.shape)) if d not in (*batch, *summed))
        sides.append((batch, summed, free))
    return _typed(op, NodeKind.DOT, operands, contraction=tuple(sides))


def numbers_of(op: Operation, name: str) -> tuple[int, ...]:
    """An attribute that is an array of integers."""
    values: Any = op.attributes[name]
    return tuple(int(value) for value in values)


def _number(op: Operation, name: str) -> int:
    attribute: Any = op.attributes[name]
    return int(attribute.value)
