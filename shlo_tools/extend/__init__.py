"""What users and plug-ins add besides passes: custom calls.

    @custom_call("my_scale")
    def my_scale(x, *, attributes):
        return x * attributes["factor"]

The function gets one array per operand and returns one array per result (a tuple of them unless
there is one). The arrays are read-only views, valid during the call: what is kept must be copied.
Their values are the logical ones, whatever layouts the op names. If its signature names them, it
also gets, by keyword,

- ``attributes``: ``backend_config`` as a dictionary of Python values, ``{"backend_config": text}``
  where it is a string;
- ``op_attributes``: the op's other attributes;
- ``result_types``: the ``TensorType`` of each result;
- ``called_computations``: the functions of the program that the op names, to be called with arrays;
- ``operand_layouts``, ``result_layouts``: each a tuple of dimensions from the fastest varying on;
- ``output_operand_aliases``: number of a result -> number of the operand that it starts as;
- ``outputs``: arrays to write the results to, instead of returning them;
- ``target``, ``api_version``, ``has_side_effect``, and ``place``: where in the program the call is.

What it raises reaches the caller of the executable unchanged. It may compile and call programs.

C functions are targets as well: see ``c_functions``.

A package offers custom calls by entry points of the group ``shlo_tools.custom_calls``, named as
the targets. A registered function comes before a built-in one, that before an entry point.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from shlo_tools import plug_ins
from shlo_tools.errors import ShloError
from shlo_tools.extend.c_functions import CFunction, c_function, is_c_function

GROUP = "shlo_tools.custom_calls"

# Where the built-in functions are. They stand on libraries that belong to an upper floor.
_BUILT_IN = "shlo_tools.cpu.custom_calls"

CustomCall = Callable[..., Any]
F = TypeVar("F")

_registered: dict[str, CustomCall | CFunction] = {}


@overload
def custom_call(*targets: str, api_version: int | None = None) -> Callable[[F], F]: ...


@overload
def custom_call(*targets: str, address: object, api_version: int | None = None) -> None: ...


def custom_call(
    *targets: str, address: object = None, api_version: int | None = None
) -> Callable[[F], F] | None:
    """Register a function for ``stablehlo.custom_call`` targets.

    A function of the same module and name replaces the earlier one, as in a notebook.

    Args:
        address: a C function: its address, a function pointer of ctypes, or a ``PyCapsule`` such
            as ``jax.ffi.pycapsule`` makes. Without it the result is a decorator, which takes
            function pointers and capsules as well as Python functions.
        api_version: the signature that a C function has; by default the one that the op names.

    Raises:
        ShloError: a target is taken by another function, or what is given is no function.
    """

    def register(function: F) -> F:
        entry: CustomCall | CFunction
        if is_c_function(function) or address is not None:
            entry = c_function(function, api_version)
        elif not callable(function):
            raise ShloError(f"{function!r} is no function")
        elif api_version is not None:
            raise ShloError("api_version is for C functions: Python functions have no signature")
        else:
            entry = function
        _enter(targets, entry)
        return function

    if address is None:
        return register
    register(cast(Any, address))
    return None


def _enter(targets: tuple[str, ...], function: CustomCall | CFunction) -> None:
    for target in targets:
        present = _registered.get(target)
        if present is not None and _identity(present) != _identity(function):
            raise ShloError(
                f"custom_call target {target!r} is registered already, by {_identity(present)}"
            )
    _registered.update(dict.fromkeys(targets, function))


def _identity(function: CustomCall | CFunction) -> str:
    if isinstance(function, CFunction):
        return str(function)
    return plug_ins.identity(function)


def find(target: str) -> CustomCall | CFunction | None:
    """The function for a target: registered, built in, or of an installed package."""
    return registered(target) or built_in(target) or plugged_in(target)


def registered(target: str) -> CustomCall | CFunction | None:
    """The function that ``custom_call`` registered for a target, or None."""
    return _registered.get(target)


def built_in(target: str) -> CustomCall | None:
    """The function that comes with the library, or None."""
    entry: CustomCall | None = importlib.import_module(_BUILT_IN).find(target)
    return entry


def plugged_in(target: str) -> CustomCall | None:
    """The function that an installed package offers for a target, or None."""
    point = plug_ins.offered(GROUP, "custom_call target").get(target)
    return None if point is None else point.load()
