"""Scans of few long rows in parts: all types and ways, in guarded memory, by any threads."""

from __future__ import annotations

from collections import OrderedDict

import ml_dtypes
import numpy as np
import pytest
from reduction_programs import SELECTED
from staged_programs import assert_staged, staged
from test_window_kernels import windows

from shlo_tools import compile, interpret
from shlo_tools.codegen.stages.reductions import long_scans
from shlo_tools.passes.stages import lower_stages

_TYPES = {**SELECTED, "complex<f32>": np.complex64, "i1": np.bool_}
_OPS = [
    *((element, "add", "0") for element in ("f32", "f64", "i32", "i8")),
    *(("ui16", "multiply", "1"), ("i32", "maximum", "-2147483648"), ("i32", "xor", "0")),
    *(("f32", "maximum", "0xFF800000"), ("bf16", "maximum", "0xFF80")),
    *(("i64", "minimum", str(2**63 - 1)), ("complex<f32>", "add", "(0.0, 0.0)")),
    *(("i1", "or", "false"), ("i1", "minimum", "true")),
]

Shape = tuple[int, ...]


def scan(shape: Shape, element: str, op: str, init: str, *, forward: bool) -> str:
    """A scan along the last dimension of more than one element, of the operand's doubles."""
    rank = len(shape)
    dimension = max(d for d in range(rank) if shape[d] > 1)
    size = tuple(n if d == dimension else 1 for d, n in enumerate(shape))
    padding = [0] * (2 * rank)
    padding[2 * dimension + (not forward)] = shape[dimension] - 1
    ones = (1,) * rank
    return windows(shape, shape, size, ones, ones, ones, tuple(padding), element, op, init)


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few vectors, so that the reference need not fold long windows."""
    monkeypatch.setattr(lower_stages, "_known", OrderedDict())
    monkeypatch.setattr(long_scans, "_LONG", 128)
    monkeypatch.setattr(long_scans, "_PART", 64)


@pytest.mark.usefixtures("short_parts")
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(("element", "op", "init"), _OPS)
@pytest.mark.parametrize("shape", [(131,), (2, 257), (7, 192), (1, 2, 333, 1), (640,)], ids=str)
def test_parts(shape: Shape, element: str, op: str, init: str, forward: bool) -> None:
    if init.startswith("0x"):
        text = scan(shape, element, op, "0", forward=forward).replace("<0.0>", f"<{init}>")
        text = text.replace("<0>", f"<{init}>")
    else:
        text = scan(shape, element, op, init, forward=forward)
    x = np.random.default_rng(0).integers(0, 9, shape).astype(_TYPES[element])
    assert_staged(text, x)


@pytest.mark.usefixtures("short_parts")
def test_random_rows() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        shape = (int(random.integers(1, 8)), int(random.integers(128, 700)))
        forward = bool(random.integers(2))
        text = scan(shape, "i32", "add", "0", forward=forward)
        assert_staged(text, random.integers(-1000, 1000, shape).astype(np.int32))


@pytest.mark.parametrize("element", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(1 << 17,), (3, 150_001)], ids=str)
@pytest.mark.parametrize("forward", [True, False])
def test_sums_are_near_and_the_same_by_any_threads(
    shape: Shape, element: type, forward: bool
) -> None:
    name = {np.float32: "f32", np.float64: "f64", np.float16: "f16"}.get(element, "bf16")
    text = scan(shape, name, "add", "0", forward=forward).replace("<0>", "<0.0>")
    x = (np.random.default_rng(7).standard_normal(shape) / 16).astype(element)
    alone = compile(text, threads=1)(x)
    shared = compile(text, threads=2)
    for _ in range(40):  # whoever finds what done
        np.testing.assert_array_equal(shared(x).view(np.uint8), alone.view(np.uint8))
    turned = x if forward else x[..., ::-1]
    wide = np.float64 if element != np.float64 else np.longdouble
    exact = 4 * np.cumsum(turned.astype(wide), axis=-1)
    terms = 4 * np.cumsum(np.abs(turned).astype(wide), axis=-1)
    exact, terms = (y if forward else y[..., ::-1] for y in (exact, terms))
    step = ml_dtypes.finfo(element).eps
    depth = shape[-1] / 32 if element in (np.float32, np.float64) else 2
    bound = float(step) * (depth * terms / 8 if depth > 2 else 2 * np.abs(exact) + terms / 512)
    assert (np.abs(alone.astype(wide) - exact) <= bound).all()


def test_integers_of_long_rows_are_exact() -> None:
    for shape in ((300_007,), (2, 131_072)):
        text = scan(shape, "i32", "add", "0", forward=True)
        x = np.random.default_rng(9).integers(-(2**31), 2**31, shape).astype(np.int32)
        with np.errstate(over="ignore"):
            expected = 4 * np.cumsum(x, axis=-1, dtype=np.int32)
        assert staged(text)
        executable = compile(text, threads=4)
        for _ in range(40):
            np.testing.assert_array_equal(executable(x), expected)


def test_narrow_windows_are_rounded_once() -> None:
    """300 ones of bf16 would make 256 at most."""
    shape, size, ones = (3, 600), (1, 600), (1, 1)
    padding = (0, 0, 599, 0)
    text = windows(shape, shape, size, ones, ones, ones, padding, "bf16", "add", "0")
    text = text.replace("<0>", "<0.0>")
    x = np.full(shape, 0.5, ml_dtypes.bfloat16)
    np.testing.assert_array_equal(compile(text)(x), interpret(text, x))
    few = windows((9, 700), (9, 101), (1, 600), ones, ones, ones, (0,) * 4, "bf16", "add", "0")
    x = np.random.default_rng(3).integers(0, 3, (9, 700)).astype(ml_dtypes.bfloat16)
    few = few.replace("<0>", "<0.0>")
    np.testing.assert_array_equal(compile(few)(x), interpret(few, x))
