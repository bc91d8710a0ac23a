"""Ops that the host computes, or other libraries: jobs without kernels of their own."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

from shlo_tools import dtypes, ir
from shlo_tools.codegen.jobs import ENTRY_POINT, Context, Job, Place, StageCode, Word, places
from shlo_tools.codegen.library import calling, copying
from shlo_tools.codegen.library.calling import Argument
from shlo_tools.dtypes import TensorType
from shlo_tools.extend.lapack_targets import NOT_FINITE
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.passes.kernels import lapack_kernels
from shlo_tools.passes.kernels.lapack_calls import Argument as Passed
from shlo_tools.passes.kernels.lapack_calls import Buffer, given, out
from shlo_tools.passes.kernels.lapack_kernels import Found
from shlo_tools.passes.legalize_to_linalg.host_calls import description, placed
from shlo_tools.passes.stages import many_matrices, transforms


def lower(func: Operation, host_calls: list[Attribute]) -> StageCode:
    """The jobs of a stage of one op, and of reshapes, which leave memory as it is.

    Args:
        host_calls: what the host is called for in this module, by number; this may add to it.
    """
    *ops, op, end = ir.children(func)
    sources: dict[Value, Value] = {}
    for view in ops:
        sources[view.results[0]] = sources.get(view.operands[0], view.operands[0])
    arguments = list(func.regions[0].blocks[0].arguments)
    numbers = [arguments.index(sources.get(value, value)) for value in op.operands]
    if list(end.operands) != list(op.results):
        raise RuntimeError("a stage of the host returns all results of its op")
    described = description(op)
    routine = lapack_kernels.find(described)
    many = many_matrices.lower(op, routine, numbers)
    if many is not None:
        return many
    if routine is not None:
        types = ([dtypes.tensor_type(v.type) for v in vs] for vs in (op.operands, op.results))
        code = _Routine(routine, numbers, *types).code
        code.is_pure = True
        return code
    if op.name == "stablehlo.fft":
        transforms_code = transforms.lower(op, numbers[0])
        if transforms_code is not None:
            transforms_code.is_pure = True
            return transforms_code
    host_calls.append(placed(described, op.location))
    words: list[Word] = [len(host_calls) - 1]
    words += places(0, len(op.results))
    words += [Place("argument", number) for number in numbers]
    code = StageCode([], [Job(calling.CALL_HOST, 0, ENTRY_POINT)], [Context(tuple(words))])
    if op.name == "stablehlo.fft" and op.operands[0].type == op.results[0].type:
        code.in_place[0] = numbers  # a row is read before it is written
    return code


class _Routine:
    """The jobs that call a function of LAPACK for each matrix of a batch.

    Args:
        numbers: of the stage's arguments that the operands are.
    """

    def __init__(
        self,
        lapack: Found,
        numbers: Sequence[int],
        operands: Sequence[TensorType],
        results: Sequence[TensorType],
    ) -> None:
        self._lapack, self._numbers = lapack, numbers
        self._operands, self._results = operands, results
        self._count = prod(lapack.batch)
        self.code = StageCode()
        for result, operand in lapack.call.copies.items():
            self._copy(result, operand)
        routine = lapack.call
        arguments = [self._argument(argument) for argument in lapack.arguments]
        arguments += [self._lent(*pair) for pair in routine.lent.items()]
        if routine.finite is not None:
            arguments.append(self._checked(out(routine.finite)))
        arguments += [self._unpacked(*pair) for pair in routine.unpacked.items()]
        arguments += [self._zeros(number) for number in routine.zeros]
        status = None if routine.info is None else Place("result", routine.info)
        words = calling.routine_words(lapack.function, arguments, status)
        name = calling.routine_name(arguments, gives_status=status is not None)
        self.code.jobs.append(Job(name, len(self.code.contexts), self._count))
        self.code.contexts.append(Context(words))

    def _copy(self, result: int, operand: int) -> None:
        number, size = self._numbers[operand], self._results[result].nbytes
        words = copying.context(Place("argument", number), Place("result", result), size)
        is_read_once = self._numbers.count(number) == 1
        fills = result if is_read_once else None
        self.code.jobs.append(copying.job(len(self.code.contexts), size, fills=fills))
        self.code.contexts.append(words)
        if is_read_once:
            self.code.in_place[result] = [number]

    def _argument(self, argument: Passed) -> Argument:
        if argument is None:
            return "n", []
        if isinstance(argument, Buffer):
            return "p", self._matrices(argument)
        if isinstance(argument, str):
            return "i", [ord(argument)]  # a char travels like an int
        if isinstance(argument, int):
            return "i", [argument]
        letter = "f" if self._lapack.number.bits == 32 else "d"
        if isinstance(argument, float):
            return letter, [int.from_bytes(struct.pack(f"<{letter}", argument), "little")]
        number = struct.pack(f"<2{letter}", argument.real, argument.imag)
        return {"f": "c", "d": "z"}[letter], struct.unpack(f"<{len(number) // 8}q", number)

    def _lent(self, result: int, operand: int) -> Argument:
        """A matrix that is copied, see ``calling``."""
        size = self._operands[operand].nbytes // self._count
        return "C", [*self._matrices(out(result)), *self._matrices(given(operand)), size]

    def _checked(self, buffer: Buffer) -> Argument:
        """A matrix that must be finite, see ``calling``."""
        type, bits = self._operands[0], self._lapack.number.bits
        floats = type.nbytes * 8 // bits // self._count
        letter = "F" if bits == 32 else "D"
        return letter, [*self._matrices(buffer), floats, NOT_FINITE]

    def _unpacked(self, result: int, imaginary: int) -> Argument:
        """Vectors that become complex, see ``calling``."""
        letter = "U" if self._lapack.number.bits == 32 else "V"
        size = self._results[result].static_shape[-1]
        return letter, [*self._matrices(out(result)), size, *self._matrices(out(imaginary))]

    def _zeros(self, result: int) -> Argument:
        """A matrix that is set to 0, see ``calling``."""
        words = self._results[result].nbytes // self._count // 4
        return "Z", [*self._matrices(out(result)), words]

    def _matrices(self, buffer: Buffer) -> list[Word]:
        """Where the first matrix lies, and the bytes from one to the next."""
        types = self._results if buffer.is_result else self._operands
        number = buffer.number if buffer.is_result else self._numbers[buffer.number]
        type = types[buffer.number]
        skipped = type.element_type.dtype.itemsize * buffer.skip
        place = Place("result" if buffer.is_result else "argument", number, skipped)
        return [place, type.nbytes // self._count]
