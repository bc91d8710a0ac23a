"""How an op's rule is found: mathematical functions by name, other rewrites as they are.

A mathematical function is written once on ``Term`` s, for one precision: ``"f32"`` or ``"f64"``
says how good the result must be, which picks its tables. Operands come in the type it computes
in, and the result is rounded once to the op's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

from shlo_tools import ir, ops
from shlo_tools.dtypes import element_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.legalize_chlo.formula import Term, convert, maximum
from shlo_tools.passes.normalize.shape_operands import by_element, declared
from shlo_tools.quantized_types import is_quantized
from shlo_tools.types import of_value

Precision = str
Real = Callable[..., Term]  # (precision, *operands) -> result


class Complex(NamedTuple):
    """A complex number in a formula."""

    real: Term
    imag: Term


RULES: dict[str, ir.Rewrite] = {}
REAL: dict[str, tuple[Real, str]] = {}  # name -> function, type that f32 is computed in
QUANTIZED: dict[str, Callable[[Operation, Build], Sequence[Value]]] = {}  # of such operands
ABOVE_ZERO = ("erfc", "zeta")  # of positive numbers
LEAST = 2.0**-1000  # what underflows does not become 0, which f8E8M0FNU lacks
COMPLEX: dict[str, Callable[[Complex], Complex]] = {}


def rewrites(rule: Callable[..., Sequence[Tensor]]) -> Callable[..., Sequence[Tensor]]:
    """Register ``rule(op, *operands) -> results`` for the CHLO op that it is named after."""
    RULES[f"chlo.{rule.__name__}"] = partial(_rewritten, rule)
    return rule


def elementwise(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register ``rule(op, *operands) -> result``, which may be applied to single elements."""

    @wraps(rule)
    def by_elements(op: Operation, *operands: Tensor) -> Sequence[Tensor]:
        return [by_element(partial(rule, op), *operands)]

    rewrites(by_elements)
    return rule


def _rewritten(
    rule: Callable[..., Sequence[Tensor]], op: Operation, build: Build
) -> Sequence[Value]:
    if op.name in QUANTIZED and any(is_quantized(value.type) for value in op.operands):
        with ir.inserting(build):
            return QUANTIZED[op.name](op, build)
    values = [of_value(value) for value in (*op.operands, *op.results)]
    plain = (isinstance(v, Tensor) and not v.element_type.is_quantized for v in values)
    if not all(plain):
        ir.raise_unsupported([op], "only tensors of plain numbers are rewritten")
    with ir.inserting(build):
        results = rule(op, *values[: len(op.operands)])
        return [declared(*pair) for pair in zip(results, op.results, strict=True)]


# --- mathematical functions -----------------------------------------------------------------------
def real(f32_in: str) -> Callable[[Real], Real]:
    """Register ``function(precision, *operands)``; ``f32_in`` is the type that computes f32."""

    def decorate(function: Real) -> Real:
        name = function.__name__
        REAL[name] = (function, f32_in)
        _register_function(function)
        return function

    return decorate


def complex_form(function: Callable[[Complex], Complex]) -> Callable[[Complex], Complex]:
    """Register the form for complex operands of the function of that name."""
    COMPLEX[function.__name__] = function
    _register_function(function)
    return function


def _register_function(function: Callable[..., Any]) -> None:
    """Register the rule of a function, unless a rewrite of its own stands before it."""
    name = function.__name__
    if f"chlo.{name}" not in RULES:

        @wraps(function)
        def rule(op: Operation, *operands: Tensor) -> Tensor:
            return applied(op, name, *operands)

        elementwise(rule)


def applied(op: Operation, name: str, *operands: Tensor) -> Tensor:
    """The function ``name`` of tensors of one type; ``op`` is named where there is no form."""
    element = operands[0].element_type
    if element.is_complex:
        return _applied_to_complex(op, name, *operands)
    if name not in REAL or not element.is_float:
        ir.raise_unsupported([op], f"there is no form for {element}")
    function, f32_in = REAL[name]
    precision = "f64" if element.bits == 64 else "f32"
    wide = "f64" if precision == "f64" else f32_in
    result = function(precision, *(convert(Term(operand), wide) for operand in operands))
    if element.name == "f8E8M0FNU" and name in ABOVE_ZERO:
        result = maximum(result, LEAST)
    return convert(result, element).tensor


def _applied_to_complex(op: Operation, name: str, *operands: Tensor) -> Tensor:
    if name not in COMPLEX:
        ir.raise_unsupported([op], "there is no form for complex numbers")
    (operand,) = operands
    parts = [convert(Term(part(operand)), "f64") for part in (ops.real, ops.imag)]
    result = COMPLEX[name](Complex(*parts))
    part_type = element_type("f32" if operand.element_type.bits == 64 else "f64")
    return ops.complex(*(convert(part, part_type).tensor for part in result))


def attribute(op: Operation, name: str) -> Any:
    """An attribute of an op, or None."""
    return op.attributes[name] if name in op.attributes else None
