"""Values whose rows are turned round, as windows of images are: random programs on the reference.

A rotation that elementwise ops and reductions read is no stage: its rows are looked up by their
numbers. What is rotated along lanes, or read by other ops, is joined as it says.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from exact_programs import Unsuitable
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
            dims = [d for d in range(len(shape)) if self.random.random() < 0.5]
            self.results.append(self.folded("add", value, dims))


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
