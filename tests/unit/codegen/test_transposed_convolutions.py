"""Kernels with output features first, as generators and gradients have them, by chance."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest
from staged_programs import assert_staged, staged

from shlo_tools import interpret
from shlo_tools.codegen.stages.contractions import far_features
from shlo_tools.codegen.stages.contractions.axes import Contraction
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.transposition import Transposition
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.passes.stages import lower_stages

ELEMENTS = ("f32", "f64", "bf16", "i8", "complex<f32>")
_SEEDS = 12


class _Program:
    """A convolution of images channel by channel; an op may reverse its kernel, or windows."""

    def __init__(self, seed: int, element: str) -> None:
        self.random = np.random.default_rng([seed, ELEMENTS.index(element)])
        self.element, rank = element, int(self.random.integers(1, 3))
        images, depth, outputs = map(self._number, (4, 12, 9))
        self.windows = [self._window() for _ in range(rank)]
        sizes, taps, counts = (self._sizes(name) for name in ("size", "taps", "count"))
        self.shapes = [[images, depth, *sizes], [depth, outputs, *taps], [images, outputs, *counts]]
        self.turned = [*range(2, 2 + rank)] * int(self.random.integers(2))

    def _number(self, most: int) -> int:
        return int(self.random.integers(1, most + 1))

    def _window(self) -> dict[str, int]:
        """One spatial dimension of some windows."""
        while True:
            names = ("size", "taps", "stride", "apart", "dilation", "reversal")
            mosts = (9, 4, 2, 2, 2, 2)
            window = dict(zip(names, map(self._number, mosts), strict=True))
            low, high = (int(n) for n in self.random.integers(-1, 5, 2))
            padded = low + high + (window["size"] - 1) * window["apart"] + 1
            room = padded - ((window["taps"] - 1) * window["dilation"] + 1)
            if room >= 0:
                return {**window, "low": low, "high": high, "count": room // window["stride"] + 1}

    def _sizes(self, name: str) -> list[int]:
        return [window[name] for window in self.windows]

    def _type(self, shape: Sequence[int]) -> str:
        return f"tensor<{'x'.join([*map(str, shape), self.element])}>"

    def text(self) -> str:
        images, kernel, result = map(self._type, self.shapes)
        places = ", ".join(map(str, range(len(self.windows))))
        flags = [number - 1 for number in self._sizes("reversal")]
        pads = [[window["low"], window["high"]] for window in self.windows]
        return f"""func.func @main(%x: {images}, %w: {kernel}) -> {result} {{
  %t = stablehlo.reverse %w, dims = {self.turned} : {kernel}
  %0 = stablehlo.convolution(%x, %t)
    dim_numbers = [b, f, {places}]x[i, o, {places}]->[b, f, {places}],
    window = {{stride = {self._sizes("stride")}, pad = {pads},
      lhs_dilate = {self._sizes("apart")}, rhs_dilate = {self._sizes("dilation")},
      reverse = {flags}}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : ({images}, {kernel}) -> {result}
  return %0 : {result}
}}
"""

    def arrays(self) -> list[np.ndarray]:
        """Small whole numbers, of which all sums are exact."""
        whole = [self.random.integers(-2, 3, shape) for shape in self.shapes[:2]]
        return [numbers.astype(ELEMENT_TYPES[self.element].dtype) for numbers in whole]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("first", range(0, 3 * _SEEDS, _SEEDS))
def test_kernels_of_far_features(element: str, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones are transposed, too, and not only where that pays."""
    count, real = 0, far_features.transposition_of

    def counted(contraction: Contraction, kernel: Node) -> Transposition | None:
        nonlocal count
        moved = real(contraction, kernel)
        count += moved is not None
        return moved

    monkeypatch.setattr(far_features, "_LEAST", 1)
    monkeypatch.setattr(far_features, "_FEATURES", 2)
    monkeypatch.setattr(far_features, "transposition_of", counted)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    for seed in range(first, first + _SEEDS):
        program = _Program(seed, element)
        assert_staged(program.text(), *program.arrays())
    assert count or element.startswith("complex")


def test_constant_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made of a constant is made once, and the calls behind that read it."""
    monkeypatch.setattr(far_features, "_LEAST", 1)
    monkeypatch.setattr(far_features, "_FEATURES", 2)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    for seed in range(_SEEDS):
        program = _Program(100 + seed, "f32")
        images, kernel = program.arrays()
        signature, rest = program.text().split(") -> ", 1)
        argument, type = signature.split(", %w: ")
        result, body = rest.split(" {\n", 1)
        text = f"""{argument}) -> {result} {{
  %w = stablehlo.constant dense<{kernel.tolist()}> : {type}
{body}"""
        assert_staged(text, images)
        executable = staged(text)
        expected = interpret(text, images)
        for _ in range(2):
            np.testing.assert_array_equal(executable(images), expected)
