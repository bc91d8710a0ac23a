"""Kernels of one element: what they read at one place may stand in front of their loops."""

from __future__ import annotations

from typing import Any

import pytest

import shlo_tools
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
