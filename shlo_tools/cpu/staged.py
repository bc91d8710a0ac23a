"""Programs of stages: kernels as jobs of a table.

A module that ``shlo-to-stages`` has cut is a list of calls. Each call becomes rows of a table that
native code walks (``codegen.library.jobs``), the jobs of a stage's kernels. Values between calls
lie in one block of memory, at offsets that are planned once; what changes from call to call are
the addresses of arguments and results.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.calling.arguments import Parameters, as_argument
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen import jobs, memory_plan
from shlo_tools.codegen.jobs import Job, Place, StageCode
from shlo_tools.codegen.library import jobs as table_layout
from shlo_tools.codegen.lowered import ADDRESSES, JOBS, KERNELS, WEIGHT
from shlo_tools.codegen.memory_plan import Lifetime
from shlo_tools.codegen.stages.nodes import OPS
from shlo_tools.cpu import memory
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.ops import Trait, has_trait
from shlo_tools.time_limit import limited
from shlo_tools.types import array_type

_FREE = 4  # instances kept per executable for the next call


# --- what a program is ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """One call of the program, its values by number."""

    stage: str
    arguments: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A list of calls.

    Values have numbers: arguments first, then weights, then what steps make.

    Attributes:
        weights: for each of the values behind the arguments, its number in the table of weights.
        types: of all values, as they are stored.
        codes: what computes the stages, by name; a stage that no kernel computes has none.
    """

    arguments: int
    weights: tuple[int, ...]
    types: tuple[TensorType, ...]
    steps: tuple[Step, ...]
    returned: tuple[int, ...]
    codes: Mapping[str, StageCode]


def read_program(module: mlir.Module, function: str) -> Program:
    """The calls of a function that ``shlo-to-stages`` has cut."""
    functions = ir.functions_by_name(module.operation)
    (block,) = functions[function].regions[0].blocks
    numbers: dict[mlir.Value, int] = {}
    types: list[TensorType] = []
    weights: list[int] = []
    steps: list[Step] = []

    def number(value: mlir.Value) -> int:
        numbers[value] = len(types)
        types.append(dtypes.tensor_type(value.type))
        return numbers[value]

    for argument in block.arguments:
        number(argument)
    globals = {ir.symbol_name(op): op for op in ir.children(module.operation)}
    ops = [mlir.inner_operation(view) for view in block.operations]
    for op in ops:
        if op.name == "memref.get_global":
            weight = globals[ir.text_of(op, "name")]
            for use in op.results[0].uses:
                number(mlir.inner_operation(use.owner).results[0])
                weights.append(int(ir.text_of(weight, WEIGHT)))
    for op in ops:
        if op.name == "func.call":
            arguments = tuple(numbers[value] for value in op.operands)
            results = tuple(number(value) for value in op.results)
            steps.append(Step(ir.callee_of(op), arguments, results))
    codes = {
        name: jobs.from_json(ir.text_of(func, JOBS))
        for name, func in functions.items()
        if JOBS in func.attributes
    }
    returned = tuple(numbers[value] for value in ops[-1].operands)
    count = len(block.arguments)
    return Program(count, tuple(weights), tuple(types), tuple(steps), returned, codes)


# Ops that kernels compute beside elementwise ones, and what stands around them.
_NAMES = {
    *("builtin.module", "func.func", "func.call", "func.return", "stablehlo.return"),
    *("arith.constant", "memref.global", "memref.get_global", "bufferization.to_tensor"),
    *(f"stablehlo.{name}" for name in OPS),
}


def may_be_staged(module: mlir.Module) -> bool:
    """Whether kernels may compute all of a program, as far as a glance tells."""
    types: set[mlir.Type] = set()
    for op in mlir.walk(module.operation):
        if op.name not in _NAMES and not has_trait(op.name, Trait.ELEMENTWISE):
            return False
        if op.name.endswith(".constant") and mlir.is_dense_resource(op.attributes["value"]):
            return False
        if op.name == "func.func":
            types |= {type for types_ in ir.signature(op) for type in types_}
        elif op.name != "memref.get_global":
            types |= {result.type for result in op.results}
    return all(_is_fit(type) for type in types)


def _is_fit(type: mlir.Type) -> bool:
    """Whether kernels take values of a type."""
    return mlir.is_static_tensor(type) and "!" not in str(type)


