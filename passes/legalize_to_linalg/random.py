"""Random numbers: counters enciphered, each by itself, so that loops over them have no order.

``rng_bit_generator`` gives the bits that XLA:CPU gives. ``rng`` is implementation-defined: here
element i of the n-th ``rng`` of a program is made from Threefry-2x32 of counter i under the key
(``SEED``, n). A program gives the same numbers in every run, in any number of threads; an op in
a loop the same in every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, prod

from shlo_tools import mlir
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.random import RngAlgorithm, RngDistribution
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.contraction import accumulation_type
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar, mantissa_bits
from shlo_tools.passes.legalize_to_linalg.data_movement import extracted, inserted, reshaped
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.kernels import load, store
from shlo_tools.passes.legalize_to_linalg.rules import lowers

SEED = 0x53484C4F
U32, U64, I64 = (ELEMENT_TYPES[name] for name in ("ui32", "ui64", "i64"))


# --- ciphers on 32-bit words ----------------------------------------------------------------------
def _words(e: Emit, value: Value) -> tuple[Value, Value]:
    """The low and the high word of 64 bits."""
    high = e("arith.shrui", value, e.constant(32, U64))
    return _narrowed(e, value, U32), _narrowed(e, high, U32)


def _narrowed(e: Emit, value: Value, type: ElementType) -> Value:
    return cast_scalar(e, value, U64, type)


def _joined(e: Emit, low: Value, high: Value) -> Value:
    """64 bits from two words."""
    wide = [cast_scalar(e, word, U32, U64) for word in (low, high)]
    return e("arith.ori", wide[0], e("arith.shli", wide[1], e.constant(32, U64)))


def _threefry(e: Emit, key: tuple[Value, Value], counter: Value) -> tuple[Value, Value]:
    """Threefry-2x32 with 20 rounds (Salmon et al., SC 2011)."""
    parity = e("arith.xori", e("arith.xori", *key), e.constant(0x1BD11BDA, U32))
    keys = (*key, parity)
    x, y = (e("arith.addi", *pair) for pair in zip(_words(e, counter), key, strict=True))
    for group in range(5):
        for distance in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = e("arith.addi", x, y)
            y = e("arith.xori", x, _rotated(e, y, distance))
        x = e("arith.addi", x, keys[(group + 1) % 3])
        number = e.constant(group + 1, U32)
        y = e("arith.addi", y, e("arith.addi", keys[(group + 2) % 3], number))
    return x, y


def _rotated(e: Emit, word: Value, distance: int) -> Value:
    left = e("arith.shli", word, e.constant(distance, U32))
    return e("arith.ori", left, e("arith.shrui", word, e.constant(32 - distance, U32)))


def _philox(e: Emit, key: tuple[Value, Value], counter: tuple[Value, Value]) -> list[Value]:
    """Philox-4x32 with 10 rounds (Salmon et al., SC 2011); the counter is two times 64 bits."""
    a, b, c, d = (word for half in counter for word in _words(e, half))
    k0, k1 = key
    for _ in range(10):
        low0, high0 = _product(e, a, 0xD2511F53)
        low1, high1 = _product(e, c, 0xCD9E8D57)
        a = e("arith.xori", e("arith.xori", high1, b), k0)
        c = e("arith.xori", e("arith.xori", high0, d), k1)
        b, d = low1, low0
        k0 = e("arith.addi", k0, e.constant(0x9E3779B9, U32))
        k1 = e("arith.addi", k1, e.constant(0xBB67AE85, U32))
    return [a, b, c, d]


def _product(e: Emit, word: Value, factor: int) -> tuple[Value, Value]:
    wide = e("arith.muli", cast_scalar(e, word, U32, U64), e.constant(factor, U64))
    return _words(e, wide)


# --- rng_bit_generator ----------------------------------------------------------------------------
@lowers
def rng_bit_generator(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Of the state's words the first is the key, the others count what was given out."""
    result = tensor_type(op.results[1].type)
    size = tensor_type(op.operands[0].type).static_shape[0]
    state = [load(build, operands[0], [structured.index(build, i)]) for i in range(size)]
    algorithm = RngAlgorithm[str(op.attributes["rng_algorithm"]).split()[-1].rstrip(">")]
    if algorithm is RngAlgorithm.THREE_FRY:
        output, used = _threefry_bits(op, build, state, result)
    else:
        output, used = _philox_bits(op, build, state, result)
    return [_advanced(op, build, operands[0], state[1:], used), output]


def _advanced(
    op: Operation, build: Lowering, tensor: Value, counter: Sequence[Value], used: int
) -> Value:
    """The state with the number of used counters added, carried into a further word."""
    e = Emit(op, build)
    amount = e.constant(used, U64)
    for number, word in enumerate(counter, 1):
        total = e("arith.addi", word, amount)
        tensor = store(build, total, tensor, [structured.index(build, number)])
        carry = e.compare_integers("ult", total, word)
        amount = cast_scalar(e, carry, ELEMENT_TYPES["i1"], U64)
    return tensor


