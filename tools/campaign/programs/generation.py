"""Random programs by seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools.builder import Module
from shlo_tools.tools.campaign.programs import (
    control_flow,
    elementwise,
    movement,
    sums,
    unknown_sizes,
)
from shlo_tools.tools.campaign.programs.drawing import Drawn, Program, spelled
from shlo_tools.types import Tensor

PLAIN = (elementwise.STEPS, movement.STEPS, sums.STEPS)


def grow(p: Program, steps: int) -> None:
    """Add some steps; one that finds nothing to work on adds nothing."""
    for _ in range(steps):
        if p.chance(p.nesting):
            p.random.choice(control_flow.STEPS)(p, grow)
        elif p.open and p.chance(0.3):
            p.random.choice(unknown_sizes.STEPS)(p)
        else:
            step: Callable[[Program], None] = p.random.choice(p.random.choice(PLAIN))
            step(p)


def program(*seeds: int) -> str:
    """The text of a random program, or of several side by side in one ``@main``."""
    module = Module()
    drawings = [_Drawing(module, seed) for seed in seeds]
    types = [type for drawing in drawings for type in drawing.types]

    def main(*tensors: Tensor) -> list[Tensor]:
        left, results = list(tensors), []
        for drawing in drawings:
            count = len(drawing.types)
            results += drawing.body(left[:count])
            del left[:count]
        return results

    module.func(*types, name="main")(main)
    return str(module)


def is_open(seed: int) -> bool:
    """Whether the program of a seed leaves sizes open."""
    return Program(random.Random(seed)).open


class _Drawing:
    """One program: its arguments, sometimes a private function that takes the same ones."""

    def __init__(self, module: Module, seed: int) -> None:
        self.chance = random.Random(seed)
        self.program = p = Program(self.chance)
        number = self.chance.randint(1, 4)
        self.shapes = [(p.shape(), self.chance.choice(p.elements)) for _ in range(number)]
        self.types = [spelled(p.opened(shape), element) for shape, element in self.shapes]
        self.function: Callable[..., Any] | None = None
        if p.chance(0.2):
            self.function = module.func(*self.types, name=f"_inner{seed}")(self._inner)

    def _inner(self, *tensors: Tensor) -> list[Tensor]:
        self._start(tensors)
        grow(self.program, self.chance.randint(1, 4))
        return self._results(len(tensors))

    def body(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        self._start(tensors)
        steps = self.chance.randint(2, 10)
        grow(self.program, steps // 2)
        if self.function is not None:
            self._call(tensors)
        grow(self.program, steps - steps // 2)
        return self._results(len(tensors))

    def _start(self, tensors: Sequence[Tensor]) -> None:
        self.program.values = []
        for tensor, (shape, element) in zip(tensors, self.shapes, strict=True):
            self.program.argument(tensor, shape, element)

    def _call(self, tensors: Sequence[Tensor]) -> None:
        results: Any = self.function(*tensors) if self.function else ()
        for tensor in results if isinstance(results, tuple) else (results,):
            if tensor.type.is_static:
                shape, element = tensor.type.static_shape, str(tensor.element_type)
                self.program.add(Drawn(tensor, shape, element, rough=self.program.rough))

    def _results(self, arguments: int) -> list[Tensor]:
        """The last value and some others; all where sizes are open, so that checks are needed."""
        p = self.program
        last = p.values[arguments:] or p.values
        picked = [last[-1], *p.random.sample(last, min(len(last), p.random.randint(0, 2)))]
        if p.open and p.chance(0.5):
            picked = last
        return [value.tensor for value in picked]
