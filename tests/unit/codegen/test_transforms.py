"""Fourier transforms as jobs of kernels and of numpy's C functions, beside numpy in doubles."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from staged_programs import staged

from shlo_tools import compile, load_executable
from shlo_tools.codegen.library.fourier import plans
from shlo_tools.codegen.target import host
from shlo_tools.extend import fourier_loops

BOUNDS = {"f32": 1e-6, "f64": 2e-15}  # of the largest element, for rows of some thousand elements
REALS = {"f32": np.float32, "f64": np.float64}


def type_of(array: np.ndarray, real: str) -> str:
    element = f"complex<{real}>" if np.iscomplexobj(array) else real
    return f"tensor<{''.join(f'{size}x' for size in array.shape)}{element}>"


def program(kind: str, operand: np.ndarray, result: np.ndarray, rank: int, real: str) -> str:
    source, target = type_of(operand, real), type_of(result, real)
    whole = operand if kind != "IRFFT" else result
    lengths = list(whole.shape[whole.ndim - rank :])
    return f"""func.func @main(%x: {source}) -> {target} {{
      %0 = stablehlo.fft %x, type = {kind}, length = {lengths} : ({source}) -> {target}
      return %0 : {target}
    }}"""


def cases(shape: tuple[int, ...], rank: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Kinds, what is transformed, and what becomes of it."""
    axes = tuple(range(-rank, 0))
    rng = np.random.default_rng(len(shape))
    x = rng.standard_normal(shape)
    z = x + 1j * rng.standard_normal(shape)
    half = np.fft.rfftn(x, axes=axes)
    return [
        ("FFT", z, np.fft.fftn(z, axes=axes)),
        ("IFFT", z, np.fft.ifftn(z, axes=axes)),
        ("RFFT", x, half),
        ("IRFFT", half, x),
    ]


def narrowed(array: np.ndarray, real: str) -> np.ndarray:
    """An array in the precision of a program."""
    width = 2 if np.iscomplexobj(array) else 1
    return array.astype(f"{'c' if width == 2 else 'f'}{width * REALS[real]().itemsize}")


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize(
    ("shape", "rank"),
    [
        *[((n,), 1) for n in (1, 2, 7, 16, 1000, 4099)],
        *[((3, n), 1) for n in (64, 140, 512, 1344, 1372, 4096)],
        ((2, 49152), 1),  # longer than scratch memory
        ((3, 8), 1),
        ((700, 5, 33), 1),
        ((4, 6), 2),
        ((2, 90, 128), 2),
        ((5, 3, 2, 5), 3),
        ((1, 1, 9), 3),
        ((3, 35, 6), 2),
        ((2, 16, 1, 68), 3),
        ((1029, 17), 2),
    ],
)
def test_beside_numpy(shape: tuple[int, ...], rank: int, real: str) -> None:
    for kind, operand, expected in cases(shape, rank):
        text = program(kind, operand, expected, rank, real)
        x = narrowed(operand, real)
        before = x.copy()
        executable = staged(text)
        assert not executable._host_calls
        result = executable(x)
        most = max(1.0, float(np.abs(expected).max()))
        assert np.abs(result - expected).max() <= BOUNDS[real] * most, kind
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("real", REALS)
def test_random_lengths(real: str) -> None:
    """Products of small primes and others, as rows and as columns."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        factors = rng.choice([2, 2, 2, 3, 4, 5, 7, 8, 11], size=(2, rng.integers(1, 5)))
        rows, columns = (int(n) for n in factors.prod(axis=1))
        shape = (rows, min(columns, (1 << 16) // rows))
        for kind, operand, expected in cases(shape, 2):
            result = staged(program(kind, operand, expected, 2, real))(narrowed(operand, real))
            most = max(1.0, float(np.abs(expected).max()))
            assert np.abs(result - expected).max() <= BOUNDS[real] * most, (kind, shape)


@pytest.mark.parametrize("size", [1 << 14, 1 << 20])
def test_a_single_long_row(size: int) -> None:
    """Threads share it; each number is known on its own: a wave has one."""
    wave = np.exp(2j * np.pi * (7919 * np.arange(size) % size) / size)
    result = staged(program("FFT", wave, wave, 1, "f64"))(wave)
    assert abs(result[7919] - size) <= 1e-12 * size
    result[7919] = 0
    assert np.abs(result).max() <= 1e-12 * size


@pytest.mark.parametrize("real", REALS)
def test_imaginary_parts_that_no_real_row_has(real: str) -> None:
    """Those of the first number and of the last one of an even row are not looked at."""
    half, whole = cases((3, 256), 1)[3][1:]
    half[:, [0, -1]] += 5j
    result = staged(program("IRFFT", half, whole, 1, real))(narrowed(half, real))
    assert np.abs(result - whole).max() <= 10 * BOUNDS[real] * np.abs(whole).max()


@pytest.mark.parametrize("shape", [(300, 96), (2, 300, 17), (1 << 16,)])
def test_threads_change_no_bit(shape: tuple[int, ...]) -> None:
    for kind, operand, expected in cases(shape, min(2, len(shape))):
        text = program(kind, operand, expected, min(2, len(shape)), "f32")
        x = narrowed(operand, "f32")
        alone, together = (compile(text, threads=count)(x) for count in (1, None))
        assert alone.tobytes() == together.tobytes(), kind


def test_plans_multiply_to_their_size() -> None:
    for size in range(1, 3000):
        for plan in (plans.row_plan(host(), 32, size), plans.column_plan(host(), 64, size, 8)):
            assert plan is None or math.prod(plan.radices) == size


def test_the_host_transforms_where_numpy_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fourier_loops, "names", lambda *_: None)
    for kind, operand, expected in cases((3, 4, 6), 2):
        executable = staged(program(kind, operand, expected, 2, "f64"))
        assert executable._host_calls
        np.testing.assert_allclose(executable(operand), expected, atol=1e-14)


def test_files_hold_no_addresses_of_numpy(tmp_path: Path) -> None:
    kind, operand, expected = cases((40, 16), 1)[0]
    executable = compile(program(kind, operand, expected, 1, "f64"))
    executable.save(tmp_path / "fft.shlox")
    assert (
        fourier_loops.address("numpy.fft.fft.d.loop").to_bytes(8, "little")
        not in (tmp_path / "fft.shlox").read_bytes()
    )
    loaded = load_executable(tmp_path / "fft.shlox")
    assert loaded(operand).tobytes() == executable(operand).tobytes()


def test_nothing_is_transformed() -> None:
    """Of no rows, nothing."""
    x = np.zeros((0, 8), np.complex64)
    result = compile(program("FFT", x, x, 1, "f32"))(x)
    assert result.shape == (0, 8)


def test_an_operand_that_dies_is_transformed_in_place() -> None:
    z = cases((64, 32), 2)[0][1]
    text = """func.func @main(%x: tensor<64x32xcomplex<f64>>) -> tensor<64x32xcomplex<f64>> {
      %0 = stablehlo.add %x, %x : tensor<64x32xcomplex<f64>>
      %1 = stablehlo.fft %0, type = FFT, length = [64, 32]
        : (tensor<64x32xcomplex<f64>>) -> tensor<64x32xcomplex<f64>>
      return %1 : tensor<64x32xcomplex<f64>>
    }"""
    np.testing.assert_allclose(staged(text)(z), np.fft.fft2(2 * z), atol=1e-12)
