"""LAPACK calls that JAX exports, as direct calls of the library.

Before:
    func.func private @shlo.host.0(memref<4x4xf32>, memref<i32>, memref<4x4xf32>)
      attributes {shlo.kernel = {kind = "host", target = "lapack_spotrf_ffi", ...}}
After:
    memref.copy %a, %out
    %info = llvm.call @scipy_LAPACKE_spotrf(%column_major, %other_uplo, %4, %out, %4)

Here are the targets whose routine does all of the work (``lapack_calls``); others, and calls whose
sizes or options do not fit, go through the host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from shlo_tools.codegen.llvm import I32, Code, Word
from shlo_tools.codegen.memrefs import address_of
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, TensorType, tensor_type
from shlo_tools.extend import registered
from shlo_tools.extend.lapack_targets import (
    LETTERS,
    PREFIXES,
    REAL,
    is_complex,
    letter_of,
    spelled,
)
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels.lapack_calls import TARGETS, Argument, Buffer, Call, Shape, out
from shlo_tools.passes.kernels.library_calls import Library, body_of


# --- which calls are made so ----------------------------------------------------------------------
@dataclass(frozen=True)
class Found:
    """A call with the prefix of its element type, its batch and the options that it was made by."""

    call: Call
    prefix: str
    batch: Shape
    options: Mapping[str, str | bool]

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
        return Found(form, prefix, batch, options)
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
        if argument is None or isinstance(argument, complex):
            raise TypeError("a call that is not plain")
        return code.constant(argument, I32)

    routine = lapack.call
    arguments = [passed(argument) for argument in lapack.arguments]
    status_type = None if routine.is_blas else I32
    status = library.call(code, lapack.function, arguments, status_type)
    if status is not None and routine.info is not None:
        code.store(status, address(out(routine.info)))
