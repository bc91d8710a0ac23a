"""Which arguments a caller gives away: a call may write them, and return results there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError

Donate = Sequence[int] | Literal["module"]

# What JAX notes on arguments that a caller gave away.
_MARKS = ("jax.buffer_donor", "tf.aliasing_output")


def donated(module: mlir.Module, function: str, donate: Donate) -> frozenset[int]:
    """The numbers of a function's arguments that are donated.

    Raises:
        ShloError: ``donate`` names others.
    """
    func = ir.functions_by_name(module.operation)[function]
    if donate == "module":
        marked = [{item.name for item in each} for each in ir.items_of(func, "arg_attrs")]
        return frozenset(n for n, names in enumerate(marked) if names.intersection(_MARKS))
    count = len(ir.signature(func)[0])
    are_several = isinstance(donate, Iterable) and not isinstance(donate, str)
    numbers: Sequence[Any] = list(donate) if are_several else [donate]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
            raise ShloError(
                f"donate={donate!r}: @{function} has no argument {number!r}",
                hint=f'a list of numbers below {count}, or "module" for what the program marks',
            )
    return frozenset(numbers)
