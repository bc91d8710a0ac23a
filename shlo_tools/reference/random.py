"""Random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import Array, TensorType, from_dtype
from shlo_tools.ops.random import RngAlgorithm, RngDistribution
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import from_unsigned
from shlo_tools.reference.conversion import converted
from shlo_tools.reference.rounding import rounded, wrapped

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@evaluates
def rng(
    a: Array,
    b: Array,
    shape: Array,
    rng_distribution: RngDistribution,
    *,
    result_types: list[TensorType],
) -> Array:
    """Numbers from numpy's generator, seeded by the operands: equal calls give equal numbers."""
    generator = np.random.Generator(np.random.PCG64([*a.tobytes(), *b.tobytes()]))
    sizes = tuple(int(size) for size in shape)
    element = result_types[0].element_type
    if rng_distribution is RngDistribution.NORMAL:
        normal = generator.standard_normal(sizes)
        return rounded(normal * float(b) + float(a), element.dtype)
    if element.is_float:
        low, high = float(a), float(b)
        numbers = rounded(low + generator.random(sizes) * (high - low), element.dtype)
        return np.where(numbers.astype(np.float64) < high, numbers, a)  # rounding may reach b
    low, high = int(a), max(int(a) + 1, int(b))
    words = generator.integers(0, high - low, sizes, np.uint64)
    offset = np.uint64(low & 0xFFFFFFFFFFFFFFFF)
    return converted(words + offset, element)


@evaluates
def rng_bit_generator(
    rng_algorithm: RngAlgorithm, initial_state: Array, *, result_types: list[TensorType]
) -> tuple[Array, Array]:
    type = result_types[1]
    generate = threefry if rng_algorithm is RngAlgorithm.THREE_FRY else philox
    state_words = np.ascontiguousarray(initial_state).view(
        np.uint64
    )  # of 32 bits the low half comes first
    with np.errstate(over="ignore"):
        state, words = generate(state_words, type.static_shape, type.element_type.bits == 64)
    state = state.view(initial_state.dtype)
    element = type.element_type
    if element.is_float:
        unsigned = np.dtype(f"u{element.dtype.itemsize}")
        bits = words.astype(unsigned) & unsigned.type((1 << element.bits) - 1)
        return state, from_unsigned(bits, element.dtype)
    if element.is_boolean:
        return state, (words & words.dtype.type(1)).astype(np.bool_)
    return state, wrapped(words, from_dtype(element.dtype))


# --- Threefry-2x32, 20 rounds ---------------------------------------------------------------------
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def threefry(state: Array, shape: Sequence[int], wide: bool) -> tuple[Array, Array]:
    """The next state, and words of 64 or 32 bits for each element of a shape.

    The key is the state's first word, the counter its second; a block gives two words of 32 bits.
    A 64-bit number takes a block, 32-bit numbers share one: along the first even dimension (or
    the largest), one word in each half of pairs.
    """
    key = _words(state[0])
    if wide:
        count = math.prod(shape)
        first, second = threefry_blocks(key, state[1] + np.arange(count, dtype=np.uint64))
        numbers = first.astype(np.uint64) | (second.astype(np.uint64) << _HALF)
        return np.array([state[0], state[1] + np.uint64(count)]), numbers.reshape(shape)
    sizes = list(shape) or [1]
    even = [d for d, size in enumerate(sizes) if size % 2 == 0]
    split = even[0] if even else int(np.argmax(sizes))
    half = [-(-size // 2) if d == split else size for d, size in enumerate(sizes)]
    count = math.prod(half)
    pair = threefry_blocks(key, state[1] + np.arange(count, dtype=np.uint64))
    words = np.stack([word.reshape(half) for word in pair], axis=split + 1)
    whole = [2 * size if d == split else size for d, size in enumerate(half)]
    kept = tuple(slice(0, size) for size in sizes)
    words = words.reshape(whole)[kept].reshape(shape)
    return np.array([state[0], state[1] + np.uint64(count)]), words


def _words(number: Array) -> tuple[np.uint32, np.uint32]:
    """The low and the high half of a 64-bit number."""
    return np.uint32(number & _LOW), np.uint32(number >> _HALF)


def threefry_blocks(key: tuple[np.uint32, np.uint32], counter: Array) -> tuple[Array, Array]:
    """Threefry-2x32-20 of each 64-bit counter."""
    keys = (*key, key[0] ^ key[1] ^ _PARITY)
    x = (counter & _LOW).astype(np.uint32) + keys[0]
    y = (counter >> _HALF).astype(np.uint32) + keys[1]
    for group in range(5):
        for distance in _ROTATIONS[group % 2]:
            x = x + y
            y = (y << np.uint32(distance)) | (y >> np.uint32(32 - distance))
            y = x ^ y
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


# --- Philox-4x32, 10 rounds -----------------------------------------------------------------------
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEPS = (np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))


def philox(state: Array, shape: Sequence[int], wide: bool) -> tuple[Array, Array]:
    """The next state, and words of 64 or 32 bits for each element of a shape.

    The key is the state's first word. The counter has 128 bits: the second word and the third,
    or the second and the key. A block gives four words of 32 bits.
    """
    key = _words(state[0])
    size = math.prod(shape)
    count = -(-size // (2 if wide else 4))
    upper = state[2] if len(state) == 3 else state[0]
    low = state[1] + np.arange(count, dtype=np.uint64)
    high = upper + (low < state[1]).astype(np.uint64)
    blocks = np.stack(philox_blocks(key, low, high), axis=-1).reshape(-1)
    if wide:
        pairs = blocks.reshape(-1, 2).astype(np.uint64)
        blocks = pairs[:, 0] | (pairs[:, 1] << _HALF)
    after = state[1] + np.uint64(count)
    carried = upper + np.uint64(after < state[1])
    new = [state[0], after] if len(state) == 2 else [state[0], after, carried]
    return np.array(new, np.uint64), blocks[:size].reshape(shape)


def philox_blocks(
    key: tuple[np.uint32, np.uint32], low: Array, high: Array
) -> tuple[Array, Array, Array, Array]:
    """Philox-4x32-10 of each 128-bit counter."""
    a, b = (low & _LOW).astype(np.uint32), (low >> _HALF).astype(np.uint32)
    c, d = (high & _LOW).astype(np.uint32), (high >> _HALF).astype(np.uint32)
    k, m = key
    for _ in range(10):
        first, second = a.astype(np.uint64) * _MULTIPLIERS[0], c.astype(np.uint64) * _MULTIPLIERS[1]
        a, b, c, d = (
            (second >> _HALF).astype(np.uint32) ^ b ^ k,
            (second & _LOW).astype(np.uint32),
            (first >> _HALF).astype(np.uint32) ^ d ^ m,
            (first & _LOW).astype(np.uint32),
        )
        k, m = k + _STEPS[0], m + _STEPS[1]
    return a, b, c, d
