"""Types that parameters are annotated with: ``def main(x: "4x8xf32", n: "i32")``."""

from __future__ import annotations
import __future__

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError
from shlo_tools.types import OtherType, TokenType, TupleType, ValueType, coerce_type

_TYPES = (TensorType, TokenType, TupleType, OtherType)
_OF_PYTHON = re.compile(r"[A-Za-z_][\w.]*(\[.*\])?( \| .*)?$")  # Tensor, Any, tuple[int, ...]


@dataclass(frozen=True)
class Annotation:
    """What a parameter is annotated with.

    Attributes:
        name: the parameter's.
        type: its type; None where the annotation is none of a program.
        attributes: those of the argument, as in ``x: ("4xf32", {"jax.buffer_donor": True})``.
    """

    name: str
    type: ValueType | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


def annotated_parameters(function: Callable[..., Any]) -> list[Annotation]:
    """What the parameters of a function are annotated with; none of one that does not say.

    Raises:
        ShloError: an annotation looks like a type of a program, and is none.
    """
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # a native function that does not say what it takes
        return []
    return [
        _annotation(parameter.name, _evaluated(parameter.annotation, function))
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _annotation(name: str, written: Any) -> Annotation:
    if isinstance(written, tuple) and len(written) == 2 and isinstance(written[1], Mapping):
        return Annotation(name, _type(name, written[0]), written[1])
    return Annotation(name, _type(name, written))


def _evaluated(written: Any, function: Callable[..., Any]) -> Any:
    """An annotation; ``from __future__ import annotations`` has left its source text of it."""
    own = inspect.unwrap(function)
    code = getattr(own, "__code__", None)
    postponed = code is not None and code.co_flags & __future__.annotations.compiler_flag
    if not postponed or not isinstance(written, str):
        return written
    try:
        return eval(written, own.__globals__)  # what it would have been
    except (NameError, AttributeError, TypeError):  # of a type checker's own names
        return None


def _type(name: str, written: Any) -> ValueType | None:
    if isinstance(written, _TYPES):
        return written
    if not isinstance(written, str):
        return None
    try:
        return coerce_type(written, None)
    except ShloError as error:
        if _OF_PYTHON.match(written):
            return None
        raise ShloError(f"parameter {name!r}: {error.diagnostics[0].message}") from error
