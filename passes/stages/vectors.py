"""The scalar rules of the legalization, making vector code.

A rule says what an op means on scalars, in the names of arith, math and complex. ``VectorEmit``
writes those down as instructions of the llvm dialect, for scalars and for vectors alike; functions
of the math library become calls of the process library.
"""

from __future__ import annotations

from typing import Any

from shlo_tools.codegen import division, instructions, target
from shlo_tools.codegen.function import Function, Type, Value
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.codegen.stages.reading import elements
from shlo_tools.codegen.stages.reading.elements import Parts, arithmetic_type
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, element_type, tensor_type
from shlo_tools.mlir import Operation, spelling
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, rounds
from shlo_tools.passes.legalize_to_linalg.encoding import decode, encode
from shlo_tools.passes.llvm.lower_intrinsics import INTRINSICS

_INSTRUCTIONS = {
    "arith.addf": "fadd",
    "arith.addi": "add",
    "arith.andi": "and",
    "arith.divf": "fdiv",
    "arith.divsi": "sdiv",
    "arith.divui": "udiv",
    "arith.mulf": "fmul",
    "arith.muli": "mul",
    "arith.negf": "fneg",
    "arith.ori": "or",
    "arith.remsi": "srem",
    "arith.remui": "urem",
    "arith.shli": "shl",
    "arith.shrsi": "ashr",
    "arith.shrui": "lshr",
    "arith.subf": "fsub",
    "arith.subi": "sub",
    "arith.xori": "xor",
}
_DIVISIONS = {
    "arith.divsi": division.quotient,
    "arith.divui": division.quotient,
    "arith.remsi": division.remainder,
    "arith.remui": division.remainder,
}
_COUNTS = ("math.ctlz", "math.cttz")  # which say what they make of 0
_INTRINSICS = {
    "arith.maximumf": "maximum",
    "arith.maxsi": "smax",
    "arith.maxui": "umax",
    "arith.minimumf": "minimum",
    "arith.minsi": "smin",
    "arith.minui": "umin",
    **{name: intrinsic for name, intrinsic in INTRINSICS.items() if name not in _COUNTS},
}
_CASTS = {
    "arith.bitcast": "bitcast",
    "arith.extsi": "sext",
    "arith.extui": "zext",
    "arith.fptosi": "fptosi",
    "arith.fptoui": "fptoui",
    "arith.sitofp": "sitofp",
    "arith.trunci": "trunc",
    "arith.uitofp": "uitofp",
}
_FUNCTIONS = {
    "arith.remf": "fmod",
    "math.powf": "power",
    **{f"math.{function}": function for function in maths.FUNCTIONS},
}
_BY_PARTS = {"complex.add": "fadd", "complex.neg": "fneg", "complex.sub": "fsub"}
_NARROW = ("f16", "bf16")
_BITS = ("arith.negf", "math.absf")  # what changes the sign of a number alone
# What gives one of its operands, or a whole number, is as narrow as those are.
_EXACT = ("arith.maximumf", "arith.minimumf", "math.ceil", "math.floor", "math.roundeven")
_F16 = ELEMENT_TYPES["f16"]
_types: dict[str, Type] = {}


def elements_of(op: Operation) -> tuple[ElementType, ElementType]:
    """Elements of an op's first operand, or of what has none, and of its result."""
    result = tensor_type(op.results[0].type).element_type
    operands = op.operands
    return tensor_type(operands[0].type).element_type if len(operands) else result, result


