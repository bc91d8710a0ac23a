"""Elements of tiny tensors by their numbers, picked from registers and from memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from shlo_tools.codegen.function import I64, Function, Value
from shlo_tools.codegen.stages.nodes import Node, Rule, UnsupportedStage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.tiny.numbering import Numbers, numbers_of, place_of, source_of
from shlo_tools.codegen.stages.tiny.registers import Registers, lanes_of
from shlo_tools.dtypes import ElementType

LARGEST = 64  # elements of a tiny tensor
_DEEP = 4  # ops that are repeated, at most, for one element of a vector
_APART = 4  # runs of memory, of at most as many elements, that are read as elements all over it


@dataclass(frozen=True)
class Origin:
    """How a vector was computed, lane by lane, from elements of several registers.

    Attributes:
        depth: ops between these registers and the vector.
    """

    rule: Rule
    parts: Sequence[Numbers]
    depth: int

    def of(self, number: int) -> list[int]:
        """The elements that one of its elements was computed from."""
        place = place_of(number)
        return [int(part.flat[place if part.size > 1 else 0]) for part in self.parts]


class Picking(Registers):
    """Knows where the elements of nodes are.

    A source is a register, or an address behind which elements lie. What was picked in a region is
    known there and in the regions inside of it.

    Attributes:
        numbers: of the elements of nodes.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.numbers: dict[Node, Numbers] = {}
        self._elements: list[ElementType] = []  # of sources
        self._counts: list[int] = []  # of sources in memory: elements, 0 where many
        self._scopes: list[dict[Hashable, Any]] = [{}]  # the innermost last

    def enter(self) -> None:
        """A region begins."""
        self._scopes.append({})

    def leave(self) -> None:
        """The innermost region ends, and what was picked there is forgotten."""
        self._scopes.pop()

    def known(self, key: Hashable) -> Any:
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        return None

    def note(self, key: Hashable, what: Any) -> Any:
        self._scopes[-1][key] = what
        return what

    def _source(self, element: ElementType, count: int = 0) -> int:
        self._elements.append(element)
        self._counts.append(count)
        return len(self._elements) - 1

    def numbered(self, value: Value, shape: Sequence[int], element: ElementType) -> Numbers:
        """Numbers of the elements of a value; of a scalar, all have the same."""
        source = self._source(element)
        self.note(("register", source), value)
        if value.type.lanes:
            numbers = numbers_of(source, shape)
            if value.type.lanes == lanes_of(numbers.size):
                self.note(numbers.tobytes(), value)
            return numbers
        return np.full(tuple(shape), numbers_of(source, (1,))[0])

    def in_memory(self, address: Value, element: ElementType, count: int) -> int:
        source = self._source(element, count if count <= LARGEST else 0)
        self.note(("address", source), address)
        return source

    def lies_at(self, node: Node, address: Value) -> None:
        source = self.in_memory(address, node.element, node.count)
        if node.count <= LARGEST:
            self.numbers[node] = numbers_of(source, node.shape)
        else:
            self.note(("large", node), source)

    # --- picking elements -------------------------------------------------------------------------
    def value(self, node: Node) -> Value:
        """All elements of a node."""
        return self.pick(self.of(node))

    def pick(self, numbers: Numbers) -> Value:
        """Elements by their numbers, in a vector; a scalar for a single one."""
        flat = numbers.ravel()
        key = flat.tobytes()
        known = self.known(key)
        if known is None:
            known = self.note(key, self._picked(flat.tolist()))
        value: Value = known
        return value

    def pick_alike(self, parts: Sequence[Numbers]) -> list[Value]:
        """Elements of operands that are computed with: scalars where each has only one."""
        if all(part.size == 1 or (part == part.flat[0]).all() for part in parts):
            parts = [part.ravel()[:1] for part in parts]
        return [self.pick(part) for part in parts]

    def _picked(self, numbers: list[int]) -> Value:
        count, lanes = len(numbers), lanes_of(len(numbers))
        if numbers.count(numbers[0]) == count:
            scalar = self._element(numbers[0])
            return self.splat(scalar, lanes) if lanes else scalar
        first = source_of(numbers[0])
        address = self.known(("address", first))
        if address is not None and numbers == list(range(numbers[0], numbers[0] + count)):
            return self._run(first, address, place_of(numbers[0]), count)
        return self._assembled(self._lanes(numbers), lanes)

    def _element(self, number: int) -> Value:
        """One element as a scalar."""
        source, place = source_of(number), place_of(number)
        value: Value | None = self.known(("register", source))
        if value is None:
            return self._run(source, self.known(("address", source)), place, 1)
        if not value.type.lanes:
            return value
        origin: Origin | None = self.known(("origin", source))
        return self.lane(value, place) if origin is None else self._alone(number, origin)

    def note_origin(self, numbers: Numbers, rule: Rule, parts: Sequence[Numbers]) -> None:
        """Note how the elements of a vector were computed, if some wait for more than they need.

        In regions: what is not repeated waits once.
        """
        if len(self._scopes) == 1:
            return
        others = [self.known(("origin", source_of(int(part.flat[0])))) for part in parts]
        depths = [origin.depth for origin in others if origin is not None]
        are_apart = any(len(set(map(source_of, part.ravel().tolist()))) > 1 for part in parts)
        depth = 0 if are_apart else 1 + min(depths, default=_DEEP)
        if depth < _DEEP:
            self.note(("origin", source_of(int(numbers.flat[0]))), Origin(rule, parts, depth))

    def _alone(self, number: int, origin: Origin) -> Value:
        """An element computed by itself: it does not wait for all that its vector is made of."""
        value: Value | None = self.known(("alone", number))
        if value is None:
            operands = [self._element(other) for other in origin.of(number)]
            value = self.note(("alone", number), origin.rule(self, operands))
        return value

    def _run(self, source: int, address: Value, place: int, count: int) -> Value:
        element = self._elements[source]
        return self.load_run(address.at(place, place_type(element)), element, count)

    def _lanes(self, numbers: list[int]) -> list[tuple[Value, int]]:
        """Where elements are in registers, also those that lie in memory so far."""
        lanes: list[tuple[Value, int]] = []
        at = 0
        while at < len(numbers):
            source, place, count = source_of(numbers[at]), place_of(numbers[at]), 1
            value = self.known(("register", source))
            if value is None and self._counts[source]:
                value = self.pick(numbers_of(source, (self._counts[source],)))
            elif value is None:
                value, count = self._first_of(numbers[at:])
                place = 0
            lanes += [(value, place + k) for k in range(count)]
            at += count
        return lanes

    def _first_of(self, numbers: list[int]) -> tuple[Value, int]:
        """The first ones of elements that lie in memory, and how many these are.

        They are neighbours, or all that follow each other of a source, in places all over it: one
        instruction instead of three for each.
        """
        source = source_of(numbers[0])
        own = list(takewhile(lambda number: source_of(number) == source, numbers))
        breaks = [k for k in range(1, len(own)) if own[k] != own[k - 1] + 1]
        if len(breaks) < _APART or len(own) > _APART * len(breaks):
            count = breaks[0] if breaks else len(own)
            return self.pick(np.array(own[:count])), count
        places = [place_of(number) for number in own]
        places += places[-1:] * (lanes_of(len(own)) - len(own))
        where = self.function.constant(places, I64.vector(len(places)))
        address = self.known(("address", source))
        return self.load_places(address, where, self._elements[source]), len(own)

    def _assembled(self, places: list[tuple[Value, int]], lanes: int) -> Value:
        """A vector of lanes of others, and of scalars."""
        sources: dict[int, tuple[Value, dict[int, int]]] = {}
        for lane, (value, place) in enumerate(places):
            sources.setdefault(id(value), (value, {}))[1][lane] = place
        vectors = [(value, origins) for value, origins in sources.values() if value.type.lanes]
        result: Value | None = None
        if len(vectors) > 1 and vectors[0][0].type == vectors[1][0].type:
            (a, first), (b, second), *vectors = vectors
            size = a.type.lanes
            both = first | {lane: place + size for lane, place in second.items()}
            result = self.shuffled(a, b, _filled(both, lanes, 2 * size))
        for value, origins in vectors:
            result = self._merged(result, value, origins, lanes)
        for value, origins in sources.values():
            if value.type.lanes:
                continue
            if result is None:
                result = self.splat(value, lanes)
                continue
            for lane in origins:
                result = self.inserted(result, value, lane)
        if result is None:
            raise RuntimeError("a vector of nothing")
        return result

    def _merged(
        self, result: Value | None, value: Value, origins: dict[int, int], lanes: int
    ) -> Value:
        """A vector with some lanes of another one."""
        size = value.type.lanes
        if result is None:
            if size == lanes and all(lane == place for lane, place in origins.items()):
                return value
            return self.shuffled(value, value, _filled(origins, lanes, size))
        if size != lanes:
            value = self.shuffled(value, value, _filled(origins, lanes, size))
            origins = {lane: lane for lane in origins}
        return self.shuffled(
            result, value, [lanes + origins[k] if k in origins else k for k in range(lanes)]
        )

    def splat(self, scalar: Value, lanes: int = 0) -> Value:
        """A vector of a scalar, which is made once."""
        if scalar.type.element.startswith("complex"):
            return super().splat(scalar, lanes)
        key = ("splat", scalar.name, lanes)
        known: Value | None = self.known(key)
        return known or self.note(key, super().splat(scalar, lanes))

    def of(self, node: Node) -> Numbers:
        numbers = self.numbers.get(node)
        if numbers is None:
            raise UnsupportedStage("a large tensor among tiny ones")
        return numbers


def _filled(origins: dict[int, int], lanes: int, size: int) -> list[int]:
    """Which lane goes where; where nothing is asked for, a neighbour of the one before."""
    places: list[int] = []
    for lane in range(lanes):
        before = places[-1] if places else next(iter(origins.values())) - 1
        places.append(origins.get(lane, min(max(0, before + 1), size - 1)))
    return places
