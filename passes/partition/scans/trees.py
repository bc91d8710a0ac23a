"""Associative scans as JAX unrolls them, level by level.

A level of a scan of ``x`` by ``combine``, in a tree of logarithmically many:
    %0 = combine(%x[0:-1:2], %x[1::2])                 the sums of pairs
    %odd = the same of %0, one level below; %0 itself where it has one element
    %1 = combine(%odd[:-1], %x[2::2])
    %even = stablehlo.concatenate %x[0:1], %1
    %2 = stablehlo.pad %even, %zero, low = [0], high = [1], interior = [1]
    %3 = stablehlo.pad %odd, %zero, low = [1], high = [0], interior = [1]
    %4 = stablehlo.add %2, %3

``combine`` is elementwise, and may be of several tensors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from shlo_tools import dtypes, ir, mlir
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.simplify.slicing import bounds_of
from shlo_tools.passes.simplify.values import source, splat

_OPS = 64  # of a combination, at most
SPREADING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")
_JOINING = {"stablehlo.add", "stablehlo.or"}


@dataclass(frozen=True)
class Combination:
    """Elementwise ops on parts of tensors.

    Attributes:
        ops: with their operands, which are others once scans have been replaced; operands first.
        parts: of which tensor an operand is which part.
        scalars: values without dimensions that it uses, but for constants.
    """

    ops: dict[Operation, tuple[Value, ...]]
    parts: dict[Value, tuple[Value, range]]
    scalars: tuple[Value, ...]


@dataclass(frozen=True)
class Interleaving:
    """One result of a level: what each element is, and the ones at odd places, one level below."""

    op: Operation
    dimension: int
    first: Value
    rest: Value | None
    odd: Value

    @property
    def result(self) -> Value:
        return self.op.results[0]

    @property
    def size(self) -> int:
        return shape_of(self.result)[self.dimension]


@dataclass(eq=False)
class Level:
    """One level of a tree.

    Attributes:
        results: scans that it makes.
        down: what makes their elements at even places, but for the first one.
        elements: what is scanned.
        below: scans of the next level that it reads.
        up: what makes the elements of the next level; None where that is not known.
        sums: those elements.
    """

    results: dict[Value, Interleaving]
    down: Combination
    elements: list[Value]
    below: list[Value]
    up: Combination | None = None
    sums: list[Value] = field(default_factory=list)

    @property
    def size(self) -> int:
        return next(iter(self.results.values())).size


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of a tensor of known sizes."""
    return dtypes.tensor_type(value.type).static_shape


def find(ops: Sequence[Operation]) -> list[list[Level]]:
    """The trees among the ops of a block, each from its results down.

    All levels of a tree but the last one know their sums.
    """
    if not any(op.name == "stablehlo.pad" for op in ops):
        return []
    items = [_interleaving(op) for op in ops if op.name in _JOINING]
    by_result = {item.result: item for item in items if item is not None}
    whole = by_result.keys() | {item.odd for item in by_result.values()}
    trees: list[list[Level]] = []
    inside: set[Value] = set()
    for group in _together(by_result.values(), whole):
        tops = [item for item in group if item.result not in inside]
        levels = list(_levels(tops, by_result, whole))
        inside.update(value for level in levels for value in level.results)
        trees += _runs(levels)
    return trees


# --- one level ------------------------------------------------------------------------------------
def _interleaving(op: Operation) -> Interleaving | None:
    even, odd = (source(operand, "pad") for operand in op.operands)
    if even is None or odd is None or not mlir.is_static_tensor(op.results[0].type):
        return None
    interior = ir.integers_of(even, "interior_padding")
    if sum(interior) != 1 or ir.integers_of(odd, "interior_padding") != interior:
        return None
    dimension, size = interior.index(1), shape_of(op.results[0])[interior.index(1)]
    for pad, low in ((even, 0), (odd, 1)):
        zero, expected = splat(pad.operands[1]), [0] * len(interior)
        expected[dimension] = low
        if zero is None or zero.tobytes().strip(b"\0"):
            return None
        if ir.integers_of(pad, "edge_padding_low") != expected:
            return None
        expected[dimension] = (size + low + 1) % 2
        if ir.integers_of(pad, "edge_padding_high") != expected:
            return None
    first, rest = even.operands[0], None
    joined = source(first, "concatenate")
    if joined is not None:
        if len(joined.operands) != 2 or ir.integer_of(joined, "dimension") != dimension:
            return None
        first, rest = joined.operands
    part = _part(first, dimension)
    if part is None or part[1] != range(1) or shape_of(part[0]) != shape_of(op.results[0]):
        return None
    return Interleaving(op, dimension, part[0], rest, odd.operands[0])


def _part(value: Value, dimension: int) -> tuple[Value, range] | None:
    """What a value is a slice of, along one dimension only, and where."""
    op = source(value, "slice")
    if op is None or not mlir.is_static_tensor(op.operands[0].type):
        return None
    (operand,), shape = op.operands, shape_of(op.operands[0])
    cuts = [range(*cut) for cut in zip(*bounds_of(op), strict=True)]
    others = [d for d in range(len(shape)) if d != dimension]
    return (operand, cuts[dimension]) if all(cuts[d] == range(shape[d]) for d in others) else None


