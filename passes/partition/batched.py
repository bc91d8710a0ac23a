"""Stages of small tensors side by side become one, whose lanes are the batch.

Each op acts on every tensor of the batch alike: the batch is the first dimension of all that is
computed, the others are of few elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools.codegen.stages.nodes import Extent, are_known
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.mlir import Value, is_splat
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.partition.graph import Op, Stage
from shlo_tools.passes.partition.grouping import grouped, join
from shlo_tools.passes.partition.moving import sources_of

_SMALL = 32  # elements of one tensor of a batch
_MANY = 1024  # tensors of a batch
_PRODUCTS = 48  # that a product of two tensors is made of
_REDUCED = 64  # the same of a stage that reduces small matrices: rows fetch elements
_REGISTERS = 400  # that a stage computes: all are one line of instructions
_KINDS = {"map", "row", "reduction", "concatenation", "contraction"}
_SEPARATE = {"concatenate", "reduce", "dot_general"}  # ops at which other kinds of stages end


def join_batched(stages: Sequence[Stage]) -> list[Stage]:
    """Stages in order; those that follow each other on tensors of a batch have become few."""
    if len(stages) == 1 and not _is_of_matrices(stages[0]):
        return list(stages)
    batches = {stage: batch for stage in stages if (batch := _batch_of(stage))}
    families = _families(batches)
    groups = grouped(stages, families.get, lambda s: sum(map(_size, s.members)), _REGISTERS)
    for group in groups:
        if len(group) > 1 or _is_of_matrices(group[0]):
            batch = batches[group[0]]
            join(group, "batched")
            group[0].rows, group[0].columns = batch, 1
    return [stage for stage in stages if stage.members]


def _is_of_matrices(stage: Stage) -> bool:
    """Whether a stage alone reduces matrices of a batch."""
    return any(
        op.type is not None and are_lanes(op.shape_of(0), op.type.element_type)
        for op in stage.members
        if op.name == "reduce"
    )


def are_lanes(shape: Sequence[Extent], element: ElementType) -> bool:
    """Whether small matrices of a batch are lanes where they are reduced: rows fetch elements."""
    if not are_known(*shape) or not is_held(element) or not shape or shape[0] < _MANY:
        return False
    sizes = [size for size in shape[1:] if size != 1]
    return len(sizes) > 1 and math.prod(sizes) <= _SMALL


def _families(batches: dict[Stage, int]) -> dict[Stage, Stage]:
    """A name for stages of one batch that are connected by what they read of each other."""
    heads = {stage: stage for stage in batches}

    def head(stage: Stage) -> Stage:
        while heads[stage] is not stage:
            heads[stage] = stage = heads[heads[stage]]
        return stage

    for stage, batch in batches.items():
        for source in sources_of(stage):
            if batches.get(source) == batch:
                heads[head(source)] = head(stage)
    separated = {
        head(stage) for stage in batches if any(op.name in _SEPARATE for op in stage.members)
    }
    return {stage: head(stage) for stage in batches if head(stage) in separated}


def _size(op: Op) -> int:
    """Registers that an op's elements take, about."""
    small = math.prod(op.shape[1:])
    if op.name == "reduce":
        return math.prod(op.shape_of(0)[1:])
    if op.name == "dot_general":
        counts = [math.prod(op.shape_of(k)) for k in range(2)]
        batches = math.prod(op.shape[:1]) ** sum(op.shape[:1] == op.shape_of(k)[:1] for k in (0, 1))
        # Batch dimensions are in all three, the others in two.
        return math.isqrt(math.prod(counts) // batches * small)
    return small


def _batch_of(stage: Stage) -> int:
    """The batch that all ops of a stage have; 0 where they have none."""
    shape = stage.members[0].shape if stage.members else ()
    if stage.kind not in _KINDS or not shape or not are_known(shape[0]):
        return 0
    batch: int = shape[0]
    if batch <= LARGEST:
        return 0
    fits = _Batched(batch, _REDUCED if _is_of_matrices(stage) else _PRODUCTS).fits
    is_batched = all(op.shape[:1] == (batch,) and fits(op) for op in stage.members)
    return batch if is_batched else 0


class _Batched:
    """Which ops act on tensors of a batch alike; products of so many products at most."""

    def __init__(self, batch: int, products: int) -> None:
        self.batch, self.products = batch, products
        self._known: dict[Op, bool] = {}

    def fits(self, op: Op) -> bool:
        """Whether an op does, and what is cheap below it."""
        if op not in self._known:
            self._known[op] = self._fits(op)
        return self._known[op]

    def _fits(self, op: Op) -> bool:
        if op.type is None or not self._is_held(op.shape, op.type.element_type):
            return False
        shapes = [op.shape_of(k) for k in range(len(op.operands))]
        return self._is_alike(op, shapes) and all(map(self._reads, op.operands))

    def _reads(self, operand: Op | Value) -> bool:
        if isinstance(operand, Op):
            if operand.is_cheap:
                return self.fits(operand)
            element = operand.type.element_type if operand.type else None
            return element is not None and self._is_held(operand.shape, element)
        type = tensor_type(operand.type)
        return self._is_held(type.shape, type.element_type)

    def _has_batch(self, shape: Sequence[Extent]) -> bool:
        return tuple(shape[:1]) == (self.batch,)

    def _is_held(self, shape: Sequence[Extent], element: ElementType) -> bool:
        """Whether tensors are small and of elements that vectors hold as they are."""
        small = shape[1:] if self._has_batch(shape) else shape
        return is_held(element) and are_known(*shape) and 0 < math.prod(small) <= _SMALL

    def _is_alike(self, op: Op, shapes: Sequence[tuple[Extent, ...]]) -> bool:
        """Whether the batch stays the first dimension, and no tensor reads another one."""
        has_batch = self._has_batch(op.shape)
        batched = [self._has_batch(shape) for shape in shapes]
        if any(batched) and not has_batch:
            return False
        if op.name == "constant":
            return is_splat(op.operation.attributes["value"])
        if op.name == "iota":
            return True
        if op.is_elementwise:
            is_cast = op.name == "bitcast_convert"
            return not is_cast and all(shape in ((), op.shape) for shape in shapes)
        if op.name == "dot_general":
            return has_batch and _size(op) <= self.products and _is_by_tensor(op, batched)
        if has_batch and not any(batched):
            return op.name == "broadcast_in_dim"
        if not has_batch:
            return op.name in ("broadcast_in_dim", "reshape", "transpose", "slice", "reverse")
        return _keeps_first(op, batched)


def is_held(element: ElementType) -> bool:
    """Whether lanes hold elements as they are."""
    return element.is_boolean or (not element.is_complex and element.bits in (32, 64))


def _keeps_first(op: Op, batched: Sequence[bool]) -> bool:
    """Whether what moves or folds elements of tensors leaves the batch as it is."""
    if op.name in ("reshape", "slice"):  # which have as many tensors: all of them
        return True
    if op.name == "broadcast_in_dim":
        return op.integers("broadcast_dimensions")[0] == 0
    if op.name == "transpose":
        return op.integers("permutation")[0] == 0
    if op.name in ("reverse", "reduce"):
        return 0 not in op.integers("dimensions")
    if op.name == "concatenate":
        return all(batched)
    return False


def _is_by_tensor(op: Op, batched: Sequence[bool]) -> bool:
    """Whether a product multiplies each tensor with its own, or with one for all of them."""
    numbers = DOT_DIMENSION_NUMBERS.decode(op.operation.attributes["dot_dimension_numbers"])
    lhs, rhs = (list(numbers.get(f"{side}_batching_dimensions", ())) for side in ("lhs", "rhs"))
    if all(batched):
        return lhs[:1] == [0] and rhs[:1] == [0]
    inner = numbers.get("lhs_contracting_dimensions", ())
    return batched[0] and not lhs and 0 not in inner and op.shape_of(0)[1:] != ()
