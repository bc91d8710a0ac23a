"""What targets of LAPACK call: routines, what they are passed, and what becomes of their results.

Buffers hold matrices by rows, so that routines are told so, or see transposed ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shlo_tools.extend import lapack_targets
from shlo_tools.extend.lapack_targets import CBLAS, is_complex

ROW_MAJOR, COLUMN_MAJOR = 101, 102
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Buffer:
    """Operand or result ``number`` of the target, from its element ``skip`` on."""

    number: int
    is_result: bool
    skip: int = 0


Argument = int | str | float | complex | Buffer | None


def given(number: int) -> Buffer:
    return Buffer(number, False)


def out(number: int, skip: int = 0) -> Buffer:
    return Buffer(number, True, skip)


@dataclass(frozen=True)
class Call:
    """What a target does with one matrix of the batch.

    Attributes:
        routine: its name for reals, without the element type.
        arguments: sizes, letters (``T|C`` is ``C`` for complex types), buffers, floats for
            numbers of the element type, complex numbers, which are passed by reference, and None
            for a null pointer.
        fits: whether the sizes of the operands fit each other.
        results: shape and element type of each result: ``T`` as the operands, ``R`` real, ``C``
            complex, ``i32``.
        copies: result -> the operand that it starts as.
        lent: result that the routine leaves unset -> the operand whose matrix it holds meanwhile.
        unpacked: result of complex vectors that the routine leaves real, with both parts of a pair
            beside each other -> that of the imaginary parts of their values.
        info: the result that takes the routine's status.
        is_blas: whether CBLAS has the routine, which gives no status.
        layout: of the matrices as the routine sees them; LAPACKE copies those that are row-major.
        finite: the result that holds a matrix which must be finite when the routine begins. If it
            is not, it is 0 instead, and the status is ``NOT_FINITE``.
        zeros: results that the routine leaves unset, which are 0 behind it; they may have any
            shape, and what is lent has a matrix of the operand's.
    """

    routine: str
    arguments: Sequence[Argument]
    fits: bool
    results: Sequence[tuple[Shape, str]]
    copies: Mapping[int, int] = field(default_factory=lambda: {0: 0})
    lent: Mapping[int, int] = field(default_factory=dict)
    unpacked: Mapping[int, int] = field(default_factory=dict)
    info: int | None = None
    is_blas: bool = False
    layout: int = ROW_MAJOR
    finite: int | None = None
    zeros: Sequence[int] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is copies and a call; jobs of the process library do the rest, too."""
        if any(argument is None or isinstance(argument, complex) for argument in self.arguments):
            return False
        return self.finite is None and not (self.lent or self.unpacked or self.zeros)


INFO: tuple[Shape, str] = ((), "i32")


# --- shapes and options -> call -------------------------------------------------------------------
def potrf(a: Shape, *, uplo: str) -> Call:
    """In place: the lower factor by rows is the upper one of the transposed matrix by columns."""
    size, other = a[0], {"L": "U", "U": "L"}[uplo]
    arguments: list[Argument] = [other, size, out(0), size]
    results = [(a, "T"), INFO]
    return Call("potrf", arguments, a == (size, size), results, info=1, layout=COLUMN_MAJOR)


def getrf(a: Shape) -> Call:
    rows, columns = a
    results = [(a, "T"), ((min(a),), "i32"), INFO]
    return Call("getrf", [rows, columns, out(0), columns, out(1)], True, results, info=2)


def geqrf(a: Shape) -> Call:
    rows, columns = a
    results = [(a, "T"), ((min(a),), "T")]
    return Call("geqrf", [rows, columns, out(0), columns, out(1)], True, results)


def orgqr(a: Shape, tau: Shape) -> Call:
    rows, columns = a
    arguments: list[Argument] = [rows, columns, tau[0], out(0), columns, given(1)]
    return Call("orgqr", arguments, tau[0] <= columns <= rows, [(a, "T")])


def ormqr(a: Shape, tau: Shape, c: Shape, *, left: bool, transpose: bool) -> Call:
    letters = ["L" if left else "R", "T|C" if transpose else "N"]
    arguments: list[Argument] = [*letters, *c, tau[0], given(0), a[1], given(1), out(0), c[1]]
    fits = a[0] == c[0 if left else 1] and tau[0] <= min(a)
    return Call("ormqr", arguments, fits, [(c, "T")], {0: 2})


def gesdd(a: Shape, *, mode: str) -> Call:
    """Of the transposed matrix, which is the one by columns; its left vectors are right ones."""
    rows, columns = a
    values = min(a)
    left, right = (rows, columns) if mode == "A" else (values, values)
    vectors: list[Argument] = [out(3), columns, out(2), left]
    arguments: list[Argument] = [mode, columns, rows, out(0), columns, out(1), *vectors]
    results = [(a, "T"), ((values,), "R"), ((rows, left), "T"), ((right, columns), "T"), INFO]
    return Call(
        *("gesdd", arguments, mode in "ASN", results),
        info=4,
        layout=COLUMN_MAJOR,
        finite=0,
        zeros=(2, 3) if mode == "N" else (),
    )


