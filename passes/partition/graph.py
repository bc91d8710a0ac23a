"""The ops of a function as a graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shlo_tools import ir, mlir
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.stages.folds import Group
from shlo_tools.codegen.stages.nodes import OPS, Extent
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.partition.kinds import ALONE, CONTROL_OPS, Kind, Kinds, Types
from shlo_tools.passes.simplify.values import splat

WEIGHTS = {"memref.get_global", "bufferization.to_tensor"}  # how large constants are read
SOURCES = {"iota", "constant"}
VIEWS = {"broadcast_in_dim", "reshape", "transpose", "slice", "reverse", "dynamic_slice"}
CONTRACTIONS = {"dot_general", "convolution"}
_DOT_DIMENSIONS = "dot_dimension_numbers"
# What is left out where nobody reads it: neither calls of the host, which may fail, nor loops that
# may not end, which the reference runs.
NEEDLESS = Effects(host_calls=False, endless=False)
_EFFECTS = Effects()
NOT_ELEMENTWISE = {*OPS, *ALONE, "op", "result"} - {"bitcast_convert"}
# Elementwise ops that take long enough not to be computed again for each stage that reads them.
DEAR = {"divide", "sqrt", "rsqrt", "remainder", *maths.OPS}


@dataclass(eq=False, repr=False)
class Stage:
    """What is computed together.

    Attributes:
        number: stages are numbered in order; a stage reads results of earlier ones only.
        kind: ``map``, ``row`` (reduces trailing dimensions and may go on with its rows),
            ``reduction`` (reduces any dimensions and goes on with the sums), ``column`` (reduces
            dimensions in front of the last ones and goes on with all that it reduced),
            ``contraction``; that of an op alone; ``host``: an op alone that is a call of the host
            or of another library; ``control``: control flow, which stays; ``op``: an op that no
            kernel computes.
        count: elements of its full values.
        rows, columns: how those split, where the stage says so; columns are the sums of a
            reduction.
        groups: of a reduction: sizes of neighbouring dimensions, and whether they are reduced.
        repeats: whether it computes elements once for each of several orders that it has them in.
    """

    number: int
    kind: str
    count: Extent = 0
    rows: Extent | None = None
    columns: Extent | None = None
    groups: tuple[Group, ...] | None = None
    members: list[Op] = field(default_factory=list)
    repeats: bool = False


class Op:
    """A value: an op of one result, or one of several results; or an op that makes such.

    Attributes:
        operation: the op, or the one whose result it is.
        kind: what it shares with other ops; ``result`` of each result of an op that no kernel
            computes, or of one of several results.
        operands: other ops, and arguments of the function.
        inner: its operands that are no arguments.
        type: None where results say what it makes.
        type_number: of what it makes.
        outside: shapes of the function's arguments, by value.
        captured: what its regions use from around, where it has no type.
        stage, place: where it is computed: ``full``, ``row`` or ``result`` (of a reduction).
        is_cheap: every stage that reads it computes it again.
        depth: how many cheap ops rest on each other here.
        is_constant: it rests on no argument.
    """

    stage: Stage | None = None
    place = ""
    is_cheap = False
    depth = 0
    is_constant = False
    is_returned = False
    captured: Sequence[Value] = ()

    def __init__(
        self,
        operation: Operation,
        kind: Kind,
        operands: Sequence[Op | Value],
        inner: Sequence[Op],
        outside: dict[Value, tuple[Extent, ...]],
        value: Value | None = None,
        type_number: int = -1,
    ) -> None:
        self.operation, self.kind, self.name = operation, kind, kind.name
        self.operands, self.inner, self.outside = operands, inner, outside
        self.type, self.value, self.type_number = kind.type, value, type_number
        self.shape, self.count = kind.shape, kind.count
        self.users: list[Op] = []
        for operand in inner:
            operand.users.append(self)

    def shape_of(self, place: int) -> tuple[Extent, ...]:
        """The shape of an operand."""
        operand = self.operands[place]
        return operand.shape if isinstance(operand, Op) else self.outside[operand]

    def integers(self, name: str) -> tuple[int, ...]:
        """The numbers in an attribute, which is read once for all ops of a kind."""
        known = self.kind.integers.get(name)
        if known is None:
            known = self.kind.integers[name] = tuple(ir.integers_of(self.operation, name))
        return known

    @property
    def dot_dimensions(self) -> Mapping[str, Sequence[int]]:
        """The dimension numbers of a ``dot_general``, which are read once for all of a kind."""
        known = self.kind.dot_dimensions
        if not known:
            known |= DOT_DIMENSION_NUMBERS.decode(self.operation.attributes[_DOT_DIMENSIONS])
        return known

    @property
    def is_elementwise(self) -> bool:
        return self.type is not None and self.name not in NOT_ELEMENTWISE

    @property
    def parts(self) -> list[Op]:
        """The results of an op without a type, in order."""
        return [u for u in self.users if u.name == "result" and u.operation is self.operation]


@dataclass
class Graph:
    """A function's ops in order, and what it returns; ``outside`` as ops have it."""

    ops: list[Op]
    end: Operation
    returned: list[Op | Value]
    outside: dict[Value, tuple[Extent, ...]]


