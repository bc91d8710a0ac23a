"""Instructions of x86 that LLVM makes of no ops of its own, on vectors of any length.

All are AVX-512's but ``blended``, which is AVX2's.

They are written for whole registers: shorter vectors take a part of one, longer ones several. Who
uses one asks the target first, and does without where it is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import F32, I8, I16, I32, Function, Type, Value

_LANES = 16  # of 32 bits in a register
_HALF = 8  # in one of AVX2
_NEAREST = 4  # how results are rounded: as all others are


def of_floats(
    f: Function, name: str, operands: Sequence[Value], number: int | None = None
) -> Value:
    """``getexp``, ``scalef``, or another one that takes f32 and how the result is rounded.

    Args:
        name: what LLVM calls it, without what is the same for all.
        number: what it takes beside the operands.
    """

    def one(registers: Sequence[Value]) -> Value:
        type = registers[0].type
        numbers = [] if number is None else [f.constant(number, I32)]
        masked_out, mask, rounding = f.zero(type), f.constant(-1, I16), f.constant(_NEAREST, I32)
        return _called(
            f, f"avx512.mask.{name}.ps.512", [*registers, *numbers, masked_out, mask, rounding]
        )

    return _by_registers(f, operands, one)


def replaced_by_class(f: Function, value: Value, argument: Value, replacements: int) -> Value:
    """``value``, or something else where an f32 is of some class (``fixupimm``).

    Args:
        replacements: a nibble for each class, from the lowest one: quiet and signalling NaN, 0, 1,
            -inf, inf, negative numbers, positive ones. 0 keeps ``value``, 1 is the argument, 2 the
            same as a quiet NaN, 3 NaN, 4 -inf, 5 inf.
    """

    def one(registers: Sequence[Value]) -> Value:
        table = f.constant(replacements, I32.vector(_LANES))
        exceptions, mask, rounding = (
            f.constant(0, I32),
            f.constant(-1, I16),
            f.constant(_NEAREST, I32),
        )
        return _called(
            f, "avx512.mask.fixupimm.ps.512", [*registers, table, exceptions, mask, rounding]
        )

    return _by_registers(f, [value, argument], one)


def looked_up(f: Function, table: Sequence[float], places: Value) -> Value:
    """The f32 of a table of 32 at each place; of places the last five bits count."""
    low, high = (f.constant(part, F32.vector(_LANES)) for part in (table[:_LANES], table[_LANES:]))
    return _by_registers(
        f,
        [places],
        lambda registers: _called(f, "avx512.vpermi2var.ps.512", [low, *registers, high]),
    )


def products_of_words(f: Function, a: Value, b: Value, register: int = _LANES) -> Value:
    """The sum of the two products of the i16 that i32 of ``a`` and ``b`` consist of.

    With what it is added to it is one instruction where there is such (VNNI). ``register``: lanes
    of one, 16 (AVX-512) or 8 (AVX2).
    """
    name = "avx512.pmaddw.d.512" if register == _LANES else "avx2.pmadd.wd"

    def one(registers: Sequence[Value]) -> Value:
        type = I16.vector(2 * register)
        words = [value.to("bitcast", type) for value in registers]
        return _called(f, name, words, registers[0].type)

    return _by_registers(f, [a, b], one, register)


def products_of_bytes(f: Function, a: Value, b: Value, c: Value) -> Value:
    """``c``, and the four products of the u8 and the i8 that i32 of ``a`` and ``b`` consist of."""

    def one(registers: Sequence[Value]) -> Value:
        total, *factors = registers
        bytes_of = [value.to("bitcast", I8.vector(4 * _LANES)) for value in factors]
        return _called(f, "avx512.vpdpbusd.512", [total, *bytes_of])

    return _by_registers(f, [c, a, b], one)


def blended(f: Function, by: Value, set: Value, clear: Value) -> Value:
    """i32 of ``set`` where ``by`` has its first bit set, and of ``clear`` elsewhere (AVX2)."""

    def one(registers: Sequence[Value]) -> Value:
        floats = [v.to("bitcast", "f32") for v in registers]
        return _called(f, "avx.blendv.ps.256", floats).to("bitcast", "i32")

    return _by_registers(f, [clear, set, by], one, _HALF)


def _called(f: Function, name: str, operands: Sequence[Value], result: Type | None = None) -> Value:
    names, types = (", ".join(str(getattr(o, a)) for o in operands) for a in ("name", "type"))
    type = result or operands[0].type
    return f.emit(f'llvm.call_intrinsic "llvm.x86.{name}"({names}) : ({types}) -> {type}', type)


def _by_registers(
    f: Function,
    operands: Sequence[Value],
    one: Callable[[Sequence[Value]], Value],
    register: int = _LANES,
) -> Value:
    """What ``one`` makes of registers of some lanes, for vectors."""
    lanes = operands[0].type.lanes
    if lanes == register:
        return one(operands)
    if lanes < register:
        wide = [f.shuffle(v, v, [k % lanes for k in range(register)]) for v in operands]
        result = one(wide)
        return f.shuffle(result, result, range(lanes))
    low, high = (
        _by_registers(f, [f.shuffle(v, v, part) for v in operands], one, register)
        for part in (range(lanes // 2), range(lanes // 2, lanes))
    )
    return f.shuffle(low, high, range(lanes))
