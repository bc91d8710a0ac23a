"""Programs of stages as executables: kernels as jobs of a table that native code walks."""

from __future__ import annotations

import ctypes
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from shlo_tools import dtypes, time_limit
from shlo_tools.calling.arguments import Parameters, as_argument, check_donated
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen.library.entering import REFUSED
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.saved import files
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.cpu.stages.alternating import placed
from shlo_tools.cpu.stages.code import Code
from shlo_tools.cpu.stages.entry import Entry, arrays_are_known
from shlo_tools.cpu.stages.once import split
from shlo_tools.cpu.stages.preparation import Preparation
from shlo_tools.cpu.stages.program import Program, program_inputs
from shlo_tools.cpu.stages.table import Planned
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import ended, started, watched
from shlo_tools.dtypes import Array
from shlo_tools.time_limit import is_limited, limited
from shlo_tools.types import array_type

if TYPE_CHECKING:  # who calls a program need not know of them
    from shlo_tools.calling.memory_timeline import Timeline
    from shlo_tools.calling.memory_use import Memory
    from shlo_tools.calling.profile import Profile
    from shlo_tools.cpu.profiling.rows import Origins

_FREE = 4  # entries kept per executable for the next call
_executables: WeakSet[StagedExecutable] = WeakSet()


def _after_fork() -> None:
    """Frames know the pool of the parent, whose threads are not in a forked child."""
    for executable in _executables:
        executable._free.clear()
        if executable._preparation is not None:
            executable._preparation.forget_threads()


os.register_at_fork(after_in_child=_after_fork)


