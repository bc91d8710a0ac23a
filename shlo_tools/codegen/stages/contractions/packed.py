"""Contractions by ``library.blocks``: which operand rests, and how blocks are cut.

Where C's columns are adjacent in memory, A moves: blocks of its rows are packed and multiplied by
all of B. Else B moves, as in convolutions over images that lie channel by channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place, Word, even_part
from shlo_tools.codegen.library.contractions import blocks as library
from shlo_tools.codegen.library.contractions import contexts, element_copies, packing
from shlo_tools.codegen.library.contractions.gemm_plan import UNCUT
from shlo_tools.codegen.library.contractions.micro_kernels import panel_columns, row_tile
from shlo_tools.codegen.stages.contractions.axes import (
    STILL,
    Axis,
    Contraction,
    count,
    limited,
    merged,
)
from shlo_tools.codegen.target import Target

ROWS = 64  # of a block
_CHUNKS = 8  # wanted
_DEPTH = 4096  # bytes along k of a block
_RUN = 2048  # elements of a run of several taps, at most


@dataclass(frozen=True)
class Sums:
    """How matrices of parts of sums are added.

    Attributes:
        words: of the context of ``gemm``'s ``add``, but for the places.
        count: rows that are added.
        room: bytes for the matrices.
    """

    words: dict[str, Word]
    count: int
    room: int


@dataclass(frozen=True)
class ComplexRest:
    """How both parts of a complex number that rests are packed as one element.

    Attributes:
        columns: of such elements.
        view: its words.
    """

    columns: int
    view: Sequence[Word]


@dataclass(frozen=True)
class Packed:
    """Jobs and words of a packed contraction, but for the places of C and P.

    Attributes:
        room: bytes for what rests.
        rest, run: functions and numbers of chunks; nothing rests where both operands go by
            lines.
        is_dense: whether rows of C follow each other in row-major order, matrix after matrix.
        reads: how often what rests is multiplied.
        complex_rest: how complex numbers that rest are packed, where they are.
        further: words behind those of a contraction.
        sums: what is to be added of it; None where it makes C.
    """

    words: dict[str, Word]
    axes: dict[str, Sequence[Word]]
    room: int
    rest: tuple[str, int] | None
    run: tuple[str, int]
    is_dense: bool
    reads: int
    complex_rest: ComplexRest | None = None
    further: tuple[int, ...] = ()
    sums: Sums | None = None

    def context(self, c: Place, packed: Place | int) -> tuple[Word, ...]:
        """The words of the context."""
        words = contexts.context_words({**self.words, "C": c, "P": packed}, self.axes)
        return (*words, *self.further)

    def rest_context(self, c: Place, packed: Place) -> tuple[Word, ...]:
        """The words of the context of what packs what rests."""
        if self.complex_rest is None:
            return self.context(c, packed)
        words = {**self.words, "N": self.complex_rest.columns}
        axes = {**self.axes, "resting_view": self.complex_rest.view}
        return replace(self, words=words, axes=axes).context(c, packed)


class BlockPlanner:
    """One contraction, with A as what moves whatever way it is computed.

    Args:
        by_columns: whether B is what moves.

    Raises:
        UnsupportedStage: it has more axes than the library knows.
    """

    def __init__(self, contraction: Contraction, target: Target, by_columns: bool) -> None:
        self.by_columns = by_columns
        self.c_offset, self.element = contraction.c_offset, contraction.element
        turned = contraction.swapped() if by_columns else contraction
        self.moving, self.resting = turned.a, turned.b
        # ``along`` are the axes of C that the moving operand has, ``across`` the other one's.
        axes = turned.axes
        self.batch, self.along = merged(axes.batch), merged(axes.rows)
        self.across, self.inner = merged(axes.columns), axes.inner
        self.tile, self.panel = row_tile(target), panel_columns(target, self.element)
        self.by_rows = not by_columns and not self._runs_along_rows()
        self.inner = self._ordered()
        self.k = count(self.inner)
        self.size = self.element.bytes

    def _runs_along_rows(self) -> bool:
        """Whether neighbouring rows are neighbours in memory, and steps of k are not."""
        near = self.along[-1] if self.along else Axis(1)
        deep = max((axis.size for axis in self.inner if axis.a == 1), default=1)
        return near.a == 1 and near.size > deep

    def _ordered(self) -> list[Axis]:
        """Inner axes: neighbours innermost where runs go along k, else the longest.

        Not the parts of complex numbers, which are no neighbours in what rests: of its rows two
        would be packed at a time.
        """
        axes = sorted(merged(self.inner), key=lambda axis: -abs(axis.a))
        if axes and not (self.by_rows and self._are_near(axes)):
            longest = max(axes, key=lambda axis: axis.size)
            axes.remove(longest)
            axes.append(longest)
        return merged(axes)

    def _are_near(self, axes: Sequence[Axis]) -> bool:
        """Whether the last axis is none of parts of complex numbers, far apart in what rests."""
        farthest = max(abs(axis.b) for axis in axes)
        return len(axes) == 1 or axes[-1].size != 2 or abs(axes[-1].b) < farthest

    # --- blocks -----------------------------------------------------------------------------------
    def blocks(self) -> Packed:
        """By blocks of rows or columns."""
        along, across = count(self.along), count(self.across)
        matrices = count(self.batch)
        p_axes, unit, reach = self._runs(self.inner if self.by_rows else self.along)
        line = p_axes[-1][0] if unit > 1 else 1
        block, k_block, pitch = self._blocks(along, across, matrices, line)
        blocks = max(1, -(-along // block))
        rest_axes = [axis for axis in self.batch if axis.b]
        tiles = -(-across // (self.tile if self.by_columns else self.panel))
        wide = self.tile if self.by_columns else min(self.panel, max(1, across))
        room = tiles * wide * self.k * self.size
        moving_axes = [
            self.view(self.along if self.by_rows else self.inner, "a"),
            p_axes,
        ]
        resting_axes = [
            self.view(self.across if self.by_columns else self.inner, "b", self.resting_size),
            self.view(self.inner if self.by_columns else self.across, "b", self.resting_size),
        ]
        c_axes = merged([Axis(axis.size, c=axis.c) for axis in self.along])
        c_step = c_axes[-1].c if c_axes else 1
        parts = len(c_axes) > 1 or (self.by_columns and c_step != 1)
        sizes = (across, along) if self.by_columns else (along, across)
        c_row = self.across if self.by_columns else c_axes
        words: dict[str, Word] = {
            "moving": self.moving.place,
            "resting": self.resting.place,
            **{"M": sizes[0], "N": sizes[1], "K": self.k},
            "c_row": (c_row[-1].c if c_row else 0) * self.size,
            **{"blocks": blocks, "block": block, "k_block": k_block, "pitch": pitch},
            **{"by_rows": int(self.by_rows), "parts": int(parts)},
            **{f"start{d}": start for d, start in enumerate(self.moving.starts)},
            **{"batch_count": len(self.batch), "rest_count": len(rest_axes)},
        }
        axes: dict[str, Sequence[Word]] = {
            "batch": self._batch_words(room),
            "rest": [w for x in reversed(rest_axes) for w in (x.size, x.b * self.resting_size)],
            "result": [
                len(c_axes),
                *(w for axis in reversed(c_axes) for w in (axis.size, axis.c * self.size)),
            ],
            "moving_view": packing.view_words(moving_axes, self.moving.bounds, unit, reach),
            "resting_view": packing.view_words(resting_axes, (1, 1, 1), 0, 0),
        }
        complex_rest = self._complex_rest(*resting_axes)
        rests = (
            (self.resting.element, self.element) if complex_rest is None else ("f64", Type("f64"))
        )
        way = "columns" if self.by_columns else "rows"
        return Packed(
            words,
            axes,
            count(rest_axes) * room,
            (
                library.name(f"rest_{way}", *rests),
                count(rest_axes) * tiles,
            ),
            (library.name(f"run_{way}", self.moving.element, self.element), matrices * blocks),
            not self.by_columns and not parts and self._is_dense(along, across),
            along * matrices // max(1, count(rest_axes)),
            complex_rest,
        )

    def _complex_rest(
        self, rows: list[tuple[int, ...]], columns: list[tuple[int, ...]]
    ) -> ComplexRest | None:
        """Complex numbers that rest: columns are two and two neighbours of 32 bits."""
        if self.by_columns or {self.resting.element, self.element.element} != {"f32"}:
            return None
        if not columns or columns[-1][:2] != (2, self.resting_size):
            return None
        view = packing.view_words([rows, columns[:-1]], (1, 1, 1), 0, 0)
        return ComplexRest(count(self.across) // 2, view)

    def _blocks(self, along: int, across: int, matrices: int, line: int) -> tuple[int, int, int]:
        """Rows or columns of a chunk, depth of a block, and bytes from one of its rows on."""
        blocks = max(1, -(-_CHUNKS // matrices))
        if along * across * self.k <= UNCUT:
            blocks = 1
        unit = self.panel if self.by_columns else self.tile
        most = library.COLUMN_PANELS * self.panel if self.by_columns else ROWS // unit * unit
        block = min(most, max(unit, -(-along // blocks // unit) * unit))
        block = even_part(along, block, unit, matrices)
        deepest = self.depth
        if self.by_columns:
            deepest = min(deepest, contexts.PACKED_BYTES // (block * self.size))
        k_block = self._depth(deepest, line)
        if self.by_columns:
            return block, k_block, 0
        if not self.by_rows:
            return block, k_block, block * self.size
        lines = -(-k_block * self.size // 64)
        pitch = 64 * (lines + (lines % 2 == 0))  # rows of a tile lie in different sets of the cache
        while block * pitch > contexts.PACKED_BYTES:
            block -= unit
        return block, k_block, pitch

    def _depth(self, deepest: int, line: int) -> int:
        """Equal parts of k, of whole lines."""
        if self.k <= deepest:
            return max(1, self.k)
        parts = -(-self.k // max(deepest, line))
        return -(-self.k // parts // line) * line

    @property
    def depth(self) -> int:
        """Numbers along k of a block, at most."""
        return _DEPTH // self.size

    # --- words ------------------------------------------------------------------------------------
    @property
    def moving_size(self) -> int:
        return element_copies.stored_bytes(self.moving.element)

    @property
    def resting_size(self) -> int:
        return element_copies.stored_bytes(self.resting.element)

    def _runs(self, axes: Sequence[Axis]) -> tuple[list[tuple[int, ...]], int, int]:
        """Axes whose innermost is copied in runs, the unit of the run, and its reach."""
        listed = self.view(axes, "a")
        if not listed:
            return listed, 0, 0
        last = listed[-1]
        if len(listed) > 1 and last[2:] == STILL:
            size, stride, *steps = listed[-2]
            joins = stride == last[0] * last[1] and size * last[0] <= _RUN
            if joins and steps[:2] == [0, 0] and steps[2] > 0:
                whole = (size * last[0], last[1], 0, 0, 0)
                return [*listed[:-2], whole], last[0], steps[2]
        if last[2:] == STILL:
            return listed, 0, 0
        if last[2:4] == (0, 0):
            return [*listed[:-1], (*last[:2], *STILL)], 1, last[4]
        return [*limited(listed, packing.AXES - 1), (1, 0, *STILL)], 0, 0

    def view(self, axes: Sequence[Axis], name: str, size: int = 0) -> list[tuple[int, ...]]:
        """Axes of a view of one operand: sizes, strides in bytes, steps of coordinates."""
        size = size or self.moving_size
        own = [
            Axis(axis.size, a=getattr(axis, name), steps=axis.steps if name == "a" else STILL)
            for axis in axes
        ]
        return [(x.size, x.a * size, *x.steps) for x in limited(merged(own), packing.AXES)]

    def _batch_words(self, room: int) -> list[int]:
        """Words of the batch's axes, the innermost first; what rests is packed in that order."""
        words: list[int] = []
        packed = room
        for axis in reversed(limited(self.batch, contexts.BATCH_AXES)):
            words += [axis.size, axis.a * self.moving_size, *axis.steps]
            words += [packed if axis.b else 0, axis.c * self.size]
            packed *= axis.size if axis.b else 1
        return words

    def _is_dense(self, along: int, across: int) -> bool:
        """Whether rows of C follow each other, matrix after matrix."""
        whole = merged(
            [Axis(axis.size, c=axis.c) for axis in (*self.batch, *self.along, *self.across)]
        )
        return len(whole) <= 1 and all(axis.c == 1 for axis in whole)
