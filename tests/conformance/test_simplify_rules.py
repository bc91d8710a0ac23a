"""Every rule of ``shlo-simplify`` has a lit test, whose programs compute the same bits after it.

The lit files show what each rule makes of its pattern; here the same functions run before and
after, on zeros of both signs, infinities, NaN, extremes and numbers that have to be rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases._inputs import edges
from cases._tolerances import EXACT, difference
from redundant_programs import specials

import shlo_tools
from shlo_tools import ir, mlir, program, reference
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.passes.simplify import driver, families
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rule

Array = np.ndarray[Any, Any]
LIT = Path(__file__).parents[1] / "lit"
FILES = sorted([*(LIT / "simplify").glob("*.mlir"), *(LIT / "fold").glob("*.mlir")])
PASSES = ("shlo-simplify", "shlo-fold-and-simplify")


# --- each has a lit test --------------------------------------------------------------------------
def _watched(key: tuple[str, str], rule: Rule, fired: Counter[tuple[str, str]]) -> Rule:
    """A rule that is counted where it changes something; some do it and give no replacement."""

    def watched(op: Operation, build: Rewriter) -> Replacement | None:
        before, changes = str(op), build.worklist.changes
        results = rule(op, build)
        if results is not None or build.worklist.changes != changes or str(op) != before:
            fired[key] += 1
        return results

    return watched


def test_every_rule_has_a_lit_test() -> None:
    fired: Counter[tuple[str, str]] = Counter()
    keys = {
        (name, f"{number} {rule.__module__}.{rule.__qualname__}"): rule
        for name, rules in families.RULES.items()
        for number, rule in enumerate(rules)
    }
    rules = {
        name: [_watched(key, rule, fired) for key, rule in keys.items() if key[0] == name]
        for name in families.RULES
    }
    with mlir.library_context():
        for path in (LIT / "simplify").glob("*.mlir"):
            driver.apply(program.parse(path.read_text()).operation, rules)
    assert len(keys) > 150
    assert sorted(set(keys) - set(fired)) == []


# --- and changes no bit ---------------------------------------------------------------------------
def _alone(path: Path) -> Iterator[tuple[str, str, str]]:
    """The functions of a file, each in a module of its own: file, name, text."""
    with mlir.library_context():
        module = program.parse(path.read_text())
        names = [
            ir.symbol_name(func)
            for func in ir.functions(module.operation)
            if not ir.is_declaration(func) and ir.text_of(func, "sym_visibility") != "private"
        ]
        for name in names:
            module = program.parse(path.read_text())
            for func in ir.functions(module.operation):
                if ir.symbol_name(func) in names and ir.symbol_name(func) != name:
                    func.erase()
            yield path.stem, name, str(module.operation.get_asm())


FUNCTIONS = {f"{file}-{name}": (name, text) for path in FILES for file, name, text in _alone(path)}


def _after(text: str, passes: str) -> str:
    module = shlo_tools.load(text)
    shlo_tools.Pipeline(f"builtin.module({passes})").run(module)
    return str(module.operation.get_asm())


def _types(name: str, text: str) -> list[TensorType] | None:
    """Of a function's arguments; None where it takes or returns anything but plain tensors."""
    with mlir.library_context():
        module = program.parse(text)
        (func,) = [f for f in ir.functions(module.operation) if ir.symbol_name(f) == name]
        inputs, results = ir.signature(func)
        if not all(mlir.is_tensor(t) and "!quant" not in str(t) for t in (*inputs, *results)):
            return None
        return [tensor_type(type) for type in inputs]


def _arguments(types: list[TensorType], seed: int) -> list[Array]:
    random = np.random.default_rng(seed)
    return [_array(type, random) for type in types]


def _array(type: TensorType, random: np.random.Generator) -> Array:
    shape = [dim if isinstance(dim, int) else 3 for dim in type.shape]
    element = type.element_type
    with np.errstate(invalid="ignore", over="ignore"):
        pools = [specials(element.name), edges(element.name)]
        if element.is_integer and random.random() < 0.5:
            pools = [np.arange(4).astype(element.dtype)]  # as indices and sizes are
        if element.is_float:
            pools.append((random.standard_normal(99) * 3).astype(element.dtype))
    return np.asarray(random.choice(np.concatenate(pools), shape)).astype(element.dtype)


def _outcome(compiled: Any, arguments: list[Array]) -> list[Array] | None:
    """Results; None where these arguments are refused."""
    try:
        results = compiled(*arguments)
    except ShloError:
        return None
    return list(results) if isinstance(results, tuple) else [results]


def _check(before: Any, after: Any, types: list[TensorType]) -> int:
    """How often results could be compared."""
    compared = 0
    for seed in range(6):
        arguments = _arguments(types, seed)
        expected = _outcome(before, arguments)
        if expected is None:
            continue
        results = _outcome(after, arguments)
        assert results is not None, f"seed {seed}: it fails"
        for number, (old, new) in enumerate(zip(expected, results, strict=True)):
            assert old.dtype == new.dtype and old.shape == new.shape
            assert difference(new, old, EXACT) == "", f"seed {seed}, result {number}"
        compared += 1
    return compared


def _runs(name: str, text: str) -> bool:
    """Whether a function can be run alone: tokens, files and other processes are not here."""
    types = _types(name, text)
    try:
        compiled = reference.compile(text, function=name)
    except ShloError:
        return False
    return types is not None and any(
        _outcome(compiled, _arguments(types, seed)) is not None for seed in range(6)
    )


def test_most_functions_run() -> None:
    assert sum(_runs(*row) for row in FUNCTIONS.values()) > 0.85 * len(FUNCTIONS)


@pytest.mark.parametrize("key", FUNCTIONS)
def test_the_reference_computes_the_same_bits(key: str) -> None:
    name, text = FUNCTIONS[key]
    types = _types(name, text)
    if types is None or not _runs(name, text):
        pytest.skip("it takes or asks for more than tensors")
    before = reference.compile(text, function=name)
    for passes in PASSES:
        after = reference.compile(_after(text, passes), function=name)
        assert _check(before, after, types) > 0


@pytest.mark.parametrize("key", FUNCTIONS)
def test_native_code_computes_the_same_bits(key: str) -> None:
    name, text = FUNCTIONS[key]
    types = _types(name, text)
    if types is None or not _runs(name, text):
        pytest.skip("it takes or asks for more than tensors")
    try:
        before = shlo_tools.compile(text, function=name)
    except UnsupportedError as error:
        pytest.skip(f"not compiled: {error}")
    after = shlo_tools.compile(_after(text, PASSES[-1]), function=name)
    assert _check(before, after, types) > 0
