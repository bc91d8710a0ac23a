"""Types that parameters are annotated with: ``def main(x: "4x8xf32", n: "i32")``."""

from __future__ import annotations

import ast
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
    names = getattr(inspect.unwrap(function), "__globals__", {})
    return [
        _annotation(parameter.name, parameter.annotation, names)
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _annotation(name: str, written: Any, names: Mapping[str, Any]) -> Annotation:
    written = _evaluated(written, names)
    if isinstance(written, tuple) and len(written) == 2 and isinstance(written[1], Mapping):
        return Annotation(name, _type(name, written[0]), written[1])
    return Annotation(name, _type(name, written))


def _evaluated(written: Any, names: Mapping[str, Any]) -> Any:
    """An annotation that ``from __future__ import annotations`` has left as its text."""
    if not isinstance(written, str):
        return written
    if written.isidentifier() and isinstance(names.get(written), _TYPES):
        return names[written]
    if written[:1] not in ("'", '"', "("):
        return written
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return written


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
