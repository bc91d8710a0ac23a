"""Programs for child processes of tests of the thread pool: what they share."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

TEXT = """
func.func @main(%x: tensor<300x200xf32>, %y: tensor<200x100xf32>) -> tensor<300x100xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<300x200xf32>, tensor<200x100xf32>) -> tensor<300x100xf32>
  %1 = stablehlo.exponential %0 : tensor<300x100xf32>
  return %1 : tensor<300x100xf32>
}"""
_START = f"""
import atexit, ctypes, hashlib, os, signal, sys, threading, time
import numpy as np
import shlo_tools
TEXT = {TEXT!r}
random = np.random.default_rng(0)
x = random.standard_normal((300, 200)).astype(np.float32)
y = random.standard_normal((200, 100)).astype(np.float32) / 20
"""


def run(code: str, threads: int = 4, **variables: str) -> str:
    """What Python code prints behind ``_START``; it has to end well, within two minutes.

    Args:
        threads: of the pool.
    """
    done = subprocess.run(
        [sys.executable, "-c", _START + textwrap.dedent(code)],
        env={**os.environ, "SHLO_NUM_THREADS": str(threads), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
