"""Stages become private functions, equal ones the same, and the function a list of their calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field

from shlo_tools import ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.lowered import ROUNDS, ROWS, SHAPES, STAGE
from shlo_tools.codegen.stages.nodes import Extent, are_known
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.partition.graph import CONTRACTIONS, SOURCES, VIEWS, Graph, Op, Stage
from shlo_tools.passes.partition.kinds import CONTROL
from shlo_tools.passes.partition.loops.rounds import rounds_of
from shlo_tools.passes.partition.places import is_in_memory
from shlo_tools.passes.partition.sinking import readers
from shlo_tools.pipeline import progress
from shlo_tools.structural_key import regions_key

_EACH_TIME = ("op", "host")  # kinds that may have effects


@dataclass
class Names:
    """Names of stages, by what they compute.

    Attributes:
        others: names that the program uses.
        listener: is told of each new stage's function.
    """

    others: Collection[str]
    listener: Callable[[Operation], None] | None = None
    known: dict[Hashable, str] = field(default_factory=dict)

    def add(self, key: Hashable) -> str:
        """A new name."""
        name = f"stage.{len(self.known)}"
        while name in self.others:
            name = f"_{name}"
        self.known[key] = name
        return name


class Outlining:
    """Rebuilds one block as calls.

    Args:
        module: where the stages' functions go.
        graph: the block's ops; all have a stage or are cheap.
        names: of stages that there are, by what they compute.
    """

    def __init__(self, module: Operation, graph: Graph, names: Names) -> None:
        self.module = module
        self.graph = graph
        self.build = Build(mlir.before(graph.end), graph.end.location)
        self.values: dict[Op, Value] = {}
        self.calls: dict[Hashable, list[Value]] = {}  # results, by what is called with what
        self.names = names
        self.control: list[Operation] = []

    def run(self, stages: list[Stage]) -> list[Operation]:
        """Make calls of the stages in order, and erase what they replace.

        Returns:
            Control flow of the block, whose regions are as they were.
        """
        for stage in progress.counted(stages, "stages"):
            if stage.kind == "control":
                self._control(stage.members[0])
            else:
                self._call(stage)
        for place, operand in enumerate(self.graph.returned):
            self.graph.end.operands[place] = self._value(operand)
        for op in reversed(self.graph.ops):
            if op.name != "result":
                op.operation.erase()
        return self.control

    def _value(self, operand: Op | Value) -> Value:
        """A value where the calls are; cheap ops that are needed there stand there."""
        if not isinstance(operand, Op):
            return operand
        if operand not in self.values:
            self._copy(operand)
        return self.values[operand]

    def _copy(self, op: Op) -> None:
        """Copy a cheap op to where the calls are."""
        operands = [self._value(operand) for operand in op.operands]
        clone = mlir.inner_operation(op.operation.clone(self.build.at))
        for place, value in enumerate(operands):
            clone.operands[place] = value
        self.values[op] = clone.results[0]

    def _control(self, op: Op) -> None:
        values: dict[Op | Value, Value] = {o: self._value(o) for o in op.operands}
        clone = _clone(op, self.build, values)
        if rounds := rounds_of(op.operation):
            clone.attributes[ROUNDS] = mlir.i64_attr(rounds)
        self.control.append(clone)
        self.values |= {part: values[part] for part in op.parts}

    def _call(self, stage: Stage) -> None:
        results = _results(stage)
        order, inputs, places = _contents(stage, results)
        if not results and stage.members[0].name not in ("op", "custom_call"):
            return  # nobody needs what it computes
        values = [self._value(operand) for operand in inputs]
        types = tuple(value.type for value in values)
        shapes = [_shape(operand, self.graph) for operand in inputs]
        are_static = all(are_known(*shape) for shape in shapes)
        key = (
            stage.kind,
            (stage.rows, stage.columns),
            types,
            () if are_static else tuple(named_sizes.shape_text(shape) for shape in shapes),
            tuple(_key(op, places) for op in order),
            tuple(places[op] for op in results if op in places),
        )
        name = self.names.known.get(key)
        if name is None:
            name = self.names.add(key)
            self._function(name, stage, inputs, order, results)
        same = self.calls.get((name, *values)) if stage.kind not in _EACH_TIME else None
        if same is not None:
            self.values |= dict(zip(results, same, strict=True))
            return
        attributes = {"callee": mlir.symbol_attr(name)}
        result_types = [_value_type(op) for op in results]
        _note_shapes(attributes, result_types, [op.shape for op in results])
        build = Build(self.build.at, _dearest(stage).operation.location)
        call = build.op("func.call", values, result_types, attributes)
        values_of_call = self.calls[name, *values] = list(call.results)
        self.values |= dict(zip(results, values_of_call, strict=True))

    def _function(
        self,
        name: str,
        stage: Stage,
        inputs: list[Op | Value],
        order: list[Op],
        results: list[Op],
    ) -> None:
        block = self.module.regions[0].blocks[0]
        build = Build(mlir.at_end(block), stage.members[0].operation.location)
        types = [_value_type(operand) for operand in inputs]
        result_types = [_value_type(op) for op in results]
        attributes = {
            "sym_name": mlir.string_attr(name),
            "sym_visibility": mlir.string_attr("private"),
            "function_type": mlir.type_attr(mlir.function_type(types, result_types)),
            STAGE: mlir.string_attr(stage.kind),
        }
        if stage.rows is not None and stage.columns is not None:
            attributes[ROWS] = mlir.string_attr(named_sizes.shape_text([stage.rows, stage.columns]))
            if are_known(stage.rows, stage.columns):
                attributes[ROWS] = mlir.i64_array_attr([stage.rows, stage.columns])
        _note_shapes(attributes, types, [_shape(operand, self.graph) for operand in inputs])
        func = build.op("func.func", (), (), attributes, regions=1)
        entry, inside = build.block(func.regions[0], types)
        values: dict[Op | Value, Value] = dict(zip(inputs, entry.arguments, strict=True))
        for op in order:
            if op.name != "result":
                _clone(op, inside, values)
        inside.op("func.return", [values[op] for op in results])
        if self.names.listener is not None:
            self.names.listener(func)


def _clone(op: Op, build: Build, values: dict[Op | Value, Value]) -> Operation:
    """Copy an op; what its regions use from outside is mapped, too."""
    clone = mlir.inner_operation(op.operation.clone(build.at))
    operands = clone.operands
    count = len(operands)
    for place, operand in enumerate(op.operands[:count]):
        operands[place] = values[operand]
    if op.type is not None:
        values[op] = clone.results[0]
        return clone
    inside = {old: values[new] for old, new in zip(op.captured, op.operands[count:], strict=True)}
    ir.replace_operands(mlir.walk(clone)[1:] if inside else (), inside)
    values |= dict(zip(op.parts, clone.results, strict=True))
    return clone


def _shape(operand: Op | Value, graph: Graph) -> tuple[Extent, ...]:
    return operand.shape if isinstance(operand, Op) else graph.outside.get(operand, ())


def _note_shapes(
    attributes: dict[str, mlir.Attribute],
    types: Sequence[mlir.Type],
    shapes: Sequence[tuple[Extent, ...]],
) -> None:
    """Say what sizes are that types leave out."""
    if any(map(mlir.is_dynamic, types)):
        attributes[SHAPES] = named_sizes.shapes_attribute(shapes)


def _value_type(operand: Op | Value) -> mlir.Type:
    value = operand.value if isinstance(operand, Op) else operand
    if value is None:
        raise RuntimeError("an op is no value")
    type: mlir.Type = value.type
    return type


def _dearest(stage: Stage) -> Op:
    """The op whose place in the source stands for that of a stage.

    A product, or the last op that computes something.
    """
    members = stage.members
    products = (op for op in members if op.name in CONTRACTIONS)
    computing = (op for op in members[::-1] if op.name not in SOURCES | VIEWS)
    return next(products, next(computing, members[-1]))


def _results(stage: Stage) -> list[Op]:
    """What a stage makes for others."""
    first, *others = stage.members
    if stage.kind not in ("tiny", "sort") and first.type is None and not others:
        return first.parts
    values = dict.fromkeys(v for op in stage.members for v in ([op] if op.type else op.parts))
    return [op for op in values if _leaves(op, stage)]


def _contents(
    stage: Stage, results: list[Op]
) -> tuple[list[Op], list[Op | Value], dict[Op | Value, int]]:
    """Ops of a stage with the cheap ones that it reads, its inputs, and a number for each."""
    order: dict[Op, None] = {}
    inputs: dict[Op | Value, None] = {}

    is_host = stage.kind == "host"
    for member in stage.members:
        stack = [] if member in order else [(member, iter(member.operands))]
        while stack:
            op, operands = stack[-1]
            for operand in operands:
                if operand in order or operand in inputs:
                    continue
                if not isinstance(operand, Op) or not (
                    operand.is_cheap and is_in_memory(operand)
                    if is_host
                    else operand.is_cheap or operand.stage is stage
                ):
                    inputs[operand] = None
                    continue
                stack.append((operand, iter(operand.operands)))
                break
            else:
                order[op] = None
                stack.pop()
    rest, views = list(order), list(inputs)
    if stage.kind != "op":
        rest, views = _with_views(rest, views, set(results) if len(rest) > 1 else set())
    return rest, views, {item: number for number, item in enumerate([*views, *rest])}


def _with_views(
    order: list[Op], inputs: list[Op | Value], stored: set[Op]
) -> tuple[list[Op], list[Op | Value]]:
    """Inputs that are read through one slice, which is a run of memory, become that slice.

    So stages that only differ in where slices start are equal. Slices that are ``stored``, too,
    stay.
    """
    readers: dict[Op | Value, list[Op]] = {operand: [] for operand in inputs}
    for op in order:
        for operand in op.operands:
            if operand in readers:
                readers[operand].append(op)
    views: dict[Op | Value, Op] = {
        operand: users[0]
        for operand, users in readers.items()
        if len(users) == 1 and users[0] not in stored and _is_run(users[0])
    }
    through = set(views.values())
    return [op for op in order if op not in through], [views.get(o, o) for o in readers]


def _is_run(op: Op) -> bool:
    """Whether an op is a slice whose elements are neighbours in what it reads."""
    if op.operation.name != "stablehlo.slice" or not are_known(op.count, *op.shape_of(0)):
        return False
    if op.count == 0 or set(op.integers("strides")) - {1}:
        return False
    if not mlir.is_static_tensor(op.operation.operands[0].type):
        return False
    cuts = [d for d, size in enumerate(op.shape_of(0)) if op.shape[d] != size]
    return not cuts or all(size == 1 for size in op.shape[: cuts[-1]])


def _leaves(op: Op, stage: Stage) -> bool:
    """Whether others need a value of a stage."""
    if op.is_returned or any(user.stage is not stage and not user.is_cheap for user in op.users):
        return True
    return any(user.stage is not stage for user in readers(op)) or _stays(op, stage)


def _stays(op: Op, stage: Stage) -> bool:
    """Whether a cheap op over it, that its stage does not store, is needed where the calls are."""
    return any(
        u.is_cheap and ((u.is_returned and u.stage is not stage) or _stays(u, stage))
        for u in op.users
    )


def _key(op: Op, places: dict[Op | Value, int]) -> Hashable:
    """An op's identity within a stage."""
    if op.name in ("op", "custom_call"):
        return op  # its place is told where it fails, and random numbers are new ones each time
    if op.name == "result":
        (whole,) = op.inner
        return "result", places[whole], whole.parts.index(op)
    operands = tuple([places[operand] for operand in op.operands])
    regions = regions_key(op.operation.regions) if op.name in CONTROL else ()
    return op.kind.number, operands, regions
