"""Many small cases compiled as one program: a compilation costs more than all of their runs.

A case is a snippet that reads ``%in0``, ``%in1``, ... and defines ``%out0``, ...; its other names
are its own. ``check`` runs the snippets of a list as one function and compares every result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from values import finfo

import shlo_tools
from shlo_tools import dtypes

Array = np.ndarray[Any, Any]
Compare = Callable[[Array, Array], str]

TOGETHER = 12  # cases compiled as one function; with many more LLVM's time grows out of hand


def same(actual: Array, expected: Array) -> str:
    """'' where all bits agree (any NaN stands for any other), else what differs first."""
    return _first_difference(actual, expected, ~_agree(actual, expected))


def same_bits(actual: Array, expected: Array) -> str:
    """'' where all bits agree, payloads of NaNs too."""
    return _first_difference(actual, expected, _bits(actual) != _bits(expected))


def within(ulps: float, floor: float = 0.0) -> Compare:
    """Finite numbers may be off by some units in the last place (or ``floor``), others not at all.

    The expected values come as float64 (or wider), so that they are not rounded themselves.
    """

    def compare(actual: Array, expected: Array) -> str:
        with np.errstate(over="ignore"):
            rounded = expected.astype(actual.dtype)
        finite = np.isfinite(rounded.astype(np.float64)) & (rounded != 0)
        one = np.abs(_spacing(np.where(finite, rounded, 1).astype(actual.dtype)))
        wanted = np.where(finite, expected, 0.0).astype(np.longdouble)
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(actual.astype(np.longdouble) - wanted)
        close = finite & (error <= np.maximum(ulps * one.astype(np.longdouble), floor))
        return _first_difference(actual, rounded, ~(close | _agree(actual, rounded)))

    return compare


def _spacing(array: Array) -> Array:
    """The distance to the next number away from zero."""
    info = finfo(array.dtype)
    magnitude = np.abs(array.astype(np.float64))
    magnitude = np.maximum(magnitude, float(info.smallest_normal))
    return np.asarray(np.ldexp(1.0, np.frexp(magnitude)[1] - 1 - info.nmant))


def _bits(array: Array) -> Array:
    if array.dtype.kind == "c":
        array = np.ascontiguousarray(array)[..., None].view(f"f{array.dtype.itemsize // 2}")
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def _agree(actual: Array, expected: Array) -> Array:
    if actual.dtype.kind == "c":
        parts = ((actual.real, expected.real), (actual.imag, expected.imag))
        agreed = [_agree(*(np.ascontiguousarray(p) for p in pair)) for pair in parts]
        return np.asarray(agreed[0] & agreed[1])
    agree = np.asarray(_bits(actual) == _bits(expected))
    if actual.dtype.kind in "fV":
        with np.errstate(invalid="ignore"):  # ml_dtypes meets signalling NaNs
            agree |= np.isnan(actual) & np.isnan(expected)
    return agree


def _first_difference(actual: Array, expected: Array, differs: Array) -> str:
    count = int(np.count_nonzero(differs))
    if not count:
        return ""
    at = tuple(int(i) for i in np.argwhere(differs)[0])[: actual.ndim]
    return f"{count} differ, first {list(at)}: {actual[at]!r}, should be {expected[at]!r}"


@dataclass
class Case:
    """One snippet with its inputs and what must come out.

    Attributes:
        results: the types of its results, where they are not those of ``expected``.
    """

    name: str
    text: str
    inputs: Sequence[Array]
    expected: Sequence[Array]
    compare: Compare = same
    results: Sequence[str] = ()

    def result_types(self) -> Sequence[str]:
        return self.results or [type_of(array) for array in self.expected]

    def difference(self, results: Sequence[Array]) -> str:
        """'' where the results are as expected."""
        for number, (actual, wanted) in enumerate(zip(results, self.expected, strict=True)):
            found = self.compare(actual, wanted)
            if found:
                where = ""
                index = re.search(r"first \[([\d, ]+)\]", found)
                if index:
                    at = tuple(int(i) for i in index[1].split(","))
                    given = [repr(x[at]) for x in self.inputs if x.shape == actual.shape]
                    where = f" for ({', '.join(given)})" if given else ""
                return f"{self.name}: result {number}: {found}{where}"
        return ""


def operation(
    name: str,
    inputs: Sequence[Array],
    expected: Array,
    attributes: str = "",
    *,
    compare: Compare = same,
    result: str = "",
) -> Case:
    """A case of one StableHLO op; the result's type is that of ``expected`` unless given."""
    operands = ", ".join(f"%in{i}" for i in range(len(inputs)))
    types = ", ".join(type_of(array) for array in inputs)
    held = f" {{{attributes}}}" if attributes else ""
    result = result or type_of(expected)
    text = f'%out0 = "stablehlo.{name}"({operands}){held} : ({types}) -> {result}'
    label = " ".join((name, *(str(dtypes.of_array(array)) for array in inputs), attributes))
    return Case(label, text, inputs, [expected], compare, [result])


