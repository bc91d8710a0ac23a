"""Ops of one signature: what a dynamic op has in common with its static form stands there alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, get_type_hints

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def rule_of(build: Callable[P, R]) -> Callable[P, R]:
    """The function that ``@op`` made a builder of: it checks constraints and tells the results."""
    rule: Callable[P, R] = inspect.unwrap(build)
    return rule


def with_parameters_of(other: Callable[..., Any]) -> Callable[[F], F]:
    """Have the ``**`` parameter of a function stand for those of another, except what it names.

    The function's own positional parameters come first, its own keyword-only ones last.
    """

    def decorate(function: F) -> F:
        own = dict(inspect.signature(function).parameters)
        (rest,) = [name for name, p in own.items() if p.kind is inspect.Parameter.VAR_KEYWORD]
        del own[rest]
        shared = inspect.signature(other).parameters
        borrowed = [parameter for name, parameter in shared.items() if name not in own]
        ordered = sorted([*own.values(), *borrowed], key=lambda p: p.kind is _KEYWORD)
        ordered.sort(key=lambda p: p.kind is _KEYWORD and p.name in own)
        hints = get_type_hints(inspect.unwrap(other), include_extras=True)
        mine = get_type_hints(function, include_extras=True)
        described: Any = function
        described.__signature__ = inspect.signature(function).replace(parameters=ordered)
        described.__annotations__ = {
            **{parameter.name: hints[parameter.name] for parameter in borrowed},
            **{name: hint for name, hint in mine.items() if name != rest},
        }
        return function

    return decorate
