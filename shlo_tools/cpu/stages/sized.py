"""Programs of stages whose sizes run time tells: compiled once, with a table for each set of sizes.

Sizes are those of arguments, or numbers that stand in arguments. What is computed for a set of
sizes is data: places, chunks, and the words of contexts, from expressions of the sizes. Sizes that
contradict the program go to the code of the linalg path, which is made then: it says which check
fails.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.calling.profile import Profile
from shlo_tools.codegen import named_sizes
from shlo_tools.cpu.profiling.rows import Origins
from shlo_tools.cpu.saved import files
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.program import Program
from shlo_tools.dtypes import Array

_KEPT = 8  # sets of sizes whose tables are kept

Sizes = tuple[int, ...]


class SizedExecutable(Executable):
    """A program whose sizes its arguments tell, as expressions of their sizes and elements.

    Args:
        program: with names for its sizes.
        instance: what runs a program whose sizes are known, and these; None where they do not fit.
        refusal: what runs the program with any sizes, and says which do not fit.
        contents: gives what a file has of it.

    Attributes:
        stages: the names of all of them.
        late: the names of those that are lowered for the sizes of a call, with the reasons.
        origins: says where stages come from, for the sizes of a call; None where the program is
            not kept.
    """

    origins: Callable[[Sizes], Origins] | None = None

    def __init__(
        self,
        name: str,
        signature: Signature[Any],
        program: Program,
        instance: Callable[[Program, Sizes], Executable | None],
        refusal: Callable[[], Executable],
        contents: Callable[[], ExecutableParts],
    ) -> None:
        self.contents = contents
        self.donated = program.donated
        self.name, self.signature = name, signature
        self.stages, self.late = tuple(program.codes), program.plain
        self._parameters = Parameters(name, signature)
        self._program, self._instance, self._refusal = program, instance, refusal
        self._instances: OrderedDict[Sizes, Executable] = OrderedDict()
        self._any: Executable | None = None
        self._table, self._compiling = threading.Lock(), threading.Lock()

    def save(self, path: str | os.PathLike[str]) -> None:
        files.write(path, self.contents())

    @property
    def latest(self) -> Executable | None:
        """What runs the program with the sizes that were new last."""
        with self._table:
            return next(reversed(self._instances.values()), None)

    def _at_once(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        try:
            sizes = named_sizes.values(self._program.symbols, arguments)
        except (AttributeError, IndexError, TypeError):  # no arrays, or others than the signature's
            return None
        executable = self._instances.get(sizes)
        return None if executable is None else executable._at_once(arguments)

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast, donated=self.donated)
        executable = self._at(named_sizes.values(self._program.symbols, inputs))
        return executable._run(inputs, False, timeout)

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast)
        executable = self._at(named_sizes.values(self._program.symbols, inputs))
        return executable._profiled(inputs, False, timeout, calls)

    def _at(self, sizes: Sizes) -> Executable:
        with self._table:
            if sizes in self._instances:
                self._instances.move_to_end(sizes)
                return self._instances[sizes]
        program = self._program.at(sizes)
        if program is None:
            return self._for_any()
        with self._compiling:
            executable = self._instance(program, sizes)
        if executable is None:
            executable = self._for_any()
        executable.threads = self.threads
        if isinstance(executable, StagedExecutable) and self.origins is not None:
            executable.origins = partial(self.origins, sizes)
        with self._table:
            executable = self._instances.setdefault(sizes, executable)
            while len(self._instances) > _KEPT:
                self._instances.popitem(last=False)
        return executable

    def _for_any(self) -> Executable:
        with self._compiling:
            if self._any is None:
                self._any = self._refusal()
            return self._any
