"""LAPACK calls that JAX exports, as direct calls of the library.

Before:
    func.func private @shlo.host.0(memref<4x4xf32>, memref<i32>, memref<4x4xf32>)
      attributes {shlo.kernel = {kind = "host", target = "lapack_spotrf_ffi", ...}}
After:
    memref.copy %a, %out
    %info = llvm.call @scipy_LAPACKE_spotrf(%column_major, %other_uplo, %4, %out, %4)

Here are the targets whose routine does all of the work; others, and calls whose sizes or options
do not fit, go through the host.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from shlo_tools.codegen.llvm import I32, Code, Word
from shlo_tools.codegen.memrefs import address_of
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, tensor_type
from shlo_tools.extend import lapack_targets, registered
from shlo_tools.extend.lapack_targets import (
    CBLAS,
    LETTERS,
    PREFIXES,
    REAL,
    is_complex,
    letter_of,
    spelled,
)
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels.library_calls import Library, body_of

ROW_MAJOR, COLUMN_MAJOR = 101, 102
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Buffer:
    """Operand or result ``number`` of the target, from its element ``skip`` on."""

    number: int
    is_result: bool
    skip: int = 0


Argument = int | str | float | complex | Buffer


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
            numbers of the element type, and complex numbers, which are passed by reference.
        fits: whether the sizes of the operands fit each other.
        results: shape and element type of each result: ``T`` as the operands, ``R`` real, ``C``
            complex, ``i32``.
        copies: result -> the operand that it starts as.
        lent: result that the routine leaves unset -> the operand whose matrix it holds meanwhile.
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
    info: int | None = None
    is_blas: bool = False
    layout: int = ROW_MAJOR
    finite: int | None = None
    zeros: Sequence[int] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is copies and a call; jobs of the process library do the rest, too."""
        by_reference = any(isinstance(argument, complex) for argument in self.arguments)
        return self.finite is None and not by_reference and not self.lent and not self.zeros


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
    """Eigenvalues alone, in two parts: the matrix is used up in the place of left vectors."""
    return _geev(a, compute_left + compute_right, "RR")


def complex_geev(a: Shape, *, compute_left: str, compute_right: str) -> Call:
    """Eigenvalues alone, as above."""
    return _geev(a, compute_left + compute_right, "T")


def _geev(a: Shape, letters: str, parts: str) -> Call:
    size, left = a[0], len(parts)
    values: list[Argument] = [out(number) for number in range(left)]
    vectors: list[Argument] = [out(left), size, out(left + 1), size]
    results = [*(((size,), part) for part in parts), (a, "C"), (a, "C"), INFO]
    arguments = [*letters, size, out(left), size, *values, *vectors]
    return Call(
        *("geev", arguments, a == (size, size) and letters == "NN", results),
        copies={},
        lent={left: 0},
        info=left + 2,
        finite=left,
        zeros=(left, left + 1),
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
    "gtsv": Routine(gtsv, [1, 1, 1, 2]),
    "trsm": Routine(trsm, [2, 2]),
}
COMPLEX = {
    **ROUTINES,
    "geev": Routine(complex_geev, [2]),
    "trsm": Routine(complex_trsm, [2, 2]),
}
TARGETS = {  # each with its routine and the letter of its element type
    name: (routines[routine], prefix)
    for name, (routine, prefix) in lapack_targets.TARGETS.items()
    if routine in (routines := COMPLEX if is_complex(prefix) else ROUTINES)
}


# --- which calls are made so ----------------------------------------------------------------------
@dataclass(frozen=True)
class Found:
    """A call with the prefix of its element type and its batch."""

    call: Call
    prefix: str
    batch: Shape

    @property
    def function(self) -> str:
        """The name of the library's function."""
        name = self.prefix + spelled(self.call.routine, self.prefix)
        return f"scipy_{'cblas' if self.call.is_blas else 'LAPACKE'}_{name}"

    @property
    def number(self) -> ElementType:
        """The type of numbers that are passed."""
        return ELEMENT_TYPES[REAL[self.prefix]]

    @property
    def arguments(self) -> list[Argument]:
        """What the function is passed."""
        return [self.call.layout, *map(self._passed, self.call.arguments)]

    def _passed(self, argument: Argument) -> Argument:
        if not isinstance(argument, str):
            return argument
        real, _, complex = argument.partition("|")
        return complex if complex and is_complex(self.prefix) else real


