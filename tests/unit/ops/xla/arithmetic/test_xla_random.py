"""Random numbers are of their distributions, random bits a function of their state."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from xla_runs import module_of, ran, refused

import shlo_tools
from shlo_tools.ops import xla


def test_rng_normal() -> None:
    """The numbers are of the distribution that was asked for (Kolmogorov and Smirnov's test)."""
    got = ran(lambda: xla.RngNormal(3, np.float32(2), "f32[20000]"))
    assert got.dtype == np.float32
    assert scipy.stats.kstest(got, "norm", args=(3, 2)).pvalue > 1e-4
    assert "C2" in refused(lambda: xla.RngNormal(0, 1, "s32[5]"))


def test_rng_uniform() -> None:
    got = ran(lambda: xla.RngUniform(-1, 3, "f64[20000]"))
    assert got.min() >= -1
    assert got.max() < 3
    assert scipy.stats.kstest(got, "uniform", args=(-1, 4)).pvalue > 1e-4
    numbers = ran(lambda low: xla.RngUniform(low, 5, "s32[100,10]"), np.int32(2))
    assert set(np.unique(numbers)) == {2, 3, 4}
    assert "C1" in refused(lambda: xla.RngUniform(np.float32(0), 1, "f64[5]"))


@pytest.mark.parametrize("algorithm", ["rng_three_fry", "rng_philox", "rng_default", "PHILOX"])
def test_rng_bit_generator(algorithm: str) -> None:
    """Bits are a function of the state, and the next state gives others."""
    module = module_of(lambda s: xla.RngBitGenerator(algorithm, s, "u32[1000]"), "2xui64")
    native, reference = (
        shlo_tools.compile(module, backend=backend) for backend in ("native", "reference")
    )
    state = np.array([7, 9], np.uint64)
    following, bits = native(state)
    for result, expected in zip((following, bits), reference(state), strict=True):
        np.testing.assert_array_equal(result, expected)
    assert following.shape == state.shape
    assert bits.dtype == np.uint32
    assert (native(following)[1] != bits).mean() > 0.99
    assert abs(np.unpackbits(bits.view(np.uint8)).mean() - 0.5) < 0.02


def test_an_algorithm_of_no_name() -> None:
    assert "'mt19937' is no algorithm" in refused(
        lambda s: xla.RngBitGenerator("mt19937", s, "u32[4]"), "2xui64"
    )
    assert "C2" in refused(lambda s: xla.RngBitGenerator("THREE_FRY", s, "u32[4]"), "5xui64")
