"""Normalizations of images by groups of channels, random shapes, on the reference.

Channels lie in front of pixels, or behind them; what is multiplied and added, along channels, rows,
columns, pixels or all of them. The last dimensions become one wherever no op tells them apart, and
rows are walked by what is left.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from exact_programs import Shape, Tensor
from shaped_programs import ShapedProgram
from staged_programs import assert_staged

from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.lined_rows import LinedRowKernel
from shlo_tools.codegen.stages.merged_dimensions import merged
from shlo_tools.codegen.stages.nodes import Stage
from shlo_tools.passes.stages import lower_stages

_SEEDS = 25
_ELEMENTS = ("f32", "f64", "i32")
_KEPT = [[1], [0, 1], [2, 3], [3], [2], [1, 2, 3], [0, 1, 2, 3], [1, 2]]  # of what is spread


class Normalization(ShapedProgram):
    """``(x - sum(x) + sum(x - sum(x))) * scale + offset``, or of the largest elements.

    Args:
        seed: what is drawn.
        element: the type.
    """

    most = 1 << 20
    is_last = False  # whether channels are

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, _ELEMENTS.index(element)]))
        n, groups = self.random.integers(1, 8, 2).tolist()
        pixels = self.random.integers(1, (40, 12)[seed % 2], 2).tolist()
        channels = int(self.random.integers(1, (5, 20)[self.is_last]))
        image, parts = (n, groups * channels, *pixels), (n, groups, channels, *pixels)
        self.dims, self.kept = [2, 3, 4], [0, 1]
        if self.is_last:
            image, parts = (n, *pixels, groups * channels), (n, *pixels, groups, channels)
            self.dims, self.kept = [1, 2, 4], [0, 3]
        self.fold = "add" if self.random.random() < 0.7 else "maximum"
        x = self.emit("reshape", [self.argument(image)], parts)
        first = self.reduced(x)
        d = self.both("subtract", x, self._broadcast(*first, parts))
        second = self.reduced(d)
        value = self.both("add", d, self._broadcast(*second, parts))
        value = self.emit("reshape", [value], image)
        for k in self.random.choice(len(_KEPT), self.random.integers(1, 4), replace=False):
            op = "multiply" if self.random.random() < 0.5 else "add"
            value = self.both(op, value, self.spread(_KEPT[k], image))
        self.results = [value, *(second[:1] if self.random.random() < 0.3 else [])]

    def reduced(self, value: Tensor) -> tuple[Tensor, list[int]]:
        """What groups of channels are reduced to, perhaps with ones, and where that has them."""
        result = self.folded(self.fold, value, self.dims)
        if self.random.random() < 0.5:
            return result, self.kept
        ones = tuple(size if d in self.kept else 1 for d, size in enumerate(value.shape))
        return self.emit("reshape", [result], ones), [*range(len(ones))]

    def both(self, op: str, one: Tensor, other: Tensor) -> Tensor:
        """An op on each two elements."""
        bound = one.bound * other.bound if op == "multiply" else one.bound + other.bound
        return self.emit(op, [one, other], one.shape, bound=bound, types=self.type(one))

    def spread(self, dims: list[int], shape: Shape) -> Tensor:
        """An argument that has some of the dimensions, perhaps the others as ones."""
        if self.random.random() < 0.5:
            source = tuple(size if d in dims else 1 for d, size in enumerate(shape))
            return self._broadcast(self.argument(source), [*range(len(shape))], shape)
        return self._broadcast(self.argument(tuple(shape[d] for d in dims)), dims, shape)


class LastNormalization(Normalization):
    """The same of images whose channels are neighbours: groups are repeated within a row."""

    is_last = True


@pytest.mark.parametrize("kind", [Normalization, LastNormalization])
@pytest.mark.parametrize("element", _ELEMENTS)
@pytest.mark.parametrize("seed", range(_SEEDS))
def test_random_normalizations(seed: int, element: str, kind: type[Normalization]) -> None:
    program = kind(seed, element)
    assert_staged(program.text(), *program.arrays)


def test_dimensions_are_merged_and_rows_walked_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    merges: list[bool] = []
    walked: list[type] = []

    def noted(stage: Stage, lanes: int) -> Stage:
        result = merged(stage, lanes)
        merges.append(result is not stage)
        return result

    class Lined(LinedRowKernel):
        def write(self) -> object:  # type: ignore[override]
            walked.append(LinedRowKernel)
            return super().write()

    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(lowering, "merged", noted)
    monkeypatch.setattr(lowering, "LinedRowKernel", Lined)
    for seed in range(_SEEDS):
        program = Normalization(seed, "f32")
        assert_staged(program.text(), *program.arrays)
    assert any(merges)
    assert walked
