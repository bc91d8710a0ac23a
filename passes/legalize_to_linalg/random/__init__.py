"""Random numbers: counters enciphered, each by itself, so that loops over them have no order.

``rng_bit_generator`` gives the bits that XLA:CPU gives. ``rng`` is implementation-defined: here
element i of the n-th ``rng`` of a program is made from Threefry-2x32 of counter i under the key
(``SEED``, n). A program gives the same numbers in every run, in any number of threads; an op in
a loop the same in every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim, ceiling_divided, product
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType
from shlo_tools.errors import UnsupportedError
from shlo_tools.ir import Lowering, describe, enum_of
from shlo_tools.mlir import Operation, Value
from shlo_tools.narrow_floats import is_narrow
from shlo_tools.ops.random import RngAlgorithm, RngDistribution
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.data_movement import extracted, inserted, reshaped
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    EQ,
    arithmetic,
    compare,
    index_of,
    load,
    store,
)
from shlo_tools.passes.legalize_to_linalg.random.ciphers import (
    U32,
    U64,
    advanced,
    joined,
    philox_words,
    threefry,
    threefry_words,
    words,
)
from shlo_tools.passes.legalize_to_linalg.random.distributions import (
    normal,
    uniform_float,
    uniform_integer,
)
from shlo_tools.passes.legalize_to_linalg.rules import lowers

SEED = 0x53484C4F
PLACE = "shlo.place"  # on an rng: which of the program's it is


# --- rng_bit_generator ----------------------------------------------------------------------------
@lowers
def rng_bit_generator(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Of the state's words the first is the key, the others count what was given out."""
    result = build.type(op.results[1])
    algorithm = RngAlgorithm[ir.enum_of(op, "rng_algorithm")]
    is_threefry = algorithm is RngAlgorithm.THREE_FRY
    generator = _State(op, build, operands[0])
    count = 2 if is_threefry else generator.count()
    state = [generator.word(number) for number in range(count)]
    bits = _threefry_bits if is_threefry else _philox_bits
    output, used = bits(op, build, state, result)
    e = Emit(op, build)
    if isinstance(used, int):
        amount = e.constant(used, U64)
    else:
        amount = e("arith.index_cast", index_of(build, used), type=structured.element(U64))
    for number, word in enumerate(advanced(e, state, amount)):
        generator.replace(number, word)
    return [generator.tensor, output]


class _State:
    """A tensor of words of 64 bits, each one element, or two: the low half, then the high one."""

    def __init__(self, op: Operation, build: Lowering, tensor: Value) -> None:
        self.tensor = tensor
        self._type = build.type(op.operands[0])
        self._is_halved = self._type.element_type.bits == 32
        self._build = build
        self._e = Emit(op, build)

    def count(self) -> int:
        """Two words or three."""
        size = self._type.shape[0]
        if isinstance(size, int):
            return size * self._type.element_type.bits // 64
        message = f"not supported: {describe(self._e.op)}: a state of unknown size"
        raise UnsupportedError(message, place=mlir.place_of(self._e.op.location))

    def word(self, number: int) -> Value:
        if not self._is_halved:
            return load(self._build, self.tensor, [self._place(number)])
        halves = (load(self._build, self.tensor, [self._place(2 * number + n)]) for n in (0, 1))
        return joined(self._e, *halves)

    def replace(self, number: int, word: Value) -> None:
        parts = words(self._e, word) if self._is_halved else (word,)
        for n, part in enumerate(parts):
            place = self._place(len(parts) * number + n)
            self.tensor = store(self._build, part, self.tensor, [place])

    def _place(self, number: int) -> Value:
        return structured.index(self._build, number)


def _threefry_bits(
    op: Operation, build: Lowering, state: Sequence[Value], result: TensorType
) -> tuple[Value, Dim | Value]:
    """Both words of a counter make 64 bits; of fewer bits they are two results.

    Those two are neighbours along the first even dimension, or else along the largest one.
    """
    key = words(Emit(op, build), state[0])
    if result.element_type.bits <= 32:
        if not result.is_static:
            return _paired_at_run_time(op, build, key, state[1], result)
        return _paired(op, build, key, state[1], result)

    def wide(e: Emit, number: Value) -> Sequence[Value]:
        return threefry_words(e, key, state[1], number, 64)

    count = product(result.shape)
    flat = result.with_shape([count])
    bits = _enumerated(op, build, flat, 1, wide)[0]
    return reshaped(build, bits, flat, result), count