def _threefry_bits(
    op: Operation, build: Lowering, state: Sequence[Value], result: TensorType
) -> tuple[Value, int]:
    """Both words of a counter make 64 bits; of fewer bits they are two results.

    Those two are neighbours along the first even dimension, or else along the largest one.
    """
    element = result.element_type
    key = _words(Emit(op, build), state[0])
    if element.bits > 32:

        def wide(e: Emit, number: Value) -> Sequence[Value]:
            counter = e("arith.addi", state[1], number)
            return [_joined(e, *_threefry(e, key, counter))]

        flat = result.with_shape([result.size])
        made = _enumerated(op, build, flat, 1, wide)[0]
        return reshaped(build, made, flat, result), result.size

    def both(e: Emit, number: Value) -> Sequence[Value]:
        words = _threefry(e, key, e("arith.addi", state[1], number))
        return [cast_scalar(e, word, U32, U64) for word in words]

    shape = result.static_shape or (1,)
    even = [d for d, size in enumerate(shape) if size % 2 == 0]
    axis = even[0] if even else shape.index(max(shape))
    half = [-(-size // 2) if d == axis else size for d, size in enumerate(shape)]
    flat, part = result.with_shape([prod(half)]), result.with_shape(half)
    whole = result.with_shape(shape)
    total = structured.empty(build, whole)
    for number, made in enumerate(_enumerated(op, build, flat, 2, both)):
        sizes = [(size - number + 1) // 2 if d == axis else size for d, size in enumerate(shape)]
        if 0 in sizes:
            continue
        value = reshaped(build, made, flat, part)
        kept = result.with_shape(sizes)
        if kept != part:
            value = extracted(build, value, kept, [0] * part.rank, [1] * part.rank)
        first = [number if d == axis else 0 for d in range(part.rank)]
        steps = [2 if d == axis else 1 for d in range(part.rank)]
        total = inserted(build, value, total, first, sizes, steps)
    return reshaped(build, total, whole, result), prod(half)


def _philox_bits(
    op: Operation, build: Lowering, state: Sequence[Value], result: TensorType
) -> tuple[Value, int]:
    """A counter gives four words: two results of 64 bits, or four of fewer.

    The state's last two words count in 128 bits: of a state of two words the key is the high one,
    though what is carried into it is not kept.
    """
    each = 2 if result.element_type.bits > 32 else 4
    blocks = -(-result.size // each)
    key = _words(Emit(op, build), state[0])

    def block(e: Emit, number: Value) -> Sequence[Value]:
        low, high = e("arith.addi", state[1], number), state[2 if len(state) == 3 else 0]
        carry = e.compare_integers("ult", low, number)
        high = e("arith.addi", high, cast_scalar(e, carry, ELEMENT_TYPES["i1"], U64))
        words = _philox(e, key, (low, high))
        if each == 2:
            return [_joined(e, *words[:2]), _joined(e, *words[2:])]
        return [cast_scalar(e, word, U32, U64) for word in words]

    flat, table = result.with_shape([blocks]), result.with_shape([blocks, each])
    total = structured.empty(build, table)
    if result.size == 0:
        return structured.empty(build, result), 0
    for number, made in enumerate(_enumerated(op, build, flat, each, block)):
        total = inserted(build, made, total, [0, number], [blocks, 1], [1, 1])
    line, kept = result.with_shape([blocks * each]), result.with_shape([result.size])
    value = reshaped(build, total, table, line)
    if kept != line:
        value = extracted(build, value, kept, [0], [1])
    return reshaped(build, value, kept, result), blocks


def _enumerated(
    op: Operation,
    build: Lowering,
    type: TensorType,
    number: int,
    bits: Callable[[Emit, Value], Sequence[Value]],
) -> list[Value]:
    """Vectors whose elements are the low bits of 64 that a function makes of their positions."""

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        made = bits(e, _position(e, 0))
        return [_as_element(e, value, type.element_type) for value in made]

    outputs = [structured.empty(build, type) for _ in range(number)]
    return structured.generic(build, [], [], outputs, [type] * number, body)


def _position(e: Emit, dimension: int) -> Value:
    """The loop counter of a ``linalg.generic``'s dimension as 64 bits."""
    index = structured.position(e.build, dimension)
    return e.build.value("arith.index_cast", (index,), structured.element(U64))


def _as_element(e: Emit, bits: Value, type: ElementType) -> Value:
    """The low bits of 64 as they are."""
    if type.bits < 64:
        bits = e("arith.trunci", bits, type=mlir.integer_type(type.bits))
    return e("arith.bitcast", bits, type=structured.element(type)) if type.is_float else bits


# --- rng ------------------------------------------------------------------------------------------
@lowers
def rng(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """64 bits per element (twice as many for 64-bit ones) as a number between a and b."""
    result = tensor_type(op.results[0].type)
    element = result.element_type
    low, high = (structured.extract(build, value, element) for value in operands[:2])
    distribution = RngDistribution[str(op.attributes["rng_distribution"]).split()[-1].rstrip(">")]
    flat = result.with_shape([result.size])
    outside = Emit(op, build)
    key = (outside.constant(SEED, U32), outside.constant(_number_of(op), U32))

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        first = e("arith.shli", _position(e, 0), e.constant(1, U64))
        second = e("arith.addi", first, e.constant(1, U64))
        counters = (first, second) if element.bits > 32 else (first,)
        bits = [_joined(e, *_threefry(e, key, counter)) for counter in counters]
        if distribution is RngDistribution.NORMAL:
            return [_normal(e, bits, low, high, element)]
        uniform = _uniform_float if element.is_float else _uniform_integer
        return [uniform(e, bits, low, high, element)]

    made = structured.generic(build, [], [], [structured.empty(build, flat)], [flat], body)
    return [reshaped(build, made[0], flat, result)]


def _number_of(op: Operation) -> int:
    """Which of the program's ``rng`` ops this is."""
    module = op
    while module.parent is not None:
        module = mlir.inner_operation(module.parent)
    return [other for other in mlir.walk(module) if other.name == op.name].index(op)


def _uniform_integer(
    e: Emit, bits: Sequence[Value], low: Value, high: Value, type: ElementType
) -> Value:
    """low + floor(r * (high - low)) for r = bits / 2^64 (or / 2^128) below 1, exactly.

    The difference is taken without sign: it may exceed what the type holds.
    """
    unsigned = ELEMENT_TYPES.get(f"ui{type.bits}", type)
    span = cast_scalar(e, e("arith.subi", high, low), unsigned, U64)
    offset, fraction = _times(e, span, bits[0])
    if len(bits) > 1:
        finer = e("arith.addi", fraction, _times(e, span, bits[1])[0])
        carry = e.compare_integers("ult", finer, fraction)
        offset = e("arith.addi", offset, cast_scalar(e, carry, ELEMENT_TYPES["i1"], U64))
    if type.bits < 64:
        offset = e("arith.trunci", offset, type=structured.element(type))
    return e("arith.addi", low, offset)


def _times(e: Emit, x: Value, y: Value) -> tuple[Value, Value]:
    """The high and the low 64 bits of a product."""
    wide = structured.element(U64)
    made = e.build.op("arith.mului_extended", (x, y), (wide, wide))
    return made.results[1], made.results[0]


def _uniform_float(
    e: Emit, bits: Sequence[Value], low: Value, high: Value, type: ElementType
) -> Value:
    """low + r * (high - low) with as many bits of r as the type's significand has.

    Half the difference is added twice: the whole may exceed the largest number. What rounding
    puts outside the interval becomes low.
    """
    wide = accumulation_type(type)
    digits = mantissa_bits(type) + 1
    r = _fraction(e, bits[0], digits, wide)
    start, end = (cast_scalar(e, value, type, wide) for value in (low, high))
    half = e.constant(0.5, wide)
    span = e("arith.subf", e("arith.mulf", end, half), e("arith.mulf", start, half))
    step = e("arith.mulf", r, span)
    value = cast_scalar(e, _sum(e, start, step, step), wide, type)
    inside = e("arith.andi", e.compare_floats("oge", value, low), _below(e, value, high))
    return e.select(inside, value, low)


def _sum(e: Emit, *terms: Value) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = e("arith.addf", total, term)
    return total


def _below(e: Emit, value: Value, bound: Value) -> Value:
    return e.compare_floats("olt", value, bound)


def _fraction(e: Emit, bits: Value, digits: int, type: ElementType, first: int = 0) -> Value:
    """``digits`` leading bits as a multiple of 2^-digits, counted from ``first``."""
    kept = e("arith.shrui", bits, e.constant(64 - digits, U64))
    number = cast_scalar(e, kept, I64, type)
    if first:
        number = e("arith.addf", number, e.constant(float(first), type))
    return e("arith.mulf", number, e.constant(2.0**-digits, type))


def _normal(
    e: Emit, bits: Sequence[Value], mean: Value, deviation: Value, type: ElementType
) -> Value:
    """The method of Box and Muller: a radius and an angle, of which one coordinate is used."""
    wide = accumulation_type(type)
    if len(bits) > 1:
        first, second, digits = bits[0], bits[1], 53
    else:
        first, digits = bits[0], 32
        second = e("arith.shli", bits[0], e.constant(32, U64))
    radius = e("math.log", _fraction(e, first, digits, wide, first=1))
    radius = e("math.sqrt", e("arith.mulf", radius, e.constant(-2.0, wide)))
    angle = e("arith.mulf", _fraction(e, second, digits, wide), e.constant(2 * pi, wide))
    deviate = e("arith.mulf", radius, e("math.cos", angle))
    center, width = (cast_scalar(e, value, type, wide) for value in (mean, deviation))
    value = e("arith.addf", center, e("arith.mulf", deviate, width))
    return cast_scalar(e, value, wide, type)