def kernels_of(module: mlir.Module) -> tuple[list[Any], dict[str, int]]:
    """Machine code of a module's kernels, made side by side: owners and addresses."""
    nested = [op for op in ir.children(module.operation) if KERNELS in op.attributes]
    engines, names = [], []
    for part in nested:
        listed: Any = part.attributes[KERNELS]
        names.append([name.value for name in listed])
        own = mlir.empty_module()
        mlir.move_ops(part.regions[0].blocks[0], own.body)
        engine = mlir.execution_engine(own, 0)
        for op in ir.children(own.operation):
            if ir.is_declaration(op):
                name = ir.symbol_name(op)
                mlir.bind_symbol(engine, name, parts.address(name))
        engines.append(engine)
        part.erase()
    # Code is made at the first look-up, which lets other Python threads run.
    threads = [
        threading.Thread(target=mlir.entry_address, args=(engine, ADDRESSES))
        for engine in engines[1:]
    ]
    for thread in threads:
        thread.start()
    addresses: dict[str, int] = {}
    for engine, part_names in zip(engines, names, strict=True):
        addresses |= parts.addresses_in(engine, part_names)
    for thread in threads:
        thread.join()
    return engines, addresses


# --- memory ---------------------------------------------------------------------------------------
@dataclass
class Places:
    """Where values and temporaries lie in a call's memory, and how large that is.

    Attributes:
        values: offsets of the values that steps make, but for those that lie in results.
        temporaries: offsets, for each step.
    """

    values: dict[int, int]
    temporaries: list[list[int]]
    size: int


def plan_memory(program: Program, direct: Mapping[int, int]) -> Places:
    """Offsets by the order of steps; ``direct`` values lie in results."""
    last = {value: n for n, step in enumerate(program.steps) for value in step.arguments}
    last |= dict.fromkeys(program.returned, len(program.steps))
    lifetimes: list[Lifetime] = []
    made: list[int] = []
    for number, step in enumerate(program.steps):
        for value in step.results:
            if value not in direct:
                made.append(value)
                size = program.types[value].nbytes
                lifetimes.append(Lifetime(size, number, max(number, last.get(value, number))))
    counts = []
    for number, step in enumerate(program.steps):
        sizes = program.codes[step.stage].temporaries
        counts.append(len(sizes))
        lifetimes += [Lifetime(size, number, number) for size in sizes]
    plan = memory_plan.plan(lifetimes)
    offsets = iter(plan.offsets)
    values = {value: next(offsets) for value in made}
    return Places(values, [[next(offsets) for _ in range(n)] for n in counts], plan.size)


# --- calls ----------------------------------------------------------------------------------------
class StagedExecutable(Executable):
    """A program of stages; each call uses an instance of its own."""

    def __init__(
        self,
        name: str,
        signature: Signature[Any],
        program: Program,
        kernels: tuple[list[Any], dict[str, int]],
        constants: Sequence[Array],
    ) -> None:
        self.name, self.signature = name, signature
        self.program = program
        self._engines, self.addresses = kernels
        self._parameters = Parameters(name, signature)
        self._results = [array_type(type) for type in signature.results]
        self.constants = [as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants]
        self.direct = _direct(program)
        self.places = plan_memory(program, self.direct)
        run = parts.address(table_layout.RUN)
        self._run_table = ctypes.CFUNCTYPE(
            ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
        )(run)
        self._free: list[Instance] = []

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast)
        results = [memory.aligned_empty(type) for type in self._results]
        try:
            instance = self._free.pop()
        except IndexError:
            instance = Instance(self)
        instance.point(inputs, results)
        frame = instance.frame
        frame.reset()
        with limited(timeout) as limit, watched(frame, limit):
            self._run_table(frame.address, instance.table_address, instance.rows)
        raise_for_status(frame, (), limit)
        for place, value in enumerate(self.program.returned):
            if self.direct.get(value) != place:
                results[place][...] = instance.value(value, inputs, results)
        if len(self._free) < _FREE:
            self._free.append(instance)
        return results


def _direct(program: Program) -> dict[int, int]:
    """Values that steps write where a result is wanted, by the result's place."""
    made = {value for step in program.steps for value in step.results}
    direct: dict[int, int] = {}
    for place, value in enumerate(program.returned):
        if value in made:
            direct.setdefault(value, place)
    return direct


