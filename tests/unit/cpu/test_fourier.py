"""``shlo.fft`` by the ufuncs of ``numpy.fft``, and by its functions where those are elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools.cpu.custom_calls import fourier
from shlo_tools.extend import fourier_loops


def test_ufuncs_compute_single_precision() -> None:
    ufuncs = fourier_loops.ufuncs()
    for name in ("fft", "ifft", "irfft", "rfft_n_odd", "rfft_n_even"):
        types = getattr(ufuncs, name).types
        assert any(type.lower() == "ff->f" for type in types), (name, types)


@pytest.mark.parametrize("with_ufuncs", [True, False])
@pytest.mark.parametrize("lengths", [(1,), (8,), (7,), (4, 6), (3, 2, 5)])
def test_all_kinds(
    with_ufuncs: bool, lengths: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_ufuncs:
        monkeypatch.setattr(fourier_loops, "ufuncs", lambda: None)
    rng = np.random.default_rng(0)
    axes = tuple(range(-len(lengths), 0))
    x = rng.standard_normal((3, *lengths))
    z = x + 1j * rng.standard_normal(x.shape)
    half = np.fft.rfftn(x, axes=axes)
    cases = {
        "FFT": (z, np.fft.fftn(z, axes=axes)),
        "IFFT": (z, np.fft.ifftn(z, axes=axes)),
        "RFFT": (x, half),
        "IRFFT": (half, x),
    }
    for kind, (operand, expected) in cases.items():
        result = np.full(expected.shape, np.nan, expected.dtype)
        before = operand.copy()
        attributes = {"fft_type": kind, "fft_length": list(lengths)}
        fourier.fft(operand, attributes=attributes, memory=[result])
        np.testing.assert_allclose(result, expected, atol=1e-13, err_msg=kind)
        np.testing.assert_array_equal(operand, before)
