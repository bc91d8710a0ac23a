"""Simplification and folding change no bit of what a program computes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases._inputs import edges
from cases._tolerances import EXACT, difference
from redundant_programs import BINARY, DIRECTIONS, Redundant, kind, specials

import shlo_tools
from shlo_tools import dtypes, mlir, reference
from shlo_tools.errors import PipelineError
from shlo_tools.passes import PASSES as PASSES_TABLE
from shlo_tools.reference.bits import from_unsigned
from shlo_tools.tools.campaign.programs.examination import argument_types, arguments
from shlo_tools.tools.campaign.programs.generation import program

Array = np.ndarray[Any, Any]

PASSES = (
    "shlo-simplify",
    "shlo-fold",
    "shlo-fold,shlo-simplify",
    "shlo-fold-and-simplify",
)
COMMON = ("i1", "i32", "ui8", "f32")
FLOATS = ("f16", "bf16", "f32", "f64", "i1")
OTHERS = ("i8", "ui32", "i64", "complex<f32>", "i1")
NARROW = ("i4", "ui4", "f8E4M3FN", "f8E5M2FNUZ", "f4E2M1FN", "f32")


def passed(text: str, passes: str) -> str:
    module = shlo_tools.load(text)
    shlo_tools.Pipeline(f"builtin.module({passes})").run(module)
    assert module.operation.verify()
    return str(module.operation.get_asm())


def listed(results: Any) -> list[Array]:
    return list(results) if isinstance(results, tuple) else [results]


def assert_same(before: Sequence[Array], after: Sequence[Array], text: str) -> None:
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        assert old.dtype == new.dtype and old.shape == new.shape
        assert difference(new, old, EXACT) == "", f"result {number} of\n{text}"


@pytest.mark.parametrize("elements", [COMMON, FLOATS, OTHERS, NARROW], ids=lambda e: "-".join(e))
@pytest.mark.parametrize("block", range(5))
def test_the_reference_gives_the_same(elements: Sequence[str], block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        redundant = Redundant(seed, elements)
        arguments = list(redundant.arguments.values())
        expected = listed(reference.compile(redundant.text)(*arguments))
        after = passed(redundant.text, PASSES[seed % len(PASSES)])
        inputs = listed(reference.compile(after)(*arguments))
        assert_same(expected, inputs, f"seed {seed}\n{redundant.text}\n{after}")


@pytest.mark.parametrize("elements", [COMMON, FLOATS, OTHERS], ids=lambda e: "-".join(e))
@pytest.mark.parametrize("passes", PASSES)
def test_native_code_gives_the_same(elements: Sequence[str], passes: str) -> None:
    for seed in range(1000, 1004):
        redundant = Redundant(seed, elements)
        arguments = list(redundant.arguments.values())
        expected = listed(shlo_tools.compile(redundant.text)(*arguments))
        after = passed(redundant.text, passes)
        inputs = listed(shlo_tools.compile(after)(*arguments))
        assert_same(expected, inputs, f"seed {seed}\n{redundant.text}\n{after}")


def test_loops_and_branches() -> None:
    """Programs of nested loops, branches and calls give what they gave."""
    chosen = [seed for seed in range(400) if program(seed).count("stablehlo.while") > 1]
    for seed in chosen[:12]:
        text = program(seed)
        after = passed(text, PASSES[seed % len(PASSES)])
        types = argument_types(shlo_tools.load(text))
        inputs = arguments(types, random.Random(seed), fits=True)
        expected = listed(reference.compile(text)(*inputs))
        for compiled in (reference.compile(after), shlo_tools.compile(after)):
            assert_same(expected, listed(compiled(*inputs)), f"seed {seed}\n{after}")


# --- every number ---------------------------------------------------------------------------------
EVERY = ("i1", "i4", "ui4", "i8", "ui8", "i32", "ui32", "i64", "f16", "bf16", "f32", "f64")
EVERY += ("complex<f32>", "f8E4M3FN", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN")


def numbers(element: str) -> Array:
    """All numbers of a type of 8 bits or less; of others the edges."""
    type = dtypes.element_type(element)
    if element == "i1" or type.bits > 8:
        return edges(element)
    codes = np.arange(1 << type.bits, dtype=np.uint8)
    return from_unsigned(codes, type.dtype) if type.is_float else codes.astype(type.dtype)


def applied(element: str, count: int) -> str:
    """Every op of two operands on an argument and a constant, on either side, and on itself."""
    type = f"tensor<{count}x{element}>"
    lines, names, types = [], [], []
    with np.errstate(invalid="ignore"):
        constants = specials(element)
    for index, number in enumerate(constants):
        with mlir.library_context():
            full = np.full(count, number, constants.dtype)
            dtype = dtypes.to_attribute(full, dtypes.element_type(element))
            lines.append(f"%c{index} = stablehlo.constant {dtype}")
    pairs = [("%x", "%x")]
    pairs += [pair for i in range(len(constants)) for pair in (("%x", f"%c{i}"), (f"%c{i}", "%x"))]
    directions = ("EQ", "NE") if element.startswith("complex") else DIRECTIONS
    orders = ("", ", TOTALORDER") if kind(element) == "float" else ("",)
    for lhs, rhs in pairs:
        for name in BINARY[kind(element)].split():
            names.append(f"%r{len(names)}")
            types.append(type)
            lines.append(f"{names[-1]} = stablehlo.{name} {lhs}, {rhs} : {type}")
        for direction, order in product(directions, orders):
            names.append(f"%r{len(names)}")
            types.append(f"tensor<{count}xi1>")
            lines.append(
                f"{names[-1]} = stablehlo.compare {direction}, {lhs}, {rhs}{order}"
                f" : ({type}, {type}) -> {types[-1]}"
            )
    body = "\n".join([*lines, f"return {', '.join(names)} : {', '.join(types)}"])
    return f"func.func @main(%x: {type}) -> ({', '.join(types)}) {{\n{body}\n}}"


@pytest.mark.parametrize("element", EVERY)
def test_constants_beside_every_number(element: str) -> None:
    """Rules on 0, 1, infinities and extremes hold for zeros of both signs, NaN and overflow."""
    x = numbers(element)
    text = applied(element, len(x))
    after = passed(text, "shlo-simplify")
    assert after.count("stablehlo.") < text.count("stablehlo."), "nothing was simplified"
    expected, inputs = (listed(reference.compile(t)(x)) for t in (text, after))
    lines = [line for line in text.split("\n") if line.startswith("%r")]
    for line, old, new in zip(lines, expected, inputs, strict=True):
        assert difference(new, old, EXACT) == "", line


@pytest.mark.parametrize("element", [e for e in EVERY if e != "complex<f32>"])
def test_chains_of_conversions(element: str) -> None:
    """A conversion is left out only where it changes no number."""
    x = numbers(element)
    real = [e for e in EVERY if e != "complex<f32>"]
    lines, names, types = [], [], []
    for middle, last in product(real, real):
        one, two = (f"tensor<{len(x)}x{e}>" for e in (middle, last))
        names.append(f"%r{len(names)}")
        types.append(two)
        lines.append(
            f"{names[-1]}_m = stablehlo.convert %x : (tensor<{len(x)}x{element}>) -> {one}"
        )
        lines.append(f"{names[-1]} = stablehlo.convert {names[-1]}_m : ({one}) -> {two}")
    body = "\n".join([*lines, f"return {', '.join(names)} : {', '.join(types)}"])
    signature = f"(%x: tensor<{len(x)}x{element}>) -> ({', '.join(types)})"
    text = f"func.func @main{signature} {{\n{body}\n}}"
    after = passed(text, "shlo-simplify")
    expected, inputs = (listed(reference.compile(t)(x)) for t in (text, after))
    for (middle, last), old, new in zip(product(real, real), expected, inputs, strict=True):
        assert difference(new, old, EXACT) == "", f"{element} -> {middle} -> {last}"


# --- what the passes do ---------------------------------------------------------------------------
def test_upstream_finds_nothing_more() -> None:
    """What is left by ours does not get less by the C++ pass, which has a name of its own here.

    Of integers only: that pass takes x + 0.0 for x.
    """
    ours = ",".join(["shlo-fold-and-simplify,cse"] * 2)
    upstream = "func.func(stablehlo-aggressive-simplification,cse)"
    for seed in range(40):
        after = passed(Redundant(seed, ("i1", "i32", "ui8", "i8")).text, ours)
        again = passed(after, f"{upstream},{ours}")
        assert again.count("stablehlo.") >= after.count("stablehlo."), f"{seed}\n{after}\n{again}"


def test_a_sum_of_constants_is_what_ieee_754_says() -> None:
    """0.1 + 0.2 in f64; 1 + 2**-24 is a tie in f32; 60000 + 60000 is too much for f16."""
    text = """
      func.func @main() -> (tensor<f64>, tensor<f32>, tensor<f16>) {
        %a = stablehlo.constant dense<0.1> : tensor<f64>
        %b = stablehlo.constant dense<0.2> : tensor<f64>
        %c = stablehlo.constant dense<1.0> : tensor<f32>
        %d = stablehlo.constant dense<5.9604644775390625e-08> : tensor<f32>
        %e = stablehlo.constant dense<60000.0> : tensor<f16>
        %0 = stablehlo.add %a, %b : tensor<f64>
        %1 = stablehlo.add %c, %d : tensor<f32>
        %2 = stablehlo.add %e, %e : tensor<f16>
        return %0, %1, %2 : tensor<f64>, tensor<f32>, tensor<f16>
      }"""
    after = passed(text, "shlo-fold")
    assert "stablehlo.add" not in after
    one, two, three = listed(reference.compile(after)())
    assert one == 0.1 + 0.2 and two == np.float32(1) and three == np.float16(np.inf)


def test_twenty_thousand_ops_leave_no_attributes_behind() -> None:
    """A chain of constants is computed outside the IR and leaves one constant."""
    lines = ["%0 = stablehlo.iota dim = 0 : tensor<100xi32>"]
    lines += [f"%{i} = stablehlo.add %{i - 1}, %0 : tensor<100xi32>" for i in range(1, 20000)]
    body = "\n".join([*lines, "return %19999 : tensor<100xi32>"])
    after = passed(f"func.func @main() -> tensor<100xi32> {{\n{body}\n}}", "shlo-fold")
    assert after.count("stablehlo.") == 1
    (inputs,) = listed(reference.compile(after)())
    np.testing.assert_array_equal(inputs, np.arange(100, dtype=np.int32) * 20000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shlo-fold{max-element=3}", "has no option 'max-element' (options: max-elements, "),
        ("shlo-fold{max-elements=many}", "option 'max-elements' of pass 'shlo-fold': 'many' is no"),
        ("shlo-fold{max-elements=-1}", "option 'max-elements' of pass 'shlo-fold': -1 is below 0"),
        ("shlo-fold{fold-inexact=perhaps}", "'perhaps' is neither true nor false"),
        ("shlo-simplify{fast}", "pass 'shlo-simplify' has no option 'fast' (options: none)"),
        (
            "stablehlo-aggressive-folder{fold-op-element-limit=-2}",
            "option 'fold-op-element-limit' of pass 'stablehlo-aggressive-folder': -2 is below 0",
        ),
        (
            "stablehlo-target-independent-optimization{optimize-floats}",
            "has no option 'optimize-floats'",
        ),
    ],
)
def test_wrong_options(text: str, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        shlo_tools.Pipeline(f"builtin.module({text})")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["aggressive-folder", "target-independent-optimization"])
def test_upstream_names_run_on_functions_and_modules(name: str) -> None:
    text = """
      func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
        %c = stablehlo.constant dense<0> : tensor<2xi32>
        %d = stablehlo.add %c, %c : tensor<2xi32>
        %0 = stablehlo.add %x, %d : tensor<2xi32>
        return %0 : tensor<2xi32>
      }"""
    on_module = passed(text, f"stablehlo-{name}")
    assert passed(text, f"func.func(stablehlo-{name})") == on_module != passed(text, "")


def test_upstream_names_are_free() -> None:
    """Where the wheel registers a pass, its C++ pass wins: then ours loses the name."""
    names = [name for name in PASSES_TABLE if not name.startswith("shlo-")]
    assert len(names) >= 2
    assert [name for name in names if mlir.is_native_pass(name)] == []
