"""A program of one custom call, run natively and by the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Any]
BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def calling(attributes: str = "", type: str = "2x3xf32", target: str = "f") -> str:
    return f"""func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
      %0 = stablehlo.custom_call @{target}(%x) {{{attributes}}} : (tensor<{type}>) -> tensor<{type}>
      return %0 : tensor<{type}>
    }}"""