def syevd(a: Shape, *, mode: str, uplo: str) -> Call:
    size = a[0]
    results = [(a, "T"), ((size,), "R"), INFO]
    arguments: list[Argument] = [mode, uplo, size, out(0), size, out(1)]
    return Call("syevd", arguments, a == (size, size) and mode in "NV", results, info=2)


def geev(a: Shape, *, compute_left: str, compute_right: str) -> Call:
    """Eigenvalues in two parts, no left vectors: in their place the matrix is used up."""
    return _geev(a, compute_left, compute_right, "RR")


def complex_geev(a: Shape, *, compute_left: str, compute_right: str) -> Call:
    """As above; eigenvalues are complex."""
    return _geev(a, compute_left, compute_right, "T")


def _geev(a: Shape, compute_left: str, compute_right: str, parts: str) -> Call:
    size, left = a[0], len(parts)
    right, has_right = left + 1, compute_right == "V"
    values: list[Argument] = [out(number) for number in range(left)]
    vectors: list[Argument] = [out(left), size, out(right), size]
    results = [*(((size,), part) for part in parts), (a, "C"), (a, "C"), INFO]
    arguments = [compute_left, compute_right, size, out(left), size, *values, *vectors]
    return Call(
        *("geev", arguments, a == (size, size) and compute_left == "N", results),
        copies={},
        lent={left: 0},
        unpacked={right: 1} if has_right and parts == "RR" else {},
        info=right + 1,
        finite=left,
        zeros=(left,) if has_right else (left, right),
    )


def gees(a: Shape, *, mode: str, sort: str) -> Call:
    """Eigenvalues in two parts."""
    return _gees(a, mode, sort, "RR")


def complex_gees(a: Shape, *, mode: str, sort: str) -> Call:
    """As above; eigenvalues are complex."""
    return _gees(a, mode, sort, "T")


def _gees(a: Shape, mode: str, sort: str, parts: str) -> Call:
    size, count = a[0], 2 + len(parts)
    values: list[Argument] = [out(number) for number in range(2, count)]
    results = [(a, "T"), (a, "T"), *(((size,), part) for part in parts), INFO, INFO]
    arguments = [mode, sort, None, size, out(0), size, out(count), *values, out(1), size]
    return Call(
        *("gees", arguments, a == (size, size) and mode in "NV", results),
        info=count + 1,
        finite=0,
        zeros=() if mode == "V" else (1,),
    )


def gtsv(lower: Shape, diagonal: Shape, upper: Shape, b: Shape) -> Call:
    size, count = b
    arguments: list[Argument] = [size, count, out(0, skip=1), out(1), out(2), out(3), count]
    bands = [lower, diagonal, upper]
    results = [*((band, "T") for band in bands), (b, "T"), INFO]
    copies = {number: number for number in range(4)}
    return Call("gtsv", arguments, bands == [(size,)] * 3, results, copies, info=4)


def trsm(a: Shape, b: Shape, *, side: str, uplo: str, trans_x: str, diag: str) -> Call:
    """In place."""
    return _trsm(a, b, 1.0, {"side": side, "uplo": uplo, "trans_x": trans_x, "diag": diag})


def complex_trsm(a: Shape, b: Shape, *, side: str, uplo: str, trans_x: str, diag: str) -> Call:
    """As above; CBLAS wants a complex factor by reference."""
    return _trsm(a, b, 1 + 0j, {"side": side, "uplo": uplo, "trans_x": trans_x, "diag": diag})


def _trsm(a: Shape, b: Shape, factor: float | complex, letters: Mapping[str, str]) -> Call:
    options = [CBLAS[name][letter] for name, letter in letters.items()]
    size = b[0 if letters["side"] == "L" else 1]
    arguments: list[Argument] = [*options, *b, factor, given(0), size, out(0), b[1]]
    return Call("trsm", arguments, a == (size, size), [(b, "T")], {0: 1}, is_blas=True)


@dataclass(frozen=True)
class Routine:
    """How to make a routine's call, and the ranks of its operands without batch."""

    make: Callable[..., Call]
    ranks: Sequence[int]

    @cached_property
    def options(self) -> list[str]:
        """The names of its options."""
        parameters = inspect.signature(self.make).parameters.values()
        return [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


ROUTINES = {
    "potrf": Routine(potrf, [2]),
    "getrf": Routine(getrf, [2]),
    "geqrf": Routine(geqrf, [2]),
    "orgqr": Routine(orgqr, [2, 1]),
    "ormqr": Routine(ormqr, [2, 1, 2]),
    "gesdd": Routine(gesdd, [2]),
    "syevd": Routine(syevd, [2]),
    "geev": Routine(geev, [2]),
    "gees": Routine(gees, [2]),
    "gtsv": Routine(gtsv, [1, 1, 1, 2]),
    "trsm": Routine(trsm, [2, 2]),
}
COMPLEX = {
    **ROUTINES,
    "geev": Routine(complex_geev, [2]),
    "gees": Routine(complex_gees, [2]),
    "trsm": Routine(complex_trsm, [2, 2]),
}
TARGETS = {  # each with its routine and the letter of its element type
    name: (routines[routine], prefix)
    for name, (routine, prefix) in lapack_targets.TARGETS.items()
    if routine in (routines := COMPLEX if is_complex(prefix) else ROUTINES)
}
