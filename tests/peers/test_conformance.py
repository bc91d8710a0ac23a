"""The fast conformance cases by XLA:CPU, in a child process: MLIR is loaded here, JAX there.

Where XLA differs from the reference, FAULTS says which of the two follows the specification's
text, and why. ``SHLO_XLA_PYTHON`` names an interpreter that has JAX, if this one has not.
"""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
from batch import TOGETHER
from runs import oracles
from runs.oracles import Fault

pytestmark = pytest.mark.peer

PYTHON = os.environ.get("SHLO_XLA_PYTHON", sys.executable)
FAMILIES = (
    *("contraction", "convolution", "data_movement", "elementwise", "gather_scatter", "reduction"),
    *("sorting", "windows"),
)
COMPLEX = ("complex<f32>", "complex<f64>")
ELEMENTS = (
    *("i1", "i4", "i8", "i32", "ui8", "ui32", "ui64", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ"),
    *("f16", "bf16", "f32", "f64", *COMPLEX),
)

FAULTS = (
    Fault(
        "differs",
        "clamp map maximum minimum",
        COMPLEX,
        "pairs are compared lexicographically; XLA looks at real parts only",
    ),
    Fault(
        "differs",
        "power",
        ("i4", "i8", "i32", "ui8", "ui32", "ui64"),
        "x to the power of -n is 0 but for x of 1 and -1, as in the official interpreter; XLA "
        "takes large and negative exponents otherwise",
    ),
    Fault("differs", "popcnt", ("i4",), "-8 has one bit in i4; XLA counts those of an i8"),
    Fault(
        "differs",
        "multiply",
        ("bf16", "f32", "f64"),
        "XLA takes denormal numbers for zeros before it rounds: products next to the least normal",
    ),
    Fault(
        "differs",
        "atan2",
        ("f8E5M2",),
        "XLA rounds through f16: results next to the least normal number are off by one step",
    ),
    Fault("differs", "tanh", ("f32",), "XLA's tanh is a rational function, off by 4 ulps near 1"),
    Fault(
        "differs",
        "log_plus_one sine power",
        COMPLEX,
        "XLA loses small parts: sine(1e-30i) is 1e-30i, log1p(-1 + 1e-30i) is not -inf",
    ),
    Fault(
        "differs",
        "reduce_window",
        ELEMENTS,
        "padding holds the init value, and the case's is not neutral: it enters once per cell of "
        "padding, as in the official interpreter; XLA leaves padding out",
    ),
    Fault("dies", "remainder", COMPLEX, "the specification leaves complex remainder open"),
    Fault("refuses", "cbrt", COMPLEX, "XLA has no complex cbrt; the specification allows it"),
    Fault("refuses", "sort", COMPLEX, "XLA compares complex numbers for equality only"),
)


def test_differences_are_known():
    if sys.executable == PYTHON and importlib.util.find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    oracle = oracles.Oracle("runs.xla", PYTHON, flushes=True, together=TOGETHER)
    oracles.check(oracles.verdicts(oracle, FAMILIES, ELEMENTS), FAULTS)
