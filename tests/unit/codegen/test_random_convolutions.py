"""Convolutions of every form behind guard pages: random ones against the reference."""

from __future__ import annotations

import math
from collections import OrderedDict

import pytest
from convolution_programs import ELEMENTS, ConvolutionProgram
from staged_programs import assert_staged

from shlo_tools.codegen.stages.contractions import packed_lines, window_matrices
from shlo_tools.codegen.stages.contractions.lines import Line
from shlo_tools.codegen.stages.contractions.packed import Packed
from shlo_tools.codegen.stages.contractions.packed_planes import PlanePlanner
from shlo_tools.codegen.stages.contractions.planes import Box
from shlo_tools.codegen.stages.contractions.window_matrices import Windows
from shlo_tools.passes.stages import lower_stages

_SEEDS = 20


@pytest.mark.parametrize("first", range(0, 60, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_convolutions(element: str, first: int) -> None:
    for seed in range(first, first + _SEEDS):
        program = ConvolutionProgram(seed, element)
        assert_staged(program.text(), *program.arrays)


@pytest.mark.parametrize("first", range(1000, 1060, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_convolutions_by_lanes(
    element: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where windows are lanes wherever they can be, and not only where that pays."""
    count, packed = 0, PlanePlanner.packed

    def counted(planner: PlanePlanner, box: Box) -> Packed:
        nonlocal count
        count += 1
        return packed(planner, box)

    monkeypatch.setattr(packed_lines._LinePlanner, "cost", lambda *_: math.inf)
    monkeypatch.setattr(PlanePlanner, "packed", counted)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    for seed in range(first, first + _SEEDS):
        program = ConvolutionProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
    assert count or element.startswith("complex")


@pytest.mark.parametrize("first", range(3000, 3060, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_convolutions_by_lines(
    element: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where windows are read in lines wherever they can be, of few and many together."""
    count, windows = 0, packed_lines._LinePlanner.windows

    def counted(planner: packed_lines._LinePlanner, line: Line) -> Packed:
        nonlocal count
        count += line.together > 1
        return windows(planner, line)

    def cost(_: object, line: Line | None) -> float:
        if line is None:
            return math.inf
        return 0.0 if line.rows == "taps" else line.block * (-1) ** seed

    monkeypatch.setattr(packed_lines._LinePlanner, "cost", cost)
    monkeypatch.setattr(packed_lines._LinePlanner, "windows", counted)
    monkeypatch.setattr(PlanePlanner, "box", lambda _: None)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    for seed in range(first, first + _SEEDS):
        program = ConvolutionProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
    assert count


@pytest.mark.parametrize("first", range(2000, 2060, _SEEDS))
@pytest.mark.parametrize("element", ELEMENTS)
def test_random_convolutions_by_matrices_of_windows(
    element: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where windows become a matrix wherever the kernel is one as it lies."""
    count = 0

    def pays(windows: Windows, _: object) -> bool:
        nonlocal count
        count += 1
        return True

    monkeypatch.setattr(window_matrices, "pays", pays)
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    for seed in range(first, first + _SEEDS):
        program = ConvolutionProgram(seed, element)
        assert_staged(program.text(), *program.arrays)
    assert count or element in ("bf16", "f16", "i8")  # few columns of these are packed first