def split_dimension(shape: Sequence[int]) -> int:
    """Along which the two words of a counter are neighbours."""
    even = [d for d, size in enumerate(shape) if size % 2 == 0]
    return even[0] if even else list(shape).index(max(shape))


Key = tuple[Value, Value]


def _paired(
    op: Operation, build: Lowering, key: Key, start: Value, result: TensorType
) -> tuple[Value, int]:
    """Low and high words of counters from ``start`` on, neighbours along a dimension."""

    def both(e: Emit, number: Value) -> Sequence[Value]:
        return threefry_words(e, key, start, number, 32)

    shape = result.static_shape or (1,)
    axis = split_dimension(shape)
    half = [-(-size // 2) if d == axis else size for d, size in enumerate(shape)]
    flat, part = result.with_shape([prod(half)]), result.with_shape(half)
    whole = result.with_shape(shape)
    total = structured.empty(build, whole)
    for number, half_words in enumerate(_enumerated(op, build, flat, 2, both)):
        sizes = [(size - number + 1) // 2 if d == axis else size for d, size in enumerate(shape)]
        if 0 in sizes:
            continue
        value = reshaped(build, half_words, flat, part)
        kept = result.with_shape(sizes)
        if kept != part:
            value = extracted(build, value, kept, [0] * part.rank, [1] * part.rank)
        first = [number if d == axis else 0 for d in range(part.rank)]
        steps = [2 if d == axis else 1 for d in range(part.rank)]
        total = inserted(build, value, total, first, sizes, steps)
    return reshaped(build, total, whole, result), prod(half)


def _paired_at_run_time(
    op: Operation, build: Lowering, key: Key, start: Value, result: TensorType
) -> tuple[Value, Value]:
    """The same where only run time tells along which dimension: each element for itself."""
    sizes = [structured.index(build, size) for size in result.shape]
    zero, one = structured.index(build, 0), structured.index(build, 1)
    splits = _split_dimension(Emit(op, build), sizes)
    halves = []
    for size, split in zip(sizes, splits, strict=True):
        half = arithmetic(build, "shrui", arithmetic(build, "addi", size, one), one)
        halves.append(Emit(op, build).select(split, half, size))

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        number, part = zero, zero
        for d, (half, split) in enumerate(zip(halves, splits, strict=True)):
            at = structured.position(inner, d)
            place = e.select(split, arithmetic(inner, "shrui", at, one), at)
            number = arithmetic(inner, "addi", arithmetic(inner, "muli", number, half), place)
            odd = e.select(split, arithmetic(inner, "andi", at, one), zero)
            part = arithmetic(inner, "addi", part, odd)
        counter = e("arith.index_cast", number, type=structured.element(U64))
        low, high = threefry(e, key, e("arith.addi", start, counter))
        word = e.select(compare(inner, EQ, part, zero), low, high)
        return [as_element(e, cast_scalar(e, word, U32, U64), result.element_type)]

    words_pair = structured.generic(
        build, [], [], [structured.empty(build, result)], [result], body
    )
    used = halves[0]
    for half in halves[1:]:
        used = arithmetic(build, "muli", used, half)
    return words_pair[0], used


def _split_dimension(e: Emit, sizes: Sequence[Value]) -> list[Value]:
    """For each dimension whether it is the first even one, or else the first largest one."""
    build = e.build
    one = structured.index(build, 1)
    even = [
        compare(build, EQ, arithmetic(build, "andi", size, one), structured.index(build, 0))
        for size in sizes
    ]
    any_even, largest = even[0], sizes[0]
    for size, is_even in zip(sizes[1:], even[1:], strict=True):
        any_even = arithmetic(build, "ori", any_even, is_even)
        largest = arithmetic(build, "maxsi", largest, size)
    any_split = e.constant(False, ELEMENT_TYPES["i1"])
    splits = []
    for size, is_even in zip(sizes, even, strict=True):
        is_split = e.select(any_even, is_even, compare(build, EQ, size, largest))
        splits.append(e.compare_integers("ugt", is_split, any_split))
        any_split = arithmetic(build, "ori", any_split, is_split)
    return splits


def philox_high(state: Sequence[Value]) -> Value:
    """The high word of the counter: of a state of two words the key, which is not advanced."""
    return state[2 if len(state) == 3 else 0]


def _philox_bits(
    op: Operation, build: Lowering, state: Sequence[Value], result: TensorType
) -> tuple[Value, Dim]:
    """A counter gives four words: two results of 64 bits, or four of fewer.

    The state's last two words count in 128 bits.
    """
    each = 2 if result.element_type.bits > 32 else 4
    count = product(result.shape)
    blocks = ceiling_divided(count, each)
    key = words(Emit(op, build), state[0])

    start = (state[1], philox_high(state))

    def block(e: Emit, number: Value) -> Sequence[Value]:
        return philox_words(e, key, start, number, result.element_type.bits)

    flat, table = result.with_shape([blocks]), result.with_shape([blocks, each])
    total = structured.empty(build, table)
    if 0 in result.shape:
        return structured.empty(build, result), 0
    for number, block_words in enumerate(_enumerated(op, build, flat, each, block)):
        total = inserted(build, block_words, total, [0, number], [blocks, 1], [1, 1])
    line, kept = result.with_shape([blocks * each]), result.with_shape([count])
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
        values = bits(e, _position(e, 0))
        return [as_element(e, value, type.element_type) for value in values]

    outputs = [structured.empty(build, type) for _ in range(number)]
    return structured.generic(build, [], [], outputs, [type] * number, body)


def _position(e: Emit, dimension: int) -> Value:
    """The loop counter of a ``linalg.generic``'s dimension as 64 bits."""
    index = structured.position(e.build, dimension)
    return e.build.value("arith.index_cast", (index,), structured.element(U64))


def as_element(e: Emit, bits: Value, type: ElementType) -> Value:
    """The low bits of 64 as they are."""
    if type.bits < 64:
        bits = e("arith.trunci", bits, type=mlir.integer_type(type.bits))
    if is_narrow(type):
        return e("arith.extui", bits, type=structured.element(type)) if type.bits < 8 else bits
    return e("arith.bitcast", bits, type=structured.element(type)) if type.is_float else bits


# --- rng ------------------------------------------------------------------------------------------
@lowers
def rng(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """64 bits per element (twice as many for 64-bit ones) as a number between a and b."""
    result = build.type(op.results[0])
    element = result.element_type
    low, high = (structured.extract(build, value, element) for value in operands[:2])
    flat = result.with_shape([product(result.shape)])
    key = random_key(Emit(op, build))

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        e = Emit(op, inner)
        return [number_of(e, _position(e, 0), low, high, key)]

    numbers = structured.generic(build, [], [], [structured.empty(build, flat)], [flat], body)
    return [reshaped(build, numbers[0], flat, result)]


def random_key(e: Emit) -> Key:
    """The key of an ``rng``."""
    return e.constant(SEED, U32), e.constant(_place_of(e.op), U32)


def number_of(e: Emit, position: Value, low: Value, high: Value, key: Key) -> Value:
    """The number at a position."""
    element = e.result
    first = e("arith.shli", position, e.constant(1, U64))
    counters = [first]
    if element.bits > 32:
        counters.append(e("arith.addi", first, e.constant(1, U64)))
    bits = [joined(e, *threefry(e, key, counter)) for counter in counters]
    if RngDistribution[ir.enum_of(e.op, "rng_distribution")] is RngDistribution.NORMAL:
        return normal(e, bits, low, high, element)
    uniform = uniform_float if element.is_float else uniform_integer
    return uniform(e, bits, low, high, element)


def note_places(ops: Iterable[Operation]) -> None:
    """Note on each ``rng`` which of the program's ops it is, before they are moved."""
    for place, op in enumerate(op for op in ops if op.name == "stablehlo.rng"):
        op.attributes[PLACE] = mlir.i64_attr(place)


def _place_of(op: Operation) -> int:
    """Which of the program's ``rng`` ops this is."""
    if PLACE in op.attributes:
        return ir.integer_of(op, PLACE)
    module = op
    while module.parent is not None:
        module = mlir.inner_operation(module.parent)
    return [other for other in mlir.walk(module) if other.name == op.name].index(op)
