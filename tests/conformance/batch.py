"""Many small cases compiled as one program: a compilation costs more than all of their runs.

``check`` runs the cases of a list natively, some together, and compares every result with what
the case expects, which is the reference's result where it says nothing. Every call also holds
what is promised for all of them: read-only arguments are accepted and arguments never written;
results are aligned, writeable and apart from everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from cases._case import Array, Case, program
from cases._tolerances import BITS, EXACT, Sums, difference

import shlo_tools
from shlo_tools import reference

TOGETHER = 6  # cases compiled as one function; with many more LLVM's time grows out of hand


def check(cases: Sequence[Case], *, together: int = TOGETHER) -> None:
    """Fails with the first difference of each case that is wrong."""
    wrong = []
    for start in range(0, len(cases), together):
        some = cases[start : start + together]
        wrong += [
            f"{case.label}: {what}"
            for case, what in zip(some, differences(some), strict=True)
            if what
        ]
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong)


def differences(cases: Sequence[Case]) -> list[str]:
    """Of each case what is wrong with its native results, '' where nothing is; one program."""
    native, broken = _called(shlo_tools.compile(program(cases)), cases)
    unknown = [case for case in cases if case.expected is None]
    interpreted = iter(_per_case(unknown, interpret(unknown)) if unknown else ())
    expected = [next(interpreted) if case.expected is None else case.expected for case in cases]
    return [
        broken or mismatch(case, *results)
        for case, *results in zip(cases, _per_case(cases, native), expected, strict=True)
    ]


def results(case: Case) -> list[Array]:
    """The native results of a case, for a property that is no distance from expected ones."""
    native, broken = _called(shlo_tools.compile(program([case])), [case])
    assert not broken, broken
    return native


def interpret(cases: Sequence[Case], *, absolute: bool = False) -> list[Array]:
    """What the reference gives, for the inputs or for their absolute values."""
    function = reference.compile(program(cases))
    return _listed(function(*_inputs(cases, absolute=absolute)))


def mismatch(case: Case, results: Sequence[Array], expected: Sequence[Array]) -> str:
    """'' where the results of a case are near enough to these, else what differs first."""
    sizes: Sequence[Any] = [None] * len(results)
    if isinstance(case.tolerance, Sums):
        sizes = interpret([case], absolute=True)
    rows = zip(results, expected, sizes, strict=True)
    for number, (actual, target, size) in enumerate(rows):
        what = difference(actual, target, case.tolerance, size)
        if what:
            return f"result {number}: {what}{_operands_at(case, what, actual)}"
    return ""


def _operands_at(case: Case, difference: str, actual: Array) -> str:
    index = re.search(r"first \[([\d, ]+)\]", difference)
    if not index:
        return ""
    at = tuple(int(i) for i in index[1].split(","))
    operands = [repr(i.array[at]) for i in case.inputs if i.array.shape == actual.shape]
    return f" for ({', '.join(operands)})" if operands else ""


def _per_case(cases: Sequence[Case], results: Sequence[Array]) -> list[Sequence[Array]]:
    ends = np.cumsum([len(case.results) for case in cases])
    return [results[end - len(case.results) : end] for case, end in zip(cases, ends, strict=True)]


# --- calls ----------------------------------------------------------------------------------------
def _called(function: Any, cases: Sequence[Case]) -> tuple[list[Array], str]:
    """Results on read-only arguments, and which promise of a call was broken."""
    inputs = _inputs(cases)
    before = [array.tobytes() for array in inputs]
    results = _listed(function(*inputs))
    if any(array.tobytes() != kept for array, kept in zip(inputs, before, strict=True)):
        return results, "an argument was written"
    return results, _misplaced(inputs, results)


def _misplaced(inputs: Sequence[Array], results: Sequence[Array]) -> str:
    for array in results:
        if array.size and array.ctypes.data % 64:
            return "a result is not aligned"
        if not (array.flags.c_contiguous and array.flags.writeable):
            return "a result is not contiguous and writeable"
    stretches = sorted(_stretch(array) for array in results if array.nbytes)
    if any(one[1] > other[0] for one, other in pairwise(stretches)):
        return "results share memory"
    branch = [_stretch(array) for array in inputs if array.nbytes]
    if any(start < high and low < end for start, end in stretches for low, high in branch):
        return "a result is an argument"
    return ""


def _stretch(array: Array) -> tuple[int, int]:
    return array.ctypes.data, array.ctypes.data + array.nbytes


def _listed(results: Any) -> list[Array]:
    return list(results) if isinstance(results, tuple) else [results]


def _inputs(cases: Sequence[Case], *, absolute: bool = False) -> list[Array]:
    return [_read_only(i.array, absolute=absolute) for case in cases for i in case.inputs]


def _read_only(array: Array, *, absolute: bool = False) -> Array:
    is_float = array.dtype.kind in "fc" or (array.dtype.kind == "V" and "float" in array.dtype.name)
    if absolute and is_float:
        array = np.abs(array).astype(array.dtype)
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


# --- whole programs -------------------------------------------------------------------------------
def run(text: str, *arguments: Array) -> list[Array]:
    """Results of a program, called twice on read-only arguments."""
    executable = shlo_tools.compile(text)
    inputs = [_read_only(np.asarray(argument)) for argument in arguments]
    answers = []
    for _ in range(2):  # a program that writes what it must not gives itself away
        answers.append(_listed(executable(*inputs)))
        for before, after in zip(arguments, inputs, strict=True):
            assert difference(after, np.asarray(before), BITS) == "", "an argument was written"
    for first, second in zip(*answers, strict=True):
        assert difference(second, first, BITS) == "", "the second call gives another result"
    return answers[0]


def expect(text: str, arguments: Sequence[Array], expected: Sequence[Array]) -> None:
    """The results of a program are these."""
    for actual, target in zip(run(text, *arguments), expected, strict=True):
        assert difference(actual, target, EXACT) == ""
