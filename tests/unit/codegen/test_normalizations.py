"""Normalizations of images by groups of channels, random shapes, on the reference.

What is multiplied and added lies along channels, rows, columns, pixels or all of them: the last
dimensions become one wherever no op tells them apart, and rows are walked by what is left.
"""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import typed

from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.lined_rows import LinedRowKernel
from shlo_tools.codegen.stages.merged_dimensions import merged
from shlo_tools.codegen.stages.nodes import Stage

_SEEDS = 25
_ELEMENTS = ("f32", "f64", "i32")


class Normalization:
    """``(x - mean) * scale + offset``, of whole numbers that are exact whatever is summed first.

    Args:
        seed: what is drawn.
        element: the type.
    """

    def __init__(self, seed: int, element: str) -> None:
        self.random = np.random.default_rng([seed, _ELEMENTS.index(element)])
        self.element = element
        sizes = self.random.integers(1, 8, 2).tolist()
        self.image = [*sizes, *self.random.integers(1, (40, 12)[seed % 2], 2).tolist()]
        self.group = int(self.random.integers(1, 5))
        self.image[1] *= self.group
        self.arguments: list[list[int]] = [self.image]
        self.lines: list[str] = []

    def type(self, shape: list[int]) -> str:
        return typed(shape, self.element)

    def emit(self, name: str, text: str) -> str:
        self.lines.append(f"%{name} = stablehlo.{text}")
        return name

    def argument(self, shape: list[int]) -> str:
        self.arguments.append(shape)
        return f"arg{len(self.arguments) - 1}"

    def spread(self, dimensions: list[int], shape: list[int], keeps: bool) -> str:
        """An argument that has some of the dimensions, perhaps the others as ones."""
        own = [shape[d] for d in dimensions]
        if keeps:
            own = [size if d in dimensions else 1 for d, size in enumerate(shape)]
            dimensions = [*range(len(shape))]
        source = self.argument(own)
        text = f"broadcast_in_dim %{source}, dims = {dimensions} : ({self.type(own)}) -> "
        return self.emit(f"s{len(self.lines)}", text + self.type(shape))

    def text(self) -> str:
        n, channels, height, width = self.image
        grouped = [n, channels // self.group, self.group, height, width]
        whole, parts, each = self.type(self.image), self.type(grouped), self.type(grouped[:2])
        scalar = self.type([])
        number = "0" if self.element.startswith("i") else "0.0"
        self.emit("zero", f"constant dense<{number}> : {scalar}")
        self.emit("parts", f"reshape %arg0 : ({whole}) -> {parts}")
        operands = f"({parts}, {scalar}) -> {each}"
        name = "add" if self.random.random() < 0.7 else "maximum"
        reduce = f"applies stablehlo.{name} across dimensions = [2, 3, 4] : {operands}"
        self.emit("first", f"reduce(%parts init: %zero) {reduce}")
        self.emit("means", f"broadcast_in_dim %first, dims = [0, 1] : ({each}) -> {parts}")
        self.emit("d", f"subtract %parts, %means : {parts}")
        self.emit("second", f"reduce(%d init: %zero) {reduce}")
        spread = f"broadcast_in_dim %second, dims = [0, 1] : ({each}) -> {parts}"
        self.emit("sums", spread)
        self.emit("e", f"add %d, %sums : {parts}")
        self.emit("y0", f"reshape %e : ({parts}) -> {whole}")
        value = "y0"
        kinds = [[1], [0, 1], [2, 3], [3], [2], [1, 2, 3], [0, 1, 2, 3], [1, 2], [1]]
        for k in self.random.choice(len(kinds), self.random.integers(1, 4), replace=False):
            other = self.spread(kinds[k], self.image, keeps=bool(self.random.random() < 0.5))
            op = "multiply" if self.random.random() < 0.5 else "add"
            value = self.emit(f"y{len(self.lines)}", f"{op} %{value}, %{other} : {whole}")
        arguments = ", ".join(
            f"%arg{k}: {self.type(shape)}" for k, shape in enumerate(self.arguments)
        )
        results, types = [f"%{value}"], [whole]
        if self.random.random() < 0.3:
            results, types = [*results, "%second"], [*types, each]
        body = "\n  ".join(self.lines)
        return (
            f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n  {body}\n"
            f"  return {', '.join(results)} : {', '.join(types)}\n}}"
        )

    def inputs(self) -> list[np.ndarray]:
        dtype = {"f32": np.float32, "f64": np.float64, "i32": np.int32}[self.element]
        shapes = self.arguments
        return [self.random.integers(-3, 4, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("element", _ELEMENTS)
@pytest.mark.parametrize("seed", range(_SEEDS))
def test_random_normalizations(seed: int, element: str) -> None:
    program = Normalization(seed, element)
    text = program.text()
    assert_staged(text, *program.inputs())


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

    monkeypatch.setattr(lowering, "merged", noted)
    monkeypatch.setattr(lowering, "LinedRowKernel", Lined)
    for seed in range(_SEEDS, 2 * _SEEDS):  # what other tests lowered is known
        program = Normalization(seed, "f32")
        assert_staged(program.text(), *program.inputs())
    assert any(merges)
    assert walked
