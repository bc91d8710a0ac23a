"""Kernels of one element: what they read at one place may stand in front of their loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from staged_programs import assert_staged

import shlo_tools
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.probes.hits import Hit

BODIES = {
    "of a constant": "",
    "of an op": "%1 = stablehlo.not %0 : tensor<2xui8>",
    "of ops on one element": "%1 = stablehlo.add %0, %two : tensor<2xui8>",
}
SLICES = {"[0:1]": 0, "[1:2]": 1, "[0:1:3]": 0}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("place", SLICES)
def test_slices_of_what_is_the_same_everywhere(body: str, place: str) -> None:
    """Probes keep the compiler from knowing the value."""
    last = "%1" if BODIES[body] else "%0"
    text = f"""
    func.func @main() -> tensor<1xui8> {{
      %c = stablehlo.constant dense<5> : tensor<ui8>
      %two = stablehlo.constant dense<2> : tensor<2xui8>
      %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<2xui8>
      {BODIES[body]}
      %2 = stablehlo.slice {last} {place} : (tensor<2xui8>) -> tensor<1xui8>
      return %2 : tensor<1xui8>
    }}"""
    hits: dict[str, list[Any]] = {"native": [], "reference": []}

    for backend, listed in hits.items():

        def tell(hit: Hit, listed: list[Any] = listed) -> None:
            listed.append([value.tolist() for value in hit.results])

        shlo_tools.compile(text, backend=backend, probe=tell)()  # type: ignore[call-overload]
    assert hits["native"] == hits["reference"]
    expected = {"of a constant": 5, "of an op": 250, "of ops on one element": 7}[body]
    assert hits["native"][-1] == [[expected]]


@pytest.mark.parametrize("op", ["maximum", "add"])
def test_products_of_one_element(op: str) -> None:
    """What rests on a product is read behind it."""
    assert_staged(
        f"""
        func.func @main(%x: tensor<1x1xi8>) -> (tensor<1x1x1x1xi8>, tensor<1xi8>) {{
          %0 = stablehlo.dot_general %x, %x, contracting_dims = [] x []
              : (tensor<1x1xi8>, tensor<1x1xi8>) -> tensor<1x1x1x1xi8>
          %1 = stablehlo.{op} %0, %0 : tensor<1x1x1x1xi8>
          %c = stablehlo.constant dense<3> : tensor<i8>
          %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.multiply
              across dimensions = [0, 1, 2] : (tensor<1x1x1x1xi8>, tensor<i8>) -> tensor<1xi8>
          return %1, %2 : tensor<1x1x1x1xi8>, tensor<1xi8>
        }}""",
        np.full((1, 1), 3, np.int8),
    )


@pytest.mark.parametrize("name", ["f32", "complex<f32>", "i1"])
@pytest.mark.parametrize("step", [1, 3])
def test_one_element_everywhere(name: str, step: int) -> None:
    """It is read in front of all loops, where no row is known."""
    matrix, one, wide = (f"tensor<{s}x{name}>" for s in ("5x5", "1x1", "1x5x5x3"))
    executable = shlo_tools.compile(f"""func.func @main(%x: {matrix}) -> {wide} {{
      %0 = stablehlo.slice %x [0:1:{step}, 0:1] : ({matrix}) -> {one}
      %1 = stablehlo.broadcast_in_dim %0, dims = [0, 3] : ({one}) -> {wide}
      return %1 : {wide} }}""")
    x = np.full((5, 5), 3).astype(ELEMENT_TYPES[name].dtype)
    np.testing.assert_array_equal(executable(x), np.broadcast_to(x[0, 0], (1, 5, 5, 3)))