class StagedExecutable(Executable):
    """A program of stages; each call uses a table and a frame of its own.

    Args:
        constants: by their numbers in the table of weights.
        keeps: whether what is made of constants alone is kept from call to call.

    Attributes:
        stages: the names of all of them.
        plain: the names of those that no kernel computes, with the reasons.
        origins: says where stages come from; None where the program is not kept.
    """

    origins: Callable[[], Origins] | None = None

    def __init__(
        self,
        name: str,
        signature: Signature[Any],
        program: Program,
        code: Code,
        constants: Sequence[Array],
        *,
        keeps: bool = True,
    ) -> None:
        self.name, self.signature = name, signature
        self.stages, self.plain = tuple(program.codes), program.plain
        self._owners, plain = code.owners, code.plain
        self._code = code
        self._parameters = Parameters(name, signature)
        self._inputs, self._results = (
            [array_type(type) for type in types] for types in (signature.inputs, signature.results)
        )
        arrays = [as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants]
        pointers = [constant.ctypes.data for constant in arrays]
        self._weights = (ctypes.c_int64 * max(1, len(pointers)))(*pointers)
        self._checks, self._host_calls = plain.manifest.checks, plain.host_calls
        entries = plain.manifest.entry_points.values()
        self._arena = max((entry.arena for entry in entries), default=0)
        self._grows = any(entry.grows for entry in entries)
        self._whole, self._constants = program, arrays
        once = split(program, len(arrays)) if keeps else None
        program = once.rest if once is not None else program
        program, places = placed(program)  # while threads generate code
        self._preparation = None
        if once is not None:
            self._preparation = Preparation(once, code.addresses, arrays, self._frame)
            arrays = [*arrays, *self._preparation.arrays]
        self._planned = Planned(program, places, code.addresses, arrays)
        self.donated = program.donated
        self._aliases = self._planned.places.aliases
        self._written = [
            replace(type, shape=(0,)) if number in self._aliases else type
            for number, type in enumerate(self._results)
        ]
        self._is_direct = arrays_are_known() and self._returns_places(program)
        self._free: deque[Entry] = deque(maxlen=_FREE)
        _executables.add(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        files.write(path, self.contents())

    def contents(self) -> ExecutableParts:
        """What a file has of this executable."""
        program, constants = self._whole, self._constants
        return ExecutableParts(self.name, self.signature, program, self._code, constants)

    def _returns_places(self, program: Program) -> bool:
        """Whether all results are written where the caller gets them."""
        places = self._planned.places
        return all(
            places.results.get(places.shared[value]) == number
            for number, value in enumerate(program.body.returned)
        )

    @property
    def memory(self) -> Memory:
        from shlo_tools.calling.memory_use import Memory

        results = sum(type.nbytes for type in self._written)
        size = self._planned.places.size + self._arena
        kept = self._preparation.arrays if self._preparation is not None else ()
        bytes = sum(array.nbytes for array in kept)
        return Memory(size, results, SCRATCH_BYTES, self._timeline, bytes)

    def _timeline(self) -> Timeline:
        from shlo_tools.cpu.stages.timeline import timeline

        return timeline(self._planned.program, self._planned.places, self._origins())

    def _origins(self) -> Origins | None:
        """Where the calls of stages come from that are part of each call, if that is known."""
        origins = self.origins and self.origins()
        if origins is None or self._preparation is None:
            return origins
        return origins.without(self._preparation.left_out)

    def _at_once(self, arguments: Sequence[Any]) -> Sequence[Array] | None:
        if not self._is_direct or is_limited():
            return None
        if self.donated:
            if len(arguments) != len(self._inputs):
                return None
            if not all(type(a) is np.ndarray and a.flags.c_contiguous for a in arguments):
                return None
            check_donated(arguments, arguments, self.donated)
        try:  # as ``_entry`` does, whose call would show in the shortest programs
            entry = self._free.pop()
        except IndexError:
            entry = self._new_entry()
        results, frame = entry.results(), entry.frame
        call = started(frame)
        try:
            stopped = entry.checked(arguments)
        finally:
            ended(call)
        if stopped and stopped != REFUSED:
            raise_for_status(frame, self._checks, None)
        if not frame.is_claimed:
            self._free.append(entry)
        if stopped:
            return None
        return self._with_aliases(results, arguments) if self._aliases else results

    def _with_aliases(self, results: list[Array], arguments: Sequence[Array]) -> list[Array]:
        """Results, some of which lie in donated arguments."""
        for number, argument in self._aliases.items():
            type = self._results[number]
            array = arguments[argument].reshape(-1).view(type.element_type.dtype)
            results[number] = array.reshape(type.static_shape)
        return results

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast, donated=self.donated)
        with limited(timeout) as limit:
            entry = self._entry()
            results, frame = entry.results(), entry.frame
            with watched(frame, time_limit.left()):
                entry.unchecked(tuple(inputs))
        raise_for_status(frame, self._checks, limit)
        self._with_aliases(results, inputs)
        if not self._is_direct:
            self._fill(inputs, results)
        if not frame.is_claimed:
            self._free.append(entry)
        return results

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        from shlo_tools.cpu.profiling import measuring

        inputs = self._parameters.bound(arguments, cast=cast)
        entry = self._new_entry()

        def call() -> float:
            own = [x.copy() if k in self.donated else x for k, x in enumerate(inputs)]
            entry.results()
            with limited(timeout) as limit, watched(entry.frame, limit):
                start = time.perf_counter()
                entry.unchecked(tuple(own))
                seconds = time.perf_counter() - start
            raise_for_status(entry.frame, self._checks, limit)
            return seconds

        program, origins = self._planned.program, self._origins()
        return measuring.profile(self.name, program, entry, call, calls, origins, self.threads)

    def _entry(self) -> Entry:
        try:
            return self._free.pop()
        except IndexError:
            return self._new_entry()

    def _new_entry(self) -> Entry:
        if self._preparation is not None:
            self._preparation.ensure()
        return Entry(self._planned, self._inputs, self._written, self._frame())

    def _frame(self) -> Frame:
        weights = ctypes.addressof(self._weights)
        return Frame(
            self._arena,
            weights,
            self._host_calls,
            grows=self._grows,
            has_jobs=True,
            threads=self.threads,
        )

    def _fill(self, inputs: Sequence[Array], results: Sequence[Array]) -> None:
        """Results that are an argument, a weight, or another result, too."""
        planned = self._planned
        program, places = planned.program, planned.places
        for number, value in enumerate(program.body.returned):
            written = places.results.get(places.shared[value])
            if written == number:
                continue
            if value < program.arguments:
                results[number][...] = inputs[value]
            elif value < program_inputs(program):
                constant = planned.constants[program.weights[value - program.arguments]]
                results[number][...] = constant.reshape(results[number].shape)
            elif written is not None:
                results[number][...] = results[written]
