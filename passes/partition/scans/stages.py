"""The stages of associative scans: what becomes of a block of elements.

    func.func private @stage.1(%x: tensor<1048576xf32>, %scan: tensor<131072xf32>,
                               %before: tensor<131072xf32>) -> tensor<1048576xf32>
      attributes {shlo.rows = array<i64: 131072, 1>, shlo.stage = "batched"}

A block knows the scan at its end, from the level above which it stands (``%scan``), and what lies
in front of it (``%before``, which means nothing for the first one). The levels between are computed
again from the block's elements, as far as they are needed. All blocks are alike, side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from shlo_tools import dtypes, mlir
from shlo_tools.codegen.lowered import ROWS, STAGE
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.partition.outlining import Names
from shlo_tools.passes.partition.scans.trees import SPREADING, Combination, Level, shape_of
from shlo_tools.passes.simplify.slicing import sliced
from shlo_tools.passes.simplify.values import compared, splat_attribute
from shlo_tools.structural_key import regions_key

Values = dict[Value, Value]  # by what they are of the program: those of a place in a block


class Role(Enum):
    """What an argument of a stage is of a value of the program."""

    ITSELF = "itself"
    BEFORE = "before"  # one element further back


@dataclass(eq=False)
class Block:
    """Some levels of a tree that are done together.

    Attributes:
        levels: from the top.
        outer: scans side by side, whose elements do not lie side by side.
        inner: scans whose elements do.
        is_whole: whether the tree ends with these levels.
    """

    levels: list[Level]
    outer: int
    inner: int
    is_whole: bool

    @property
    def count(self) -> int:
        """Elements of a block."""
        return self.levels[0].size if self.is_whole else 1 << len(self.levels)

    @property
    def in_line(self) -> int:
        """Blocks of a scan."""
        return self.levels[0].size // self.count


class BlockStage:
    """A stage while it is written.

    Attributes:
        arguments: what it is called with.
    """

    def __init__(self, module: Operation, block: Block, location: mlir.Location) -> None:
        self._block, self.arguments = block, dict[tuple[Value, Role], Value]()
        self._batch = block.outer * block.in_line
        self._place = self._lines(1)
        at_end = Build(mlir.at_end(module.regions[0].blocks[0]), location)
        self._function = at_end.function("", (), (), {STAGE: mlir.string_attr("batched")})
        self._entry, self._build = at_end.block(self._function.regions[0], ())
        self._elements = cache(self._new_elements)
        self._scans = cache(self._new_scans)
        self._before = cache(self._new_before)
        self._is_first = cache(self._new_is_first)
        self._zeroed: set[Value] = set()

    # --- results ----------------------------------------------------------------------------------
    def sums(self) -> list[Value]:
        """What the last level hands to the one below, of each block."""
        block = self._block
        elements = self._elements(len(block.levels), 0)
        return [self._reshaped(elements[v], v.type) for v in block.levels[-1].sums]

    def scans(self, results: Sequence[Value], before: Sequence[Value]) -> list[Value]:
        """Scans of a block's elements; then of some, the elements in front of these."""
        scans = [self._scans(0, k) for k in range(self._block.count)]
        front = scans[0] if self._block.is_whole else self._before(0)
        lines = [(result, scans) for result in results]
        lines += [(result, [front, *scans[:-1]]) for result in before]
        return [self._joined([place[v] for place in line], v.type) for v, line in lines]

    def finish(self, results: Sequence[Value], names: Names) -> str:
        """End the function, unless there is such a stage; its name."""
        self._build.op("func.return", results)
        function, types = self._function, [argument.type for argument in self._entry.arguments]
        type = mlir.function_type(types, [result.type for result in results])
        function.attributes["function_type"] = mlir.type_attr(type)
        function.attributes[ROWS] = mlir.i64_array_attr([self._batch, self._block.inner])
        key = "batched", self._batch, self._block.inner, regions_key(function.regions)
        if key in names.known:
            function.erase()
            return names.known[key]
        name = names.add(key)
        function.attributes["sym_name"] = mlir.string_attr(name)
        if names.listener is not None:
            names.listener(function)
        return name

    # --- levels -----------------------------------------------------------------------------------
    def _new_elements(self, level: int, place: int) -> Values:
        """What is scanned on a level of the block, at a place."""
        if level == 0:
            elements = self._block.levels[0].elements
            return {v: self._part((v, Role.ITSELF), self._block.count, place) for v in elements}
        above = self._block.levels[level - 1]
        if above.up is None:
            raise RuntimeError("a level that does not know its sums")

        def operand(value: Value, places: range) -> Value:
            return self._elements(level - 1, 2 * place + places.start)[value]

        return self._combined(above.up, operand)

    def _new_scans(self, level: int, place: int) -> Values:
        """The scans of a level at a place."""
        levels, whole = self._block.levels, self._block.is_whole
        if level == len(levels):
            if whole:
                return self._elements(level, place)
            return {v: self._part((v, Role.ITSELF), 1, 0) for v in levels[-1].below}
        own = levels[level]
        if place % 2:
            below = self._scans(level + 1, place // 2)
            return {v: self._summed(below[item.odd]) for v, item in own.results.items()}
        elements = self._elements(level, place)
        if whole and place == 0:
            return {v: self._summed(elements[i.first]) for v, i in own.results.items()}
        below = self._scans(level + 1, place // 2 - 1) if place else self._before(level + 1)

        def operand(value: Value, places: range) -> Value:
            return elements[value] if value in elements else below[value]

        combined = self._combined(own.down, operand)
        scans = {v: combined[item.rest] for v, item in own.results.items() if item.rest is not None}
        if place == 0:
            for v, item in own.results.items():
                operands = self._is_first(), elements[item.first], scans[v]
                scans[v] = self._build.value("stablehlo.select", operands, scans[v].type)
        return {v: self._summed(scan) for v, scan in scans.items()}

    def _new_before(self, level: int) -> Values:
        """The scans of a level in front of the block."""
        levels = self._block.levels
        if level == len(levels):
            return {v: self._part((v, Role.BEFORE), 1, 0) for v in levels[-1].below}
        results, below = levels[level].results, self._before(level + 1)
        return {v: self._summed(below[item.odd]) for v, item in results.items()}

    def _summed(self, value: Value) -> Value:
        """An element of a scan: a sum with the zeros that others are padded with."""
        element = tensor_type(value.type).element_type
        if not element.is_float or value in self._zeroed:
            return value
        operands = value, self._everywhere(value.type, 0)
        result = self._build.value("stablehlo.add", operands, value.type)
        self._zeroed.add(result)
        return result

    def _new_is_first(self) -> Value:
        """Whether a block is the first one of its scan."""
        build, type = self._build, mlir.tensor_type(self._place, mlir.integer_type(32))
        dimension = {"iota_dimension": mlir.i64_attr(0)}
        number = build.value("stablehlo.iota", (), type, dimension)
        if self._block.outer > 1:
            operands = number, self._everywhere(type, self._block.in_line)
            number = build.value("stablehlo.remainder", operands, type)
        return compared(build, "EQ", number, self._everywhere(type, 0))

    def _combined(
        self, combination: Combination, operand: Callable[[Value, range], Value]
    ) -> Values:
        """What a combination makes of one place of its operands."""
        build = self._build
        values = {v: operand(*part) for v, part in combination.parts.items()}
        values |= {v: self._argument((v, Role.ITSELF)) for v in combination.scalars}
        for op, operands in combination.ops.items():
            (result,) = op.results
            type = self._place_type(result) if shape_of(result) else result.type
            name, attributes = op.name, dict(op.attributes.items())
            if name in SPREADING:  # which of them, says the number of elements
                name = SPREADING[0]
                attributes = {"broadcast_dimensions": mlir.i64_array_attr([])}
            if op.name == "stablehlo.constant":
                number = dtypes.splat_element(attributes["value"])
                attributes["value"] = splat_attribute(number, type)
            own = [values[operand] for operand in operands]
            values[result] = build.value(name, own, type, attributes)
        return values

    def _everywhere(self, type: Type, number: int) -> Value:
        """A number at one place of all blocks."""
        return self._build.value(
            "stablehlo.constant", (), type, {"value": splat_attribute(number, type)}
        )

    # --- arguments and shapes ---------------------------------------------------------------------
    def _argument(self, key: tuple[Value, Role]) -> Value:
        if key not in self.arguments:
            self.arguments[key] = self._entry.add_argument(key[0].type, self._build.location)
        return self.arguments[key]

    def _place_type(self, value: Value) -> Type:
        """The type of one place of blocks of a value."""
        return tensor_type(value.type).with_shape(self._place).mlir()

    def _lines(self, count: int) -> tuple[int, ...]:
        """The shape of some places of all blocks."""
        inner = self._block.inner
        return (self._batch, count) if inner == 1 else (self._batch, count, inner)

    def _part(self, key: tuple[Value, Role], count: int, place: int) -> Value:
        """One place of the blocks of an argument, which have several."""
        lines = tensor_type(key[0].type).with_shape(self._lines(count))
        value = self._reshaped(self._argument(key), lines.mlir())
        if count == 1:
            return value
        starts, limits = [0] * len(self._place), list(self._place)
        starts[1], limits[1] = place, place + 1
        return sliced(self._build, value, (starts, limits, [1] * len(starts)))

    def _joined(self, places: Sequence[Value], type: Type) -> Value:
        """Blocks, of their places."""
        whole = tensor_type(type).with_shape(self._lines(len(places))).mlir()
        dimension = {"dimension": mlir.i64_attr(1)}
        joined = self._build.value("stablehlo.concatenate", places, whole, dimension)
        return self._reshaped(joined, type)

    def _reshaped(self, value: Value, type: Type) -> Value:
        if value.type == type:
            return value
        return self._build.value("stablehlo.reshape", (value,), type)
