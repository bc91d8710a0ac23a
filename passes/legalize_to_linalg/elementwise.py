"""Elementwise ops: each one function on scalars, wrapped in a ``linalg.generic``.

The scalar functions also lower the bodies of reductions, sorts and scatters (``inline``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.rules import RULES, op_name

I1 = ELEMENT_TYPES["i1"]
F32, F64 = ELEMENT_TYPES["f32"], ELEMENT_TYPES["f64"]


class Emit:
    """Scalar arithmetic for one op.

    Attributes:
        op: the old op.
        operand: element type of its first operand (else of its result): what arithmetic means.
        result: element type of its result.
        has_library: whether functions are those of our own library, which also has ``logistic``
            and keeps the stated bounds in f32; else they are the C library's.
    """

    has_library = False

    def __init__(self, op: Operation, build: Lowering) -> None:
        self.op = op
        self.build = build
        self.result = tensor_type(op.results[0].type).element_type
        first = op.operands[0] if len(op.operands) else op.results[0]
        self.operand = tensor_type(first.type).element_type

    def __call__(
        self, name: str, *operands: Value, type: Type | None = None, **attributes: Any
    ) -> Value:
        """One op whose result has the type of the first operand (or ``type``)."""
        first = operands[0].type
        if rounds(name) and str(first) == "bf16":
            # The processor's own rounding to bf16 flushes denormals: round where IR says so.
            single = [self("arith.extf", value, type=structured.element(F32)) for value in operands]
            return self("arith.truncf", self(name, *single), type=first)
        return self.build.value(name, operands, type or first, attributes or None)

    def constant(self, value: bool | int | float, type: ElementType | None = None) -> Value:
        return structured.scalar(self.build, value, type or self.operand)

    def integer(self, value: Value) -> int | None:
        """The number that an integer is, where that is known here."""
        return None

    def compare_integers(self, predicate: str, lhs: Value, rhs: Value) -> Value:
        return self("arith.cmpi", lhs, rhs, type=_i1(), predicate=_enum(INTEGER, predicate))

    def compare_floats(self, predicate: str, lhs: Value, rhs: Value) -> Value:
        return self("arith.cmpf", lhs, rhs, type=_i1(), predicate=_enum(FLOAT, predicate))

    def select(self, condition: Value, on_true: Value, on_false: Value) -> Value:
        return self("arith.select", condition, on_true, on_false, type=on_true.type)

    def part(self, name: str, value: Value) -> Value:
        """``re`` or ``im`` of a complex scalar."""
        return self(f"complex.{name}", value, type=value.type.element_type)

    def by_kind(self, integer: str, floating: str, complex: str, *operands: Value) -> Value:
        """The op for the operand's kind."""
        names = {Kind.FLOAT: floating, Kind.COMPLEX: complex}
        return self(names.get(self.operand.kind, integer), *operands)

    @property
    def is_signed(self) -> bool:
        return self.operand.kind is Kind.SIGNED

    @property
    def is_boolean(self) -> bool:
        return self.operand.is_boolean


_EXACT = ("math.absf",)
_ARITHMETIC = tuple(f"arith.{name}f" for name in ("add", "sub", "mul", "div", "rem"))
_ARITHMETIC += ("arith.maximumf", "arith.minimumf")


def rounds(name: str) -> bool:
    """Whether code generation computes an op of narrow floats in f32 and rounds the result."""
    return name in _ARITHMETIC or (name.startswith("math.") and name not in _EXACT)


INTEGER = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT: tuple[str, ...] = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq")
FLOAT += ("ugt", "uge", "ult", "ule", "une", "uno", "true")


def _enum(names: Sequence[str], name: str) -> mlir.Attribute:
    return mlir.i64_attr(names.index(name))


def _i1() -> Type:
    return mlir.integer_type(1)


# --- registration ---------------------------------------------------------------------------------
Scalar = Callable[..., Value]
SCALARS: dict[str, Scalar] = {}
COMPLEX: dict[str, Scalar] = {}  # of complex operands, where the rule for reals is another one


def elementwise(rule: Scalar) -> Scalar:
    """Register a scalar function ``(emit, *operands) -> result`` for the op it is named after.

    Complex operands go to the function of that op in ``COMPLEX``, if there is one.
    """
    name = op_name(rule)

    @wraps(rule)
    def by_operand(e: Emit, *operands: Value) -> Value:
        return (COMPLEX.get(name, rule) if e.operand.is_complex else rule)(e, *operands)

    SCALARS[name] = by_operand
    RULES[name] = partial(_generic, by_operand)
    return by_operand


