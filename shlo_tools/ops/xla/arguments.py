"""``@xla_op``: the arguments of a function are checked by their annotations, once for all.

=========================================  ====================================================
``int``, ``bool``, ``str``, ``float``      one of these; numpy's numbers count
``Sequence[int]``, ``Sequence[bool]``      several
``Sequence[Sequence[int]]``, of pairs too  rows of one length
``Sequence[Operand]``                      several of anything; the function looks at them
``Computation``                            what can be called
a dataclass                                an object of it
=========================================  ====================================================

Everything else (operands, shapes, padding) the function checks itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import is_dataclass, replace
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.ops._attributes import I64Matrix, as_sequence, codec
from shlo_tools.ops.xla.broadcasting import Operand

P = ParamSpec("P")
R = TypeVar("R")
Convert = Callable[[Any], Any]

# Where a function of these is at work. What it calls there itself leaves errors to it.
_building: ContextVar[ir.Build | None] = ContextVar("building", default=None)


def xla_op(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function's arguments checked; its errors name it and the place in the program.

    Raises:
        ShloError: no function is being built, or an argument is not what is annotated.
    """
    signature = inspect.signature(function)

    @functools.cache
    def conversions() -> dict[str, Convert]:
        hints = get_type_hints(function)
        return {name: _conversion(hints[name]) for name in signature.parameters}

    @functools.wraps(function)
    def build(*args: P.args, **kwargs: P.kwargs) -> R:
        here = ir.insertion()
        is_called_by_user = _building.get() is not here
        token = _building.set(here)
        try:
            bound = _bound(signature, args, kwargs)
            for name, value in bound.arguments.items():
                several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
                bound.arguments[name] = _converted(conversions()[name], name, value, several)
            return function(*bound.args, **bound.kwargs)
        except ShloError as error:
            if is_called_by_user and error.diagnostics[0].place is None:
                raise _of_function(function.__name__, here, error) from error
            raise
        finally:
            _building.reset(token)

    return build


def _of_function(name: str, here: ir.Build, error: ShloError) -> ShloError:
    first, *rest = error.diagnostics
    place = mlir.place_of(here.location)
    return type(error)((replace(first, message=f"{name}: {first.message}", place=place), *rest))


def _bound(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise ShloError(str(error)) from error


def _converted(convert: Convert, name: str, value: Any, several: bool) -> Any:
    try:
        return tuple(convert(item) for item in value) if several else convert(value)
    except ShloError as error:
        first, *rest = error.diagnostics
        raise type(error)((replace(first, message=f"{name}: {first.message}"), *rest)) from error


# --- conversions ----------------------------------------------------------------------------------
def integers(values: Any) -> tuple[int, ...]:
    """Several integers; raises ShloError where they are none."""
    return tuple(_attribute(Sequence[int])(values))


def _conversion(hint: Any) -> Convert:
    members = get_args(hint)
    if type(None) in members:
        inner = [member for member in members if member is not type(None)]
        convert = _conversion(functools.reduce(lambda a, b: a | b, inner))
        return lambda value: None if value is None else convert(value)
    if isinstance(hint, type) and is_dataclass(hint):
        return functools.partial(_instance, hint)
    return _CONVERSIONS.get(hint, lambda value: value)


def _attribute(annotation: Any) -> Convert:
    """What an op function makes of an attribute annotated so."""
    form = codec(annotation)
    return lambda value: form.decode(form.encode(value))


def _instance(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ShloError(f"a {kind.__name__} is wanted, not {value!r}")
    return value


def computation_of(value: Any) -> Any:
    """What can be called; raises ShloError where it cannot."""
    if not callable(value) or isinstance(value, type):
        raise ShloError(f"a computation is wanted, which is a function of tensors, not {value!r}")
    return value


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise ShloError(f"a float is wanted, not {value!r}")
    return float(value)


_CONVERSIONS: dict[Any, Convert] = {
    **{kind: _attribute(kind) for kind in (int, bool, str, Sequence[int], Sequence[bool])},
    Sequence[Sequence[int]]: _attribute(I64Matrix),
    Sequence[tuple[int, int]]: _attribute(I64Matrix),
    Sequence[Operand]: lambda values: list(as_sequence(values, "operands")),
    Callable[..., Any]: computation_of,
    float: _float,
}
