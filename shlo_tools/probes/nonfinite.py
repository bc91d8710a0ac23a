"""Finding the op that made the first NaN or Inf."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array, Kind, from_dtype
from shlo_tools.errors import Diagnostic, ExecutionError
from shlo_tools.passes.instrument.sites import CONTROL_FLOW
from shlo_tools.probes.hits import Hit


def check(hit: Hit) -> None:
    """A listener that raises where an op makes a NaN or an Inf.

    An op makes NaN where a result has one and no operand has; it makes Inf where a result has
    one and all operands are finite. The inner ops of control flow answer for it.

    Raises:
        ExecutionError: naming the op, its place, the element, and the operands there.
    """
    if hit.site.op in CONTROL_FLOW:
        return
    for number, result in enumerate(hit.results):
        special = ~_where(np.isfinite, result)
        if not special.any():
            continue
        finding = _made(result, hit)
        if finding is not None:
            what, array = finding
            raise ExecutionError(_described(hit, number, what, array))


def _made(result: Array, hit: Hit) -> tuple[str, Array] | None:
    """What an op made that its operands did not have, and where; None if nothing."""
    nans = _where(np.isnan, result)
    if nans.any() and not any(_where(np.isnan, operand).any() for operand in hit.operands):
        return "NaN", nans
    infinities = _where(np.isinf, result)
    finite = all(_where(np.isfinite, operand).all() for operand in hit.operands)
    return ("Inf", infinities) if infinities.any() and finite else None


def _where(predicate: np.ufunc, array: Array) -> Array:
    """Where a predicate of floats holds; of other numbers only ``isfinite`` does."""
    element = from_dtype(array.dtype)
    if element.kind not in (Kind.FLOAT, Kind.COMPLEX):
        return np.full((1,) if array.size else (0,), predicate is np.isfinite)
    if array.dtype.isbuiltin != 1:  # every float that numpy lacks is one of f32
        array = array.astype(np.float32)
    return np.asarray(predicate(array))


def _described(hit: Hit, number: int, what: str, elements: Array) -> Diagnostic:
    result = hit.results[number]
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(elements)), elements.shape))
    sign = "-" if what == "Inf" and result.dtype.kind != "c" and result[index] < 0 else ""
    count = int(np.count_nonzero(elements))
    site = hit.site
    several = f"result {number} " if len(hit.results) > 1 else ""
    message = (
        f"{site}: made {sign}{what} at {several}{list(index)} ({count} of {result.size} elements)"
    )
    facts = [f"named {site.name!r}"] if site.name else []
    facts += [f"in iteration {hit.iteration}"] if hit.iteration else []
    facts += [
        _operand(position, array, result, index) for position, array in enumerate(hit.operands)
    ]
    notes = tuple(Diagnostic("note", fact) for fact in facts if fact)
    return Diagnostic("error", message, site.place, notes)


def _operand(position: int, operand: Array, result: Array, index: tuple[int, ...]) -> str:
    """An operand's value where the result is bad, or its range where shapes differ."""
    if operand.ndim == 0:
        return f"operand {position} is {operand[()]}"
    if operand.shape == result.shape:
        return f"operand {position} is {operand[index]} there"
    if not operand.size or operand.dtype.kind == "c" or operand.dtype == np.bool_:
        return ""
    wide = operand.astype(np.float64)
    return f"operand {position} ranges from {wide.min():g} to {wide.max():g}"
