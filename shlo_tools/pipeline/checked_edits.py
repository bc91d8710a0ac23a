"""Edits of IR that end the process, refused while a plug-in's pass runs.

The bindings check little: erasing an op whose results are used frees what its users still point
to. Our own passes do without these checks, which cost more than the edits themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from shlo_tools import mlir
from shlo_tools.errors import PassError
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.pipeline.registry import Pass

_REPLACE = "replace its uses first (Value.replace_all_uses_with), or erase the users before it"


Edit = tuple[
    Any, str, Callable[..., Any]
]  # a class of the bindings, its method, what stands for it


def edits_of(instance: Pass, anchor: Operation) -> AbstractContextManager[None]:
    """What a pass runs in: checked edits, unless it is one of ours."""
    is_ours = type(instance).__module__.startswith("shlo_tools.")
    return nullcontext() if is_ours else checked(anchor)


@contextmanager
def checked(anchor: Operation) -> Iterator[None]:
    """Within the block, edits that would end the process raise PassError, or do nothing.

    Args:
        anchor: the op that a pass runs on, which has to stay.
    """
    edits = [*_edits_of_ops(anchor), *_edits_of_values()]
    before = [getattr(owner, name) for owner, name, _ in edits]
    for owner, name, edit in edits:
        setattr(owner, name, edit)
    try:
        yield
    finally:
        for (owner, name, _), edit in zip(edits, before, strict=True):
            setattr(owner, name, edit)


def _edits_of_ops(anchor: Operation) -> list[Edit]:
    operation, _, _, _ = mlir.edited_classes()
    erase_unchecked, detach_unchecked = operation.erase, operation.detach_from_parent
    around = list(_and_parents(anchor))

    def erase(op: Any) -> None:
        _require_unused(op, op.results, "erased")
        above = list(_and_parents(op))
        if above[0] in around:
            raise _refused(op, "cannot be erased: the pass runs on it or in it")
        if above[-1] == around[-1] and anchor not in above:
            raise _refused(op, "cannot be erased: it lies outside of the op that the pass runs on")
        erase_unchecked(op)

    def detach(op: Any) -> Any:
        _require_unused(op, op.results, "detached", hint="move it (Operation.move_before)")
        return detach_unchecked(op)

    return [(operation, "erase", erase), (operation, "detach_from_parent", detach)]


def _edits_of_values() -> list[Edit]:
    _, block, operands, value = mlir.edited_classes()
    erase_argument_unchecked = block.erase_argument
    set_operand_unchecked = operands.__setitem__
    replace_unchecked = value.replace_all_uses_with

    def erase_argument(block: Block, index: int) -> None:
        if not 0 <= index < len(block.arguments):
            raise _refused(block.owner, f"has no block argument {index}")
        _require_unused(block.owner, [block.arguments[index]], "without its block argument")
        erase_argument_unchecked(block, index)

    def set_operand(operands: Any, index: int, value: Value) -> None:
        if not -len(operands) <= index < len(operands):
            raise PassError(f"operand {index} is set of an op that has {len(operands)}")
        set_operand_unchecked(operands, index % len(operands), value)

    def replace_all_uses_with(value: Value, other: Any) -> None:
        if value != other:  # else the bindings go round in circles
            replace_unchecked(value, other)

    return [
        (block, "erase_argument", erase_argument),
        (operands, "__setitem__", set_operand),
        (value, "replace_all_uses_with", replace_all_uses_with),
    ]


def _require_unused(op: Any, values: Any, state: str, hint: str = _REPLACE) -> None:
    for value in values:
        use = next(iter(value.uses), None)
        if use is not None:
            user = mlir.inner_operation(use.owner).name
            raise _refused(op, f"cannot be {state}: {user} uses what it defines", hint)


def _refused(op: Any, message: str, hint: str = "") -> PassError:
    inner = mlir.inner_operation(op)
    return PassError(f"{inner.name} {message}", place=mlir.place_of(inner.location), hint=hint)


def _and_parents(op: Any) -> Iterator[Operation]:
    while op is not None:
        op = mlir.inner_operation(op)
        yield op
        op = op.parent
