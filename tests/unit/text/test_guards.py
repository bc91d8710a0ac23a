"""Texts that would end the process that parses them; each is an error in this one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from shlo_tools import program
from shlo_tools.errors import ParseError, ShloError
from shlo_tools.program import isolation
from shlo_tools.text import guards
from shlo_tools.text.guards import MAX_NESTING

ROOT = Path(__file__).resolve().parents[3]

BROADCAST = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<2x3xf32> {{
  %0 = {op} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}}
"""
NEGATIVE = {
    "plain": "chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: -2>}",
    "spaced": "chlo.broadcast_add %a, %b {broadcast_dimensions=array< i64\n :\n // x\n -2>}",
    "generic": '"chlo.broadcast_add"(%a, %b) {broadcast_dimensions = array<i64: -2>}',
    "escaped": '"chlo\\2Ebroadcast_add"(%a, %b) {broadcast_dimensions = array<i64: -2>}',
}
GROUPS = """
func.func @main(%x: tensor<4x16xf32>) -> tensor<16x4xf32> {{
  %0 = "stablehlo.all_to_all"(%x) {{split_dimension = 1 : i64, concat_dimension = 0 : i64,
    split_count = 4 : i64, replica_groups = dense<{value}> : tensor<{shape}xi64>}}
    : (tensor<4x16xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}}
"""
ELEMENTS = """
func.func @main(%n: index) -> tensor<{size}xindex> {{
  %0 = tensor.from_elements %n, %n : tensor<{size}xindex>
  return %0 : tensor<{size}xindex>
}}
"""
LENGTHS = """
func.func @main() -> i1 {
  %0 = shape.const_shape [2] : !shape.shape
  %1 = "shape.const_shape"() <{shape = dense<3> : tensor<4294967296xindex>}> : () -> !shape.shape
  %2 = "shape.is_broadcastable"(%0, %1) : (!shape.shape, !shape.shape) -> i1
  return %2 : i1
}
"""
PADDING = """
func.func @main(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<8xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{base_dilations = array<i64: 2>,
    padding = dense<1> : tensor<4611686018427387x2xi64>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((BROADCAST.format(op=op), "negative broadcast dimension") for op in NEGATIVE.values()),
        (GROUPS.format(value="", shape="0x0"), "all_to_all and groups of 0"),
        (GROUPS.format(value="0", shape="0x9"), "all_to_all and groups of 0"),
        (GROUPS.replace("to_all", "to\\5Fall").format(value="", shape="0x0"), "groups of 0"),
        (ELEMENTS.format(size=4294967296), "4294967296 elements"),
        (ELEMENTS.format(size="00004294967296"), "4294967296 elements"),
        (ELEMENTS.format(size="4294967296 "), "4294967296 elements"),
        (LENGTHS, "4294967296 elements"),
        (PADDING, "4611686018427387 elements"),
    ],
)
def test_what_ends_its_parser_is_an_error_here(
    text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its reader found; the suspicion says why, and where."""
    monkeypatch.setattr(isolation, "SECONDS", 2.0)  # some take for ever
    with pytest.raises(ParseError, match=rf"{reason}: MLIR's parser ") as caught:
        program.load(text)
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert caught.value.source == text


@pytest.mark.parametrize(
    "text",
    [
        BROADCAST.format(op=NEGATIVE["plain"].replace("-2", "0")),
        "func.func private @f(tensor<4294967296xf32>) -> tensor<?x400000000xi8>",
        'module attributes {a.x = array<i64: -1>, a.y = "all_to_all chlo.broadcast \\22"} {}',
    ],
)
def test_suspects_are_read(text: str) -> None:
    assert "module" in str(program.load(text))


def test_names_of_places_are_not_suspicious() -> None:
    """Where a program comes from may have a name with any characters."""
    text = 'func.func private @f(tensor<0x4xf32>) loc("\\CF\\89"("\\22all_to_all\\22"))'
    assert guards.check(text) is None
    assert guards.check("dense<0xFF800000> : tensor<f32> stablehlo.all_to_all") is None
    assert guards.check(text + ' "stablehlo.all\\5Fto_all"()') is not None


@pytest.mark.parametrize(
    "shape",
    [
        "0x9223372036854775807",
        "9223372036854775807",
        "4611686018427387904x4",
        "999999x999x" * 3,
        "0" * 40 + "9223372036854775807",
        "9223372036854775807 \n",
    ],
)
def test_no_machine_holds_it(shape: str) -> None:
    shape = shape.rstrip("x")
    text = f"func.func private @f(tensor<2x?x{shape}xi8>)"
    with pytest.raises(ParseError, match="fits no machine's memory"):
        program.load(text)


@pytest.mark.parametrize(
    "text",
    [
        "%0 = stablehlo.constant dense<{}> : tensor<i32>",
        "%0 = stablehlo.constant dense<0x{}> : tensor<i32>",
        "%0 = stablehlo.constant dense<{}.0> : tensor<f32>",
        "%{} = stablehlo.add %x, %x : tensor<i32>",
        "%0:{} = stablehlo.custom_call @f() : () -> ()",
        "%0 = stablehlo.custom_call @f() : () -> tensor<i{}>",
        "stablehlo.custom_call @f() {{a = [1, 1.0e{} : f32]}} : () -> ()",
    ],
)
def test_a_number_of_very_many_digits(text: str) -> None:
    """MLIR's time grows with the square of the digits: it would read for hours."""
    lines = ["func.func @main() {", text.format("9" * 300_000), "}"]
    with pytest.raises(ParseError, match=r"-:2:\d+: .*a number of more than 1,000 digits"):
        guards.check("\n".join(lines))


