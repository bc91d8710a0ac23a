"""Keys tell apart what computes something else, and nothing more."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest

from shlo_tools import ir, mlir
from shlo_tools.structural_key import regions_key, structural_key


@pytest.fixture(autouse=True)
def context() -> Any:
    with mlir.library_context():
        yield


def key_of(body: str, arguments: str = "%a: tensor<4xf32>, %b: tensor<4xf32>") -> Hashable:
    module = mlir.parse_module(f"func.func @f({arguments}) {{ {body} return }}")
    return regions_key(ir.functions(module.operation)[0].regions)


PLAIN = "%0 = stablehlo.add %a, %b : tensor<4xf32> %1 = stablehlo.multiply %0, %a : tensor<4xf32>"
CASE = """%c = stablehlo.constant dense<0> : tensor<i32>
%0 = "stablehlo.case"(%c) ({{
  stablehlo.return {0} : tensor<4xf32>
}}) : (tensor<i32>) -> tensor<4xf32>"""


def test_names_of_values_and_places_do_not_matter() -> None:
    renamed = PLAIN.replace("%0", "%sum").replace("%1", "%product").replace("%product", "\n %p")
    assert key_of(PLAIN) == key_of(renamed)
    assert hash(key_of(PLAIN)) == hash(key_of(renamed))


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("add", "subtract"),
        PLAIN.replace("%0, %a", "%a, %0"),
        PLAIN.replace("%0, %a", "%0, %b"),
        PLAIN.replace("%a, %b :", "%a, %a :"),
        PLAIN.partition("%1")[0],
    ],
)
def test_ops_and_wiring_matter(other: str) -> None:
    assert key_of(PLAIN) != key_of(other)


def test_types_matter() -> None:
    arguments = "%a: tensor<5xf32>, %b: tensor<5xf32>"
    assert key_of(PLAIN) != key_of(PLAIN.replace("4x", "5x"), arguments)


def test_attributes_matter() -> None:
    iota = "%0 = stablehlo.iota dim = {0} : tensor<4x4xf32>"
    assert key_of(iota.format(0)) != key_of(iota.format(1))
    assert key_of(iota.format(0)) == key_of(iota.format(0))


def test_what_regions_use_of_outside_matters() -> None:
    assert key_of(CASE.format("%a")) == key_of(CASE.format("%a"))
    assert key_of(CASE.format("%a")) != key_of(CASE.format("%b"))


def test_inputs_are_told_apart_by_their_order() -> None:
    module = mlir.parse_module(
        "func.func @f(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) {"
        " %0 = stablehlo.add %a, %b : tensor<f32> %1 = stablehlo.add %b, %c : tensor<f32> return }"
    )
    func = ir.functions(module.operation)[0]
    first, second, _ = ir.children(func)
    a, b, c = func.regions[0].blocks[0].arguments
    assert structural_key(first) == structural_key(second)
    assert structural_key(first, [a, b]) == structural_key(second, [b, c])
    assert structural_key(first, [a, b]) != structural_key(second, [c, b])


def test_jumps_matter() -> None:
    jumps = """cf.cond_br %p, ^one, ^two
    ^one: %0 = stablehlo.add %a, %a : tensor<f32> return
    ^two: %1 = stablehlo.multiply %a, %a : tensor<f32>"""
    arguments = "%p: i1, %a: tensor<f32>"
    assert key_of(jumps, arguments) == key_of(jumps, arguments)
    assert key_of(jumps, arguments) != key_of(jumps.replace("^one, ^two", "^two, ^one"), arguments)
