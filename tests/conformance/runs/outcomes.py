"""Runs cases natively and by the reference, many as one program, and tells each one's outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from batch import TOGETHER, differences, interpret
from cases import rows
from cases._case import Case, program

from shlo_tools.errors import ParseError, ShloError, UnsupportedError, VerifyError
from shlo_tools.program import load

PASS = "pass"
REFUSED = "refused"  # by name, with a reason: UnsupportedError
MISMATCH = "mismatch"  # another result than the reference's
CRASH = "crash"  # the process died, or an exception that is no answer
HANG = "hang"
LEAK = "leak"
INVALID = "invalid"  # the official verifier refuses the case: a defect of the case
NO_REFERENCE = "no reference"  # the reference refuses it
RED = (MISMATCH, CRASH, HANG, LEAK, INVALID, NO_REFERENCE)


@dataclass(frozen=True)
class Key:
    """Which case: an op, an element type, and its number among theirs."""

    family: str
    op: str
    element: str
    number: int


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    key: Key
    label: str
    status: str
    detail: str = ""


Work = list[tuple[Key, Case]]
T = TypeVar("T")


def cases_of(
    family: str, op: str = "", elements: Sequence[str] = (), *, fast: bool = False
) -> Work:
    """The cases of a family, or of one op and some types; fast ones are one per op and type."""
    results = []
    for row in rows(family):
        for element in row.elements if op in ("", row.op) else ():
            if elements and element not in elements:
                continue
            for number, case in enumerate(row.build(element)):
                results.append((Key(family, row.op, element, number), case))
                if fast:
                    break
    return results


def batches(work: Work, together: int = TOGETHER) -> Iterator[Work]:
    for start in range(0, len(work), together):
        yield work[start : start + together]


def in_halves(
    work: Work, ask: Callable[[Work], T], is_refused: Callable[[T], bool]
) -> Iterator[tuple[Work, T]]:
    """Answers for cases: for all of them, or for halves where that is refused."""
    answer = ask(work)
    if is_refused(answer) and len(work) > 1:
        half = len(work) // 2
        for some in (work[:half], work[half:]):
            yield from in_halves(some, ask, is_refused)
    else:
        yield work, answer


def outcomes(work: Work) -> Iterator[Outcome]:
    """Run cases as one program; where that is refused, in halves."""
    for some, answer in in_halves(work, _tried, lambda answer: isinstance(answer, ShloError)):
        if isinstance(answer, ShloError):
            ((key, case),) = some
            yield Outcome(key, case.label, *_judged(answer, case))
            continue
        for (key, case), results in zip(some, answer, strict=True):
            yield Outcome(key, case.label, MISMATCH if results else PASS, results)


def _tried(work: Work) -> list[str] | ShloError:
    """What is wrong with each case, or why they are refused."""
    try:
        return differences([case for _, case in work])
    except ShloError as error:
        return error


def _judged(error: ShloError, case: Case) -> tuple[str, str]:
    """What an error makes of a case: only an UnsupportedError refuses it."""
    message = str(error).partition("\n")[0]
    if isinstance(error, VerifyError | ParseError) and not _is_verified(case):
        return (REFUSED, case.undefined) if case.undefined else (INVALID, message)
    if not isinstance(error, UnsupportedError):
        return CRASH, f"{type(error).__name__}: {message}"
    try:
        interpret([case])
    except ShloError as missing:
        if case.undefined:
            return REFUSED, case.undefined
        return NO_REFERENCE, str(missing).partition("\n")[0]
    return REFUSED, reason(message)


def _is_verified(case: Case) -> bool:
    """Whether the official verifier takes the case, so that the error is of our own making."""
    try:
        load(program([case]))
    except (VerifyError, ParseError):
        return False
    return True


def reason(message: str) -> str:
    """What is refused, without the place and the types that it is refused for."""
    message = re.sub(r"^\S+ error: ", "", message)
    match = re.match(r"not supported: \S+ \(.*\) -> .*?(?:: (.*))?$", message)
    return (match[1] or "no rule for these types") if match else message
