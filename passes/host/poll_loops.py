"""Loops that may run for long ask from time to time whether they are to end.

Before:
    scf.for %i = %c0 to %c1000000000 step %c1 { ... }
After:
    scf.for %start = %c0 to %c1000000000 step %c65536 {
      <leave the function if the frame's poll word says so>
      %end = arith.minsi <%start + 65536>, %c1000000000
      scf.for %i = %start to %end step %c1 { ... }
    }

A loop whose rounds are long polls once per round and keeps its form, and so does ``scf.while``.
How long a loop takes is estimated by the ops in it: what is short is not touched, and what is
long together polls in between. So Ctrl-C and ``timeout=`` are heard within a fraction of a second,
at the cost of a load and a branch per some ten microseconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import I64, Code
from shlo_tools.codegen.lowered import PROPAGATE
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.passes.host.attach_frame import call_back, leave_on_failure
from shlo_tools.passes.llvm.annotate_loops import constant, rounds
from shlo_tools.passes.llvm.outline_stages import STAGE
from shlo_tools.pipeline.registry import Pass

# Work is counted in ops: a nanosecond each at most where nothing is vectorized.
LONG = 1 << 24  # between two polls, at most
CHUNK = 1 << 17  # between two polls, at least
FUNCTION = 32  # of a number, such as tanh
UNKNOWN = 1 << 40  # rounds of a loop over a buffer of unknown size

_PER_ELEMENT = ("math.", "complex.")
_AT_ONCE = ("llvm.call", "memref.copy")  # of a library, on arrays


@dataclass(frozen=True)
class PollLoops(Pass):
    """Have long loops ask whether they are to end."""

    name = "shlo-poll-loops"

    def run(self, op: Operation) -> None:
        callees: dict[str, _Body] = {}
        for func in ir.call_order(op):
            if not ir.is_declaration(func):
                callees[ir.symbol_name(func)] = _Body(func, callees)


class _Body:
    """A function whose loops have polls.

    Attributes:
        work: how long it takes.
        polls: whether it may leave early.
        is_stage: whether its callers do not look at the frame's status.
    """

    def __init__(self, func: Operation, callees: dict[str, _Body]) -> None:
        self._func = func
        self._callees = callees
        self._most = 0
        self.polls = False
        self.is_stage = STAGE in func.attributes
        self.work = sum(self._block(block) for block in func.regions[0].blocks)

    def _block(self, block: Block) -> int:
        """The work of a block, after polls were put into it."""
        total = since = 0  # since the last poll
        for view in list(block.operations):
            op = mlir.inner_operation(view)
            work = self._op(op)
            if work > CHUNK and since + work > LONG:
                self._poll(Code(mlir.before(op), op.location))
                since = 0
            total, since = total + work, since + work
        return total

    def _op(self, op: Operation) -> int:
        name = op.name
        if name == "scf.for":
            return self._for(op)
        if name == "scf.while":
            return self._while(op)
        if name == "func.call":
            return self._call(op)
        if name in _AT_ONCE:
            return LONG
        if op.regions:
            return sum(self._block(block) for region in op.regions for block in region.blocks)
        return FUNCTION if name.startswith(_PER_ELEMENT) else 1

    def _call(self, call: Operation) -> int:
        callee = self._callees.get(ir.callee_of(call))
        if callee is None:
            return LONG
        if callee.polls:
            self.polls = True
            if callee.is_stage:
                here = Code(mlir.after(call), call.location)
                leave_on_failure(here, fields.frame_of(self._func))
        return callee.work

    # --- loops ------------------------------------------------------------------------------------
    def _while(self, loop: Operation) -> int:
        for region in loop.regions:
            self._block(region.blocks[0])
        end = ir.terminator(loop.regions[0].blocks[0])
        self._poll(Code(mlir.before(end), loop.location))
        return LONG

    def _for(self, loop: Operation) -> int:
        body = loop.regions[0].blocks[0]
        one = self._block(body)
        whole = one * (rounds(loop) or _rounds_of_block(loop) or self._most_rounds())
        if one > LONG or whole <= LONG:
            return whole
        if one >= CHUNK:
            first = mlir.inner_operation(body.operations[0])
            self._poll(Code(mlir.before(first), loop.location))
        else:
            self._in_chunks(loop, CHUNK // one)
        return whole

    def _most_rounds(self) -> int:
        """How often a loop over a buffer of the function may run."""
        if not self._most:
            types = {value.type for op in mlir.walk(self._func) for value in op.operands}
            shapes = [list(type.shape) for type in types if mlir.is_memref(type)]
            unknown = any(mlir.DYNAMIC in shape for shape in shapes)
            self._most = UNKNOWN if unknown else max(map(math.prod, shapes), default=UNKNOWN)
        return self._most

    def _in_chunks(self, loop: Operation, count: int) -> None:
        """Have a loop run over chunks, and one in it over their ``count`` rounds."""
        old = loop.regions[0].blocks[0]
        first, end, step, *carried = loop.operands
        stride = _scaled(Build(mlir.before(loop), loop.location), step, count)
        attributes = {name: loop.attributes[name] for name in loop.attributes}
        rest = list(old.operations)
        build = Build(mlir.before(ir.terminator(old)), loop.location)
        types = [value.type for value in carried]
        inner = build.op("scf.for", [first, end, step, *carried], types, attributes, regions=1)
        new, _ = build.block(inner.regions[0], [step.type, *types])
        for before, after in zip(list(old.arguments), list(new.arguments), strict=True):
            before.replace_all_uses_with(after)
        for op in rest:
            new.append(op)
        Build(mlir.at_end(old), loop.location).op("scf.yield", list(inner.results))
        build = Code(mlir.before(inner), loop.location)
        self._poll(build)
        start, *state = old.arguments
        stop = build.value("arith.addi", (start, stride), step.type)
        stop = build.value("arith.minsi", (stop, end), step.type)
        for number, value in enumerate((start, stop, step, *state)):
            inner.operands[number] = value
        loop.operands[2] = stride
        for name in attributes:
            del loop.attributes[name]

    def _poll(self, code: Code) -> None:
        """Leave the function if the host says so; ask it only where it wants to be asked."""
        self.polls = True
        frame = fields.frame_of(self._func)
        i1 = mlir.integer_type(1)
        is_quiet = fields.load(code, frame, "poll", I64, volatile=True).compared("eq", 0)
        choice = code.op("scf.if", [is_quiet], [i1], regions=2)
        _, quiet = code.block(choice.regions[0], [])
        true = {"value": mlir.bool_attr(True)}
        quiet.op("scf.yield", [quiet.value("arith.constant", (), i1, true)])
        _, polled = code.block(choice.regions[1], [])
        polled.op("scf.yield", [call_back(polled, frame, "poll").compared("eq", 0)])
        message = {"msg": mlir.string_attr(""), PROPAGATE: mlir.unit_attr()}
        code.op("cf.assert", [choice.results[0]], (), message)


def _rounds_of_block(loop: Operation) -> int:
    """How often a loop over a block of known size runs, the last of which may be smaller."""
    first, end, step = list(loop.operands)[:3]
    if not (mlir.is_result_of(end, ("arith.minsi",)) and constant(step)):
        return 0
    past = mlir.inner_operation(end.owner).operands[0]
    if not mlir.is_result_of(past, ("arith.addi",)):
        return 0
    start, size = mlir.inner_operation(past.owner).operands
    return (constant(size) or 0) // (constant(step) or 1) if start == first else 0


def _scaled(build: Build, step: Value, count: int) -> Value:
    known = constant(step)
    number = {"value": mlir.integer_attr(count * (known or 1), step.type)}
    scaled = build.value("arith.constant", (), step.type, number)
    return scaled if known else build.value("arith.muli", (scaled, step), step.type)
