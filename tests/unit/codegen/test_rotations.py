"""Values whose rows are turned round, as windows of images are: random programs on the reference.

A rotation that elementwise ops and reductions read is no stage: its rows are looked up by their
numbers. What is rotated along lanes, or read by other ops, is joined as it says.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict

import numpy as np
import pytest
from exact_programs import Shape, Tensor, Unsuitable
from shaped_programs import ShapedProgram
from staged_programs import assert_staged

from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.indices import Scalar
from shlo_tools.codegen.stages.reading.parts import PartsReader
from shlo_tools.passes.stages import lower_stages

_ELEMENTS = ("f32", "i32", "i8", "f64")
_SEEDS = 30


class Rotation(ShapedProgram):
    """Sums of values of one shape, made of rotations, and perhaps a reduction of them.

    Args:
        seed: what is drawn.
        element: the type.
    """

    depth = 4

    def __init__(self, seed: int, element: str) -> None:
        super().__init__(element, np.random.default_rng([seed, _ELEMENTS.index(element)]))
        rank = int(self.random.integers(1, 4))
        outer = self.random.integers(1, (60, 16, 7)[rank - 1], rank).tolist()
        shape = (*outer, int(self.random.integers(1, (90, 20)[seed % 2])))
        makers = (self.rotated, self.rotated, self.rotated, self.cut_of, self.turned_from)
        makers += (self.reshaped_from, self.spread_from, self.joined, self.reversed_from)
        self.makers = makers
        value = self.rotated(shape, 0)
        for _ in range(self.random.integers(1, 4)):
            other = self.made(shape)
            bound, types = value.bound + other.bound, self.type(value)
            value = self.emit("add", [value, other], shape, bound=bound, types=types)
        self.results = [value] if self.random.random() < 0.7 else []
        if not self.results or self.random.random() < 0.3:
            self.results.append(self.summed(value))

    def rotated(self, shape: Shape, steps: int) -> Tensor:
        """Runs of rows in another order: mostly two of them, mostly all that there are."""
        if not shape:
            raise Unsuitable
        d = int(self.random.integers(len(shape)))
        count = 2 if self.random.random() < 0.8 else 3
        if shape[d] < count:
            raise Unsuitable
        edge = self.random.integers(0, 3, len(shape)) * int(self.random.random() < 0.2)
        whole = self.made(tuple((edge + shape).tolist()), steps)
        cuts = self.random.choice(np.arange(1, shape[d]), count - 1, replace=False)
        runs = list(itertools.pairwise([0, *sorted(cuts.tolist()), shape[d]]))
        parts = []
        for first, last in [*runs[1:], runs[0]]:
            low, high = edge.copy(), edge + shape
            low[d], high[d] = edge[d] + first, edge[d] + last
            parts.append(self._slice(whole, low, high))
        return self.emit("concatenate", parts, shape, rest=f", dim = {d}")

    def summed(self, value: Tensor) -> Tensor:
        """The sum over some dimensions."""
        dims = [d for d in range(len(value.shape)) if self.random.random() < 0.5]
        shape = tuple(n for d, n in enumerate(value.shape) if d not in dims)
        types = f"({self.type(value)}, {self.type(())}) -> {self.type(shape)}"
        how = f"applies stablehlo.add across dimensions = {dims}"
        bound = value.bound * np.prod([value.shape[d] for d in dims])
        return self.written(
            f"reduce({value} init: {self.constant(0)}) {how} : {types}", shape, bound
        )


def _program(seed: int, element: str) -> Rotation:
    """A program of a seed, or of the next one that has some."""
    while True:
        try:
            return Rotation(seed, element)
        except Unsuitable:
            seed += _SEEDS


@pytest.mark.parametrize("element", _ELEMENTS)
@pytest.mark.parametrize("seed", range(_SEEDS))
def test_random_rotations(seed: int, element: str) -> None:
    program = _program(seed, element)
    assert_staged(program.text(), *program.arrays)


def test_rows_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[Node] = []
    original = PartsReader.row_of_slices

    def noted(self: PartsReader, node: Node, place: Scalar) -> Scalar:
        looked_up.append(node)
        return original(self, node, place)

    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(PartsReader, "row_of_slices", noted)
    for seed in range(_SEEDS):
        program = _program(seed, "f32")
        assert_staged(program.text(), *program.arrays)
    assert len(looked_up) >= _SEEDS
    assert {len(node.operands) for node in looked_up} == {2, 3}
