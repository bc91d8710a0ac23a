"""What must hold while the program runs, as ``shape_assertion`` custom calls.

What is known to hold is nothing, and what is known not to hold is an error now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from shlo_tools import mlir
from shlo_tools.errors import ConstraintError
from shlo_tools.extend.targets import SHAPE_ASSERTION
from shlo_tools.ir import Build, Lowering
from shlo_tools.mlir import Value
from shlo_tools.passes.normalize.legalize_shape.integers import number
from shlo_tools.passes.normalize.legalize_shape.values import Guard, Shape, Size
from shlo_tools.shapes import assertions

_MOST_WORDS = 32


def demand(build: Lowering, holds: Value, message: str, words: Sequence[Value] = ()) -> Guard:
    """A condition of the op that is being lowered."""
    return Guard(holds, message, tuple(words), build.location)


def require(build: Lowering, condition: Guard) -> None:
    """Assert at this place what a guard says.

    Raises:
        ConstraintError: it is known not to hold.
    """
    known = number(condition.holds)
    if known == 0:
        raise ConstraintError(
            _now(condition), place=mlir.place_of(condition.location or build.location)
        )
    checked: set[Any] = cast(Any, build.conversion).checked
    key = build.at.block, condition.holds
    if known == 1 or key in checked:
        return
    checked.add(key)
    words = condition.words[:_MOST_WORDS]
    here, build.location = build.location, condition.location or build.location
    call_assertion(build, (condition.holds, *words), condition.message)
    build.location = here


def call_assertion(build: Build, operands: Sequence[Value], message: str) -> None:
    """Call the host's assertion of the first operand; the others are words of the message."""
    attributes = {
        "call_target_name": mlir.string_attr(SHAPE_ASSERTION),
        "error_message": mlir.string_attr(message),
        "has_side_effect": mlir.bool_attr(True),
    }
    build.op("stablehlo.custom_call", operands, (), attributes)


def _now(condition: Guard) -> str:
    """The message of a condition before the program runs: words may be unknown."""
    words = ["?" if (n := number(word)) is None else n for word in condition.words]
    return assertions.message_of(condition.message, words)


def plain(text: str) -> str:
    """A text of the program's author as part of a message: its braces are only braces."""
    return text.replace("{", "{{")


def leave(build: Lowering, value: Shape | Size) -> None:
    """Assert that a shape or a size is valid: what it becomes cannot say that it is not."""
    for condition in value.guards:
        require(build, condition)


def told(shapes: Sequence[Shape], start: int = 0) -> tuple[str, tuple[Value, ...]]:
    """Shapes for a message, and its words; '' where a rank is unknown."""
    if not all(shape.has_rank for shape in shapes):
        return "", ()
    texts: list[str] = []
    words: list[Value] = []
    for shape in shapes:
        places = [f"{{{start + len(words) + d}}}" for d in range(len(shape.known))]
        texts.append(f"[{', '.join(places)}]")
        words += shape.known
    if start + len(words) > _MOST_WORDS:
        return "", ()
    return ": " + " and ".join(texts), tuple(words)
