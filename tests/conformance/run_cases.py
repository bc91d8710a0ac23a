"""Runs cases natively and by the reference, many as one program, and tells each one's outcome."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cases import rows
from cases._case import Array, Case, program
from cases._tolerances import Sums, difference

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ParseError, ShloError, UnsupportedError, VerifyError
from shlo_tools.program import load

TOGETHER = 20  # cases compiled as one function; with many more LLVM's time grows out of hand

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


def cases_of(
    family: str, op: str = "", elements: Sequence[str] = (), *, fast: bool = False
) -> Work:
    """The cases of a family, or of one op and some types; fast ones are one per op and type."""
    found = []
    for row in rows(family):
        for element in row.elements if op in ("", row.op) else ():
            if elements and element not in elements:
                continue
            for number, case in enumerate(row.build(element)):
                found.append((Key(family, row.op, element, number), case))
                if fast:
                    break
    return found


def batches(work: Work, together: int = TOGETHER) -> Iterator[Work]:
    for start in range(0, len(work), together):
        yield work[start : start + together]


def outcomes(work: Work) -> Iterator[Outcome]:
    """Run cases as one program; where that is refused, in halves."""
    try:
        wrong = _run([case for _, case in work])
    except ShloError as error:
        if len(work) > 1:
            half = len(work) // 2
            yield from outcomes(work[:half])
            yield from outcomes(work[half:])
            return
        key, case = work[0]
        yield Outcome(key, case.label, *_judged(error, case))
        return
    for (key, case), found in zip(work, wrong, strict=True):
        yield Outcome(key, case.label, MISMATCH if found else PASS, found)


def _judged(error: ShloError, case: Case) -> tuple[str, str]:
    """What an error makes of a case: only an UnsupportedError refuses it."""
    message = str(error).partition("\n")[0]
    if isinstance(error, VerifyError | ParseError) and not _is_verified(case):
        return (REFUSED, case.undefined) if case.undefined else (INVALID, message)
    if not isinstance(error, UnsupportedError):
        return CRASH, f"{type(error).__name__}: {message}"
    try:
        _interpret([case])
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
    found = re.match(r"not supported: \S+ \(.*\) -> .*?(?:: (.*))?$", message)
    return (found[1] or "no rule for these types") if found else message


# --- one program ----------------------------------------------------------------------------------
def _run(cases: Sequence[Case]) -> list[str]:
    """Per case what is wrong with its native results, '' where nothing is."""
    executable = shlo_tools.compile(program(cases))
    native, written = _called(executable, cases)
    wanted, _ = _called(reference.compile(program(cases)), cases)
    wrong = []
    for case in cases:
        mine, native = native[: len(case.results)], native[len(case.results) :]
        right, wanted = wanted[: len(case.results)], wanted[len(case.results) :]
        wrong.append(written or _compared(case, mine, right))
    return wrong


def _compared(case: Case, mine: Sequence[Array], right: Sequence[Array]) -> str:
    sizes: Sequence[Any] = [None] * len(mine)
    if isinstance(case.tolerance, Sums):
        sizes = _interpret([case], absolute=True)
    rows = enumerate(zip(mine, right, sizes, strict=True))
    for number, (actual, expected, size) in rows:
        found = difference(actual, expected, case.tolerance, size)
        if found:
            return f"result {number}: {found}{_operands_at(case, found, actual)}"
    return ""


def _operands_at(case: Case, found: str, actual: Array) -> str:
    index = re.search(r"first \[([\d, ]+)\]", found)
    if not index:
        return ""
    at = tuple(int(i) for i in index[1].split(","))
    held = [repr(i.array[at]) for i in case.inputs if i.array.shape == actual.shape]
    return f" for ({', '.join(held)})" if held else ""


def _interpret(cases: Sequence[Case], *, absolute: bool = False) -> list[Array]:
    return _called(reference.compile(program(cases)), cases, absolute=absolute)[0]


def _called(
    function: Any, cases: Sequence[Case], *, absolute: bool = False
) -> tuple[list[Array], str]:
    """Results on read-only arguments, and a complaint where one was written."""
    inputs = [_read_only(i.array, absolute) for case in cases for i in case.inputs]
    before = [array.tobytes() for array in inputs]
    given = function(*inputs)
    written = any(array.tobytes() != kept for array, kept in zip(inputs, before, strict=True))
    results = list(given) if isinstance(given, tuple) else [given]
    return results, "an argument was written" if written else ""


def _read_only(array: Array, absolute: bool) -> Array:
    is_float = array.dtype.kind in "fc" or (array.dtype.kind == "V" and "float" in array.dtype.name)
    if absolute and is_float:
        array = np.abs(array).astype(array.dtype)
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
