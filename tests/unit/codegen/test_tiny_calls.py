"""Mathematical functions of tiny tensors, of which one call may make several."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import compile, interpret
from shlo_tools.dtypes import ELEMENT_TYPES

_UNARY = ("sine", "cosine", "tanh", "exponential", "logistic", "cbrt")
_BINARY = ("atan2", "power")
_SHAPES = ("", "2x", "3x")


def _body(rng: np.random.Generator, element: str) -> tuple[str, dict[str, str]]:
    """Ops on what was there before, %x, %y and %z at first; the last value of each shape."""
    values = dict(zip(_SHAPES, ([name] for name in ("%x", "%y", "%z")), strict=True))
    lines = []
    for number in range(40):
        shape = _SHAPES[rng.integers(len(_SHAPES))]
        there, type, result = values[shape], f"tensor<{shape}{element}>", f"%v{number}"
        a, b = (there[-1 - rng.integers(min(5, len(there)))] for _ in range(2))
        draw = rng.random()
        if draw < 0.3:
            computed = f"stablehlo.subtract {a}, {b}"
        elif draw < 0.5:
            lines.append(f"{result}p = stablehlo.abs {a} : {type}")
            computed = f"stablehlo.{rng.choice(_BINARY)} {result}p, {b}"
        else:
            computed = f"stablehlo.{rng.choice(_UNARY)} {a}"
        lines.append(f"{result}m = {computed} : {type}")
        # Numbers stay between -2 and 2.
        lines.append(f"{result} = stablehlo.tanh {result}m : {type}")
        there.append(result)
        if rng.random() < 0.2:  # an element of a vector goes on as a scalar
            single = f"tensor<1x{element}>"
            longer = f"tensor<3x{element}>"
            lines.append(
                f"%t{number} = stablehlo.slice {values['3x'][-1]} [1:2] : ({longer}) -> {single}"
            )
            lines.append(
                f"%s{number} = stablehlo.reshape %t{number} : ({single}) -> tensor<{element}>"
            )
            values[""].append(f"%s{number}")
    return "\n".join(lines), {shape: there[-1] for shape, there in values.items()}


def _program(seed: int, element: str, *, is_loop: bool) -> str:
    body, last = _body(np.random.default_rng(seed), element)
    types = ", ".join(f"tensor<{shape}{element}>" for shape in _SHAPES)
    named = ", ".join(
        f"%{name}{'0' * is_loop}: tensor<{shape}{element}>"
        for name, shape in zip("xyz", _SHAPES, strict=True)
    )
    returned = ", ".join(last.values())
    if not is_loop:
        return f"func.func @main({named}) -> ({types}) {{\n{body}\nreturn {returned} : {types}\n}}"
    return f"""func.func @main({named}) -> ({types}) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end = stablehlo.constant dense<3> : tensor<i32>
      %r:4 = stablehlo.while(%i = %zero, %x = %x0, %y = %y0, %z = %z0) : tensor<i32>, {types}
      cond {{
        %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }} do {{
        {body}
        %n = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %n, {returned} : tensor<i32>, {types}
      }}
      return %r#1, %r#2, %r#3 : {types}
    }}"""


@pytest.mark.parametrize("is_loop", [False, True])
@pytest.mark.parametrize(("element", "tolerance"), [("f32", 3e-4), ("f64", 1e-12)])
def test_random_calls(element: str, tolerance: float, *, is_loop: bool) -> None:
    dtype = ELEMENT_TYPES[element].dtype
    for seed in range(12):
        text = _program(seed, element, is_loop=is_loop)
        rng = np.random.default_rng(seed)
        arrays = [rng.uniform(-2, 2, shape).astype(dtype) for shape in ((), 2, 3)]
        for result, expected in zip(compile(text)(*arrays), interpret(text, *arrays), strict=True):
            np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
