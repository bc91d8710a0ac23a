"""``--verify-diagnostics``: which diagnostics meet which designators.

The rules are those of MLIR's SourceMgrDiagnosticVerifierHandler, tried on mlir-opt.
"""

from __future__ import annotations

import pytest

from shlo_tools.errors import Diagnostic, Place, Severity
from shlo_tools.tools.opt import verify_diagnostics


def at(line: int, message: str, severity: Severity = "error", file: str = "-") -> Diagnostic:
    return Diagnostic(severity, message, Place(file, line, 3))


def wrong(source: str, *inputs: Diagnostic, only_expected: bool = False) -> list[str]:
    diagnostic = verify_diagnostics.check(source, "f.mlir", inputs, only_expected=only_expected)
    return [f"{d.place}: {d.message}" for d in diagnostic]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("op // expected-error {{bad op}}", 1),
        ("op // expected-error{{bad op}}", 1),
        ("// expected-error@+1 {{bad op}}\nop", 2),
        ("// expected-error @+2 {{bad op}}\n\nop", 3),
        ("op\n// expected-error@-1 {{bad op}}", 1),
        ("op\n// expected-error@above {{bad op}}", 1),
        ("op\n// expected-note@above {{x}}\n// expected-error@above {{bad op}}", 1),
        ("// expected-error@below {{bad op}}\nop", 2),
        ("// expected-error@below {{bad op}}\n// expected-note@below {{x}}\nop", 3),
        ("op // expected-error {{d o}}", 1),
        ("op // expected-error-re {{b{{.d}} op}}", 1),
        ("op // expected-error-re {{{{[a-c]}}ad}}", 1),
        ("op // expected-error-re {{bad{{ |x}}op}}", 1),
        ("op // expected-error {{bad op}} \r", 1),
    ],
)
def test_a_designator_is_met(source: str, line: int) -> None:
    missing = [m for m in wrong(source, at(line, "a bad op here")) if "note" not in m]
    assert missing == []
    assert [m for m in wrong(source, at(line + 1, "a bad op here")) if "note" not in m]
    assert [m for m in wrong(source, at(line, "another")) if "note" not in m]


def test_what_is_missing_and_what_is_too_much() -> None:
    source = "op // expected-error {{bad}}"
    assert wrong(source) == ['f.mlir:1:7: expected error "bad" was not produced']
    assert wrong("op", at(1, "bad")) == ["-:1:3: unexpected error: bad"]
    assert wrong("op", at(1, "bad"), only_expected=True) == []
    assert wrong(source, only_expected=True) == wrong(source)


def test_severities_differ() -> None:
    source = "op // expected-warning {{bad}}"
    assert wrong(source, at(1, "bad", "warning")) == []
    assert wrong(source, at(1, "bad", "remark")) == [
        "f.mlir:1:7: 'remark' diagnostic emitted when expecting a 'warning'",
        'f.mlir:1:7: expected warning "bad" was not produced',
    ]


def test_one_designator_meets_several() -> None:
    source = "op // expected-error {{bad}}"
    assert wrong(source, at(1, "bad"), at(1, "very bad")) == []


def test_plain_text_is_no_regex() -> None:
    source = "op // expected-error {{a.c}}"
    assert wrong(source, at(1, "a.c")) == []
    assert wrong(source, at(1, "abc"))
    assert wrong("op // expected-error-re {{a.c{{.}}}}", at(1, "abcd"))


def test_notes_are_diagnostics_of_their_own() -> None:
    note = Diagnostic("note", "see there", Place("-", 2, 1))
    printed = Diagnostic("note", "see current operation: ...", Place("-", 1, 1))
    error = Diagnostic("error", "bad", Place("-", 1, 3), (printed, note))
    assert wrong("op // expected-error {{bad}}\n// expected-note {{see}}", error) == []
    assert wrong("op // expected-error {{bad}}", error) == ["-:2:1: unexpected note: see there"]


def test_a_diagnostic_of_no_place_or_of_another_file() -> None:
    unknown = "// expected-error@unknown {{bad}}"
    assert wrong(unknown, Diagnostic("error", "bad")) == []
    assert len(wrong(unknown, at(1, "bad"))) == 2
    here = "op // expected-error {{bad}}"
    assert len(wrong(here, Diagnostic("error", "bad"))) == 2
    assert len(wrong(here, at(1, "bad", file="model.py"))) == 2
    assert wrong(here, at(1, "bad", file="f.mlir")) == []


def test_what_is_no_designator() -> None:
    for comment in (
        "// expected-error {{bad}} and more",
        "// expected-error {{bad",
        "// expected-complaint {{bad}}",
        "// expected-error@+ {{bad}}",
    ):
        assert wrong(comment) == []


def test_a_regex_that_is_none() -> None:
    (message,) = wrong("op // expected-error-re {{a{{(}}}}")
    assert message.startswith("f.mlir:1:7: invalid regex: ")


def test_what_is_optional_needs_no_designator() -> None:
    """Warnings of our own, which files written for other tools do not expect."""
    advice = [at(1, "no such attribute", "warning")]
    assert verify_diagnostics.check("op", "f.mlir", [], optional=advice) == []
    assert (
        verify_diagnostics.check(
            "op // expected-warning {{no such}}", "f.mlir", [], optional=advice
        )
        == []
    )
    assert verify_diagnostics.check("op", "f.mlir", advice, optional=[])