class VectorEmit(Emit):
    """``Emit`` for one op of a stage, making vectors or scalars.

    Attributes:
        reader: the kernel that is being written.
        operand, result: elements of the op's first operand, if it has any, and of its result.
    """

    has_library = True

    def __init__(
        self, op: Operation, reader: Memory, elements: tuple[ElementType, ElementType] | None = None
    ) -> None:
        self.op = op
        self.reader = reader
        self.function: Function = reader.function
        self.operand, self.result = elements or elements_of(op)

    def __call__(  # type: ignore[override]
        self, name: str, *operands: Value, type: Any = None, **attributes: Any
    ) -> Value:
        values = self.reader.alike(operands)
        if name.startswith("complex."):
            return self._complex(name, *values)
        result_type = values[0].type if type is None else values[0].type.of(_element(type))
        if result_type.element in _NARROW:
            if rounds(name):
                single = [self._extended(value, "f32") for value in values]
                function, narrow = _FUNCTIONS.get(name, ""), result_type
                if maths.has(function, narrow):
                    result = self.reader.mathematics(function, single, narrow.element)
                else:
                    result = self(name, *single)
                if name in _EXACT and narrow.element == "bf16":
                    return _cut(result.to("bitcast", "i32"), result)
                return self._truncated(result, narrow.element)
            if name in _BITS:
                return self._sign_changed(name, values[0])
        if name == "arith.muli" and values[0].type.element == "i8":
            return self._product_of_bytes(*values)
        if name in _DIVISIONS and division.by_floats(target.host(), self.function, *values):
            return _DIVISIONS[name](*values, is_signed=name.endswith("si"))
        if name in _INSTRUCTIONS:
            return self.function.op(_INSTRUCTIONS[name], *values)
        if name in _INTRINSICS:
            return self.function.intrinsic(_INTRINSICS[name], *values)
        if name in _CASTS:
            return values[0].to(_CASTS[name], result_type.element)
        if name == "arith.extf":
            return self._extended(values[0], result_type.element)
        if name == "arith.truncf":
            return self._truncated(values[0], result_type.element)
        if name == "math.ctlz":
            return self.function.leading_zeros(values[0])
        if name in _FUNCTIONS and maths.has(_FUNCTIONS[name], values[0].type):
            return self.reader.mathematics(_FUNCTIONS[name], values, values[0].type.element)
        raise UnsupportedStage(f"{name} of {values[0].type}")

    def _product_of_bytes(self, a: Value, b: Value) -> Value:
        """Made of words, as processors do. Of bytes that were shuffled, times a small constant,
        LLVM never finds an end of exchanging the two."""
        wide = a.to("sext", "i16") * b.to("sext", "i16")
        return wide.to("trunc", "i8")

    def _complex(self, name: str, *values: Value) -> Value:
        """Complex numbers by their parts."""
        if name == "complex.create":
            return Parts(*values)
        parts = [value for value in values if isinstance(value, Parts)]
        real = [value.real for value in parts]
        imag = [value.imag for value in parts]
        if name in ("complex.eq", "complex.neq"):
            predicate, joint = ("oeq", "and") if name == "complex.eq" else ("une", "or")
            same = (self.compare_floats(predicate, *each) for each in (real, imag))
            return self.function.op(joint, *same)
        if name not in _BY_PARTS:
            raise UnsupportedStage(f"{name} of vectors")
        return Parts(*(self.function.op(_BY_PARTS[name], *each) for each in (real, imag)))

    @property
    def build(self) -> Any:  # type: ignore[override]
        """Rules that build IR themselves make no vectors."""
        raise UnsupportedStage(f"{self.op.name} as vectors")

    # What follows overrides how ops with attributes are made.
    def constant(self, value: bool | int | float, type: ElementType | None = None) -> Value:  # type: ignore[override]
        element = type or self.operand
        return as_number(elements.constant(self.function, value, element), element)

    def integer(self, value: Value) -> int | None:  # type: ignore[override]
        return self.function.integer_of(value)

    def compare_integers(self, predicate: str, lhs: Value, rhs: Value) -> Value:  # type: ignore[override]
        lhs, rhs = self.reader.alike([lhs, rhs])
        return lhs.compare(predicate, rhs)

    def compare_floats(self, predicate: str, lhs: Value, rhs: Value) -> Value:  # type: ignore[override]
        lhs, rhs = self.reader.alike([lhs, rhs])
        if lhs.type.element in _NARROW:
            lhs, rhs = self._extended(lhs, "f32"), self._extended(rhs, "f32")
        return lhs.compare(predicate, rhs)

    def select(self, condition: Value, on_true: Value, on_false: Value) -> Value:  # type: ignore[override]
        element = on_true.type.element
        chosen = self.reader.select(condition, as_held(on_true), as_held(on_false))
        return chosen.to("bitcast", element) if element in _NARROW else chosen

    def part(self, name: str, value: Value) -> Value:  # type: ignore[override]
        if not isinstance(value, Parts):
            raise UnsupportedStage(f"a part of {value.type}")
        return value.real if name == "re" else value.imag

    # --- floats of 16 bits ------------------------------------------------------------------------
    def _extended(self, value: Value, element: str) -> Value:
        if value.wide is not None:
            value = value.wide
        elif value.type.element == "bf16":
            value = elements.widened(value.to("bitcast", "i16"))
        elif value.type.element == "f16" and not target.host().converts_f16:
            value = decode(self, as_held(value), _F16)  # type: ignore[arg-type, assignment]
        return value if value.type.element == element else value.to("fpext", element)

    def _truncated(self, value: Value, element: str) -> Value:
        """Rounded to nearest even; in IR, since the processor's bf16 flushes denormals.

        What is rounded stays in f32 for the arithmetic behind it. What an op makes of narrow
        operands is rounded as NaN too: it has nothing in the digits that are cut off.
        """
        if element == "f16" and not target.host().converts_f16:
            code: Any = encode(self, value, _F16)  # type: ignore[arg-type]
            return as_number(code, _F16)
        if element != "bf16" or value.type.element != "f32":
            return value.to("fptrunc", element)
        bits = value.to("bitcast", "i32")
        rounded = self._with_half(bits)
        if self.operand.name not in _NARROW:
            is_nan = value.compare("uno", value)
            rounded = self.function.select(is_nan, bits | 0x400000, rounded)
        return _cut(rounded, (rounded & -0x10000).to("bitcast", "f32"))

    def _with_half(self, bits: Value) -> Value:
        """With half of the last digit added, or as much less as makes the last one even."""
        if target.host().adds_words and bits.type.lanes:
            words, ones = (bits & 0x10000) | 0x7FFF, self.function.constant(0x10001, bits.type)
            return bits + instructions.products_of_words(self.function, words, ones)
        if target.host().blends and bits.type.lanes:
            odd, even = (self.function.constant(n, bits.type) for n in (0x8000, 0x7FFF))
            return bits + instructions.blended(self.function, bits << 15, odd, even)
        return bits + ((bits >> 16) & 1) + 0x7FFF

    def _sign_changed(self, name: str, value: Value) -> Value:
        """Negated, or without a sign: bits, so that nothing else changes."""
        bits, sign = value.to("bitcast", "i16"), -0x8000
        changed = bits ^ sign if name == "arith.negf" else bits & ~sign
        result = changed.to("bitcast", value.type.element)
        if result.type.element == "bf16":
            result.wide = self(name, self._extended(value, "f32"))
        return result


def _cut(bits: Value, number: Value) -> Value:
    """A bf16: the first bits of an f32, and its number in f32."""
    result = (bits >> 16).to("trunc", "i16").to("bitcast", "bf16")
    result.wide = number
    return result


def _element(type: Any) -> str:
    """The element of a lowered scalar type."""
    text = spelling(type)
    if text not in _types:
        is_integer = text[0] == "i" and text[1:].isdigit()  # also of widths that no tensor holds
        _types[text] = Type(text) if is_integer else arithmetic_type(element_type(text))
    return _types[text].element


def as_number(value: Value, element: ElementType) -> Value:
    """A value as arithmetic takes it: floats of 16 bits are held as their bits."""
    return _bitcast(value, element.name) if element.name in _NARROW else value


def as_held(value: Value) -> Value:
    """A value as registers hold it."""
    return _bitcast(value, "i16") if value.type.element in _NARROW else value


def _bitcast(value: Value, element: str) -> Value:
    result = value.to("bitcast", element)
    result.wide = value.wide
    return result
