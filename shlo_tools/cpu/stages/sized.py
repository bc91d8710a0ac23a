"""Programs of stages whose sizes run time tells: compiled once, with a table for each set of sizes.

Sizes are those of arguments, or numbers that stand in arguments. What is computed for a set of
sizes is data: places, chunks, and the words of contexts, from expressions of the sizes. Sizes that
contradict the program go to the code of the linalg path, which is made then: it says which check
fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from shlo_tools import mlir
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen import named_sizes
from shlo_tools.cpu.recent import Recent
from shlo_tools.cpu.saved import files
from shlo_tools.cpu.saved.contents import ExecutableParts
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.program import Program
from shlo_tools.dtypes import Array
from shlo_tools.time_limit import limited

if TYPE_CHECKING:
    from shlo_tools.calling.profile import Profile
    from shlo_tools.cpu.profiling.rows import Origins

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
        self._instances = Recent[Sizes](_KEPT)
        self._any: Executable | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        files.write(path, self.contents())

    @property
    def latest(self) -> Executable | None:
        """What ran the program last."""
        keys = self._instances.keys()
        return self._instances.get(keys[-1]) if keys else None

    def _at_once(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        try:
            sizes = named_sizes.values(self._program.symbols, arguments)
        except named_sizes.UNFIT:
            return None
        executable = self._instances.get(sizes)
        return None if executable is None else executable._at_once(arguments)

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast, donated=self.donated)
        return self._at(inputs, timeout)._run(inputs, False, timeout)

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast)
        return self._at(inputs, timeout)._profiled(inputs, False, timeout, calls)

    def _at(self, inputs: Sequence[Array], timeout: float | None) -> Executable:
        sizes = named_sizes.values(self._program.symbols, inputs)
        executable = self._instances.get(sizes)
        if executable is None:
            with limited(timeout):  # others may be compiling
                executable = self._made(sizes)
        return executable

    def _made(self, sizes: Sizes) -> Executable:
        program = self._program.at(sizes)
        if program is None:
            return self._for_any()
        executable = self._instance(program, sizes)
        if executable is None:
            executable = self._for_any()
        executable.threads = self.threads
        if isinstance(executable, StagedExecutable) and self.origins is not None:
            executable.origins = partial(self.origins, sizes)
        return self._instances.add(sizes, executable)

    def _for_any(self) -> Executable:
        with mlir.library_context():  # who waited here may find it made
            if self._any is None:
                self._any = self._refusal()
            return self._any
