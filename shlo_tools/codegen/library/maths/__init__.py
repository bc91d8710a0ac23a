"""Functions of the math library on vectors, called by kernels and never inlined.

The frequent ones of f32 are computed in f32 (``single``), those of bf16 to fewer digits (``bf16``),
all others in f64: what those return for
f32 is the rounded value of a result that is right to more digits, so they are within a unit in the
last place without further care. Rare operands
that need more than f64 (angles far from 0, remainders of far larger numbers) are computed lane by
lane by the C library.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import F32, F64, Function, Type, Value
from shlo_tools.codegen.library.maths import (
    arithmetic,
    bf16,
    error_functions,
    exponentials,
    powers,
    single,
    trigonometry,
)
from shlo_tools.codegen.library.maths.series import Series

Body = Callable[..., Value]
BODIES: dict[str, tuple[Body, int]] = {
    "atan2": (trigonometry.atan2, 2),
    "cbrt": (powers.cbrt, 1),
    "cos": (trigonometry.cos, 1),
    "erf": (error_functions.erf, 1),
    "erfc": (error_functions.erfc, 1),
    "exp": (exponentials.exp, 1),
    "expm1": (exponentials.expm1, 1),
    "fmod": (arithmetic.fmod, 2),
    "log": (exponentials.log, 1),
    "log1p": (exponentials.log1p, 1),
    "logistic": (exponentials.logistic, 1),
    "pow": (powers.power, 2),
    "sin": (trigonometry.sin, 1),
    "tan": (trigonometry.tan, 1),
    "tanh": (exponentials.tanh, 1),
}
# Those of f32 that are not the ones of f64.
SINGLES: dict[str, Body] = {
    "cos": single.cos,
    "erf": error_functions.erf,
    "erfc": error_functions.erfc,
    "exp": single.exp,
    "expm1": single.expm1,
    "log": single.log,
    "log1p": single.log1p,
    "logistic": single.logistic,
    "pow": powers.single_power,
    "sin": single.sin,
    "tanh": single.tanh,
}
# Those of bf16, whose operands and results are f32 that bf16 has, or is rounded from.
NARROW: dict[str, Body] = {
    "cos": bf16.cos,
    "erf": bf16.erf,
    "erfc": bf16.erfc,
    "exp": bf16.exp,
    "expm1": bf16.expm1,
    "log": bf16.log,
    "log1p": bf16.log1p,
    "logistic": bf16.logistic,
    "sin": bf16.sin,
    "tanh": bf16.tanh,
}
_FAR = {"cos", "sin"}  # in f32 but for angles that are far
OF_SINGLES = ("erf", "erfc")  # which are not there for f64


def name(function: str, type: Type) -> str:
    """The name of a function for vectors of a type."""
    return f"shlo_rt_{function}_{type.element}x{type.lanes}"


def functions(function: str, type: Type) -> list[Function]:
    """One function for vectors of bf16, f32 or f64, and what it calls."""
    body, count = BODIES[function]
    vector = held_type(type)
    f = Function(name(function, type), [vector] * count, vector)
    bodies = {"bf16": NARROW, "f32": SINGLES}.get(type.element, {})
    if function in bodies:
        f.result = bodies[function](Series(f, is_single=True), *f.arguments)
        if function not in _FAR:
            return [f]
        far = Function(single.far_name(function, vector), [vector], vector, exported=False)
        _compute_wide(far, body)
        return [f, far]
    _compute_wide(f, body)
    return [f]


def _compute_wide(f: Function, body: Body) -> None:
    """A body in f64."""
    type = f.arguments[0].type
    wide = [argument.to("fpext", "f64") for argument in f.arguments]
    result = body(Series(f, is_single=type.element == "f32"), *wide)
    f.result = result.to("fptrunc", type.element) if type.element == "f32" else result


def held_type(type: Type) -> Type:
    """What a function takes and returns: numbers of bf16 as f32."""
    return F32.vector(type.lanes) if type.element == "bf16" else type


def has(function: str, type: Type) -> bool:
    """Whether there is a function for a scalar or vector type."""
    if type.element == "bf16":
        return function in NARROW
    elements = (F32.element,) if function in OF_SINGLES else (F32.element, F64.element)
    return function in BODIES and type.element in elements
