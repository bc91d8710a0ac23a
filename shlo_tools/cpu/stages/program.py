"""What a program of stages runs, read from a module that ``shlo-to-stages`` has cut.

A block is a list of steps: calls of stages, control flow whose regions are blocks again, and calls
of functions for blocks of rows (``shlo-partition``), which become blocks that run at once.
Values have numbers: arguments first, then weights, then what steps make. A loop's results are
its carried values, so they share numbers; what a loop only passes on has the number that it comes
with. Slices that are runs of memory have no numbers: they are offsets of arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen import jobs, named_sizes, target
from shlo_tools.codegen.jobs import StageCode
from shlo_tools.codegen.lowered import (
    BLOCK,
    ENTRY_PREFIX,
    JOBS,
    PLAIN,
    ROUNDS,
    SIZE_CHECKS,
    STAGE,
    SYMBOLS,
    WEIGHT,
)
from shlo_tools.codegen.named_sizes import evaluated
from shlo_tools.codegen.stages.contractions.later import at_sizes
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value


@dataclass(frozen=True)
class Call:
    """One call of a stage.

    Attributes:
        offsets: where arguments begin, in bytes behind the values.
        kept: temporaries that have been made before, and the values that have them; None for
            those that nothing reads any more.
    """

    stage: str
    arguments: tuple[int, ...]
    results: tuple[int, ...]
    offsets: tuple[int, ...]
    kept: Mapping[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Copy:
    """A value with a place of its own."""

    source: int
    result: int


@dataclass(frozen=True)
class Block:
    """Steps in order, and the values that they end with."""

    steps: tuple[Step, ...]
    returned: tuple[int, ...]


@dataclass(frozen=True)
class Again:
    """The second of two rounds of a loop: it reads what the first one's body returns.

    Attributes:
        end: where its condition is false: what carried values become, as the bodies return it.
    """

    condition: Block
    end: Block
    body: Block


@dataclass(frozen=True)
class Loop:
    """``while``: ``carried`` starts as ``inputs``; ``condition`` returns a single i1.

    Attributes:
        rounds: how often it runs, once at least; the condition is empty then. None where that is
            to be asked in each round.
        again: every second round (``alternating``); None where all rounds are the same.
    """

    inputs: tuple[int, ...]
    carried: tuple[int, ...]
    condition: Block
    body: Block
    rounds: int | None = None
    again: Again | None = None


@dataclass(frozen=True)
class Branches:
    """``if`` and ``case``: one of the blocks, by an i1 or an index; the last one for all others.

    The first block of an ``if`` is taken where the i1 is true.
    """

    index: int
    blocks: tuple[Block, ...]
    results: tuple[int, ...]


@dataclass(frozen=True)
class Together:
    """Blocks that need nothing of each other; what they return are values as all others."""

    blocks: tuple[Block, ...]


Step = Call | Copy | Loop | Branches | Together


@dataclass(frozen=True)
class Program:
    """A function as a tree of steps.

    Attributes:
        arguments: how many there are.
        donated: those that steps may write.
        symbols: what has names: an argument and a place in it, as ``named_sizes.name`` has it.
        checks: what must hold of the sizes, as expressions.
        weights: for each of the values behind the arguments, its number in the table of weights.
        types: of all values.
        body: what it runs.
        codes: what computes the stages, by name.
        plain: the stages that no kernel computes, with the reasons.
    """

    arguments: int
    donated: frozenset[int]
    weights: tuple[int, ...]
    types: tuple[TensorType, ...]
    body: Block
    codes: Mapping[str, StageCode]
    plain: Mapping[str, str]
    symbols: tuple[tuple[int, int], ...] = ()
    checks: tuple[str, ...] = ()

    def at(self, numbers: Sequence[int]) -> Program | None:
        """The program for what has names, in that order; None where they do not fit it."""
        places = [place for _, place in self.symbols]
        sizes = {named_sizes.name(k, places[k]): number for k, number in enumerate(numbers)}
        if not all(evaluated(check, sizes) for check in self.checks):
            return None
        types = tuple(
            type
            if type.is_static
            else type.with_shape(evaluated(str(d), sizes) for d in type.shape)
            for type in self.types
        )
        host = target.host()
        codes = {name: at_sizes(code, sizes, host) for name, code in self.codes.items()}
        return replace(self, types=types, codes=codes)


def blocks_of(step: Step) -> tuple[Block, ...]:
    """The blocks inside a step, but for second rounds of loops."""
    if isinstance(step, Loop):
        return step.condition, step.body
    return step.blocks if isinstance(step, Branches | Together) else ()


def calls_of(block: Block) -> Iterator[Call]:
    """Calls of stages, in the order of tables."""
    return (call for _, call in numbered_calls(block))


def numbered_calls(block: Block, first: int = 0) -> Iterator[tuple[int, Call]]:
    """Calls of stages, in the order of tables; second rounds have the numbers of first ones."""
    for step in block.steps:
        if isinstance(step, Call):
            yield first, step
            first += 1
            continue
        rounds = [blocks_of(step)]
        if isinstance(step, Loop) and step.again is not None:
            rounds.append((step.again.condition, step.again.body))
        start = first
        for blocks in rounds:
            first = start
            for inner in blocks:
                calls = list(numbered_calls(inner, first))
                yield from calls
                first = max((number + 1 for number, _ in calls), default=first)


def program_inputs(program: Program) -> int:
    """How many values come from outside."""
    return program.arguments + len(program.weights)


def read(module: mlir.Module, function: str, donated: Collection[int] = ()) -> Program:
    """The steps of a function that has been cut into stages; they may write donated arguments."""
    functions = ir.functions_by_name(module.operation)
    (block,) = functions[function].regions[0].blocks
    codes, plain = stages(module)
    reader = _Reader(module, functions, codes)
    for argument in block.arguments:
        reader.number(argument)
    reader.read_weights(functions[function])
    body = reader.block(block)
    symbols = ir.integers_of(functions[function], SYMBOLS, ())
    checks = functions[function].attributes[SIZE_CHECKS] if symbols else ()
    return Program(
        len(block.arguments),
        frozenset(donated),
        tuple(reader.weights),
        tuple(reader.types),
        body,
        codes,
        plain,
        tuple(zip(symbols[::2], symbols[1::2], strict=True)),
        tuple(check.value for check in checks),
    )


def stage_calls(module: mlir.Module, function: str) -> list[Operation]:
    """The calls of stages in a function that has been cut, in the order of tables."""
    functions = ir.functions_by_name(module.operation)

    def inside(func: Operation) -> Iterator[Operation]:
        for op in mlir.walk(func):
            if op.name == "func.call":
                callee = functions[ir.callee_of(op)]
                yield from inside(callee) if BLOCK in callee.attributes else [op]

    return list(inside(functions[function]))


def stages(module: mlir.Module) -> tuple[dict[str, StageCode], dict[str, str]]:
    """What computes the stages of a module, and why no kernel computes some of them."""
    codes, plain = {}, {}
    for name, func in ir.functions_by_name(module.operation).items():
        if JOBS in func.attributes:
            codes[name] = jobs.from_json(ir.text_of(func, JOBS))
        elif PLAIN in func.attributes:
            codes[name] = _plain_code(name, func)
            plain[name] = ir.text_of(func, PLAIN)
    return codes, plain


def _plain_code(name: str, func: Operation) -> StageCode:
    """The call of a stage's entry point, whose table is a context."""
    inputs, results = ir.signature(func)
    places = jobs.places(len(inputs), len(results))
    job = jobs.Job(ENTRY_PREFIX + name, 0, jobs.ENTRY_POINT)
    return StageCode(jobs=[job], contexts=[jobs.Context(places)])


