"""The ops of a function as a graph, read once: asking the bindings again and again is slow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from shlo_tools import ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.lowered import ELEMENTS, SHAPES
from shlo_tools.codegen.stages.folds import Group
from shlo_tools.codegen.stages.nodes import OPS, Extent, UnsupportedStage
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.legalize_to_linalg.host_calls import is_host_call
from shlo_tools.passes.normalize import result_accuracy
from shlo_tools.passes.stages.regions import region

WEIGHTS = {"memref.get_global", "bufferization.to_tensor"}  # how large constants are read
SOURCES = {"iota", "constant"}
VIEWS = {"broadcast_in_dim", "reshape", "transpose", "slice", "reverse", "dynamic_slice"}
CONTRACTIONS = {"dot_general", "convolution"}
# Ops that are a stage for themselves, by the kind of that stage.
ALONE = {
    "cholesky": "host",
    "concatenate": "concatenation",
    "custom_call": "host",
    "dynamic_update_slice": "update",
    "fft": "host",
    "reduce_window": "window",
    "rng": "map",
    "rng_bit_generator": "random",
    "scatter": "scatter",
    "select_and_scatter": "selection",
    "sort": "sort",
    "triangular_solve": "host",
}
NOT_ELEMENTWISE = {*OPS, *ALONE, "op", "result"} - {"bitcast_convert"}
# Ops whose regions are cut into stages, too.
CONTROL = {"while", "if", "case"}
_FOLDS = ("reduce", "reduce_window")  # repeat their region
# Ops whose sizes are operands, which ``shlo-name-sizes`` knows by name: what they are without.
SIZED = {
    "dynamic_broadcast_in_dim": "broadcast_in_dim",
    "dynamic_iota": "iota",
    "dynamic_pad": "pad",
    "dynamic_reshape": "reshape",
    "real_dynamic_slice": "slice",
}
# Elementwise ops that take long enough not to be computed again for each stage that reads them.
DEAR = {
    *("exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "sine"),
    *("cosine", "tan", "power", "atan2", "cbrt", "divide", "sqrt", "rsqrt", "remainder"),
}


@dataclass(eq=False, repr=False)
class Stage:
    """What is computed together.

    Attributes:
        number: stages are numbered in order; a stage reads results of earlier ones only.
        kind: ``map``, ``row`` (reduces trailing dimensions and may go on with its rows),
            ``reduction`` (reduces any dimensions and goes on with the sums), ``contraction``;
            that of an op alone; ``host``: an op alone that is a call of the host or of another
            library; ``control``: control flow, which stays; ``op``: an op that no kernel computes.
        count: elements of its full values.
        rows, columns: how those split, where the stage says so; columns are the sums of a
            reduction.
        groups: of a reduction: sizes of neighbouring dimensions, and whether they are reduced.
    """

    number: int
    kind: str
    count: Extent = 0
    rows: Extent | None = None
    columns: Extent | None = None
    groups: tuple[Group, ...] | None = None
    members: list[Op] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Op:
    """A value: an op of one result, or one of several results; or an op that makes such.

    Attributes:
        operation: the op, or the one whose result it is.
        name: without the dialect; ``op`` for one that no kernel computes; ``result`` for each
            result of such an op, or of one of several results.
        operands: other ops, and arguments of the function.
        type: None where ``result`` says what it makes.
        stage, place: where it is computed: ``full``, ``row`` or ``result`` (of a reduction).
        is_cheap: every stage that reads it computes it again.
        depth: how many cheap ops rest on each other here.
        is_constant: it rests on no argument.
        outside: shapes of the function's arguments, by value.
    """

    operation: Operation
    name: str
    operands: list[Op | Value]
    type: TensorType | None
    value: Value | None = None
    users: list[Op] = field(default_factory=list)
    stage: Stage | None = None
    place: str = ""
    is_cheap: bool = False
    depth: int = 0
    is_constant: bool = False
    is_returned: bool = False
    outside: dict[Value, tuple[Extent, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shape: tuple[Extent, ...] = self.type.shape if self.type else ()
        self.count: Extent = math.prod(self.shape) if self.type else -1
        for operand in self.operands:
            if isinstance(operand, Op):
                operand.users.append(self)

    def shape_of(self, place: int) -> tuple[Extent, ...]:
        """The shape of an operand."""
        operand = self.operands[place]
        return operand.shape if isinstance(operand, Op) else self.outside[operand]

    @property
    def inner(self) -> list[Op]:
        """Its operands that are no arguments."""
        return [operand for operand in self.operands if isinstance(operand, Op)]

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


def read(block: mlir.Block) -> Graph:
    """The graph of a block of a function or of control flow."""
    by_value: dict[Value, Op] = {}
    types = Types()
    outside: dict[Value, tuple[Extent, ...]] = {}
    ops: list[Op] = []
    for view in block.operations:
        op = mlir.inner_operation(view)
        if op.name in WEIGHTS:
            continue  # stays; what it makes is used as arguments are
        operands: list[Op | Value] = [by_value.get(value, value) for value in op.operands]
        for operand in operands:
            if not isinstance(operand, Op) and operand not in outside:
                known = types.of(operand)
                outside[operand] = known.shape if known else ()
        if op.name in ("func.return", "stablehlo.return"):
            for operand in operands:
                if isinstance(operand, Op):
                    operand.is_returned = True
            return Graph(_needed(ops), op, operands, outside)
        results = list(op.results)
        type = stage_type(op, types)
        if type is not None:
            name = "constant" if ELEMENTS in op.attributes else op.name.partition(".")[2]
            name = SIZED.get(name, name)
            node = Op(op, name, operands, type, results[0], outside=outside)
            by_value[results[0]] = node
            ops.append(node)
            continue
        operands += [by_value.get(value, value) for value in ir.captured(op)]
        whole = Op(op, _whole_name(op, types), operands, None, outside=outside)
        ops.append(whole)
        for result in results:
            node = Op(op, "result", [whole], types.of(result), result)
            by_value[result] = node
            ops.append(node)
    raise RuntimeError("a block without an end")


def _needed(ops: list[Op]) -> list[Op]:
    """Ops without those that nobody reads and that only make a value; those are erased."""
    dead: set[Op] = set()
    for op in reversed(ops):
        if op.type and op.name != "result" and not op.is_returned and dead.issuperset(op.users):
            dead.add(op)
            op.operation.erase()
    if not dead:
        return ops
    for op in ops:
        op.users = [user for user in op.users if user not in dead]
    return [op for op in ops if op not in dead]


class Types:
    """Types of values, read once for each MLIR type; unknown sizes by their names."""

    def __init__(self) -> None:
        self._static: dict[mlir.Type, TensorType | None] = {}

    def of(self, value: Value) -> TensorType | None:
        """A tensor type of plain numbers whose sizes are known or have names, else None."""
        type = value.type
        if type not in self._static:
            self._static[type] = None
            if mlir.is_static_tensor(type) and "!" not in str(type):
                self._static[type] = named_sizes.type_of(value)
        static = self._static[type]
        if static is None and mlir.is_tensor(type) and mlir.is_dynamic(type) and _is_named(value):
            return named_sizes.type_of(value)
        return static


def _is_named(value: Value) -> bool:
    """Whether an unknown size has a name."""
    op = mlir.defining_op(value)
    op = mlir.inner_operation(value.owner.owner) if op is None else op
    return SHAPES in op.attributes and "!" not in str(value.type)


def _whole_name(op: Operation, types: Types) -> str:
    """What an op of several results is to kernels."""
    dialect, _, name = op.name.partition(".")
    fits = all(types.of(value) for value in (*op.operands, *op.results))
    if dialect != "stablehlo" or not fits or (name == "custom_call" and not is_host_call(op)):
        return "op"
    is_alone = name in ALONE and not ir.captured(op)
    is_known = is_readable(op) if name in _FOLDS else name in CONTROL or is_alone
    return name if is_known else "op"


def is_readable(op: Operation) -> bool:
    """Whether kernels read the region of an op."""
    try:
        region(op)
    except UnsupportedStage:
        return False
    return True


def stage_type(op: Operation, types: Types) -> TensorType | None:
    """The result's type of an op that kernels may compute; None where it stays as it is."""
    if ELEMENTS in op.attributes:
        return types.of(op.results[0])
    dialect, _, name = op.name.partition(".")
    name = SIZED.get(name, name) if SHAPES in op.attributes else name
    if len(op.results) != 1 or (dialect != "stablehlo" and op.name != "arith.constant"):
        return None
    if (name in _FOLDS and not is_readable(op)) or (name in ALONE and ir.captured(op)):
        return None
    if name == "custom_call":
        return None  # it runs even where nobody needs a result
    is_known = name in OPS or name in ALONE
    if not is_known and not (op.name in SCALARS and has_trait(op.name, Trait.ELEMENTWISE)):
        return None
    if op.name in result_accuracy.LARGEST and result_accuracy.refusal(op):
        return None  # refused by name on the way to linalg
    operands = [types.of(value) for value in op.operands]
    result = types.of(op.results[0])
    if result is None or any(operand is None for operand in operands):
        return None
    if not is_known:
        shapes = {operand.shape for operand in operands if operand and operand.shape}
        if not shapes <= {result.shape}:
            return None
    return result


def is_first_of_sorted(op: Op) -> bool:
    """Whether a slice is all that is wanted of a sorted value: as many first elements of each."""
    if op.operation.name != "stablehlo.slice" or not op.inner:
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
        and not any(ir.integers_of(user.operation, "start_indices"))
        and set(ir.integers_of(user.operation, "strides")) <= {1}
        for user in users
    )
