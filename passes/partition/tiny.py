"""Stages of tiny tensors that follow each other become one, and so do loops and branches of such.

What a large stage computes on the way stays there: only stages whose ops are all tiny are joined.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from shlo_tools import ir, mlir
from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.nodes import UnsupportedStage, are_known
from shlo_tools.codegen.stages.reading.elements import Parts, part_of, register_type
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.codegen.stages.tiny.registers import Registers
from shlo_tools.dtypes import ElementType, TensorType, tensor_type
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.partition.graph import Op, Stage
from shlo_tools.passes.partition.grouping import grouped, join
from shlo_tools.passes.partition.kinds import CONTROL, Types, is_readable, stage_type
from shlo_tools.passes.stages.regions import rule_of

# Ops of a stage, which is one function: larger ones take more than proportionally long to compile,
# and equal parts of a program are seldom equal stages.
_OPS = 500
_PRODUCTS = 512  # of elements, which a product of matrices is made of
# Ops that only cut or move elements of a tensor, which may be a large one.
_CUTS = {"slice", "reshape", "transpose", "reverse"}
_MOVES = {*_CUTS, "broadcast_in_dim", "concatenate", "pad", "constant", "iota"}
_PLACES = {"dynamic_slice", "dynamic_update_slice", "gather"}


def join_tiny(stages: Sequence[Stage]) -> list[Stage]:
    """Stages in order; those of tiny tensors have become few."""
    if len(stages) == 1 and stages[0].kind != "control":
        return list(stages)
    tiny = _Tiny()

    def is_tiny(stage: Stage) -> bool | None:
        return all(tiny.fits(op) for op in stage.members) or None

    def size(stage: Stage) -> int:
        return sum(tiny.size(op) for op in stage.members)

    # What a loop writes row by row is read behind its stage only.
    for group in grouped(stages, is_tiny, size, _OPS, _writes_large):
        if len(group) > 1 or group[0].kind == "control":
            join(group, "tiny")
    for stage in stages:
        if all(map(_is_stored_for_nobody, stage.members)):
            for op in stage.members:
                op.stage = None
            stage.members = []
    return [stage for stage in stages if stage.members]


def _is_stored_for_nobody(op: Op) -> bool:
    """Whether a cheap op was stored for control flow, and this is part of a stage now."""
    kinds = {user.stage.kind for user in op.users if user.stage}
    return op.is_cheap and not op.is_returned and not kinds & {"control", "host", "op"}


def _writes_large(stage: Stage) -> bool:
    """Whether a loop makes large tensors."""
    loops = [op for op in stage.members if op.name == "while"]
    counts = [part.count for op in loops for part in op.parts]
    return not are_known(*counts) or any(count > LARGEST for count in counts)


class _Tiny:
    """Which ops are tiny; asked once for all that are alike."""

    def __init__(self) -> None:
        self._types = Types()
        self._counts: dict[mlir.Type, int] = {}
        self._rules: dict[Hashable, bool] = {}
        self._cheap: dict[Op, bool] = {}
        self._cut: set[mlir.Value] = set()  # large tensors that regions may cut
        self._written: set[mlir.Value] = set()  # and those that they may write a slice of

    def size(self, op: Op) -> int:
        """How many ops there are in an op."""
        return len(mlir.walk(op.operation)) if op.type is None else 1

    def fits(self, op: Op) -> bool:
        """Whether an op and what is cheap below it are tiny, or cut a tiny part of a tensor."""
        if op.name in CONTROL:
            return self._fits_control(op)
        if op.type is not None and are_known(op.count) and op.count > LARGEST:
            return False  # whatever it cuts, and without a look at what it reads
        is_tiny = op.kind.answers.get("is_tiny")
        if is_tiny is None:
            is_tiny = op.name != "op" and self._is_tiny(op.operation, op.type)
            if op.type is not None and op.name != "result":
                op.kind.answers["is_tiny"] = is_tiny
        return is_tiny and all(self._reads(op, number) for number in range(len(op.operands)))

    def _fits_control(self, op: Op) -> bool:
        """Whether control flow is tiny but for tensors that it cuts, or writes slices of."""
        operation = op.operation
        if not operation.results:
            return False  # nobody reads it, but it may never end
        passed, written = self._large_of_loop(operation) if op.name == "while" else ([], [])
        if not all(op.parts[k].users or op.parts[k].is_returned for k in written):
            return False
        if any(self._count(value.type) < 0 for value in op.captured):
            return False
        self._cut |= {v for v in op.captured if self._count(v.type) > LARGEST}
        carried = zip(operation.operands, operation.results, strict=False)
        pairs = [pair for k, pair in enumerate(carried) if k not in (*passed, *written)]
        if op.name != "while":
            pairs = [(operation.operands[0], result) for result in operation.results]
        is_tiny = all(self._is_small(value) for pair in pairs for value in pair)
        return (
            is_tiny
            and all(self._is_tiny_block(region.blocks[0]) for region in operation.regions)
            and all(
                self._reads(op, number) or (number in written and _is_constant(operand))
                for number, operand in enumerate(op.operands)
            )
        )

    def _large_of_loop(self, op: Operation) -> tuple[list[int], list[int]]:
        """Which large tensors a loop passes on, and which it writes a slice of in each iteration.

        Nobody else reads what is written, so that it can be written where it lies.
        """
        before, inside = (region.blocks[0] for region in op.regions)
        end = mlir.inner_operation(list(inside.operations)[-1])
        passed: list[int] = []
        written: list[int] = []
        for k, value in enumerate(inside.arguments):
            first, result = before.arguments[k], end.operands[k]
            if self._count(value.type) <= LARGEST:
                continue
            if result == value:
                self._cut |= {first, value}
                passed.append(k)
            elif mlir.is_result_of(result, ("stablehlo.dynamic_update_slice",)):
                update = mlir.inner_operation(result.owner)
                uses = [len(list(v.uses)) for v in (first, value, result)]
                if update.operands[0] == value and uses == [0, 1, 1]:
                    self._written |= {first, value, result}
                    written.append(k)
        return passed, written

    def _reads(self, op: Op, number: int) -> bool:
        """Whether an operand is tiny, or lies in memory and is cut."""
        operand = op.operands[number]
        count = operand.count if isinstance(operand, Op) else self._count(operand.type)
        if count > LARGEST:
            names = _CUTS if op.name in _CUTS else {"reshape"}
            while isinstance(operand, Op) and operand.is_cheap:
                if operand.name not in names:
                    return False
                operand = operand.operands[0]
            return True
        if not isinstance(operand, Op) or not operand.is_cheap:
            return True
        if operand not in self._cheap:
            self._cheap[operand] = self.fits(operand)
        return self._cheap[operand]

    def _count(self, type: mlir.Type) -> int:
        """Elements of a tensor, -1 where that is no number."""
        if type not in self._counts:
            is_static = mlir.is_static_tensor(type)
            self._counts[type] = math.prod(tensor_type(type).static_shape) if is_static else -1
        return self._counts[type]

    def _is_tiny(self, op: Operation, type: TensorType | None = None) -> bool:
        """Whether all tensors of an op are tiny, and kernels take it.

        Args:
            type: of its result, where the op stands in no region; then it may cut a large tensor.
        """
        dialect, _, name = op.name.partition(".")
        if dialect != "stablehlo":
            return False
        if op.results and op.results[0] in self._written:
            return all(map(self._is_small, op.operands[1:]))
        cuts = name in (*_CUTS, "dynamic_slice", "gather")
        cuts = cuts and (type is not None or op.operands[0] in self._cut)
        values = [*op.operands[1 if cuts else 0 :], *op.results]
        if not all(map(self._is_small, values)):
            return False
        if cuts and self._count(op.operands[0].type) <= 0:
            return False
        if name in CONTROL and not op.results:
            return False  # nobody reads it, but it may never end
        if name in CONTROL:
            captured = all(self._is_small(v) or v in self._cut for v in ir.captured(op))
            return captured and all(self._is_tiny_block(r.blocks[0]) for r in op.regions)
        if name == "reduce":
            inner = [mlir.inner_operation(o) for o in op.regions[0].blocks[0].operations][:-1]
            rules = (o for o in inner if o.name != "stablehlo.constant")
            return is_readable(op) and all(map(self._has_rule, rules))
        if type is None and stage_type(op, self._types) is None:
            return False
        if name == "constant":
            return mlir.is_splat(op.attributes["value"])
        if name == "dot_general":
            return self._is_short(op)
        return name in _MOVES or name in _PLACES or self._has_rule(op)

    def _is_tiny_block(self, block: mlir.Block) -> bool:
        *ops, _ = [mlir.inner_operation(view) for view in block.operations]
        large = self._cut | self._written
        arguments = all(self._is_small(value) or value in large for value in block.arguments)
        return arguments and all(map(self._is_tiny, ops))

    def _is_small(self, value: mlir.Value) -> bool:
        return 0 < self._count(value.type) <= LARGEST

    def _is_short(self, op: Operation) -> bool:
        """Whether a product of matrices is made of few products of numbers."""
        elements = [tensor_type(value.type).element_type for value in op.operands]
        if any(element.is_float and element.bits < 16 for element in elements):
            return False
        lhs, rhs, result = (self._count(v.type) for v in (*op.operands, *op.results))
        # Batch dimensions are in all three, the others in two: that many are made at the least.
        return math.isqrt(lhs * rhs * result) <= _PRODUCTS

    def _has_rule(self, op: Operation) -> bool:
        """Whether vectors are made of what an op computes on scalars."""
        if op.name not in SCALARS:
            return False
        elements = [tensor_type(v.type).element_type for v in (*op.operands, *op.results)]
        if op.name == "stablehlo.bitcast_convert" and elements[0].bits != elements[1].bits:
            return False
        key = op.name, *(element.name for element in elements)
        if key not in self._rules:
            self._rules[key] = _makes_vectors(op, elements[: len(op.operands)])
        return self._rules[key]


def _is_constant(operand: Op | mlir.Value) -> bool:
    return isinstance(operand, Op) and operand.is_constant


def _makes_vectors(op: Operation, elements: Sequence[ElementType]) -> bool:
    """Try it."""
    f = Function("", ())
    try:
        rule_of(op)(Registers(f), [_vector(f, element) for element in elements])
    except UnsupportedStage:
        return False
    return True


def _vector(f: Function, element: ElementType) -> Value:
    if element.is_complex:
        return Parts(_vector(f, part_of(element)), _vector(f, part_of(element)))
    return Value(f, "%v", register_type(element).vector(4))
