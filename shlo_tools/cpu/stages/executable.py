"""Programs of stages as executables: kernels as jobs of a table that native code walks."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import dtypes
from shlo_tools.calling.arguments import Parameters, as_argument
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen.library import jobs as layout
from shlo_tools.cpu import memory
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.native import Linked
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages.places import place
from shlo_tools.cpu.stages.program import Program
from shlo_tools.cpu.stages.table import Planned, Table
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.dtypes import Array
from shlo_tools.time_limit import limited
from shlo_tools.types import array_type

_FREE = 4  # tables kept per executable for the next call


class StagedExecutable(Executable):
    """A program of stages; each call uses a table and a frame of its own.

    Args:
        addresses: of the program's own functions.
        owners: of the machine code there.
        constants: by their numbers in the table of weights.
        plain: the stages that no kernel computes.

    Attributes:
        stages: the names of all of them.
        plain: the names of those that no kernel computes, with the reasons.
    """

    def __init__(
        self,
        name: str,
        signature: Signature[Any],
        program: Program,
        addresses: Mapping[str, int],
        owners: Sequence[Any],
        constants: Sequence[Array],
        plain: Linked,
    ) -> None:
        self.name, self.signature = name, signature
        self.stages, self.plain = tuple(program.codes), program.plain
        self._owners = owners
        self._parameters = Parameters(name, signature)
        self._results = [array_type(type) for type in signature.results]
        arrays = [as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants]
        pointers = [constant.ctypes.data for constant in arrays]
        self._weights = (ctypes.c_int64 * max(1, len(pointers)))(*pointers)
        self._checks, self._host_calls = plain.manifest.checks, plain.host_calls
        entries = plain.manifest.entry_points.values()
        self._arena = max((entry.arena for entry in entries), default=0)
        self._grows = any(entry.grows for entry in entries)
        self._planned = Planned(program, place(program), addresses, arrays)
        self._run_table = ctypes.CFUNCTYPE(
            ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
        )(parts.address(layout.RUN))
        self._free: list[tuple[Table, Frame]] = []

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast)
        results = [memory.aligned_empty(type) for type in self._results]
        try:
            table, frame = self._free.pop()
        except IndexError:
            table, frame = Table(self._planned), self._frame()
        table.point(inputs, results)
        frame.reset()
        with limited(timeout) as limit, watched(frame, limit):
            self._run_table(frame.address, table.address, table.rows)
        raise_for_status(frame, self._checks, limit)
        for number, value in enumerate(self._planned.program.body.returned):
            array = table.array(value, inputs, results)
            if array is not results[number]:
                results[number][...] = array
        if len(self._free) < _FREE:
            self._free.append((table, frame))
        return results

    def _frame(self) -> Frame:
        weights = ctypes.addressof(self._weights)
        return Frame(self._arena, weights, self._host_calls, grows=self._grows, has_jobs=True)
