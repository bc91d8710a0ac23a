"""Ops that compute each element on its own."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from shlo_tools.tools.bench.workers.torch_programs.rules import RULES, Rule, Run, Step, rule


def _cbrt(x: Tensor) -> Tensor:
    return torch.copysign(x.abs().pow(1 / 3), x)


def _round_afz(x: Tensor) -> Tensor:
    whole = torch.trunc(x)
    return torch.where((x - whole).abs() >= 0.5, whole + torch.sign(x), whole)


def _is_neg_inf(x: Tensor) -> Tensor:
    return x == -torch.inf


def _is_pos_inf(x: Tensor) -> Tensor:
    return x == torch.inf


# The same function for all element types.
_FUNCTIONS: Mapping[str, Run] = {
    "stablehlo.abs": torch.abs,
    "stablehlo.add": torch.add,
    "stablehlo.and": torch.bitwise_and,
    "stablehlo.atan2": torch.atan2,
    "stablehlo.cbrt": _cbrt,
    "stablehlo.ceil": torch.ceil,
    "stablehlo.complex": torch.complex,
    "stablehlo.cosine": torch.cos,
    "stablehlo.exponential": torch.exp,
    "stablehlo.exponential_minus_one": torch.expm1,
    "stablehlo.floor": torch.floor,
    "stablehlo.is_finite": torch.isfinite,
    "stablehlo.log": torch.log,
    "stablehlo.log_plus_one": torch.log1p,
    "stablehlo.logistic": torch.sigmoid,
    "stablehlo.maximum": torch.maximum,
    "stablehlo.minimum": torch.minimum,
    "stablehlo.multiply": torch.mul,
    "stablehlo.negate": torch.neg,
    "stablehlo.not": torch.bitwise_not,
    "stablehlo.optimization_barrier": lambda *values: values if len(values) > 1 else values[0],
    "stablehlo.or": torch.bitwise_or,
    "stablehlo.power": torch.pow,
    "stablehlo.remainder": torch.fmod,
    "stablehlo.round_nearest_afz": _round_afz,
    "stablehlo.round_nearest_even": torch.round,
    "stablehlo.rsqrt": torch.rsqrt,
    "stablehlo.select": torch.where,
    "stablehlo.sign": torch.sgn,
    "stablehlo.sine": torch.sin,
    "stablehlo.sqrt": torch.sqrt,
    "stablehlo.subtract": torch.sub,
    "stablehlo.tan": torch.tan,
    "stablehlo.tanh": torch.tanh,
    "stablehlo.xor": torch.bitwise_xor,
    "chlo.acos": torch.acos,
    "chlo.acosh": torch.acosh,
    "chlo.asin": torch.asin,
    "chlo.asinh": torch.asinh,
    "chlo.atan": torch.atan,
    "chlo.atanh": torch.atanh,
    "chlo.bessel_i1e": torch.special.i1e,
    "chlo.conj": lambda x: torch.conj(x).resolve_conj(),
    "chlo.cosh": torch.cosh,
    "chlo.digamma": torch.digamma,
    "chlo.erf": torch.erf,
    "chlo.erf_inv": torch.erfinv,
    "chlo.erfc": torch.erfc,
    "chlo.is_inf": torch.isinf,
    "chlo.is_neg_inf": _is_neg_inf,
    "chlo.is_pos_inf": _is_pos_inf,
    "chlo.lgamma": torch.lgamma,
    "chlo.next_after": torch.nextafter,
    "chlo.sinh": torch.sinh,
    "chlo.square": torch.square,
    "chlo.tan": torch.tan,
    "chlo.zeta": torch.special.zeta,
}


def _always(function: Run) -> Rule:
    return lambda step: function


RULES.update((name, _always(function)) for name, function in _FUNCTIONS.items())

_COMPARISONS: Mapping[str, Run] = {
    "EQ": torch.eq,
    "NE": torch.ne,
    "LT": torch.lt,
    "LE": torch.le,
    "GT": torch.gt,
    "GE": torch.ge,
}


@rule("stablehlo.compare")
def compare(step: Step) -> Run:
    if step.attributes.get("compare_type") == "TOTALORDER":
        raise step.unsupported("TOTALORDER")
    return _COMPARISONS[step.attributes["comparison_direction"]]


@rule("stablehlo.divide")
def divide(step: Step) -> Run:
    mode = "trunc" if step.result.is_integer else None
    return lambda x, y: torch.div(x, y, rounding_mode=mode)


@rule("chlo.polygamma")
def polygamma(step: Step) -> Run:
    order = step.fills.get(0)
    if order is None:
        raise step.unsupported("of an order that is no constant")
    return lambda n, x: torch.polygamma(int(order), x)


@rule("stablehlo.clamp")
def clamp(step: Step) -> Run:
    return lambda low, x, high: torch.minimum(torch.maximum(x, low), high)


@rule("stablehlo.convert")
def convert(step: Step) -> Run:
    source, dtype = step.operands[0], step.result.dtype
    if dtype == source.dtype:
        return lambda x: x
    if source.element.startswith("complex") and not dtype.is_complex:
        return lambda x: x.real.to(dtype)
    return lambda x: x.to(dtype)


@rule("stablehlo.bitcast_convert")
def bitcast_convert(step: Step) -> Run:
    source, dtype = step.operands[0], step.result.dtype
    shape = step.result.shape
    if "i1" in (source.element, step.result.element):
        raise step.unsupported("i1")
    if source.dtype.itemsize >= dtype.itemsize:
        return lambda x: x.contiguous().unsqueeze(-1).view(dtype).reshape(shape)
    return lambda x: x.contiguous().view(dtype).reshape(shape)


@rule("stablehlo.real", "stablehlo.imag")
def part(step: Step) -> Run:
    is_real = step.name == "stablehlo.real"
    if step.operands[0].element.startswith("complex"):
        return (lambda x: x.real) if is_real else lambda x: x.imag
    return (lambda x: x) if is_real else torch.zeros_like


@rule("stablehlo.shift_left", "stablehlo.shift_right_arithmetic", "stablehlo.shift_right_logical")
def shift(step: Step) -> Run:
    """Amounts beyond the width leave nothing, or the sign."""
    bits = 8 * step.result.dtype.itemsize
    if step.result.element.startswith("ui"):
        raise step.unsupported(step.result.element)

    def inside(n: Tensor) -> Tensor:
        return (n >= 0) & (n < bits)

    if step.name.endswith("arithmetic"):
        return lambda x, n: x >> torch.where(inside(n), n, bits - 1)

    if step.name.endswith("left"):
        return lambda x, n: torch.where(inside(n), x << n.clamp(0, bits - 1), 0)

    def logical(x: Tensor, n: Tensor) -> Tensor:
        amount = n.clamp(0, bits - 1)
        # What an arithmetic shift brings in from the left is masked away.
        mask = ~(torch.full_like(x, -1) << 1 << (bits - 1 - amount))
        return torch.where(inside(n), (x >> amount) & mask, 0)

    return logical
