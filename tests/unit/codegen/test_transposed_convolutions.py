"""Kernels with output features first, as generators and gradients have them, by chance."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest
from convolution_programs import ConvolutionProgram
from staged_programs import assert_staged, staged

from shlo_tools import interpret
from shlo_tools.codegen.stages.contractions import far_features
from shlo_tools.codegen.stages.contractions.axes import Contraction
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.transposition import Transposition
from shlo_tools.passes.stages import lower_stages

ELEMENTS = ("f32", "f64", "bf16", "i8", "complex<f32>")
_SEEDS = 12


class _Program(ConvolutionProgram):
    """A convolution of images channel by channel, whose kernel may be a view of what is given."""

    def _order(self, place: int, rank: int) -> list[int]:
        return [1, 0, *range(2, rank)] if place == 1 else [*range(rank)]

    def text(self) -> str:
        plain = super().text()
        head, body = plain.split(" {\n", 1)
        return f"{head} {{\n{self._view()}{body.replace('(%x, %w)', '(%x, %k)', 1)}"

    def _view(self) -> str:
        """Ops that turn the taps of a kernel, or have its output features in another order."""
        type, (depth, outputs, *taps) = self.type(self.rhs), self.rhs
        parts = [n for n in range(2, outputs) if outputs % n == 0]
        if self.random.random() < 0.3 and parts:
            apart = self.type((depth, outputs // parts[0], parts[0], *taps))
            turned = self.type((depth, parts[0], outputs // parts[0], *taps))
            order = [0, 2, 1, *range(3, 3 + len(taps))]
            return f"""%a = stablehlo.reshape %w : ({type}) -> {apart}
          %t = stablehlo.transpose %a, dims = {order} : ({apart}) -> {turned}
          %k = stablehlo.reshape %t : ({turned}) -> {type}
"""
        dims = [*range(2, 2 + len(taps))] * int(self.random.integers(2))
        return f"%k = stablehlo.reverse %w, dims = {dims} : {type}\n"


@pytest.fixture
def transposed(monkeypatch: pytest.MonkeyPatch) -> list[Transposition]:
    """Those of kernels, small ones as well, and not only where that pays."""
    real, moved = far_features.transposition_of, list[Transposition]()

    def noted(contraction: Contraction, arguments: Sequence[Node]) -> Transposition | None:
        transposition = real(contraction, arguments)
        moved.extend(filter(None, [transposition]))
        return transposition

    monkeypatch.setattr(far_features, "_LEAST", 1)
    monkeypatch.setattr(far_features, "_FEATURES", 2)
    monkeypatch.setattr(far_features, "transposition_of", noted)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    return moved


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("first", range(0, 3 * _SEEDS, _SEEDS))
def test_kernels_of_far_features(element: str, first: int, transposed: list[Transposition]) -> None:
    for seed in range(first, first + _SEEDS):
        program = _Program(seed, element)
        assert_staged(program.text(), *program.arrays)
    assert transposed or element.startswith("complex")


def test_constant_kernels(transposed: list[Transposition]) -> None:
    """What is made of a constant is made once, and the calls behind that read it."""
    for seed in range(_SEEDS):
        program = _Program(100 + seed, "f32")
        images, kernel = program.arrays
        head, body = program.text().split(" {\n", 1)
        type = program.type(program.rhs)
        text = f"""{head.replace(f", %w: {type}", "")} {{
          %w = stablehlo.constant dense<{kernel.tolist()}> : {type}
{body}"""
        assert_staged(text, images)
        executable = staged(text)
        expected = interpret(text, images)
        for _ in range(2):
            np.testing.assert_array_equal(executable(images), expected)
    assert transposed


def test_kernels_that_are_copied_first() -> None:
    """Output features in two parts are copied side by side: a kernel that is no argument."""
    program = """func.func @main(%x: tensor<2x32x6x6xf32>, %w: tensor<4x32x16x3x3xf32>)
        -> tensor<2x64x8x8xf32> {
      %a = stablehlo.transpose %w, dims = [1, 0, 2, 3, 4]
        : (tensor<4x32x16x3x3xf32>) -> tensor<32x4x16x3x3xf32>
      %b = stablehlo.reshape %a : (tensor<32x4x16x3x3xf32>) -> tensor<32x64x3x3xf32>
      %0 = stablehlo.convolution(%x, %b) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1],
        window = {pad = [[2, 2], [2, 2]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x32x6x6xf32>, tensor<32x64x3x3xf32>) -> tensor<2x64x8x8xf32>
      return %0 : tensor<2x64x8x8xf32>
    }"""
    random = np.random.default_rng(0)
    shapes = [(2, 32, 6, 6), (4, 32, 16, 3, 3)]
    assert_staged(program, *(random.integers(-2, 3, s).astype(np.float32) for s in shapes))