@pytest.mark.parametrize("digits", ["9" * guards.MAX_DIGITS, "0x" + "F" * guards.MAX_DIGITS])
def test_the_fewest_digits_that_are_too_many(digits: str) -> None:
    """Wherever they stand."""
    for offset in range(120):
        with pytest.raises(ParseError, match="a number of more than 1,000 digits"):
            guards.check(f"func.func @{'g' * offset}() {{ %0 = index.constant {digits} }}")
        guards.check(f"func.func @{'g' * offset}() {{ %0 = index.constant {digits[:-1]} }}")


def test_digits_that_are_no_number() -> None:
    guards.check('"f"() {a = "' + "9" * 100_000 + '", b = "0x' + "F" * 100_000 + '"} : () -> ()')
    guards.check("func.func @" + "a" * 100_000 + "() // " + "9" * 100_000)


def test_many_digits_that_are_no_shape() -> None:
    text = (
        "func.func @f() -> (f64, i64, f64) {\n"
        "  %a = arith.constant 0.17677669529663689312345 : f64\n"
        "  %b = arith.constant 9223372036854775807 : i64\n"
        "  %c = arith.constant 0x7FF0000000000000 : f64\n"
        "  return %a, %b, %c : f64, i64, f64\n"
        "}"
    )
    assert guards.check(text) is None
    program.load(text)


DEEP = MAX_NESTING + 1


@pytest.mark.parametrize(
    "text",
    [
        "module attributes {a.x = " + "[" * DEEP + "]" * DEEP + "} {}",
        'module attributes {a.y = ")])}>", a.x = ' + "[" * DEEP + "]" * DEEP + "} {}",
        '// ")])}>\n' + "module {" * DEEP + "}" * DEEP,
        "module attributes {a.x = " + '[")", ' * DEEP + "1" + "]" * DEEP + "} {}",
        "module attributes {a.x = " + "[ // ]\n" * DEEP + "1" + "]" * DEEP + "} {}",
        "}" * DEEP + "{" * DEEP,
    ],
)
def test_nested_too_deeply(text: str) -> None:
    with pytest.raises(ParseError, match="nested more than 500 levels deep"):
        program.load(text)


def test_nesting_that_is_none() -> None:
    """Brackets in strings and comments, comparisons and arrows do not nest."""
    quoted = ", ".join(['"[{("'] * DEEP)
    comments = "// (((\n" * DEEP
    maps = ", ".join(["affine_set<(i) : (i >= 0, 9 - i >= 0)>"] * DEEP)
    types = ", ".join(["(i1) -> i1"] * DEEP)
    text = f"{comments}module attributes {{a.x = [{quoted}], a.y = [{maps}], a.z = [{types}]}} {{}}"
    assert "module" in str(program.load(text))


@pytest.mark.parametrize("separator", ["\n", " ", "\n  ", " // = #a\n"])
@pytest.mark.parametrize("value", ["[#a{}]", "[\n#a{}]", "[\n[[[[[[[[[[#a{}]]]]]]]]]]]"])
def test_aliases_nest(separator: str, value: str) -> None:
    names = [f"#a{n} = {value.format(n - 1)}" for n in range(1, DEEP)]
    text = separator.join(["#a0 = [1]", *names, f"module attributes {{a.x = #a{DEEP - 1}}} {{}}"])
    with pytest.raises(ParseError, match="aliases nested more than 500 levels deep"):
        program.load(text)


def test_many_aliases_that_do_not_nest() -> None:
    chain = [f'#loc{n} = loc(callsite("f"(#loc{n - 1}) at #loc0))' for n in range(1, 200)]
    flat = [f'#at{n} = loc("g"(#loc{n % 200}))' for n in range(5_000)]
    text = "\n".join(["module {} loc(#at3)", '#loc0 = loc("a.py":1:1)', *chain, *flat])
    program.load(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("%x:99999999 = f() : () -> ()", "no op has 99999999 results"),
        ("%x : 0099999999 = f() : () -> ()", "no op has 99999999 results"),
        ("%0 = a.b(%x#99999999) : (i1) -> i1", "no op has 99999999 results"),
        ("#c = #stablehlo.conv<[99999, f]x[i, o]->[b, f]>", "no tensor has a dimension 99999"),
        (
            "%0 = stablehlo.convolution(%a, %b)\n dim_numbers = \n [b, f]x[i, o]-> \n [99999, f]",
            "no tensor has a dimension 99999",
        ),
    ],
)
def test_numbers_that_size_allocations(text: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        program.load(text + "\n")


HOSTILE = """
import sys, shlo_tools
from shlo_tools.errors import ShloError
for text in sys.stdin.read().split("=====")[1:]:
    for read in (shlo_tools.load, shlo_tools.compile):
        try:
            read(text)
        except ShloError as error:
            print(type(error).__name__)
"""


def test_every_entry_takes_the_same_door() -> None:
    """In a child of its own, so that a hole is a failure and not the end of the tests."""
    texts = [
        BROADCAST.format(op=NEGATIVE["escaped"]),
        GROUPS.format(value="", shape="0x0"),
        ELEMENTS.format(size=4294967296),
        PADDING,
    ]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(HOSTILE)],
        input="=====".join(["", *texts]),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["ParseError"] * 8), done.stderr[-2000:]


def test_constants_larger_than_memory() -> None:
    text = """func.func @main() -> tensor<4294967296x1024xf64> {
      %0 = stablehlo.constant dense<1.0> : tensor<4294967296x1024xf64>
      return %0 : tensor<4294967296x1024xf64>
    }"""
    with pytest.raises(ShloError, match="no memory for a constant of type tensor<4294967296x1024"):
        program.verify(program.load(text))
