"""``--verify-diagnostics``: the diagnostics that a program asks for are the ones it gets.

    // expected-error@+1 {{type of return operand 0}}
    // expected-error-re@below {{operand {{[0-9]+}} ('i{{32|64}}')}}

The designator is MLIR's: error, warning, remark or note; the line by ``@+N``, ``@-N``, ``@above``
and ``@below`` (the next line without a designator), ``@unknown`` for none, its own line otherwise.
The text must be part of a diagnostic's message. One designator may meet several diagnostics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from shlo_tools.errors import Diagnostic, Place, Severity

_DESIGNATOR = re.compile(
    r"expected-(?P<severity>error|warning|remark|note)(?P<regex>-re)?"
    r" *(?:@(?P<where>[+-][0-9]+|above|below|unknown))? *\{\{(?P<text>.*)\}\}$"
)
_PRINTED_OP = "see current operation"  # a note that mlir-opt leaves out here


@dataclass
class Expectation:
    """One designator.

    Attributes:
        line: the line the diagnostic must be at; None where it must have no place.
        place: where the designator stands.
    """

    severity: Severity
    text: str
    pattern: re.Pattern[str]
    line: int | None
    place: Place
    met: bool = field(default=False)


def check(
    source: str,
    name: str,
    diagnostics: Iterable[Diagnostic],
    *,
    optional: Iterable[Diagnostic] = (),
    only_expected: bool = False,
) -> list[Diagnostic]:
    """What is wrong with the diagnostics of a program; nothing if they are as expected.

    Args:
        source: the program's text, with its designators.
        name: the file that places in it name.
        optional: more diagnostics, which need no designator.
        only_expected: accept diagnostics that no designator expects.
    """
    wrong: list[Diagnostic] = []
    expected = _expectations(source, name, wrong)
    for diagnostic in _flattened(optional):
        _meet(diagnostic, expected, name)
    for diagnostic in _flattened(diagnostics):
        match = _meet(diagnostic, expected, name)
        if match is not None and not only_expected:
            wrong.append(match)
    wrong += [
        Diagnostic("error", f'expected {e.severity} "{e.text}" was not produced', e.place)
        for e in expected
        if not e.met
    ]
    return wrong


def _meet(diagnostic: Diagnostic, expected: list[Expectation], name: str) -> Diagnostic | None:
    """Mark the expectation that a diagnostic meets; an error where there is none."""
    place = diagnostic.place
    near = None
    if place is None or place.file in ("-", name):
        line = place.line if place else None
        for expectation in expected:
            if expectation.line == line and expectation.pattern.search(diagnostic.message):
                if expectation.severity == diagnostic.severity:
                    expectation.met = True
                    return None
                near = expectation
    got = diagnostic.severity
    if near is not None:
        message = f"{got!r} diagnostic emitted when expecting a {near.severity!r}"
        return Diagnostic("error", message, near.place)
    return Diagnostic("error", f"unexpected {got}: {diagnostic.message}", place)


def _flattened(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Diagnostics, each followed by its notes."""
    for diagnostic in diagnostics:
        if not diagnostic.message.startswith(_PRINTED_OP):
            yield diagnostic
        yield from _flattened(diagnostic.notes)


def _expectations(source: str, name: str, wrong: list[Diagnostic]) -> list[Expectation]:
    """The designators of a program; malformed ones are reported in ``wrong``."""
    expected: list[Expectation] = []
    below: list[Expectation] = []  # they wait for the next line without a designator
    plain_line = 0
    for number, line in enumerate(source.split("\n"), 1):
        match = _DESIGNATOR.search(line.rstrip())
        if not match:
            for expectation in below:
                expectation.line = number
            below.clear()
            plain_line = number
            continue
        place = Place(name, number, match.start() + 1)
        try:
            pattern = _pattern(match["text"]) if match["regex"] else re.escape(match["text"])
            compiled = re.compile(pattern)
        except re.error as error:
            wrong.append(Diagnostic("error", f"invalid regex: {error}", place))
            continue
        target = _target(match["where"], number, plain_line)
        expectation = Expectation(
            _SEVERITIES[match["severity"]], match["text"], compiled, target, place
        )
        expected.append(expectation)
        if match["where"] == "below":
            below.append(expectation)
    return expected


_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "remark": "remark",
    "note": "note",
}


def _target(where: str | None, number: int, plain_line: int) -> int | None:
    if where is None:
        return number
    if where == "unknown":
        return None
    if where == "above":
        return plain_line
    if where == "below":
        return number + 1
    return number + int(where)


def _pattern(text: str) -> str:
    """``a {{[0-9]+}} b``: what is in double braces is a regular expression, the rest is itself."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(f"(?:{p})" if i % 2 else re.escape(p) for i, p in enumerate(parts))
