"""Custom forms of checks become generic ones; places stay those of the text."""

from __future__ import annotations

import random
import re

import pytest

from shlo_tools import mlir, program
from shlo_tools.dialects.check import CHECKS
from shlo_tools.errors import ParseError, Place, ShloError, VerifyError
from shlo_tools.text.check_syntax import GenericText, generic

FUNCTION = """\
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xi64>) {{
  {}
  return
}}
"""


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize(
    ("custom", "expected"),
    [
        ("check.expect_eq %a, %b : T", '"check.expect_eq"( %a, %b) : (T, T) -> ()'),
        ("check.expect_eq %a#0, %b#12 : T", '"check.expect_eq"( %a#0, %b#12) : (T, T) -> ()'),
        ("check.expect_eq %a, %b : T, S", '"check.expect_eq"( %a, %b) : (T, S) -> ()'),
        ("check.expect_eq %a, %b : (T, S) -> ()", '"check.expect_eq"( %a, %b) : (T, S) -> ()'),
        (
            "check.expect_eq_const %a, dense<[1, -2]> : tensor<2xi64>",
            '"check.expect_eq_const"( %a) {value = dense<[1, -2]> : tensor<2xi64>}'
            " : (tensor<2xi64>) -> ()",
        ),
        (
            'check.expect_eq_const %a, dense<"0x3E00"> : !t loc("x")',
            '"check.expect_eq_const"( %a) {value = dense<"0x3E00"> : !t} : (!t) -> () loc("x")',
        ),
        (
            "check.expect_almost_eq %a, %b {tolerance = 0.5} : T",
            '"check.expect_almost_eq"( %a, %b) {tolerance = 0.5} : (T, T) -> ()',
        ),
        (
            "check.expect_close %a, %b, max_ulp_difference = 1, min_ulp_difference = 0 : T, T",
            '"check.expect_close"( %a, %b) {max_ulp_difference = 1, min_ulp_difference = 0}'
            " : (T, T) -> ()",
        ),
        (
            'check.expect_serialized_eq %a, probe = "a, b : {", iteration = 2 : T',
            '"check.expect_serialized_eq"( %a) {probe_id = "a, b : {", iteration = 2} : (T) -> ()',
        ),
        (
            '"check.expect_eq"(%a) <{a = 1}> : (T) -> ()',
            '"check.expect_eq"(%a) {a = 1} : (T) -> ()',
        ),
        ('"check.x"(%a) <{a = 1}> {b} : T', '"check.x"(%a) {a = 1, b} : T'),
        ('"check.x"(%a) <{}> {b} : T', '"check.x"(%a) { b} : T'),
    ],
)
def test_forms(custom: str, expected: str) -> None:
    match = re.sub(r" +(?=[})])", "", squeezed(generic(custom).text))
    assert match == expected


@pytest.mark.parametrize(
    "text",
    [
        'f() {a = "check.expect_eq %a"}',
        "// check.expect_eq %a",
        "func.call @check.expect_eq() : () -> ()",
        "x {check.expect_eq, check.expect_close = 1, a, check.expect_eq}",
        "my.check.expect_eq %a",
        "check.expect_eqs %a, %b : T",
        "%check.expect_eq = x",
        "!check.expect_eq",
    ],
)
def test_other_uses_of_the_names_stay(text: str) -> None:
    assert generic(text).text == text


def test_lines_stay() -> None:
    text = FUNCTION.format(
        "check.expect_close %a, // first\n    %b,\n  max_ulp_difference\n = 3 :\n T,\nT check.x"
    )
    results = generic(text).text
    assert results.count("\n") == text.count("\n")
    for word in ("%b", "T", "check.x", "return"):
        assert position(results, word).line == position(text, word).line


