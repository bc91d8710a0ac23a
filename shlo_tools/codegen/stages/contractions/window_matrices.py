"""Convolutions of few windows: these become a matrix, which is multiplied by the kernel as it lies.

Blocks have the whole kernel packed first. Where windows are few, writing and reading that again
takes as long as multiplying: products of matrices pack what they read next, and use it while it is
near, or multiply few rows by what lies in memory. So what is stored is the smaller one of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library.contractions import gemm_plan, packing
from shlo_tools.codegen.library.contractions import window_matrix as library
from shlo_tools.codegen.library.contractions.micro_kernels import COLUMN_VECTORS
from shlo_tools.codegen.stages.contractions import costs
from shlo_tools.codegen.stages.contractions.axes import (
    STILL,
    Axes,
    Axis,
    Contraction,
    Operand,
    count,
    merged,
)
from shlo_tools.codegen.stages.contractions.packed import BlockPlanner
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.codegen.target import Target

_BLOCK = 8  # windows of a chunk


@dataclass(frozen=True)
class Windows:
    """The job that makes a matrix of windows, and the product of it.

    Attributes:
        words: of the job's context, but for the place of the matrix.
        room: bytes of the matrix.
        product: the contraction, but for that place.
        saved: what this takes less than storing the kernel, in products of a vector.
    """

    words: tuple[Word, ...]
    room: int
    function: str
    chunks: int
    product: Contraction
    saved: float

    def context(self, matrix: Place) -> tuple[Word, ...]:
        """The words of the context of the job that makes the matrix."""
        place = library.CONTEXT.index("P")
        return (*self.words[:place], matrix, *self.words[place + 1 :])


def plan(contraction: Contraction, target: Target) -> Windows | None:
    """Make windows, which A has, a matrix; None where there are none, or too many axes."""
    planner = _Planner(contraction, target)
    axes = (*planner.batch, *planner.along, *planner.across, *planner.inner)
    try:
        return planner.windows() if count(axes) else None
    except UnsupportedStage:
        return None


def pays(windows: Windows, product: gemm_plan.Plan) -> bool:
    """Whether that takes less than packing the kernel first, which the product must not do."""
    return windows.saved > 0 and not product.is_shared


class _Planner(BlockPlanner):
    """Windows are what moves."""

    def __init__(self, contraction: Contraction, target: Target) -> None:
        super().__init__(contraction, target, by_columns=False)
        # In the order of the kernel, whose axes are one then.
        self.inner = merged(sorted(self.inner, key=lambda axis: -abs(axis.b)))

    def _saved(self) -> float:
        """Products of a vector in the time that it takes to store the kernel, but for windows'."""
        lanes, matrices = self.panel // COLUMN_VECTORS, count(self.batch) * self.k
        windows, kernel = (
            costs.stored(matrices * count(axes), lanes, self.size)
            for axes in (self.along, self.across)
        )
        return kernel - windows - costs.JOB

    def windows(self) -> Windows:
        """The plan."""
        rows = count(self.batch) * count(self.along)
        p_axes, unit, reach = self._runs(self.inner)
        lines = -(-self.k * self.size // 64)
        pitch = 64 * (lines + (lines % 2 == 0))  # rows of a tile lie in different sets of the cache
        view = [self.view([*self.batch, *self.along], "a"), p_axes]
        words: dict[str, Word] = {
            **{"X": self.moving.place, "rows": rows, "K": self.k, "pitch": pitch, "block": _BLOCK},
            **{f"start{d}": start for d, start in enumerate(self.moving.starts)},
        }
        named = [words.get(name, 0) for name in library.CONTEXT]
        return Windows(
            (*named, *packing.view_words(view, self.moving.bounds, unit, reach)),
            rows * pitch,
            library.name(self.moving.element, self.element),
            -(-rows // _BLOCK),
            self._product(pitch // self.size),
            self._saved(),
        )

    def _product(self, row: int) -> Contraction:
        """The contraction of a matrix whose rows are ``row`` elements apart."""
        inner = _dense(self.inner, 1)
        along = _dense(self.along, row)
        batch = _dense(self.batch, row * count(self.along))
        matrix = Operand(Place("temporary", 0), self.element.element)
        axes = Axes(batch, along, self.across, inner)
        return Contraction(matrix, self.resting, axes, self.element, self.c_offset)


def _dense(axes: Sequence[Axis], step: int) -> list[Axis]:
    """Axes of a matrix in row-major order, ``step`` elements from one to the next."""
    listed = []
    for axis in reversed(axes):
        listed.append(replace(axis, a=step, steps=STILL))
        step *= axis.size
    return listed[::-1]