def read(block: mlir.Block, kinds: Kinds) -> Graph:
    """The graph of a block of a function or of control flow.

    What the block computes twice, it does not: programs are written by machines, which repeat half
    of their scalars' ops.
    """
    types, sources, ops = kinds.types, _Sources(kinds.types), list[Op]()
    shapes, makers = sources.shapes, sources.makers
    unique, repeated = dict[Hashable, Op](), list[Operation]()
    several = dict[Hashable, Operation]()  # of several results, or calls
    for view in block.operations:
        op = view.operation
        name = op.name
        if name in WEIGHTS:
            continue  # stays; what it makes is used as arguments are
        operands, inner, numbers = sources.of(op.operands)
        if name in _ENDS:
            for operand in inner:
                operand.is_returned = True
            for repetition in repeated:
                repetition.erase()
            return Graph(_needed(ops), op, operands, shapes)
        count, results = len(numbers), list(op.results)
        numbers += [types.number(result.type) for result in results]
        kind = kinds.of(op, name, numbers)
        if kind.type is not None:
            (result,) = results
            key = (kind.number, *operands)
            same = unique.get(key) or _same(kind, operands, numbers)
            value = same.value if isinstance(same, Op) else same
            if value is not None:
                result.replace_all_uses_with(value)
                repeated.append(op)
                continue
            node = Op(op, kind, operands, inner, shapes, result, numbers[-1])
            unique[key] = makers[result] = node
            ops.append(node)
            continue
        captured = ir.captured(op)
        if not captured and name not in CONTROL_OPS and _EFFECTS.only_computes(op):
            known = several.setdefault((kind.number, *operands), op)
            if known is not op:
                for result, same in zip(results, known.results, strict=True):
                    result.replace_all_uses_with(same)
                repeated.append(op)
                continue
        around, others, _ = sources.of(captured)
        whole = Op(op, kind, operands + around, inner + others, shapes)
        whole.captured = captured
        ops.append(whole)
        for result, number in zip(results, numbers[count:], strict=True):
            kind = kinds.of_result(types.of(result))
            node = makers[result] = Op(op, kind, (whole,), (whole,), shapes, result, number)
            ops.append(node)
    raise RuntimeError("a block without an end")


_ENDS = ("func.return", "stablehlo.return")
_SPREADING = ("broadcast_in_dim", "convert", "reshape")  # 0 and 1 are the same in any type
_NEUTRAL = {"add": 0, "multiply": 1}


def _same(kind: Kind, operands: Sequence[Op | Value], numbers: Sequence[int]) -> Op | Value | None:
    """The operand that an op gives back: x * 1, x + 0 of integers, x in its own type."""
    *types, type = numbers
    if kind.name == "convert":
        return operands[0] if types == [type] else None
    neutral = _NEUTRAL.get(kind.name)
    if neutral is None or kind.type is None or types != [type, type]:
        return None
    element = kind.type.element_type  # -0.0 + 0 is 0.0, and inf * (1 + 0i) has a NaN
    if not (element.is_integer or (element.is_float and neutral)):
        return None
    one, other = operands
    if _is_number(other, neutral):
        return one
    return other if _is_number(one, neutral) else None


def _is_number(operand: Op | Value, number: int) -> bool:
    """Whether constants say that all elements of a value are 0, or 1."""
    while isinstance(operand, Op) and operand.name in _SPREADING:
        operand = operand.operands[0]
    if not isinstance(operand, Op) or operand.name != "constant" or operand.value is None:
        return False
    element = splat(operand.value)
    return element is not None and bool(element == number)


class _Sources:
    """Where the values of a block come from.

    Attributes:
        makers: what makes them.
        shapes: those of values that no op of the block makes.
    """

    def __init__(self, types: Types) -> None:
        self.makers: dict[Value, Op] = {}
        self.shapes: dict[Value, tuple[Extent, ...]] = {}
        self._types, self._numbers = types, dict[Value, int]()

    def of(self, values: Iterable[Value]) -> tuple[list[Op | Value], list[Op], list[int]]:
        """What makes values, or they themselves; the former alone; and numbers of their types."""
        sources: list[Op | Value] = []
        inner: list[Op] = []
        numbers: list[int] = []
        for value in values:
            op = self.makers.get(value)
            if op is None:
                sources.append(value)
                numbers.append(self._outside(value))
            else:
                sources.append(op)
                inner.append(op)
                numbers.append(op.type_number)
        return sources, inner, numbers

    def _outside(self, value: Value) -> int:
        if value not in self._numbers:
            self._numbers[value] = self._types.number(value.type)
            known = self._types.of(value)
            self.shapes[value] = known.shape if known else ()
        return self._numbers[value]


def _needed(ops: list[Op]) -> list[Op]:
    """Ops without those that nobody reads and that only make values; those are erased."""
    unread: set[Op] = set()
    for op in reversed(ops):
        if op.is_returned or not unread.issuperset(op.users):
            continue
        is_value = op.type or op.name == "result"
        if is_value or NEEDLESS.only_computes(op.operation):
            unread.add(op)
            if op.name != "result":
                op.operation.erase()
    # An op that stays keeps its results, whoever reads them.
    gone = {op for op in unread if op.name != "result" or op.inner[0] in unread}
    if not gone:
        return ops
    for op in ops:
        op.users = [user for user in op.users if user not in gone]
    return [op for op in ops if op not in gone]


def is_first_of_sorted(op: Op) -> bool:
    """Whether a slice is all that is wanted of a sorted value: as many first elements of each."""
    if op.name != "slice" or op.operation.name != "stablehlo.slice" or not op.inner:
        return False
    (source,) = op.inner
    (whole,) = source.inner if source.name == "result" else (source,)
    if whole.name != "sort":
        return False
    values = whole.parts or [whole]
    users = [user for value in values for user in value.users]
    dimension = ir.integer_of(whole.operation, "dimension")
    full = [n for d, n in enumerate(source.shape) if d != dimension]
    return not any(value.is_returned for value in values) and all(
        user.name == "slice"
        and user.shape == op.shape
        and [n for d, n in enumerate(user.shape) if d != dimension] == full
        and not any(user.integers("start_indices"))
        and set(user.integers("strides")) <= {1}
        for user in users
    )