class Instance:
    """Memory and the table of one call at a time."""

    def __init__(self, executable: StagedExecutable) -> None:
        self.executable = executable
        self.frame = Frame(0, 0, has_jobs=True)
        self.memory = memory.aligned_bytes(executable.places.size)
        self._words: list[int] = []
        self._patches: list[tuple[int, int, int]] = []  # word, value, offset
        self._inner: list[tuple[int, int]] = []  # word, context's first word
        self._plans: list[tuple[str, int]] = []  # function, context's first word
        rows = self._rows()
        self.words = (ctypes.c_int64 * max(1, len(self._words)))(*self._words)
        start = ctypes.addressof(self.words)
        for word, target_word in self._inner:
            self.words[word] = start + 8 * target_word
        self._plan_contexts(start)
        flat: list[int] = []
        for job, contexts in rows:
            chunks = job.chunks
            if job.counts is not None:
                chunks = self.words[contexts[job.counts] + job.chunks]
            flat += [self._address(job), start + 8 * contexts[job.context], chunks]
        self.table = (ctypes.c_int64 * max(1, len(flat)))(*flat)
        self.table_address = ctypes.addressof(self.table)
        self.rows = len(flat) // table_layout.ROW

    def _rows(self) -> list[tuple[Job, list[int]]]:
        """All jobs in order, with where the contexts of their stages begin."""
        executable = self.executable
        rows = []
        for step, temporaries in zip(
            executable.program.steps, executable.places.temporaries, strict=True
        ):
            code = executable.program.codes[step.stage]
            contexts = self._contexts(code, step, temporaries)
            rows += [(job, contexts) for job in code.jobs]
        return rows

    def _address(self, job: Job) -> int:
        known = self.executable.addresses.get(job.function)
        return parts.address(job.function) if known is None else known

    def _contexts(self, code: StageCode, step: Step, temporaries: Sequence[int]) -> list[int]:
        """Write a stage's contexts; where each begins."""
        starts: list[int] = []
        for context in code.contexts:
            starts.append(len(self._words))
            for word in context.words:
                self._word(word, step, temporaries, starts)
            if context.plan:
                self._plans.append((context.plan, starts[-1]))
        return starts

    def _word(
        self, word: int | Place, step: Step, temporaries: Sequence[int], starts: list[int]
    ) -> None:
        if isinstance(word, int):
            self._words.append(word)
        elif word.what == "argument":
            self._word_of(step.arguments[word.number], word.offset)
        elif word.what == "result":
            self._word_of(step.results[word.number], word.offset)
        elif word.what == "temporary":
            offset = temporaries[word.number] + word.offset
            self._words.append(self.memory.ctypes.data + offset)
        else:
            self._inner.append((len(self._words), starts[word.number]))
            self._words.append(0)

    def _word_of(self, value: int, offset: int) -> None:
        """A word for the address of a value."""
        executable = self.executable
        program = executable.program
        if value in executable.places.values:
            offset += self.memory.ctypes.data + executable.places.values[value]
        elif program.arguments <= value < program.arguments + len(program.weights):
            weight = program.weights[value - program.arguments]
            offset += executable.constants[weight].ctypes.data
        else:
            self._patches.append((len(self._words), value, offset))
        self._words.append(offset)

    def _plan_contexts(self, start: int) -> None:
        for name, context in self._plans:
            plan = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(parts.address(name))
            plan(start + 8 * context)

    def point(self, inputs: Sequence[Array], results: Sequence[Array]) -> None:
        """Write the addresses of a call's arguments and results."""
        arguments = [array.ctypes.data for array in inputs]
        places = [array.ctypes.data for array in results]
        words, direct = self.words, self.executable.direct
        for word, value, offset in self._patches:
            at = arguments[value] if value < len(arguments) else places[direct[value]]
            words[word] = at + offset

    def value(self, number: int, inputs: Sequence[Array], results: Sequence[Array]) -> Array:
        """The array that holds a value after a call."""
        executable = self.executable
        program = executable.program
        if number < program.arguments:
            return inputs[number]
        if number < program.arguments + len(program.weights):
            array = executable.constants[program.weights[number - program.arguments]]
            return array.reshape(program.types[number].static_shape)
        return results[executable.direct[number]]
