"""Reading nodes at indices: the elements of a node as a scalar or as a vector of lanes.

Operands are asked where an op reads them, so nothing is computed that is not needed there, and what
is the same for a row is computed once for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.codegen.function import I1, I64, Type, Value
from shlo_tools.codegen.stages.elements import (
    Parts,
    constant,
    flattened,
    memory_type,
    part_of,
    place_type,
)
from shlo_tools.codegen.stages.folds import fold_of, sources_of, starts_of
from shlo_tools.codegen.stages.indices import (
    Component,
    Index,
    Lanes,
    Linear,
    Mask,
    Positions,
    Scalar,
    Split,
    level_of,
)
from shlo_tools.codegen.stages.nodes import VIEWS, Node, NodeKind, UnsupportedStage
from shlo_tools.codegen.stages.parts import PartsReader
from shlo_tools.codegen.stages.placing import has_lanes, level_of_index
from shlo_tools.dtypes import ElementType

_DEEP = 60  # ops above each other that Python's stack takes with ease


@dataclass(eq=False)
class Buffer:
    """Where elements of a node lie: in row-major order from ``address`` on.

    Attributes:
        row_only: it holds the current row alone.
    """

    address: Value
    row_only: bool = False


class Reader(PartsReader):
    """Reads nodes of one kernel.

    Attributes:
        buffers: what lies in memory; all else is computed.
        rows, columns: the kernel's space. Values of ``rows * columns`` elements are read at
            ``Split`` indices and those of ``rows`` elements at ``Linear`` ones wherever that is
            the same, so that the same element has one index only.
        row, column: where the loops are.
        late: nodes that may not be read in front of a loop of a level though their index would
            allow it: what a loop computes is known behind it only.
    """

    buffers: dict[Node, Buffer]
    rows: int
    columns: int
    row: Component = 0
    column: Component = 0
    late: dict[Node, int]
    values: dict[tuple[Node, Index], Value]

    def read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """The elements of a node at an index; lanes that are masked out may hold anything."""
        if node.depth > _DEEP:
            self._read_below(node, index, mask)
        return self._read_at(*self._where(node, index, mask))

    def _where(
        self, node: Node, index: Index, mask: Mask | None
    ) -> tuple[Node, Index, Mask | None]:
        normal = self.normal(index, node.shape)
        if mask is None and has_lanes(normal) and not has_lanes(index):
            normal = index  # a single element, which lanes without a mask would read beyond
        return node, normal, mask if has_lanes(normal) else None

    def read_with_level(self, node: Node, index: Index, mask: Mask | None) -> tuple[Value, int]:
        """The elements of a node at an index, and the loop from which on they are known."""
        where = self._where(node, index, mask)
        return self.read(*where), self._level(*where)

    def _read_at(self, node: Node, index: Index, mask: Mask | None) -> Value:
        done = self.values.get((node, index))
        if done is not None:
            return done
        level = self._level(node, index, mask)
        return self.once(level, ("read", node, index, mask), lambda: self._read(node, index, mask))

    def _level(self, node: Node, index: Index, mask: Mask | None) -> int:
        level = max(level_of_index(index), self.late.get(node, 0))
        return level if mask is None else max(level, mask.level)

    def _read_below(self, node: Node, index: Index, mask: Mask | None) -> None:
        """Read what a node rests on, from the ground up: chains of ops are longer than stacks."""
        stack = [(self._where(node, index, mask), False)]
        while stack:
            where, is_ready = stack.pop()
            if where[:2] in self.values or self.has(self._level(*where), ("read", *where)):
                continue
            if is_ready:
                self._read_at(*where)
                continue
            stack.append((where, True))
            stack += [
                (below, False)
                for below in (self._where(*operand) for operand in self._operands(*where))
                if below[0].depth > _DEEP // 2
            ]

    def _operands(
        self, node: Node, index: Index, mask: Mask | None
    ) -> list[tuple[Node, Index, Mask | None]]:
        """Where an op reads its operands, as far as that is known without emitting anything."""
        if node in self.buffers:
            return []
        if node.kind is NodeKind.ELEMENTWISE:
            same = [index if o.shape == node.shape else () for o in node.operands]
            return [(o, at, mask) for o, at in zip(node.operands, same, strict=True)]
        if node.kind is NodeKind.RESHAPE:
            (source,) = node.operands
            return [(source, self.reshaped(index, node.shape, source.shape), mask)]
        if node.kind in VIEWS:
            return [(node.operands[0], self._moved(node, index, mask), mask)]
        return []

    def normal(self, index: Index, shape: tuple[int, ...]) -> Index:
        """The one index that stands for all that mean the same elements of the kernel's space."""
        count = 1
        for size in shape:
            count *= size
        whole, per_row = Split(self.row, self.column, self.columns), Linear(self.row)
        if isinstance(index, tuple):
            index = tuple(0 if k == 1 else c for c, k in zip(index, shape, strict=True))
            # One number may be read by who has no mask: it never becomes a vector.
            is_whole = count == self.rows * self.columns and has_lanes(index)
            if is_whole and index == self.by_dimension(whole, shape):
                return whole
            if count == self.rows and index == self.by_dimension(per_row, shape):
                return per_row
        return index

    def _read(self, node: Node, index: Index, mask: Mask | None) -> Value:
        if node in self.buffers:
            return self.load(node, self.buffers[node], index, mask)
        kind = node.kind
        if kind is NodeKind.CONSTANT:
            return constant(self.function, node.value, node.element)
        if kind is NodeKind.ELEMENTWISE:
            return self._elementwise(node, index, mask)
        if kind is NodeKind.RESHAPE:
            (source,) = node.operands
            buffer = self.buffers.get(source)
            if buffer is not None and not buffer.row_only:  # the same elements, in the same order
                return self.load(node, buffer, index, mask)
            return self.read(source, self.reshaped(index, node.shape, source.shape), mask)
        if kind is NodeKind.IOTA:
            return self._iota(node, index)
        if kind is NodeKind.PAD:
            return self.padded(node, index, mask)
        if kind is NodeKind.CONCATENATE:
            return self.concatenated(node, index, mask)
        if kind is NodeKind.BITCAST:
            return self._bitcast(node, index, mask)
        if kind is NodeKind.REDUCE:
            return self._reduce_of_one(node, index, mask)[0]
        if kind is NodeKind.RESULT and node.operands[0].kind is NodeKind.REDUCE:
            return self._reduce_of_one(node.operands[0], index, mask)[node.number]
        source = node.operands[0]
        return self.read(source, self._moved(node, index, mask), mask)

    def _elementwise(self, node: Node, index: Index, mask: Mask | None) -> Value:
        operands = []
        for operand in node.operands:
            where: Index = index if operand.shape == node.shape else ()
            operands.append(self.read(operand, where, mask))
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        return node.rule(self, self.alike(operands))

    def _moved(self, node: Node, index: Index, mask: Mask | None) -> Index:
        """Where ops that only move elements read their operand."""
        source = node.operands[0]
        at = self.by_dimension(index, node.shape)
        kind = node.kind
        if kind is NodeKind.BROADCAST:
            return tuple(
                0 if size == 1 else at[d]
                for d, size in zip(node.dimensions, source.shape, strict=True)
            )
        if kind is NodeKind.TRANSPOSE:
            back = sorted(range(len(at)), key=node.dimensions.__getitem__)
            return tuple(at[d] for d in back)
        if kind is NodeKind.SLICE:
            steps = zip(at, node.starts, node.steps, strict=True)
            return tuple(self.shifted(self.scaled(c, step), start) for c, start, step in steps)
        if kind is NodeKind.REVERSE:
            return tuple(
                self.mirrored(c, size) if d in node.dimensions else c
                for d, (c, size) in enumerate(zip(at, node.shape, strict=True))
            )
        if kind is NodeKind.DYNAMIC_SLICE:
            return self.sliced(node, at)
        if kind is NodeKind.GATHER:
            return self.gathered(node, at, mask)
        raise UnsupportedStage(f"{kind.value} read elsewhere than where it is made")

    def _iota(self, node: Node, index: Index) -> Value:
        (dimension,) = node.dimensions
        place = self.by_dimension(index, node.shape)[dimension]
        if isinstance(place, Scalar):
            number = place.value
        elif isinstance(place, int):
            number = self.function.constant(place)
        else:
            number = self.positions(place)
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        return node.rule(self, [number])

    def _bitcast(self, node: Node, index: Index, mask: Mask | None) -> Value:
        """Parts of wider elements, or elements made of parts: the last dimension counts parts."""
        (source,) = node.operands
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        at = self.by_dimension(index, node.shape)
        if len(source.shape) > len(node.shape):
            places = range(source.shape[-1])
            return node.rule(self, [self.read(source, (*at, k), mask) for k in places])
        *where, part = at
        if isinstance(part, int):
            number = self.function.constant(part)
        else:
            number = part.value if isinstance(part, Scalar) else self.positions(part)
        whole = self.read(source, tuple(where), mask)
        return node.rule(self, self.alike([whole, number]))

    def _reduce_of_one(self, node: Node, index: Index, mask: Mask | None) -> list[Value]:
        """A reduction of dimensions of one element each."""
        if node.reduced != 1:
            raise UnsupportedStage("a reduction read elsewhere than where it is made")
        at = iter(self.by_dimension(index, node.shape))
        shape = node.operands[0].shape
        where = tuple(0 if d in node.dimensions else next(at) for d in range(len(shape)))
        starts = [self.read(start, (), None) for start in starts_of(node)]
        values = [self.read(source, where, mask) for source in sources_of(node)]
        operands = self.alike([*starts, *values])
        return fold_of(node).apply(self, operands[: len(starts)], operands[len(starts) :])

    # --- memory -----------------------------------------------------------------------------------
    def load(self, node: Node, buffer: Buffer, index: Index, mask: Mask | None) -> Value:
        """Elements that lie in memory."""
        address, has_lanes, place = self._address(node, buffer, index)
        return self.load_at(address, node.element, mask, place, has_lanes=has_lanes)

    def load_at(
        self,
        address: Value,
        element: ElementType,
        mask: Mask | None,
        place: Value | int = 1,
        *,
        has_lanes: bool,
    ) -> Value:
        """A scalar, or lanes: adjacent ones (1), such backwards (-1), or those at places."""
        if not element.is_complex:
            return self._load(element, address, has_lanes, place, 1, mask)
        part = part_of(element)
        if has_lanes and isinstance(place, int):
            if place == 1:
                return self._load_pairs(part, address, mask)
            steps = tuple(place * k for k in range(self.lanes))
            place = self.function.constant(steps, I64.vector(self.lanes))
        beside = address.at(1, memory_type(part))
        return Parts(
            *(self._load(part, first, has_lanes, place, 2, mask) for first in (address, beside))
        )

    def _load(
        self,
        element: ElementType,
        address: Value,
        has_lanes: bool,
        place: Value | int,
        width: int,
        mask: Mask | None,
    ) -> Value:
        """Real elements; those at places are ``width`` elements wide."""
        memory, f = memory_type(element), self.function
        if not has_lanes:
            return self._from_memory(f.load(address, memory), element)
        vector = memory.vector(self.lanes)
        exists = mask.value if mask else None
        if isinstance(place, Value):
            all_exist = f.constant(True, I1.vector(self.lanes))
            offsets = place * (width * memory.bytes)
            value = f.gather(address, offsets, exists or all_exist, vector)
        elif place == 1:
            value = self._load_run(address, exists, vector)
        else:
            back = range(self.lanes - 1, -1, -1)
            mirrored = None if exists is None else f.shuffle(exists, exists, back)
            run = self._load_run(address.at(1 - self.lanes, memory), mirrored, vector)
            value = f.shuffle(run, run, back)
        return self._from_memory(value, element)

    def _load_run(self, address: Value, exists: Value | None, type: Type) -> Value:
        if exists is None:
            return self.function.load(address, type)
        return self.function.load_masked(address, exists, type)

    def _load_pairs(self, part: ElementType, address: Value, mask: Mask | None) -> Value:
        """Adjacent complex numbers."""
        f, lanes = self.function, self.lanes
        vector = memory_type(part).vector(2 * lanes)
        if mask is None:
            pairs = f.load(address, vector)
        else:
            pairs = f.load_masked(address, self._doubled(mask), vector)
        first, second = (range(start, 2 * lanes, 2) for start in (0, 1))
        return Parts(f.shuffle(pairs, pairs, first), f.shuffle(pairs, pairs, second))

    def _doubled(self, mask: Mask) -> Value:
        """A mask of lanes as one of their parts."""
        places = [k // 2 for k in range(2 * self.lanes)]
        key = ("doubled", mask)
        return self.once(
            mask.level, key, lambda: self.function.shuffle(mask.value, mask.value, places)
        )

    def store(self, value: Value, address: Value, mask: Mask | None) -> None:
        """Store a vector; scalars become vectors first."""
        f = self.function
        value = value if value.type.lanes else self.splat(value)
        if isinstance(value, Parts):
            n = self.lanes
            value = f.shuffle(value.real, value.imag, [k // 2 + k % 2 * n for k in range(2 * n)])
            exists = self._doubled(mask) if mask else None
        else:
            value, exists = self.to_memory(value), mask.value if mask else None
        if exists is None:
            f.store(value, address)
        else:
            f.store_masked(value, address, exists)

    def store_scalar(self, value: Value, address: Value) -> None:
        """Store one element."""
        for number, part in enumerate(flattened([value])):
            stored = self.to_memory(part)
            self.function.store(stored, address.at(number, stored.type))

    def _from_memory(self, value: Value, element: ElementType) -> Value:
        if element.is_boolean:
            return value.compare("ne", 0)
        return value.to("trunc", f"i{element.bits}") if element.is_integer else value

    def to_memory(self, value: Value) -> Value:
        """A real value as it is stored."""
        return value.to("zext", "i8") if value.type.bits < 8 else value

    def _address(self, node: Node, buffer: Buffer, index: Index) -> tuple[Value, bool, Value | int]:
        """The address of the first lane, whether lanes differ, and where the others are.

        That is 1 where they are behind each other, -1 where in front, or offsets.
        """
        element = place_type(node.element)
        terms: list[tuple[Component, int]] = []
        if isinstance(index, Linear):
            terms = [(index.place, 1)]
        elif isinstance(index, Split):
            terms = [(index.row, index.columns), (index.column, 1)]
        else:
            step = 1
            for c, size in zip(reversed(index), reversed(node.shape), strict=True):
                terms.append((c, step))
                step *= size
        if buffer.row_only:
            if not isinstance(index, Split):
                raise UnsupportedStage("a row read across rows")
            terms = [(index.column, 1)]
        address = buffer.address
        constant = sum(c * step for c, step in terms if isinstance(c, int))
        scalars = [(c, s) for c, s in terms if isinstance(c, Scalar)]
        for c, step in sorted(scalars, key=lambda term: level_of(term[0])):
            address = self._stepped(address, c, step, element)
        address = address.at(constant, element)
        lanes = [(c, s) for c, s in terms if isinstance(c, Lanes)]
        positions = [(c, s) for c, s in terms if isinstance(c, Positions)]
        if not lanes and not positions:
            return address, False, 0
        total = sum(c.step * s for c, s in lanes)
        for c, step in lanes:
            address = address.at(c.base * step, element)
        f = self.function
        if not positions and total in (1, -1):
            return address, True, total
        steps = f.constant(tuple(total * k for k in range(self.lanes)), I64.vector(self.lanes))
        for c, step in positions:
            steps = steps + c.value * step
        return address, True, steps

    def _stepped(self, address: Value, c: Scalar, step: int, element: Type) -> Value:
        key = ("address", address.name, c, step)
        return self.once(c.level, key, lambda: address.at(c.value * step, element))
