"""Tiny tensors in registers: a scalar where all elements are the same, else one vector.

Vectors have 4, 8, 16, 32 or 64 lanes, whatever elements are: other lengths cost several times the
instructions. Lanes behind the last element repeat others, so that no lane holds more than what
elements could hold, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import I1, Function, Type, Value
from shlo_tools.codegen.library import maths
from shlo_tools.codegen.stages.reading import elements
from shlo_tools.codegen.stages.reading.elements import Parts, memory_type, part_of
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.dtypes import ElementType

LEAST = 4  # lanes of a vector
_NARROW, _WIDE = 4, 16  # lanes of the mathematical functions that are called
_INLINED = 2  # of those that loops have which repeat so often that calls take longer than compiling
_MANY = 20_000
_FENCED = 64  # loads between two fences


def lanes_of(count: int) -> int:
    """Lanes of a vector of so many elements; 0 for a single one, which is a scalar."""
    return 0 if count == 1 else max(LEAST, 1 << (count - 1).bit_length())


class Registers(Memory):
    """Vectors of any number of lanes, how they are taken apart, and how they lie in memory.

    Attributes:
        iterations: of the longest loop around what is being emitted; 0 where nobody knows.
        calls: of mathematical functions so far.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function, LEAST)
        self.iterations = 0
        self.calls = 0
        self._inlined = 0
        self._loads = 0

    # --- lanes ------------------------------------------------------------------------------------
    def shuffled(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Lanes of two vectors, counted through both."""
        if isinstance(a, Parts) and isinstance(b, Parts):
            return Parts(self.shuffled(a.real, b.real, lanes), self.shuffled(a.imag, b.imag, lanes))
        return self.function.shuffle(a, b, lanes)

    def lane(self, vector: Value, number: int) -> Value:
        """One lane as a scalar."""
        if isinstance(vector, Parts):
            return Parts(self.lane(vector.real, number), self.lane(vector.imag, number))
        return self.function.extract(vector, number)

    def inserted(self, vector: Value, scalar: Value, number: int) -> Value:
        """A vector with a scalar in one lane."""
        if isinstance(vector, Parts) and isinstance(scalar, Parts):
            real = self.inserted(vector.real, scalar.real, number)
            return Parts(real, self.inserted(vector.imag, scalar.imag, number))
        f = self.function
        return f.insert_at(vector, scalar, f.constant(number))

    def mathematics(self, function: str, values: Sequence[Value], element: str) -> Value:
        """A function of the process library, on vectors as short as will do."""
        self.calls += 1
        lanes = values[0].type.lanes
        if not lanes:
            vectors = [self.splat(value, _NARROW) for value in values]
            return self.lane(self._called(function, vectors, element), 0)
        if lanes in (_NARROW, _WIDE):
            return self._called(function, values, element)
        if lanes < _WIDE:
            whole = [self.shuffled(v, v, [k % lanes for k in range(_WIDE)]) for v in values]
            result = self._called(function, whole, element)
            return self.shuffled(result, result, range(lanes))
        half = lanes // 2
        low, high = (
            self.mathematics(function, [self.shuffled(v, v, part) for v in values], element)
            for part in (range(half), range(half, lanes))
        )
        return self.shuffled(low, high, range(lanes))

    def _called(self, function: str, vectors: Sequence[Value], element: str) -> Value:
        """A call; a long loop of one or two had to spill all that it keeps in registers for it."""
        type = vectors[0].type
        is_short = type.lanes == _NARROW and element == "f32"
        if self.iterations >= _MANY and is_short and self._inlined < _INLINED:
            value = maths.inlined(self.function, function, vectors[0])
            if value is not None:
                self._inlined += 1
                return value
        return self.function.call(maths.name(function, type.of(element)), vectors, type)

    # --- memory -----------------------------------------------------------------------------------
    def fetch(self, address: Value, type: Type) -> Value:
        """A scalar or a vector, of which a stage may have any number."""
        self._loads += 1
        if self._loads % _FENCED == 0:
            self.function.fence()
        return self.function.load(address, type)

    def load_run(self, address: Value, element: ElementType, count: int) -> Value:
        """Neighbours in memory, and nothing beside them."""
        f = self.function
        if not element.is_complex:
            return self._from_memory(self._load_words(address, element, count), element)
        part = part_of(element)
        type = memory_type(part)
        if count == 1:
            return Parts(self.fetch(address, type), self.fetch(address.at(1, type), type))
        pairs, lanes = self._load_words(address, part, 2 * count), lanes_of(count)
        last = 2 * count - 2
        real, imag = (
            f.shuffle(pairs, pairs, [min(2 * k, last) + beside for k in range(lanes)])
            for beside in (0, 1)
        )
        return Parts(real, imag)

    def _load_words(self, address: Value, element: ElementType, count: int) -> Value:
        """Two loads that overlap, where the number of elements is no power of two."""
        f, type = self.function, memory_type(element)
        if count == 1:
            return self.fetch(address, type)
        part, lanes = 1 << (count.bit_length() - 1), lanes_of(count)
        first = self.fetch(address, type.vector(part))
        if part == lanes:
            return first
        second = first
        if part < count:
            second = self.fetch(address.at(count - part, type), type.vector(part))
        places = [min(k, count - 1) for k in range(lanes)]
        return f.shuffle(first, second, [k if k < part else k - count + 2 * part for k in places])

    def store_run(self, value: Value, address: Value, count: int) -> None:
        """Store neighbours, and nothing beside them."""
        f = self.function
        if count == 1:
            self.store_scalar(value, address)
            return
        if isinstance(value, Parts):
            lanes = value.type.lanes
            places = [k // 2 + k % 2 * lanes for k in range(2 * lanes)]
            value, count = f.shuffle(value.real, value.imag, places), 2 * count
        value = self.to_memory(value)
        part = 1 << (count.bit_length() - 1)
        if part == value.type.lanes:
            f.store(value, address)
            return
        f.store(f.shuffle(value, value, range(part)), address)
        if part < count:
            behind = f.shuffle(value, value, range(count - part, count))
            f.store(behind, address.at(count - part, value.type.scalar))

    def load_places(self, address: Value, places: Value, element: ElementType) -> Value:
        """Lanes at places, which are numbers of elements."""
        f, lanes = self.function, places.type.lanes
        exists = f.constant(True, I1.vector(lanes))

        def load(part: ElementType, start: Value, width: int) -> Value:
            type = memory_type(part).vector(lanes)
            lane = f.gather(start, places * (width * type.bytes), exists, type)
            return self._from_memory(lane, part)

        if not element.is_complex:
            return load(element, address, 1)
        part = part_of(element)
        beside = address.at(1, memory_type(part))
        return Parts(load(part, address, 2), load(part, beside, 2))

    def number(self, value: elements.Number, element: ElementType) -> Value:
        """A constant as a scalar."""
        return elements.constant(self.function, value, element)
