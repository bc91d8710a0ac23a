"""Every op that the provider registers has a function, a meaning, a lowering and a lit test.

A new wheel with a new op fails the scan; an op without one of its four parts fails by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import shlo_tools
from shlo_tools import mlir, ops, reference
from shlo_tools.errors import UnsupportedError
from shlo_tools.passes.legalize_to_linalg import rules as to_linalg
from shlo_tools.passes.normalize import legalize_deprecated
from shlo_tools.passes.normalize.legalize_chlo import rules as of_chlo
from shlo_tools.passes.normalize.legalize_quantized import rules as of_quantized

HERE = Path(__file__).resolve().parent
LIT = HERE.parent / "lit"

# The passes that take an op away; expand-composites has one op only and no table.
LOWERINGS: dict[str, Mapping[str, object]] = {
    "legalize-to-linalg": to_linalg.RULES,
    "legalize-chlo": of_chlo.RULES,
    "legalize-deprecated": legalize_deprecated.RULES,
    "legalize-quantized": of_quantized.RULES,
    "expand-composites": {"stablehlo.composite": None},
}


def walk() -> dict[str, tuple[str, str]]:
    """Op name -> where it is from, and what it lacks with the reason."""
    found = {}
    for line in (HERE / "ops.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            head, _, lacks = line.partition(": ")
            name, source = head.split()
            found[name] = (source, lacks)
    return found


OPS = walk()


@cache
def lit_tests() -> str:
    return "\n".join(
        path.read_text() for name in LOWERINGS for path in sorted((LIT / name).glob("*.mlir"))
    )


def test_the_list_is_what_the_provider_registers() -> None:
    assert set(OPS) == set(mlir.registered_op_names())


def test_every_heading_of_the_specification_is_listed() -> None:
    """105 headings; all of them are registered."""
    sources = [source for source, _ in OPS.values()]
    assert sources.count("specification") == 105
    assert set(sources) == {"specification", "dialect", "chlo"}
    for name, (source, _) in OPS.items():
        assert (source == "chlo") == name.startswith("chlo.")


@pytest.mark.parametrize("name", OPS)
def test_nothing_lacks(name: str) -> None:
    lacks = OPS[name][1]
    if "no function" not in lacks:
        assert name in ops.DESCRIPTIONS, "no function in shlo_tools.ops"
        assert name in reference.EVALUATORS, "no meaning in shlo_tools.reference"
    assert any(name in rules for rules in LOWERINGS.values()), "no pass lowers it"
    assert re.search(rf"{re.escape(name)}(?![\w-])", lit_tests()), "no lit test has it"


T = "!stablehlo.token"
HANDLE = (
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = {}>, is_host_transfer = true"
)
EXCHANGES = {
    "infeed": f'%u:2 = "stablehlo.infeed"(%t) : ({T}) -> (tensor<i32>, {T})',
    "outfeed": f'%u = "stablehlo.outfeed"(%a, %t) : (tensor<i32>, {T}) -> {T}',
    "recv": f'%u:2 = "stablehlo.recv"(%t) {{{HANDLE.format(3)}}} : ({T}) -> (tensor<i32>, {T})',
    "send": f'%u = "stablehlo.send"(%a, %t) {{{HANDLE.format(2)}}} : (tensor<i32>, {T}) -> {T}',
}


@pytest.mark.parametrize("name", [n for n, (_, lacks) in OPS.items() if "refused" in lacks])
def test_documented_refusals_are_refusals(name: str) -> None:
    """A reason in the list must not outlive what it excuses."""
    text = f"""func.func @main(%a: tensor<i32>) {{
      %t = stablehlo.after_all : !stablehlo.token
      {EXCHANGES[name.removeprefix("stablehlo.")]}
      return
    }}"""
    with pytest.raises(UnsupportedError, match=name):
        shlo_tools.compile(text)
