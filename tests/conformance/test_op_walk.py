"""Every op that the provider registers has a function, a meaning, a lowering and a lit test.

A new wheel with a new op fails the scan; an op without one of its four parts fails by name, and so
does an op whose parts do not stand in files of one name.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import shlo_tools
from shlo_tools import mlir, ops, reference
from shlo_tools.errors import UnsupportedError
from shlo_tools.passes.legalize_to_linalg import rules as to_linalg
from shlo_tools.passes.normalize import expand_composites, legalize_deprecated
from shlo_tools.passes.normalize.legalize_chlo import families as of_chlo
from shlo_tools.passes.normalize.legalize_quantized import rules as of_quantized
from shlo_tools.pipeline.registry import find_pass

HERE = Path(__file__).resolve().parent
LIT = HERE.parent / "lit"

# The passes that take an op away.
LOWERINGS: dict[str, Mapping[str, object]] = {
    "shlo-legalize-to-linalg": to_linalg.RULES,
    "shlo-legalize-chlo": of_chlo.rules(),
    "shlo-legalize-deprecated": legalize_deprecated.RULES,
    "shlo-legalize-quantized": of_quantized.RULES,
    "shlo-expand-composites": expand_composites.RULES,
}
PASSES = "shlo_tools.passes"
# Those of them whose rules stand in families, one function per op. Families may be folders there,
# and stand in folders; those of ``ops`` and ``reference`` are files side by side.
FAMILIES = {
    "shlo-legalize-to-linalg": f"{PASSES}.legalize_to_linalg",
    "shlo-legalize-chlo": f"{PASSES}.normalize.legalize_chlo",
}


def walk() -> dict[str, tuple[str, str]]:
    """Op name -> where it is from, and what it lacks with the reason."""
    results = {}
    for line in (HERE / "ops.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            head, _, lacks = line.partition(": ")
            name, source = head.split()
            results[name] = (source, lacks)
    return results


OPS = walk()


def lowering(name: str) -> str:
    """The pass that takes an op away."""
    earlier = re.search(r"lowered by (\S+)", OPS[name][1])
    return earlier[1] if earlier else "shlo-legalize-to-linalg"


def function_of(rule: Any) -> Any:
    """The function that a registered rule was made of."""
    while isinstance(rule, partial):
        rule = rule.args[0]
    return inspect.unwrap(rule)


def home(rule: Any, op: str) -> str:
    """The module that defines a rule, where a search for the op's name finds it."""
    function = function_of(rule)
    module = sys.modules[function.__module__]
    python_name = op.partition(".")[2].replace("-", "_")
    assert function.__name__.removesuffix("_") == python_name
    definition = rf"^(def {python_name}_?\(|{python_name} = )"
    assert re.search(definition, inspect.getsource(module), re.MULTILINE), module.__name__
    return module.__name__


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
    assert name in LOWERINGS[lowering(name)], f"{lowering(name)} does not lower it"


@pytest.mark.parametrize("name", [name for name in OPS if "no function" not in OPS[name][1]])
def test_the_parts_of_an_op_stand_in_files_of_one_name(name: str) -> None:
    room = ".chlo" if name.startswith("chlo.") else ""
    function = home(ops.DESCRIPTIONS[name].rule, name)
    family = function.rpartition(".")[2]
    assert function == f"shlo_tools.ops{room}.{family}"
    assert home(reference.EVALUATORS[name], name) == f"shlo_tools.reference{room}.{family}"
    if lowering(name) in FAMILIES:
        rule = home(LOWERINGS[lowering(name)][name], name)
        assert rule.startswith(FAMILIES[lowering(name)] + ".") and rule.endswith(f".{family}")


@pytest.mark.parametrize("name", OPS)
def test_a_lit_file_is_named_after_the_op_or_its_family(name: str) -> None:
    files = [name.partition(".")[2]]
    if name in ops.DESCRIPTIONS:
        files.append(ops.DESCRIPTIONS[name].module.rpartition(".")[2])
    folder = LIT / lowering(name).removeprefix("shlo-")
    texts = [path.read_text() for file in files if (path := folder / f"{file}.mlir").exists()]
    assert any(re.search(rf"{re.escape(name)}(?![\w-])", text) for text in texts)


@pytest.mark.parametrize("name", [n for n in OPS if lowering(n) != "shlo-legalize-to-linalg"])
def test_ops_that_are_lowered_earlier_have_no_rule_here(name: str) -> None:
    """The pass that the list names exists, and is the only one on the way."""
    assert find_pass(lowering(name)) is not None
    assert name not in to_linalg.RULES


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
