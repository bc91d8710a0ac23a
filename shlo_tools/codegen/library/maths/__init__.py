"""Functions of the math library on vectors, called by kernels and never inlined.

Most of f32 are computed in f32, the frequent ones of bf16 to fewer digits, all others in f64: what
those return for f32 is the rounded value of a result that is right to more digits, so they are
within a unit in the last place without further care. Rare operands that need more than f64 (angles
far from 0, remainders of far larger numbers) are computed lane by lane by the C library.

This is the one place that says which functions there are. Families are loaded when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from shlo_tools.codegen.function import F32, F64, Function, Type, Value
from shlo_tools.codegen.library.maths.series import Series

Body = Callable[..., Value]


class Entry(NamedTuple):
    """Where a function is, in files of this folder; it is called there as it is here.

    Attributes:
        wide: what computes it in f64: for f64, and for f32 as well where nothing else does.
        single: what computes it for f32, where that is not the same.
        narrow: what computes it for bf16: operands and results are f32 that bf16 has, or is rounded
            from. Those without one are those of f32.
        operands: how many it takes.
        has_far: in f32 but for what is far: angles, and numbers of which remainders are taken.
    """

    wide: str
    single: str = ""
    narrow: str = ""
    operands: int = 1
    has_far: bool = False


# Ops of StableHLO, and steps of them.
STEPS = {
    "atan2": Entry("trigonometry", "arcs", operands=2),
    "cbrt": Entry("powers", "roots"),
    "cos": Entry("trigonometry", "angles", "bf16", has_far=True),
    "exp": Entry("exponentials", "single", "bf16"),
    "expm1": Entry("exponentials", "single", "bf16"),
    "fmod": Entry("arithmetic", "arithmetic", operands=2, has_far=True),
    "log": Entry("exponentials", "single", "bf16"),
    "log1p": Entry("exponentials", "single", "bf16"),
    "logistic": Entry("exponentials", "single", "bf16"),
    "power": Entry("powers", "single_powers", operands=2),
    "sin": Entry("trigonometry", "angles", "bf16", has_far=True),
    "tan": Entry("trigonometry", "angles", has_far=True),
    "tanh": Entry("exponentials", "single", "bf16"),
}
# Ops of CHLO.
CHLO = {
    "acos": Entry("arcs", "arcs"),
    "acosh": Entry("wide_hyperbolic", "hyperbolic"),
    "asin": Entry("arcs", "arcs"),
    "asinh": Entry("wide_hyperbolic", "hyperbolic"),
    "atan": Entry("trigonometry", "arcs"),
    "atanh": Entry("wide_hyperbolic", "hyperbolic"),
    "bessel_i1e": Entry("bessel"),
    "cosh": Entry("wide_hyperbolic", "hyperbolic"),
    "digamma": Entry("gamma_functions"),
    "erf": Entry("wide_error_functions", "error_functions", "bf16"),
    "erf_inv": Entry("wide_error_functions", "error_functions"),
    "erfc": Entry("wide_error_functions", "error_functions", "bf16"),
    "lgamma": Entry("gamma_functions"),
    "polygamma": Entry("zeta_functions", operands=2),
    "sinh": Entry("wide_hyperbolic", "hyperbolic"),
    "zeta": Entry("zeta_functions", operands=2),
}
FUNCTIONS = STEPS | CHLO
# Ops on floats that call one, by their names without a dialect.
OPS = {
    *("atan2", "cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one"),
    *("logistic", "power", "sine", "tan", "tanh"),
    *CHLO,
}
_SHORT = ("single", "angles")  # families of functions of some dozen instructions


def name(function: str, type: Type) -> str:
    """The name of a function for vectors of a type."""
    return f"shlo_rt_{function}_{type.element}x{type.lanes}"


def functions(function: str, type: Type) -> list[Function]:
    """One function for vectors of bf16, f32 or f64, and what it calls."""
    entry, vector = FUNCTIONS[function], held_type(type)
    f = Function(name(function, type), [vector] * entry.operands, vector)
    family = {"bf16": entry.narrow, "f32": entry.single}.get(type.element)
    if not family:
        return [_computed_wide(f, function)]
    with f.reading_numbers():
        f.result = _body(family, function)(Series(f, is_single=True), *f.arguments)
    if not entry.has_far:
        return [f]
    far = Function(far_name(function, vector), [vector] * entry.operands, vector, exported=False)
    return [f, _computed_wide(far, function)]


def inlined(f: Function, function: str, operand: Value) -> Value | None:
    """A function of a vector of f32 without a call; None for those that are long."""
    family = FUNCTIONS[function].single
    if family not in _SHORT:
        return None
    with f.reading_numbers():
        return _body(family, function)(Series(f, is_single=True, is_inline=True), operand)


def _body(family: str, function: str) -> Body:
    module: Any = import_module(f"{__name__}.{family}")
    body: Body = getattr(module, function)
    return body


def _computed_wide(f: Function, function: str) -> Function:
    """A function with its body in f64."""
    type = f.arguments[0].type
    wide = [argument.to("fpext", "f64") for argument in f.arguments]
    series = Series(f, is_single=type.element == F32.element)
    with f.reading_numbers():
        result = _body(FUNCTIONS[function].wide, function)(series, *wide)
    f.result = result.to("fptrunc", type.element) if series.is_single else result
    return f


def far_name(function: str, type: Type) -> str:
    """The name of what computes what is too far for f32."""
    return f"far_{function}_{type.element}x{type.lanes}"


def held_type(type: Type) -> Type:
    """What a function takes and returns: numbers of bf16 as f32."""
    return F32.vector(type.lanes) if type.element == "bf16" else type


def has(function: str, type: Type) -> bool:
    """Whether there is a function for a scalar or vector type."""
    entry = FUNCTIONS.get(function)
    elements = (F32.element, F64.element) if entry else ()
    return type.element in elements or (type.element == "bf16" and bool(entry and entry.narrow))