def _together(items: Iterable[Interleaving], whole: Collection[Value]) -> list[list[Interleaving]]:
    """Scans that something uses, in groups that read the same tensors; the long ones first."""
    groups: list[tuple[set[Value], list[Interleaving]]] = []
    for item in items:
        if next(item.result.uses, None) is None:
            continue
        down = _combination(filter(None, [item.rest]), item.dimension, whole)
        parts = down.parts.values() if down is not None else ()
        tensors, group = {item.first, item.odd, *(operand for operand, _ in parts)}, [item]
        alike = [g for g in groups if g[1][0].size == item.size]
        for other in [g for g in alike if not tensors.isdisjoint(g[0])]:
            groups.remove(other)
            tensors, group = tensors | other[0], other[1] + group
        groups.append((tensors, group))
    return sorted((group for _, group in groups), key=lambda group: -group[0].size)


# --- combinations ---------------------------------------------------------------------------------
def _combination(
    results: Iterable[Value], dimension: int, whole: Collection[Value]
) -> Combination | None:
    """The ops that make results of parts of tensors; None where there are others.

    Args:
        whole: tensors that may be read without a slice.
    """
    ops: dict[Operation, tuple[Value, ...]] = {}
    parts: dict[Value, tuple[Value, range]] = {}
    scalars: dict[Value, None] = {}

    def visit(value: Value, shape: tuple[int, ...]) -> bool:
        if value in parts or value in scalars:
            return True
        if value in whole:
            parts[value] = value, range(shape[dimension])
            return True
        if not mlir.is_static_tensor(value.type):
            return False
        op = mlir.defining_op(value)
        if shape_of(value) == () != shape and (op is None or op.name != "stablehlo.constant"):
            scalars[value] = None
            return True
        if op is None or op in ops:
            return op is not None
        if shape_of(value) not in (shape, ()) or len(ops) >= _OPS:
            return False
        part = _part(value, dimension) if op.name == "stablehlo.slice" else None
        if part is not None:
            parts[value] = part
            return True
        if not (_is_elementwise(op) or _is_spread(op)):
            return False
        operands = tuple(op.operands)
        if not all(visit(operand, shape) for operand in operands):
            return False
        ops[op] = operands
        return True

    if not all(visit(value, shape_of(value)) for value in results):
        return None
    return Combination(ops, parts, tuple(scalars))


def _is_elementwise(op: Operation) -> bool:
    is_known = op.name in SCALARS and has_trait(op.name, Trait.ELEMENTWISE)
    return is_known and op.name != "stablehlo.bitcast_convert" and not len(op.regions)


def _is_spread(op: Operation) -> bool:
    """Whether an op makes one number everywhere."""
    if op.name == "stablehlo.constant":
        return mlir.is_splat(op.attributes["value"])
    return op.name in SPREADING and not shape_of(op.operands[0])


# --- trees ----------------------------------------------------------------------------------------
def _levels(
    tops: Sequence[Interleaving], by_result: dict[Value, Interleaving], whole: Collection[Value]
) -> Iterator[Level]:
    """A level and those below it; ups and sums are not known yet."""
    results = {item.result: item for item in tops}
    while results:
        items = list(results.values())
        dimension, size = items[0].dimension, items[0].size
        if any((i.dimension, i.size) != (dimension, size) for i in items):
            return
        rests = [item.rest for item in items if item.rest is not None]
        down = _combination(rests, dimension, whole)
        if down is None or (size > 2 and len(rests) < len(items)):
            return
        elements = dict.fromkeys(item.first for item in items)
        below = dict.fromkeys(item.odd for item in items)
        count = (size - 1) // 2
        for operand, places in down.parts.values():
            if shape_of(operand)[dimension] == size and places == range(2, size, 2):
                elements[operand] = None
            elif shape_of(operand)[dimension] == size // 2 and places == range(count):
                below[operand] = None
            else:
                return
        yield Level(results, down, list(elements), list(below))
        results = {value: by_result[value] for value in below if value in by_result}
        if len(results) < len(below):
            return


def _runs(levels: Sequence[Level]) -> list[list[Level]]:
    """Levels in runs, in which each but the last one knows the elements of the next one."""
    runs: list[list[Level]] = []
    for level in reversed(levels):
        is_last = level.size in (2, 3)
        sums = level.below if is_last else runs[-1][-1].elements if runs else []
        _note_sums(level, sums)
        if level.up is not None and runs and not is_last:
            runs[-1].append(level)
        else:
            runs.append([level])
    return [run[::-1] for run in runs]


def _note_sums(level: Level, sums: Sequence[Value]) -> None:
    """Note how a level's elements make those of the next one, if that is known."""
    (item, *_) = level.results.values()
    dimension, size = item.dimension, item.size
    up = _combination(sums, dimension, ()) if sums else None
    if up is None:
        return
    pairs = [range(first, size - 1 + first, 2) for first in (0, 1)]
    for operand, places in up.parts.values():
        if shape_of(operand) != shape_of(item.result) or places not in pairs:
            return
    level.up, level.sums = up, list(sums)
    parts = [operand for operand, _ in up.parts.values()]
    level.elements = list(dict.fromkeys([*level.elements, *parts]))
