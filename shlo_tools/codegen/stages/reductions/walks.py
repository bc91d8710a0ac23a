"""How a reduction walks its elements: which ones lanes hold, and what a chunk is.

A shape is groups of neighbouring dimensions that are all kept or all reduced. Lanes lie along the
last group where it is long enough, else along the kept group in front of it. What a chunk sums up
is a range of kept elements and a block of one reduced group; sums of several blocks are merged in
their order, so that results do not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from shlo_tools import dims
from shlo_tools.codegen.stages.folds import Group
from shlo_tools.codegen.stages.nodes import Extent, are_known

_WORK = 32 * 1024  # elements of a chunk, about
_ENOUGH = 16  # chunks that keep all threads busy
_BLOCKS = 256  # at most
HELD = 4  # vectors of a row that are all held in registers
STRIP = 16 * 1024  # elements of a row of sums that stays near; long, as memory is read in runs
_SUMS = 4  # vectors that are added to side by side: processors wait for none of them
_VECTORS = 2  # of a row whose length run time tells, in a chunk
_BLOCK, _TALL_BLOCK = 64 * 1024, 4096  # elements, or rows of vectors, where run time tells how many
_FEW, _LONG = 4, 64  # rows whose sums need no memory, and instructions for a vector of them all
_THIN, _THICK = 32, 256  # rows whose sums are stored once, where chunks are few, and elsewhere
_DISTANT = 12 << 20  # bytes that caches nearby do not hold

Along = Literal["kept", "reduced", "rows", "nothing"]


@dataclass(frozen=True)
class Walk:
    """How a reduction walks its elements.

    Attributes:
        groups: sizes, and whether reduced.
        along: what lanes lie along: the last group, kept or reduced; the last group of rows, where
            rows are short; or nothing.
        unroll: reduced elements, or vectors of them, that are taken at a time.
        strip: kept elements along the lanes that a chunk holds at once.
        rows: kept elements elsewhere, in a chunk.
        blocked: the reduced group that is cut.
        block: elements of it in a chunk.
        blocks: how many chunks sum up what becomes one result.
        is_whole: whether vectors that are whole go without masks.
    """

    groups: tuple[Group, ...]
    along: Along
    unroll: int
    strip: Extent
    rows: Extent
    blocked: int
    block: Extent
    blocks: Extent = 1
    is_whole: bool = False

    @property
    def lane_group(self) -> int | None:
        """The group that lanes lie along."""
        last = len(self.groups) - 1
        return {"kept": last, "reduced": last, "rows": last - 1, "nothing": None}[self.along]

    @property
    def kept(self) -> list[int]:
        """Kept groups that no lanes lie along."""
        return [g for g, (_, reduced) in enumerate(self.groups) if not reduced and not self._has(g)]

    @property
    def reduced(self) -> list[int]:
        """Reduced groups that no lanes lie along."""
        return [g for g, (_, reduced) in enumerate(self.groups) if reduced and not self._has(g)]

    def _has(self, group: int) -> bool:
        return group == self.lane_group

    @property
    def width(self) -> Extent:
        """Kept elements along lanes."""
        group = self.lane_group
        return 1 if group is None or self.along == "reduced" else self.groups[group][0]

    @property
    def outer(self) -> Extent:
        """Kept elements that no lanes lie along."""
        return math.prod(self.groups[g][0] for g in self.kept)

    @property
    def is_unrolled(self) -> bool:
        """Whether all that becomes one result is taken at a time."""
        sizes = [self.groups[g][0] for g in self.reduced]
        return self.blocks == 1 and len(sizes) == 1 and bool(sizes[0] == self.unroll)

    @property
    def count(self) -> Extent:
        """All kept elements."""
        return self.outer * self.width

    @property
    def strips(self) -> Extent:
        return -(-self.width // self.strip)

    @property
    def chunks(self) -> Extent:
        return -(-self.outer // self.rows) * self.strips * self.blocks


def walk(
    groups: Sequence[Group],
    lanes: int,
    *,
    any_order: bool,
    length: int,
    sums: int,
    bits: int,
    masks: bool,
) -> Walk:
    """The walk of a reduction.

    Args:
        lanes: elements of a vector.
        any_order: whether elements may be folded in lanes, and in blocks.
        length: how much is emitted for a vector, about, in instructions.
        sums: vectors of what is summed up side by side anyway.
        bits: of the narrowest elements that are loaded.
        masks: whether vectors with masks are loaded and stored as fast as whole ones.
    """
    groups = tuple(groups)
    sizes = [size for size, _ in groups]
    if not are_known(*sizes):
        return _of_unknown_sizes(groups, lanes, any_order)
    blocked = max((g for g, (_, r) in enumerate(groups) if r), key=sizes.__getitem__)
    draft = Walk(groups, _along(groups, lanes, any_order), 1, 1, 1, blocked, max(1, sizes[blocked]))
    unroll = max(1, min(8, 16 // max(1, length)))
    if draft.along == "reduced":
        unroll = max(1, min(unroll, _SUMS // sums, sizes[-1] // lanes))
    elif draft.along == "kept":
        together = -(-draft.width // lanes) if draft.width <= HELD * lanes else 1
        (size, *others) = (sizes[g] for g in reversed(draft.reduced))
        unroll = _dividing(size, max(1, unroll // together))
        if size <= _FEW and not others and draft.width > HELD * lanes and size * length <= _LONG:
            unroll = max(1, size)
    else:
        unroll = 1
    # A chunk of sums: strips of a row, or several rows.
    strip = draft.width
    if strip > HELD * lanes:
        strip = min(strip, STRIP)
        if not any_order and -(-draft.width // strip) * draft.outer < _ENOUGH:
            pieces = min(_ENOUGH, -(-strip // (HELD * lanes)))
            strip = -(-strip // pieces // lanes) * lanes
    elif draft.along == "rows":
        strip = min(strip, HELD * lanes)
    total = math.prod(sizes)
    each = max(1, total // max(1, draft.outer * -(-draft.width // strip)))
    rows = max(1, min(_WORK // each, -(-draft.outer // _ENOUGH)))
    if draft.along in ("rows", "kept") and draft.width < lanes:
        rows = max(1, min(draft.outer, _WORK // each))
    parts = -(-draft.outer // rows) * -(-draft.width // strip)
    blocks = 1
    if any_order and parts < _ENOUGH:
        most = max(1, sizes[blocked] // unroll)
        if draft.along == "kept":
            few = min(-(-_ENOUGH // parts), sizes[blocked] // _THIN)
            most = max(1, few, sizes[blocked] // _THICK)
        blocks = min(_BLOCKS, max(1, total // parts // _WORK), most)
    step = unroll * (lanes if draft.along == "reduced" and blocked == len(groups) - 1 else 1)
    block = max(step, -(-sizes[blocked] // blocks // step) * step)
    blocks = max(1, -(-sizes[blocked] // block))
    # Processors read ahead of vectors without masks alone. Near caches give masked ones sooner,
    # where nothing has to widen them and they are as fast.
    is_narrow = bits < 32 and draft.width % lanes == 0
    is_worth_it = not masks or is_narrow or total * bits >= 8 * _DISTANT
    is_whole = draft.along == "kept" and is_worth_it
    return Walk(groups, draft.along, unroll, strip, rows, blocked, block, blocks, is_whole)


def _dividing(size: int, most: int) -> int:
    """How many of so many elements are taken at a time: there is no rest, if that may be."""
    most = min(most, max(1, size))
    return next((n for n in range(most, most // 2, -1) if size % n == 0), most)


def _of_unknown_sizes(groups: tuple[Group, ...], lanes: int, any_order: bool) -> Walk:
    """A walk for any sizes: a row, or some vectors of kept elements, at a time.

    What becomes a single row is cut into blocks: calls are looked at between them.
    """
    size, is_reduced = groups[-1]
    along: Along = "kept"
    if is_reduced:
        along = "reduced" if any_order else "nothing"
    strip = min(size, STRIP) if are_known(size) else _VECTORS * lanes
    blocked = next(g for g, (_, reduced) in enumerate(groups) if reduced)
    width = strip if along == "kept" else 1
    length, _ = groups[blocked]
    block = max(1, length) if are_known(length) else 1
    draft = Walk(groups, along, 1, width, 1, blocked, block)
    others = [size for g, (size, is_reduced) in enumerate(groups) if is_reduced and g != blocked]
    if not any_order or (draft.kept and not others):
        return draft
    most = _BLOCK if along == "reduced" else _TALL_BLOCK
    block = dims.maximum(1, dims.floor_divided(most, dims.maximum(1, dims.product(others))))
    return replace(draft, block=block, blocks=dims.ceiling_divided(length, block))


def _along(groups: tuple[Group, ...], lanes: int, any_order: bool) -> Along:
    _, reduced = groups[-1]
    if not reduced:
        return "kept"
    if any_order:
        return "reduced"
    before = groups[-2][0] if len(groups) > 1 else 0
    return "rows" if before >= max(1, lanes // 4) else "nothing"