def scalar_only(*names: str) -> Callable[[Scalar], Scalar]:
    """Register the scalar form of ops whose rule on tensors stands elsewhere."""

    def register(rule: Scalar) -> Scalar:
        SCALARS.update(dict.fromkeys(names, rule))
        return rule

    return register


def _generic(
    rule: Scalar, op: Operation, operands: list[Value], build: Lowering
) -> Sequence[Value]:
    """The rule on tensors: one ``linalg.generic``; 0-dimensional operands are broadcast."""
    result = build.type(op.results[0])
    maps = [
        structured.identity(result.rank)
        if tensor_type(old.type).rank == result.rank
        else structured.affine_map(result.rank, [])
        for old in op.operands
    ]

    def body(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return [rule(Emit(op, inner), *scalars[: len(operands)])]

    outputs = [structured.empty(build, result)]
    return structured.generic(build, operands, maps, outputs, [result], body)


# --- arithmetic -----------------------------------------------------------------------------------
@elementwise
def abs(e: Emit, operand: Value) -> Value:
    if e.operand.is_float:
        return e("math.absf", operand)
    negative = e.compare_integers("slt", operand, e.constant(0))
    return e.select(negative, e("arith.subi", e.constant(0), operand), operand)


@elementwise
def add(e: Emit, lhs: Value, rhs: Value) -> Value:
    if e.is_boolean:  # logical, not modulo 2
        return e("arith.ori", lhs, rhs)
    return e.by_kind("arith.addi", "arith.addf", "complex.add", lhs, rhs)


@elementwise
def and_(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e("arith.andi", lhs, rhs)


@elementwise
def divide(e: Emit, lhs: Value, rhs: Value) -> Value:
    if not e.operand.is_integer:
        return e("arith.divf", lhs, rhs)
    return _divided(e, "arith.div", lhs, rhs, e.constant(-1))


def _divided(e: Emit, name: str, lhs: Value, rhs: Value, by_zero: Value) -> Value:
    """What an instruction makes of integers: the processor traps on x / 0 and INT_MIN / -1."""
    name += "si" if e.is_signed else "ui"
    if e.integer(rhs) not in (None, 0, -1):
        return e(name, lhs, rhs)
    is_zero = trap = e.compare_integers("eq", rhs, e.constant(0))
    if e.is_signed:
        trap = e("arith.ori", is_zero, _overflows(e, lhs, rhs))
    return e.select(is_zero, by_zero, e(name, lhs, e.select(trap, e.constant(1), rhs)))


def _overflows(e: Emit, lhs: Value, rhs: Value) -> Value:
    """Whether a signed division is INT_MIN / -1."""
    least = e.compare_integers("eq", lhs, e.constant(1 << (e.operand.bits - 1)))
    return e("arith.andi", least, e.compare_integers("eq", rhs, e.constant(-1)))


@elementwise
def maximum(e: Emit, lhs: Value, rhs: Value) -> Value:
    return _extremum(e, lhs, rhs, "arith.ori", "arith.max", "sgt")


@elementwise
def minimum(e: Emit, lhs: Value, rhs: Value) -> Value:
    return _extremum(e, lhs, rhs, "arith.andi", "arith.min", "slt")


def _extremum(e: Emit, lhs: Value, rhs: Value, boolean: str, prefix: str, better: str) -> Value:
    if e.is_boolean:
        return e(boolean, lhs, rhs)
    if e.operand.is_float:  # NaN wins, -0 < +0
        return e(prefix + "imumf", lhs, rhs)
    if e.operand.is_complex:  # NaN wins here too
        chosen = e.select(_lexicographic(e, better[1] + "e", lhs, rhs), lhs, rhs)
        return e.select(_has_nan(e, lhs), lhs, e.select(_has_nan(e, rhs), rhs, chosen))
    return e(prefix + ("si" if e.is_signed else "ui"), lhs, rhs)


def _has_nan(e: Emit, value: Value) -> Value:
    return e.compare_floats("uno", e.part("re", value), e.part("im", value))


@elementwise
def multiply(e: Emit, lhs: Value, rhs: Value) -> Value:
    if e.is_boolean:
        return e("arith.andi", lhs, rhs)
    return e("arith.mulf" if e.operand.is_float else "arith.muli", lhs, rhs)


@elementwise
def negate(e: Emit, operand: Value) -> Value:
    if e.operand.is_integer:
        return e("arith.subi", e.constant(0), operand)
    return e.by_kind("", "arith.negf", "complex.neg", operand)


@elementwise
def not_(e: Emit, operand: Value) -> Value:
    return e("arith.xori", operand, e.constant(True if e.is_boolean else -1))


@elementwise
def or_(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e("arith.ori", lhs, rhs)


@elementwise
def remainder(e: Emit, lhs: Value, rhs: Value) -> Value:
    if e.operand.is_float:
        return e("arith.remf", lhs, rhs)
    if e.operand.is_complex:
        ir.raise_unsupported([e.op], "the specification leaves complex remainders open (#997)")
    return _divided(e, "arith.rem", lhs, rhs, lhs)


@elementwise
def subtract(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e.by_kind("arith.subi", "arith.subf", "complex.sub", lhs, rhs)


@elementwise
def xor(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e("arith.xori", lhs, rhs)


# --- shifts: beyond the width the hardware's answer is not the spec's -----------------------------
@elementwise
def shift_left(e: Emit, lhs: Value, rhs: Value) -> Value:
    return _shift(e, "arith.shli", lhs, rhs, e.constant(0))


@elementwise
def shift_right_arithmetic(e: Emit, lhs: Value, rhs: Value) -> Value:
    sign = e("arith.shrsi", lhs, e.constant(e.operand.bits - 1))
    return _shift(e, "arith.shrsi", lhs, rhs, sign)


@elementwise
def shift_right_logical(e: Emit, lhs: Value, rhs: Value) -> Value:
    return _shift(e, "arith.shrui", lhs, rhs, e.constant(0))


def _shift(e: Emit, name: str, lhs: Value, rhs: Value, beyond: Value) -> Value:
    inside = e.compare_integers("ult", rhs, e.constant(e.operand.bits))
    shifted = e(name, lhs, e.select(inside, rhs, e.constant(0)))
    return e.select(inside, shifted, beyond)


# --- comparing and choosing -----------------------------------------------------------------------
@elementwise
def clamp(e: Emit, min: Value, operand: Value, max: Value) -> Value:
    return minimum(e, maximum(e, operand, min), max)


@elementwise
def compare(e: Emit, lhs: Value, rhs: Value) -> Value:
    direction = ir.enum_of(e.op, "comparison_direction").lower()
    if e.operand.is_complex:
        return _lexicographic(e, direction, lhs, rhs)
    if e.operand.is_float:
        if ir.enum_of(e.op, "compare_type") == "TOTALORDER":
            keys = [_total_order_key(e, value) for value in (lhs, rhs)]
            return e.compare_integers(_signed(direction, "s"), *keys)
        return e.compare_floats("une" if direction == "ne" else "o" + direction, lhs, rhs)
    return e.compare_integers(_signed(direction, "s" if e.is_signed else "u"), lhs, rhs)


def _signed(direction: str, prefix: str) -> str:
    return direction if direction in ("eq", "ne") else prefix + direction


def _total_order_key(e: Emit, value: Value) -> Value:
    """An integer that orders floats as -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN."""
    integer = ELEMENT_TYPES[f"i{e.operand.bits}"]
    bits = e("arith.bitcast", value, type=structured.element(integer))
    sign = e("arith.shrsi", bits, e.constant(e.operand.bits - 1, integer))
    flip = e("arith.shrui", sign, e.constant(1, integer))
    return e("arith.xori", bits, flip)


def _lexicographic(e: Emit, direction: str, lhs: Value, rhs: Value) -> Value:
    """Complex comparison: by real parts, then by imaginary parts."""
    if direction in ("eq", "ne"):
        return e(f"complex.{'eq' if direction == 'eq' else 'neq'}", lhs, rhs, type=_i1())
    real = [e.part("re", value) for value in (lhs, rhs)]
    imaginary = [e.part("im", value) for value in (lhs, rhs)]
    strictly = e.compare_floats("o" + direction[0] + "t", *real)
    tied = e.compare_floats("oeq", *real)
    rest = e.compare_floats("o" + direction, *imaginary)
    return e("arith.ori", strictly, e("arith.andi", tied, rest))


@elementwise
def is_finite(e: Emit, x: Value) -> Value:
    infinity = e.constant(float("inf"))
    return e.compare_floats("one", e("math.absf", x), infinity)


@elementwise
def select(e: Emit, pred: Value, on_true: Value, on_false: Value) -> Value:
    return e.select(pred, on_true, on_false)


# --- complex numbers ------------------------------------------------------------------------------
@elementwise
def complex(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e("complex.create", lhs, rhs, type=structured.element(e.result))


@elementwise
def imag(e: Emit, operand: Value) -> Value:
    return e.part("im", operand) if e.operand.is_complex else e.constant(0.0)


@elementwise
def real(e: Emit, operand: Value) -> Value:
    return e.part("re", operand) if e.operand.is_complex else operand