def position(text: str, word: str) -> Place:
    before = text[: text.index(word)]
    return Place("-", before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def mapped(written: GenericText, word: str) -> Place:
    return written.original(position(written.text, word))


def test_places_are_those_of_the_source() -> None:
    text = (
        "check.expect_close %a1, %b1, max_ulp_difference = 77 : t1<x>, t2<y> loc(x1) foo\n"
        'check.expect_eq_const %a2, dense<"v"> : t3 {mine.x = "y"} bar check.expect_eq %p, %q\n'
        "  : t4 baz"
    )
    written = generic(text)
    for word in (
        "%a1",
        "%b1",
        "77",
        "t1",
        "t2",
        "x1",
        "foo",
        "%a2",
        "dense",
        "t3",
        "bar",
        "%p",
        "%q",
    ):
        assert mapped(written, word) == position(text, word), word
    for word in ("mine", "t4", "baz"):
        assert mapped(written, word) == position(text, word), word
    assert mapped(written, '"check.expect_eq_const') == position(text, "check.expect_eq_const")


def test_ops_behind_a_check_on_its_line_keep_their_places() -> None:
    line = "check.expect_eq %a, %b : tensor<2xf32> %d = stablehlo.add %a, %b : tensor<2xf32>"
    text = FUNCTION.format(line)
    with mlir.library_context():
        module = program.parse(text)
        matching = {op.name: mlir.place_of(op.location) for op in mlir.walk(module.operation)}
    for name in ("check.expect_eq", "stablehlo.add"):
        assert matching[name] == position(text, name)


@pytest.mark.parametrize(
    ("body", "at", "message"),
    [
        ("check.expect_eq", "return", "an operand is expected"),
        ("check.expect_eq %a", "return", "',' is expected"),
        ("check.expect_eq %a, %b", "return", "':' is expected"),
        ("check.expect_eq %a, %b : @t", "@t", "a type is expected"),
        ("check.expect_eq %a, %b : tensor<", "<\n", "a bracket that is not closed"),
        ("check.expect_eq_const %a, [1] : tensor<2xi64>", "[1]", "a constant is expected"),
        ("check.expect_close %a, %b, ulp = 3 : T", "ulp =", "has no attribute 'ulp'"),
        ("check.expect_close %a, %b, max_ulp_difference = [] : T", "[]", "a value is expected"),
    ],
)
def test_what_is_missing_is_named_with_its_place(body: str, at: str, message: str) -> None:
    text = FUNCTION.format(body)
    with pytest.raises(ParseError, match=re.escape(message)) as raised:
        generic(text, "f.mlir")
    place = raised.value.diagnostics[0].place
    assert place is not None and place.file == "f.mlir"
    assert (place.line, place.column) == (position(text, at).line, position(text, at).column)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('"check.expect_almost_eq"(%a, %b) {tolerance = -1.0} : (T, T) -> ()', "at least 0"),
        ('"check.expect_almost_eq"(%a, %b) {tol = 1.0} : (T, T) -> ()', "no attribute 'tol'"),
        ('"check.expect_close"(%a, %b) {max_ulp_difference = 1.0} : (T, T) -> ()', "whole number"),
        ('"check.expect_eq"(%a, %c) : (T, S) -> ()', "expected 'tensor<2xf32>'"),
        ('"check.expect_eq"(%a) : (T) -> ()', "exactly 2 operands"),
        ('"check.expect_eq_const"(%a) : (T) -> ()', '"value" is expected'),
        ('"check.expect_eq_const"(%a) {value = 1 : i32} : (T) -> ()', "value is a dense constant"),
        ('"check.expect_eq_const"(%a) {value = dense<1> : S} : (T) -> ()', "a value of"),
        ('"check.expect_serialized_eq"(%a) {probe_id = 1} : (T) -> ()', "a string"),
        ('"check.expect_serialized_eq"(%a) {probe_id = "\\FF"} : (T) -> ()', "a string of text"),
        ('"check.expect_close"(%c, %c) : (S, S) -> ()', "float or complex tensors"),
    ],
)
def test_ops_are_verified(body: str, message: str) -> None:
    text = FUNCTION.format(re.sub(r"\bT\b", "tensor<2xf32>", body))
    text = re.sub(r"\bS\b", "tensor<2xi64>", text)
    with mlir.library_context(), pytest.raises(VerifyError, match=re.escape(message)) as raised:
        program.parse(text)
    place = raised.value.diagnostics[0].place
    assert place is not None and place.line == 2


def test_every_check_of_the_dialect_is_registered() -> None:
    with mlir.library_context() as context:
        assert all(context.is_registered_operation(name) for name in CHECKS)
        assert not context.is_registered_operation("check.expect_nothing")


WHOLE = (
    FUNCTION.format(
        """// "unbalanced ( check.expect_eq %a
  check.expect_eq %a, %b : tensor<2xf32> loc("x":1:2)
  check.expect_almost_eq_const %a, dense<"0x0000803F00000040"> {tolerance = 1.0e-3} : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 3,
    min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32> { x.y = "a\\"b" }
  "check.expect_eq_const"(%c) <{value = dense<1> : tensor<2xi64>}> {a.b} : (tensor<2xi64>) -> ()
  check.expect_serialized_eq %a, probe_id = "p", iteration = 1 : tensor<2xf32>
  %0 = interpreter.probe %a, probe_id = "p" : tensor<2xf32>
  "interpreter.run_parallel"() <{programs = [[@q, @q]]}> : () -> ()"""
    )
    + "func.func @q() { return }\n"
)
PIECES = (
    *("check.expect_eq", "check.", '"check.expect_eq"', "%a", "(", ")", "{", "}", "<", ">", "<{"),
    *("}>", "[", "]", ",", ":", "=", '"', "//", "\n", "->", "dense<", "tensor<2xf32>", "loc("),
    *("@q", "\\", "é", "tolerance", "programs", "0x", "-1", "1e400", "[[]]", "#x", "\ud800", "\0"),
)


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((0, 0, 1, 5, 30)))
        new = chance.choice((chance.choice(PIECES), "", text[at:end] * 2))
        text = text[:at] + new + text[end:]
    return text or " "


def test_damaged_texts_are_refused_with_a_place() -> None:
    with mlir.library_context():
        program.parse(WHOLE)
        outcomes = {"read": 0, "refused": 0}
        for seed in range(1500):
            text = damaged(WHOLE, random.Random(seed))
            try:
                program.parse(text)
                outcomes["read"] += 1
            except ShloError as error:
                outcomes["refused"] += 1
                first = error.diagnostics[0]
                assert first.place or "neither MLIR text nor bytecode" in first.message, text
    assert min(outcomes.values()) > 50
