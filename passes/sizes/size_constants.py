"""Integers of shape arithmetic that are known become constants, and what they came from goes.

Before:
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4xf32>) -> tensor<i32>
    %m = stablehlo.add %n, %n : tensor<i32>
After:
    %m = stablehlo.constant dense<8> : tensor<i32>
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import cast

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.ops import DESCRIPTIONS, Trait, has_trait
from shlo_tools.ops._op import Role
from shlo_tools.shapes import Shapes

# Stay although they have no effects: they order others, ask who they are, or are the user's.
_STAYING = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("after_all", "create_token", "custom_call", "partition_id", "replica_id"),
        "rng_bit_generator",
    )
)
_FOLDED = frozenset(
    name
    for name, description in DESCRIPTIONS.items()
    if not (name in _STAYING or has_trait(name, Trait.EFFECTS))
    and not any(p.role in (Role.REGION, Role.REGIONS) for p in description.parameters)
) | {"stablehlo.reduce"}


def fold(shapes: Shapes, others: Iterable[Operation] = ()) -> None:
    """Replace the visited integer ops whose results are numbers.

    Ops that are to be checked at run time stay, though nothing may use them any more.

    Args:
        others: ops that may have lost their uses, too.
    """
    constants = _Constants()
    checked = {mlir.address_of(item.op) for item in shapes.unproven}
    turns = {mlir.address_of(op) for _, op, _ in shapes.integers}
    unused: list[Operation | None] = list(others)
    for name, op, value in reversed(shapes.integers):  # those that use others come first
        if name not in _FOLDED:
            continue
        if name == "stablehlo.constant":
            unused.append(op)
            continue
        if next(value.uses, None) is not None:
            elements = known_numbers(value, shapes)
            if elements is None:
                continue
            uses = _failing_uses(value, shapes.failing)
            value.replace_all_uses_with(constants.of(elements, value, op))
            for user, place in uses:
                user.operands[place] = value
            if uses:
                continue
        if mlir.address_of(op) in checked:
            continue
        of = op.operands[0] if name == "stablehlo.get_dimension_size" else None
        op.erase()
        owner = None if of is None or _is_used(of) else mlir.defining_op(of)
        if owner is not None and mlir.address_of(owner) not in turns:
            unused.append(owner)
    erase_unused((op for op in unused if op is not None), checked)


def _failing_uses(value: Value, failing: Container[int]) -> list[tuple[Operation, int]]:
    """Uses by ops that fail if they run; MLIR refuses them where numbers say so in the program."""
    if not failing:
        return []
    owners = [(mlir.inner_operation(use.owner), use.operand_number) for use in value.uses]
    return [(op, place) for op, place in owners if mlir.address_of(op) in failing]


class _Constants:
    """Constants at the start of blocks, one for each number of a type."""

    def __init__(self) -> None:
        self._constants: dict[tuple[int, int, tuple[int, ...]], Value] = {}  # by block and type

    def of(self, elements: tuple[int, ...], like: Value, op: Operation) -> Value:
        """A constant that stands for a value in the block that an op is in."""
        key = (hash(op.block), hash(like.type), elements)
        constant = self._constants.get(key)
        if constant is None:
            build = Build(mlir.at_start(op.block), op.location)
            attributes = {"value": _attribute(like, elements)}
            constant = self._constants[key] = build.value(
                "stablehlo.constant", (), like.type, attributes
            )
        return constant


def replace_results(op: Operation, shapes: Shapes) -> None:
    """Have constants stand for the results of an op that are numbers; the op stays."""
    build = Build(mlir.after(op), op.location)
    for value in op.results:
        elements = known_numbers(value, shapes) if _is_used(value) else None
        if elements is not None:
            attributes = {"value": _attribute(value, elements)}
            constant = build.value("stablehlo.constant", (), value.type, attributes)
            value.replace_all_uses_with(constant)


def known_numbers(value: Value, shapes: Shapes) -> tuple[int, ...] | None:
    """A tensor's elements, where all are known."""
    elements = shapes.contents(value)
    if elements is None:
        return None
    for element in elements:
        if not isinstance(element, int):
            return None
    return cast("tuple[int, ...]", elements)


def _attribute(value: Value, elements: Sequence[int]) -> Attribute:
    type = dtypes.tensor_type(value.type)
    array = np.array(elements, object).astype(type.element_type.dtype)
    return dtypes.to_attribute(array.reshape(type.static_shape), type.element_type)


def erase_replaced(ops: Iterable[Operation]) -> None:
    """Erase ops that others stand for, and what only they used."""
    owners: list[Operation | None] = []
    for op in reversed(list(ops)):
        owners += [mlir.defining_op(operand) for operand in op.operands]
        op.erase()
    erase_unused(owner for owner in owners if owner is not None)


def erase_unused(ops: Iterable[Operation], staying: Container[int] = ()) -> None:
    """Erase ops whose results nothing uses, and those that only they used.

    Args:
        staying: addresses of ops that are not erased.
    """
    pending = {op.results[0]: op for op in ops if len(op.results)}
    while pending:
        _, op = pending.popitem()
        if op.name not in _FOLDED or any(_is_used(result) for result in op.results):
            continue
        if mlir.address_of(op) in staying:
            continue
        owners = [mlir.defining_op(operand) for operand in op.operands]
        op.erase()
        for owner in owners:
            if owner is not None:
                pending[owner.results[0]] = owner


def _is_used(value: Value) -> bool:
    return next(value.uses, None) is not None