def find(kernel: Mapping[str, Any]) -> Found | None:
    """The call that a kernel's description asks for; None where the host has to see to it.

    What a user registered for the target comes before it.
    """
    target = TARGETS.get(kernel["target"].value)
    if target is None or "step" in kernel or registered(kernel["target"].value) is not None:
        return None
    routine, prefix = target
    inputs, results = (
        [tensor_type(item.value) for item in kernel[name]] for name in ("inputs", "results")
    )
    if not all(type.is_static for type in (*inputs, *results)):
        return None
    options = _options(kernel["config"] if "config" in kernel else (), routine.options)
    batch = inputs[0].static_shape[: inputs[0].rank - routine.ranks[0]] if inputs else ()
    shapes = [type.static_shape[len(batch) :] for type in inputs]
    alike = all(type.static_shape[: len(batch)] == batch for type in inputs)
    if options is None or not alike or [len(shape) for shape in shapes] != list(routine.ranks):
        return None
    form = routine.make(*shapes, **options)
    result_types = [TensorType((*batch, *shape), _element(e, prefix)) for shape, e in form.results]
    for number in form.zeros:
        shape = results[number].static_shape if number < len(results) else ()
        if shape[: len(batch)] == batch:
            result_types[number] = TensorType(shape, _element(form.results[number][1], prefix))
    given_types = {type.element_type for type in inputs}
    everything = all(type.size for type in (*inputs, *results))
    if (
        form.fits
        and everything
        and results == result_types
        and given_types == {_element("T", prefix)}
    ):
        return Found(form, prefix, batch)
    return None


def _element(name: str, prefix: str) -> ElementType:
    real = REAL[prefix]
    names = {"T": PREFIXES[prefix], "R": real, "C": f"complex<{real}>"}
    return ELEMENT_TYPES[names.get(name, name)]


def _options(config: Any, names: Sequence[str]) -> dict[str, str | bool] | None:
    """The options by name, letters as text; None where they are not as they should be."""
    settings: dict[str, Any] = {item.name: getattr(item.attr, "value", None) for item in config}
    options: dict[str, str | bool] = {}
    for name in names:
        value = settings.get(name)
        if name in LETTERS:
            value = letter_of(name, value)
        if value is None:
            return None
        options[name] = value
    return options if len(settings) == len(names) else None


# --- implementing them ----------------------------------------------------------------------------
def implement(func: Operation, lapack: Found, library: Library) -> None:
    """Give a declared kernel a body that calls LAPACK, for each matrix of the batch."""
    buffers, code = body_of(func)
    results = buffers[: len(lapack.call.results)]
    operands = buffers[len(results) :]
    for result, operand in lapack.call.copies.items():
        code.op("memref.copy", [operands[operand], results[result]])
    count = prod(lapack.batch)

    def of_matrix(number: int | Word) -> None:
        _emit(code, lapack, operands, results, number, library)

    if count == 1:
        of_matrix(0)
    else:
        code.loop(count, of_matrix)
    code.op("func.return", results)


def _emit(
    code: Code,
    lapack: Found,
    operands: Sequence[Value],
    results: Sequence[Value],
    number: int | Word,
    library: Library,
) -> None:
    """One call of the routine, on matrix ``number`` of the batch."""

    def address(buffer: Buffer) -> Word:
        value = (results if buffer.is_result else operands)[buffer.number]
        type = tensor_type(value.type)
        step = type.nbytes // prod(lapack.batch)
        skipped = type.element_type.dtype.itemsize * buffer.skip
        return address_of(code, value) + step * number + skipped

    def passed(argument: Argument) -> Word:
        if isinstance(argument, Buffer):
            return address(argument)
        if isinstance(argument, float):
            return code.constant(argument, lapack.number.name)
        if isinstance(argument, str):  # a char travels like an int
            return code.constant(ord(argument), I32)
        if isinstance(argument, complex):
            raise TypeError("a call that is not plain")
        return code.constant(argument, I32)

    routine = lapack.call
    arguments = [passed(argument) for argument in lapack.arguments]
    status_type = None if routine.is_blas else I32
    status = library.call(code, lapack.function, arguments, status_type)
    if status is not None and routine.info is not None:
        code.store(status, address(out(routine.info)))
