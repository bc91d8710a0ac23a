"""Programs of one custom call, and functions registered for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import shlo_tools

Array = np.ndarray[Any, Any]


def calling(target: str, type: str = "4xf32", attributes: str = "") -> Any:
    """An executable that applies a target to one array."""
    return shlo_tools.compile(
        f"""func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
              %0 = stablehlo.custom_call @{target}(%x) {{{attributes}}}
                : (tensor<{type}>) -> tensor<{type}>
              return %0 : tensor<{type}>
            }}"""
    )


def registering(function: Any) -> Any:
    """Register under the function's name."""
    return shlo_tools.custom_call(function.__name__)(function)


X = np.arange(4, dtype=np.float32)


LOOP = """func.func @main(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %state = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.custom_call @step(%state, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}"""