@dataclass
class _Reader:
    module: mlir.Module
    functions: Mapping[str, Operation]
    codes: Mapping[str, StageCode]
    numbers: dict[Value, int] = field(default_factory=dict)
    types: list[TensorType] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    views: dict[Value, tuple[Value, int]] = field(default_factory=dict)  # source, bytes before it

    def number(self, value: Value) -> int:
        """A new number for a value."""
        self.numbers[value] = self._new(named_sizes.type_of(value))
        return self.numbers[value]

    def _new(self, type: TensorType) -> int:
        self.types.append(type)
        return len(self.types) - 1

    def read_weights(self, func: Operation) -> None:
        """Numbers for large constants, wherever they are read."""
        globals = {ir.symbol_name(op): op for op in ir.children(self.module.operation)}
        for op in mlir.walk(func):
            if op.name == "memref.get_global":
                weight = globals[ir.text_of(op, "name")]
                for use in op.results[0].uses:
                    self.number(mlir.inner_operation(use.owner).results[0])
                    self.weights.append(int(ir.text_of(weight, WEIGHT)))

    def block(self, block: mlir.Block) -> Block:
        """The steps of a block whose arguments have numbers."""
        steps: list[Step] = []
        ops = [mlir.inner_operation(view) for view in block.operations]
        for op in ops[:-1]:
            if op.name == "func.call" and ir.callee_of(op) in self.codes:
                steps.append(self._call(op))
            elif op.name == "func.call":
                self._block_of_rows(op, steps)
            elif op.name == "stablehlo.slice":
                self.views[op.results[0]] = op.operands[0], _bytes_before(op)
            elif op.name == "stablehlo.while":
                steps.append(self._loop(op))
            elif op.name in ("stablehlo.if", "stablehlo.case"):
                steps.append(self._branches(op))
        return Block(tuple(steps), self._of(ops[-1].operands))

    def _call(self, op: Operation) -> Call:
        sources = [self.views.get(value, (value, 0)) for value in op.operands]
        arguments = self._of([value for value, _ in sources])
        results = tuple(self.number(value) for value in op.results)
        return Call(ir.callee_of(op), arguments, results, tuple(offset for _, offset in sources))

    def _of(self, values: Sequence[Value]) -> tuple[int, ...]:
        return tuple(self.numbers[value] for value in values)

    def _block_of_rows(self, op: Operation, steps: list[Step]) -> None:
        """The steps of a function that is called for a block of rows, beside those of others."""
        (inner,) = self.functions[ir.callee_of(op)].regions[0].blocks
        operands = self._of(op.operands)
        self.numbers |= zip(inner.arguments, operands, strict=True)
        block = self.block(inner)
        self.numbers |= zip(op.results, block.returned, strict=True)
        last = steps[-1] if steps else None
        others = last.blocks if isinstance(last, Together) else ()
        theirs = {value for other in others for value in other.returned}
        if not self._runs_anywhere(block):
            steps.extend(block.steps)
        elif others and theirs.isdisjoint(operands):
            steps[-1] = Together((*others, block))
        else:
            steps.append(Together((block,)))

    def _runs_anywhere(self, block: Block) -> bool:
        """Whether any thread may run a block, and run all of it between two looks at the call."""
        return all(
            self._is_kernel(step.stage)
            if isinstance(step, Call)
            else not isinstance(step, Together) and all(map(self._runs_anywhere, blocks_of(step)))
            for step in block.steps
        )

    def _is_kernel(self, stage: str) -> bool:
        """Whether a stage is nothing but arithmetic, and ends by itself."""
        if all(job.chunks != jobs.ENTRY_POINT for job in self.codes[stage].jobs):
            return True
        func = self.functions[stage]
        is_tiny = ir.text_of(func, STAGE) == "tiny" and JOBS in func.attributes
        return is_tiny and not any(op.name == "stablehlo.while" for op in mlir.walk(func))

    def _loop(self, op: Operation) -> Loop:
        condition, body = (region.blocks[0] for region in op.regions)
        end = list(body.operations)[-1]
        inputs: list[int] = []
        carried: list[int] = []
        places: list[int] = []
        for place, (value, result) in enumerate(zip(op.operands, op.results, strict=True)):
            arguments = condition.arguments[place], body.arguments[place]
            number = self.numbers[value]
            if end.operands[place] != arguments[1]:
                places.append(place)
                inputs.append(number)
                number = self._new(self.types[number])
                carried.append(number)
            self.numbers |= dict.fromkeys((*arguments, result), number)
        rows = self.block(body)
        returned = [rows.returned[place] for place in places]
        steps = list(rows.steps)
        for place, value in enumerate(returned):
            # Another carried value may be overwritten before it is read.
            if value in carried:
                returned[place] = self._new(self.types[value])
                steps.append(Copy(value, returned[place]))
        whole = Block(tuple(steps), tuple(returned))
        rounds = ir.integer_of(op, ROUNDS) if ROUNDS in op.attributes else None
        question = Block((), ()) if rounds else self.block(condition)
        return Loop(tuple(inputs), tuple(carried), question, whole, rounds)

    def _branches(self, op: Operation) -> Branches:
        blocks = tuple(self.block(region.blocks[0]) for region in op.regions)
        results = tuple(self.number(value) for value in op.results)
        return Branches(self.numbers[op.operands[0]], blocks, results)


def _bytes_before(op: Operation) -> int:
    """Where a slice begins that is a run of what it reads."""
    type = dtypes.tensor_type(op.operands[0].type)
    elements = 0
    for start, size in zip(ir.integers_of(op, "start_indices"), type.static_shape, strict=True):
        elements = elements * size + start
    return elements * type.element_type.dtype.itemsize
