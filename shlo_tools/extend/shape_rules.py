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

from collections.abc import Callable
from typing import Any, TypeVar

from shlo_tools import plug_ins
from shlo_tools.errors import ShloError

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
            taken = _registered.get(target)
            if taken is not None and plug_ins.identity(taken) != plug_ins.identity(function):
                other = plug_ins.identity(taken)
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
