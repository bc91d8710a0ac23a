"""Shardy's annotations leave a program for one device, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.errors import ParseError, UnsupportedError
from shlo_tools.text.sharding import bytecode
from shlo_tools.text.sharding.text import strip

PROGRAMS = Path(__file__).parents[2] / "programs"
MESH = "sdy.mesh @mesh = <[{}]>"
X = np.arange(4, dtype=np.int32)


def squeezed(text: str) -> str:
    """Without runs of spaces."""
    return re.sub(r"[ \t]+", " ", text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("{sdy.sharding = #sdy.sharding<@m, [{}, {}]>}", "{ }"),
        ("{a = 1, sdy.sharding = #sdy.sharding<@m, [{}]>}", "{a = 1 }"),
        ("{sdy.sharding = #sdy.sharding<@m, [{}]>, a = 1}", "{ a = 1}"),
        ("{a = 1, sdy.x = 1, b = 2}", "{a = 1, b = 2}"),
        ("{sdy.x = 1, a, sdy.y = [1, 2], sdy.z}", "{ a }"),
        ("{a, sdy.x = 1 , sdy.y}", "{a }"),
        ("{sdy.x, sdy.y = {b = 1, c = 2}}", "{ }"),
        (
            "{sdy.rule = #sdy.op_sharding_rule<([i, j])->([k], []) {i=6, j=6}, custom>, z = 1}",
            "{ z = 1}",
        ),
        ('{sdy.x = "a, b}, \\" sdy.y", z = "sdy.z = 1"}', '{ z = "sdy.z = 1"}'),
        ('loc("sdy.mesh"(#loc1))', 'loc("sdy.mesh"(#loc1))'),
        ("// sdy.mesh @a = <[]>, {sdy.x = 1}", "// sdy.mesh @a = <[]>, {sdy.x = 1}"),
        ("call @sdy.mesh(%sdy.x)", "call @sdy.mesh(%sdy.x)"),
        ("sdy.mesh @m = <[]> {stablehlo.mesh = {axes = []}} loc(#loc)", " "),
        ('sdy.mesh @m = <["x"=1, "y"=1]>', " "),
        ("sdy.mesh @m = <[], device_ids=[3]>", " "),
        ("#sharding = #sdy.sharding<@m, [{}, {}]>\n#loc = loc(unknown)", " \n#loc = loc(unknown)"),
        ("sdy.sharding_group %0 group_id=0 : tensor<4xi32>", " "),
    ],
)
def test_what_is_removed(text: str, plain: str) -> None:
    assert squeezed(strip(text)) == plain


def test_lines_and_columns_stay() -> None:
    text = (PROGRAMS / "cholesky_solve.mlir").read_text()
    plain = strip(text)
    assert "sdy." in text and "sdy." not in plain
    for before, after in zip(text.splitlines(), plain.splitlines(), strict=True):
        assert len(before) == len(after)
        assert all(b == a or a == " " for b, a in zip(before, after, strict=True))


def test_an_error_shows_the_text_as_it_was_written() -> None:
    text = "sdy.mesh @m = <[]>\nfunc.func @f(%x: tensor<2xi32> {sdy.x = 1}) { oops }\n"
    with pytest.raises(ParseError) as caught:
        program.load(text)
    assert caught.value.diagnostics[0].place is not None
    assert caught.value.diagnostics[0].place.line == 2
    assert "{sdy.x = 1}) { oops }" in caught.value.render()


CONSTRAINED = """
sdy.mesh @mesh = <["x"=1]>
func.func @main(%p: tensor<i1>, %0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %1 = stablehlo.add %0, %0 : tensor<4xi32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<4xi32> loc("a")
  %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<4xi32>
  %4 = "stablehlo.if"(%p) ({
    %5 = sdy.reshard %3 <@mesh, [{}]> : tensor<4xi32>
    %6 = stablehlo.multiply %5, %2#0 : tensor<4xi32>
    stablehlo.return %6 : tensor<4xi32>
  }, {
    %5 = stablehlo.negate %3 : tensor<4xi32>
    %6 = sdy.propagation_barrier %5 allowed_direction=NONE : tensor<4xi32>
    stablehlo.return %6 : tensor<4xi32>
  }) : (tensor<i1>) -> tensor<4xi32>
  %7:2 = call @twice(%4, %3) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %8 = sdy.sharding_constraint %7#1 <@mesh, [{}]> : tensor<4xi32>
  return %7#0, %8 : tensor<4xi32>, tensor<4xi32>
}
func.func private @twice(%1: tensor<4xi32>, %2: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %3 = stablehlo.add %2, %1 : tensor<4xi32>
  return %2, %3 : tensor<4xi32>, tensor<4xi32>
}
"""


def test_constraints_are_their_operands() -> None:
    """Names are used again in other regions and functions, for other values."""
    executable = shlo_tools.compile(CONSTRAINED)
    for p, chosen in ((np.True_, 4 * X * X), (np.False_, -2 * X)):
        first, second = executable(p, X)
        np.testing.assert_array_equal(first, 2 * X)
        np.testing.assert_array_equal(second, 2 * X + chosen)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MESH.format('"x"=2'), "1:1: error: not supported: .* a mesh of 2 devices"),
        (MESH.format('"x"=2, "y"=4'), "a mesh of 8 devices"),
        ('{a = 1,\n sdy.s = #sdy.sharding<mesh<["x"=4]>, [{}]>}', "2:2: .* a mesh of 4 devices"),
        ("%1 = sdy.all_gather [{}] %0 out_sharding=<@m, [{}]> : tensor<4xi32>", "sdy.all_gather"),
        ('%0 = sdy.manual_computation(%a) manual_axes={"x"} (%b: i32) {}', "manual_computation"),
        ("sdy.sharding_constraint %0 <@m, [{}]> : tensor<4xi32>", "sdy.sharding_constraint"),
        ("%1 = sdy.sharding_constraint", "sdy.sharding_constraint"),
        ("%1 = sdy.sharding_constraint %0 <@m", "sdy.sharding_constraint"),
        ("sdy.mesh", "sdy.mesh"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        strip(text)


@pytest.mark.parametrize(
    "text",
    [
        "{sdy.x = ",
        "{sdy.x = [[[",
        "{sdy.x = #sdy.y<",
        "sdy.mesh @m = <[",
        "#a = #sdy.b",
        "%0 = sdy.x",
        'sdy.x = "',
        "{sdy.x",
        "sdy.",
        "}}}} %0 = sdy.reshard %1 <> : f32 }}}} %0",
    ],
)
def test_broken_text_is_an_error_of_the_parser_or_ours(text: str) -> None:
    with pytest.raises((ParseError, UnsupportedError)):
        program.load(f"func.func @main() {{ return }}\n{text}\n")


ANNOTATED = sorted(path for path in PROGRAMS.glob("*.mlir") if "sdy." in path.read_text())


@pytest.mark.parametrize("path", ANNOTATED, ids=lambda path: path.stem)
def test_programs_keep_all_else(path: Path) -> None:
    """Every op and its types are there as before; constraints alone are gone."""
    text = path.read_text()
    plain = strip(text)
    ops = r"\b(?:stablehlo|chlo|func|call|return)\b[\w.]*"
    assert re.findall(ops, plain) == re.findall(ops, re.sub("(?m)^ *sdy.mesh.*", "", text))
    with mlir.library_context():
        program.parse(text)


def test_large_programs() -> None:
    """Megabytes of constants and thousands of annotations; in quadratic time it would not end."""
    constant = 'stablehlo.constant dense<"0x' + "00" * 1_000_000 + '"> : tensor<250000xi32>'
    line = "%{0} = sdy.sharding_constraint %{1} <@m, [{{}}]> : tensor<4xi32>"
    lines = [line.format(i + 1, i) for i in range(3000)]
    entries = ", ".join(f"a{i} = 1, sdy.x{i} = #sdy.sharding<@m, [{{}}]>" for i in range(3000))
    text = "\n".join([f"module attributes {{{entries}}} {{", constant, *lines, "return %3000", "}"])
    plain = strip(text)
    assert "return %0\n" in plain and "a2999 = 1" in plain


# --- bytecode -------------------------------------------------------------------------------------
def artifact(name: str) -> bytes:
    """What ``artifacts/export.py`` wrote."""
    return (Path(__file__).parent / "artifacts" / f"{name}.mlirbc").read_bytes()


@pytest.mark.parametrize("isolated", [False, True])
def test_artifacts(isolated: bool) -> None:
    for name in ("cholesky", "one_device"):
        source = artifact(name)
        assert b"sdy" in source
        assert "sdy" not in str(program.load(source, isolated=isolated))


def test_artifacts_run() -> None:
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    np.testing.assert_array_equal(shlo_tools.compile(artifact("one_device"))(x), 2 * x)
    a = x + x.T + 40 * np.eye(4, dtype=np.float32)
    factor = shlo_tools.compile(artifact("cholesky"))(a)
    np.testing.assert_allclose(factor, np.linalg.cholesky(a.astype(np.float64)), rtol=1e-5)


def test_bytecode_of_this_version() -> None:
    """With unregistered ops of the dialect, as other tools may write it."""
    context = mlir.new_context()
    context.allow_unregistered_dialects = True
    with mlir.at(context):
        module = mlir.parse_module("""
          "sdy.mesh"() {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}} : () -> ()
          func.func @main(%x: tensor<i32> {sdy.sharding, a.b}) -> (tensor<i32> {sdy.sharding}) {
            %0 = "sdy.reshard"(%x) : (tensor<i32>) -> tensor<i32>
            "sdy.sharding_group"(%0) {group_id = 0 : i64} : (tensor<i32>) -> ()
            return {sdy.x} %0 : tensor<i32>
          }""")
        source = program.to_bytecode(module)
    text = str(program.load(source))
    assert "sdy" not in text and "@main(%arg0: tensor<i32> {a.b}) -> tensor<i32>" in text
    assert shlo_tools.compile(source)(np.int32(3)) == 3


def test_an_artifact_for_two_devices_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="a mesh of 2 devices"):
        program.load(artifact("two_devices"))


def test_broken_artifacts_are_left_to_their_reader() -> None:
    """Whatever bytes say, no size leads beyond them."""
    source = artifact("cholesky")
    assert bytecode.readable(source) != source
    generator = np.random.default_rng(0)
    for _ in range(2000):
        broken = bytearray(source[: generator.integers(5, len(source))])
        for at in generator.integers(4, len(broken), 3):
            broken[at] = generator.integers(256)
        assert len(bytecode.readable(bytes(broken))) == len(broken)
