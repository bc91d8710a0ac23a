"""Ciphers that make random bits of counters, each by itself."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit

I1, U32, U64 = (ELEMENT_TYPES[name] for name in ("i1", "ui32", "ui64"))


def words(e: Emit, value: Value) -> tuple[Value, Value]:
    """The low and the high word of 64 bits."""
    high = e("arith.shrui", value, e.constant(32, U64))
    return _narrowed(e, value, U32), _narrowed(e, high, U32)


def _narrowed(e: Emit, value: Value, type: ElementType) -> Value:
    return cast_scalar(e, value, U64, type)


def joined(e: Emit, low: Value, high: Value) -> Value:
    """64 bits from two words."""
    wide = [cast_scalar(e, word, U32, U64) for word in (low, high)]
    return e("arith.ori", wide[0], e("arith.shli", wide[1], e.constant(32, U64)))


def threefry(e: Emit, key: tuple[Value, Value], counter: Value) -> tuple[Value, Value]:
    """Threefry-2x32 with 20 rounds (Salmon et al., SC 2011)."""
    parity = e("arith.xori", e("arith.xori", *key), e.constant(0x1BD11BDA, U32))
    keys = (*key, parity)
    x, y = (e("arith.addi", *pair) for pair in zip(words(e, counter), key, strict=True))
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


def philox(e: Emit, key: tuple[Value, Value], counter: tuple[Value, Value]) -> list[Value]:
    """Philox-4x32 with 10 rounds (Salmon et al., SC 2011); the counter is two times 64 bits."""
    a, b, c, d = (word for half in counter for word in words(e, half))
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
    return words(e, wide)


def threefry_words(
    e: Emit, key: tuple[Value, Value], start: Value, number: Value, bits: int
) -> list[Value]:
    """Counter ``start`` + ``number`` as words of 64 bits, of which the low ``bits`` count."""
    pair = threefry(e, key, e("arith.addi", start, number))
    return [joined(e, *pair)] if bits > 32 else [cast_scalar(e, word, U32, U64) for word in pair]


def philox_words(
    e: Emit, key: tuple[Value, Value], start: tuple[Value, Value], number: Value, bits: int
) -> list[Value]:
    """The same, of a counter of 128 bits."""
    low = e("arith.addi", start[0], number)
    carry = e.compare_integers("ult", low, number)
    high = e("arith.addi", start[1], cast_scalar(e, carry, I1, U64))
    block = philox(e, key, (low, high))
    if bits > 32:
        return [joined(e, *block[:2]), joined(e, *block[2:])]
    return [cast_scalar(e, word, U32, U64) for word in block]


def advanced(e: Emit, state: Sequence[Value], used: Value) -> list[Value]:
    """A state's words with the number of used counters added behind the key, and carried."""
    key, *counter = state
    result, amount = [key], used
    for word in counter:
        result.append(e("arith.addi", word, amount))
        carry = e.compare_integers("ult", result[-1], word)
        amount = cast_scalar(e, carry, I1, U64)
    return result
