"""Associative scans, unrolled by who exported them, against the reference: the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scan_programs import UnrolledScan
from staged_programs import assert_staged

import shlo_tools

LINES = [((256,), 0), ((1000,), 0), ((333,), 0), ((1 << 13,), 0), ((3, 512), 1), ((70, 15), 1)]
ROWS = [((128, 16), 0), ((1000, 17), 0), ((2, 96, 33), 1), ((16, 64), 0), ((2, 40, 4, 8), 1)]


def assert_same_bits(program: UnrolledScan) -> None:
    """What kernels make is exactly what the reference does: zeros have their sign as well."""
    assert_staged(program.text(), *program.arrays(), alike=_signs)


def _signs(result: np.ndarray) -> Any:
    return np.signbit(result) if result.dtype.kind == "f" else ()


@pytest.mark.parametrize(("shape", "axis"), LINES + ROWS)
def test_random_combinations(shape: tuple[int, ...], axis: int) -> None:
    for seed in range(3):
        assert_same_bits(UnrolledScan(seed, "f32", shape, axis, tensors=1 + seed % 3))


@pytest.mark.parametrize("element", ["f64", "i32", "ui32", "i64", "i1", "f16", "i8"])
@pytest.mark.parametrize(("shape", "axis"), [LINES[0], LINES[4], ROWS[1]])
def test_elements(element: str, shape: tuple[int, ...], axis: int) -> None:
    for seed in range(2):
        assert_same_bits(UnrolledScan(seed, element, shape, axis, tensors=1 + seed))


def test_what_is_no_such_tree() -> None:
    """A number, an op or a place that differs makes something else of a tree."""
    scan = UnrolledScan(4, "f32", (256,), 0, tensors=2)
    changes = [("dense<0.0>", "dense<1.0>"), ("dense<0.0>", "dense<-0.0>")]
    changes += [("stablehlo.add", "stablehlo.subtract")]
    for before, after in changes:
        _assert_changed(scan, re.escape(before), lambda _, after=after: after)
    _assert_changed(scan, r"\[2:(\d+):2\]", lambda match: f"[1:{int(match[1]) - 1}:2]")


def _assert_changed(
    scan: UnrolledScan, pattern: str, change: Callable[[re.Match[str]], str]
) -> None:
    """What matches a pattern is something else, in one place at a time."""
    text, random = scan.text(), np.random.default_rng(0)
    matches = list(re.finditer(pattern, text))
    for number in random.choice(len(matches), 4):
        match = matches[number]
        changed = text[: match.start()] + change(match) + text[match.end() :]
        assert_staged(changed, *scan.arrays())


def test_threads_share_blocks() -> None:
    assert_same_bits(UnrolledScan(1, "f32", (1 << 17,), 0, tensors=2))


def test_scans_in_loops() -> None:
    """What is scanned may come from outside of the loop, and zeros as well."""
    scan = UnrolledScan(0, "i32", (256,), 0, tensors=2)
    full = scan.type(scan.shape)
    body = "\n      ".join(scan.lines)
    text = f"""func.func public @main(%start: {full}, %x1: {full}, %s: tensor<i32>) -> {full} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %end:2 = stablehlo.while(%i = %zero, %x0 = %start) : tensor<i32>, {full}
    cond {{
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      {body}
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, {scan.results[0][0]} : tensor<i32>, {full}
    }}
  return %end#1 : {full}
}}
"""
    assert_staged(text, *scan.arrays())


def test_joined_and_cut_without_elements() -> None:
    x, a, b = "tensor<2x0x33xf32>", "tensor<2x0x22xf32>", "tensor<2x0x11xf32>"
    text = f"""
    func.func @main(%x: {x}) -> tensor<55x2x0xf32> {{
      %0 = stablehlo.slice %x [0:2, 0:0, 0:22] : ({x}) -> {a}
      %1 = stablehlo.slice %x [0:2, 0:0, 0:11] : ({x}) -> {b}
      %2 = stablehlo.concatenate %0, %1, %0, dim = 2 : ({a}, {b}, {a}) -> tensor<2x0x55xf32>
      %3 = stablehlo.concatenate %2, %2, dim = 1
        : (tensor<2x0x55xf32>, tensor<2x0x55xf32>) -> tensor<2x0x55xf32>
      %4 = stablehlo.transpose %3, dims = [2, 0, 1] : (tensor<2x0x55xf32>) -> tensor<55x2x0xf32>
      return %4 : tensor<55x2x0xf32>
    }}"""
    assert shlo_tools.compile(text)(np.zeros((2, 0, 33), np.float32)).shape == (55, 2, 0)