def type_of(array: Array) -> str:
    """The MLIR type of an array."""
    return str(dtypes.of_array(array))


def program(cases: Sequence[Case]) -> str:
    """One function that takes the inputs of all cases and returns all their results."""
    arguments, lines, returned, types = [], [], [], []
    for number, case in enumerate(cases):
        prefix = f"%c{number}_"
        for i, array in enumerate(case.inputs):
            arguments.append(f"{prefix}in{i}: {type_of(array)}")
        lines.append(re.sub(r"%(?=\w)", prefix, case.text))
        for i, type in enumerate(case.result_types()):
            returned.append(f"{prefix}out{i}")
            types.append(type)
    signature = f"({', '.join(arguments)}) -> ({', '.join(types)})"
    ending = f"return {', '.join(returned)} : {', '.join(types)}" if types else "return"
    body = "\n".join((*lines, ending))
    return f"func.func @main{signature} {{\n{body}\n}}"


def check(cases: Sequence[Case], *, together: int = TOGETHER) -> None:
    """Run the cases as a few programs; fails with the first difference of each that is wrong.

    Every call also holds what is promised for all of them: read-only arguments are accepted and
    arguments never written; results are aligned, writeable and apart from everything else.
    """
    wrong = []
    for start in range(0, len(cases), together):
        some = cases[start : start + together]
        results = _run(some)
        for case in some:
            mine, results = results[: len(case.expected)], results[len(case.expected) :]
            wrong.append(case.difference(mine))
    wrong = [difference for difference in wrong if difference]
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong)


def _run(cases: Sequence[Case]) -> list[Array]:
    executable = shlo_tools.compile(program(cases))
    inputs = [_read_only(array) for case in cases for array in case.inputs]
    before = [array.copy() for array in inputs]
    given = executable(*inputs)
    results = list(given) if isinstance(given, tuple) else [given]
    for kept, array in zip(before, inputs, strict=True):
        assert same_bits(array, kept) == "", "an argument was written"
    _check_memory(inputs, results)
    return results


def _check_memory(inputs: Sequence[Array], results: Sequence[Array]) -> None:
    for result in results:
        assert result.ctypes.data % 64 == 0 or not result.size
        assert result.flags.c_contiguous and result.flags.writeable
    stretches = sorted((a.ctypes.data, a.ctypes.data + a.nbytes) for a in results if a.nbytes)
    assert all(one[1] <= next[0] for one, next in pairwise(stretches)), "results share memory"
    taken = [(a.ctypes.data, a.ctypes.data + a.nbytes) for a in inputs if a.nbytes]
    for start, end in stretches:
        assert all(end <= low or high <= start for low, high in taken), "a result is an argument"


def _read_only(array: Array) -> Array:
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


# --- whole programs -------------------------------------------------------------------------------
def run(text: str, *arguments: Array) -> list[Array]:
    """Results of a program, called twice on read-only arguments."""
    executable = shlo_tools.compile(text)
    held = [np.array(a, order="C") for a in arguments]
    for array in held:
        array.flags.writeable = False
    answers = []
    for _ in range(2):  # a program that writes what it must not gives itself away
        given = executable(*held)
        answers.append(list(given) if isinstance(given, tuple) else [given])
        for before, after in zip(arguments, held, strict=True):
            assert same_bits(after, np.asarray(before)) == ""
    for first, second in zip(*answers, strict=True):
        assert same_bits(second, first) == "", "the second call gives another result"
    return answers[0]


def expect(text: str, arguments: Sequence[Array], wanted: Sequence[Array]) -> None:
    results = run(text, *arguments)
    for actual, right in zip(results, wanted, strict=True):
        assert actual.dtype == right.dtype and actual.shape == right.shape
        np.testing.assert_array_equal(actual, right)
