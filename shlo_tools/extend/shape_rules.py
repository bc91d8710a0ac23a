"""Shapes of custom calls: what users and plug-ins tell shape refinement.

    @shape_rule("outer_product")
    def outer_product(a, b):
        return [a.like(shape=(a.shape[0], b.shape[0]))]

The function gets one ``Tensor`` per operand (``shape``, ``element_type``, ``rank``, ``contents``:
the elements of a small integer tensor, or None) and returns one per result: a ``Tensor``, a
``TensorType`` or a shape. Sizes may be expressions, with which it computes as with numbers;
``dims.UNKNOWN`` says nothing of a size. If its signature names them, it also gets, by keyword,
``attributes`` (``backend_config`` as a dictionary), ``op_attributes`` and ``result_types``, as
functions of custom calls do. It raises a ShloError where the operands do not fit.

A package offers rules by entry points of the group ``shlo_tools.shape_rules``, named as the
targets. A registered rule comes before an entry point.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from shlo_tools import plug_ins
from shlo_tools.dims import Dim, Size, Unknown
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError, ShloError
from shlo_tools.types import TokenType, TupleType, Value, ValueType

GROUP = "shlo_tools.shape_rules"

ShapeRule = Callable[..., Any]
F = TypeVar("F", bound=ShapeRule)

_registered: dict[str, ShapeRule] = {}


def shape_rule(*targets: str) -> Callable[[F], F]:
    """Register a function that tells the result types of ``custom_call`` targets.

    A function of the same module and name replaces the earlier one, as in a notebook.

    Raises:
        ShloError: a target is taken by another function, or what is given is no function.
    """

    def register(function: F) -> F:
        if not callable(function):
            raise ShloError(f"{function!r} is no function")
        for target in targets:
            present = _registered.get(target)
            if present is not None and plug_ins.identity(present) != plug_ins.identity(function):
                other = plug_ins.identity(present)
                raise ShloError(f"shape rule for {target!r} is registered already, by {other}")
        _registered.update(dict.fromkeys(targets, function))
        return function

    return register


def find_shape_rule(target: str) -> ShapeRule | None:
    """The rule for a target: registered, or of an installed package."""
    if target in _registered:
        return _registered[target]
    point = plug_ins.offered(GROUP, "shape rule for").get(target)
    return None if point is None else point.load()


def told(
    target: str,
    rule: ShapeRule,
    operands: Sequence[Value],
    keywords: Mapping[str, Callable[[], Any]],
    declared: Sequence[ValueType],
) -> list[ValueType]:
    """What a rule says of the results of a call, one type for each.

    Args:
        keywords: what the rule gets by keyword if its signature names it.
        declared: the types of the results as the op has them.

    Raises:
        ConstraintError: the rule returned something else than types or shapes.
    """
    facts = {name: make() for name, make in keywords.items() if name in _keywords_of(rule)}
    returned = rule(*operands, **facts)
    rows = list(returned) if _is_of_results(returned) else [returned]
    if len(rows) != len(declared):
        raise ConstraintError(
            f"the shape rule for {target!r} tells {len(rows)} results of {len(declared)}"
        )
    return [_type(target, *pair) for pair in zip(rows, declared, strict=True)]


@functools.cache
def _keywords_of(rule: ShapeRule) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(rule).parameters)
    except (TypeError, ValueError):  # some built-in functions have none
        return frozenset()


_ROWS = (Value, TensorType, TokenType, TupleType, list, tuple)


def _is_of_results(returned: Any) -> bool:
    """Whether a list is one of results: a shape is a list of sizes."""
    if not isinstance(returned, list | tuple):
        return False
    return not returned or any(isinstance(row, _ROWS) for row in returned)


def _type(target: str, row: Any, declared: ValueType) -> ValueType:
    if isinstance(row, Value):
        return row.type
    if isinstance(row, TensorType | TokenType | TupleType):
        return row
    if isinstance(row, list | tuple) and isinstance(declared, TensorType):
        sizes = [_size(item) for item in row]
        if None not in sizes:
            return declared.with_shape(size for size in sizes if size is not None)
    raise ConstraintError(
        f"the shape rule for {target!r} returned {row!r} for a result of type {declared}",
        hint="it is to return a list with a Tensor, a TensorType or a shape for each result",
    )


def _size(item: Any) -> Dim | None:
    """A size of a shape; None if it is none."""
    if isinstance(item, Size | Unknown):
        return item
    if isinstance(item, bool) or not hasattr(type(item), "__index__"):
        return None
    return operator.index(item)
