"""The protocol of everything that runs a program. Free of MLIR, as ``interop.remote`` needs it."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from shlo_tools import notebook
from shlo_tools.calling.memory_use import Memory
from shlo_tools.calling.profile import Profile
from shlo_tools.errors import ArgumentError, ExecutionTimeout, ShloError, UnsupportedError

Type = TypeVar("Type", covariant=True)


@dataclass(frozen=True)
class Signature(Generic[Type]):
    """Argument and result types of a function; as text where MLIR is not loaded."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    def __str__(self) -> str:
        inputs = ", ".join(str(type) for type in self.inputs)
        results = ", ".join(str(type) for type in self.results)
        return f"({inputs}) -> ({results})"

    def _repr_html_(self) -> str:
        return notebook.signature(self.inputs, self.results)


class Executable(ABC):
    """A function of a program, ready to run; call it with arrays.

    Native code, the reference and all others are called alike, and refuse the same calls with the
    same errors. Calls may overlap in several threads.

    Attributes:
        name: the function's name.
        signature: types of arguments and results; sizes may be unknown. Quantized values are
            passed as integers.
        donated: numbers of the arguments that calls may write, see ``compile``.
        threads: how many threads a call may use at most, the calling one included; None for all
            of the pool.
        texts: gives the program at a stage; none where it is not kept. See ``ir``.
        dumps: writes what it was compiled to; none where that is not known. See ``dump_kernels``.
    """

    texts: Callable[[str], str] | None = None
    dumps: Callable[[str], Any] | None = None
    donated: frozenset[int] = frozenset()
    threads: int | None = None
    name: str
    signature: Signature[Any]
    _why_not_saved = "only native code of stages can be"

    def __call__(self, *arguments: Any, cast: bool = False, timeout: float | None = None) -> Any:
        """Run the program.

        Args:
            arguments: arrays (anything with ``__array__``, ``__dlpack__`` or the buffer
                protocol), Python numbers or lists. They are read in place where that is possible,
                and never written. Donated ones are writable, row-major numpy arrays of the wanted
                dtype; what they hold after the call is not defined.
            cast: convert arguments of another dtype instead of refusing them; values that the
                wanted one cannot hold are refused all the same.
            timeout: seconds after which the program is stopped, as soon as it polls: between
                chunks of loops and blocks of products, but not within one call of LAPACK, of a
                Fourier transform, of a custom call's function or of numpy. Programs that such
                functions run have no more time than is left; none is where it is 0 or less.

        Returns:
            A new array, or a tuple of them where the function has several results. It may lie
            where a donated argument did, and shares memory with nothing else.

        Raises:
            ArgumentError: the arguments do not fit the signature, or the timeout is none.
            UnsupportedError: the program holds something that cannot be run.
            ExecutionError: a check of the program failed, or memory does not suffice.
            ExecutionTimeout: the time is up.
        """
        results = None if cast or timeout is not None else self._at_once(arguments)
        if results is None:
            seconds = None if timeout is None else _seconds(timeout)
            results = self._run(arguments, cast, seconds)
        return results[0] if len(results) == 1 else tuple(results)

    @property
    def memory(self) -> Memory | None:
        """What a call takes; None where sizes are unknown before it, and from the reference.

        ``memory.timeline`` says what is in use when, ``table()`` and ``plot(path)`` show it.
        """
        return None

    def profile(
        self,
        *arguments: Any,
        cast: bool = False,
        calls: int | None = None,
        timeout: float | None = None,
    ) -> Profile:
        """Measure where the time of calls goes.

        One call comes first that is not measured. Donated arguments are copied for each call.

        Args:
            arguments: as for a call.
            cast: as for a call.
            calls: how many are measured; by default as many as a second has, up to ten.
            timeout: seconds that one of them may take.

        Raises:
            ArgumentError: the arguments do not fit the signature, or there is nothing to measure.
            UnsupportedError: this executable runs something else than native code of its process.
            ExecutionError, ExecutionTimeout: as from a call.
        """
        if calls is not None and (isinstance(calls, bool) or not isinstance(calls, int)):
            raise ArgumentError(f"calls={calls!r}: a number of calls is wanted")
        if calls is not None and calls < 1:
            raise ArgumentError(f"calls={calls}: one call is measured at least")
        seconds = None if timeout is None else _seconds(timeout)
        return self._profiled(arguments, cast, seconds, calls)

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        raise UnsupportedError(f"the executable of @{self.name} is no native code to profile")

    def ir(self, stage: str = "stablehlo") -> str:
        """The program that this was made from, as text; passes run when it is asked for.

        Args:
            stage: ``stablehlo`` is the program as it was read, but that constants of more than
                4 KiB, which are arrays of the executable, are loads from globals. Native code
                also has ``normalized``, without CHLO, quantized types, calls and the like;
                ``stages``, cut into private functions, one for each distinct stage; ``kernels``,
                the code of these; ``linalg`` and ``llvm``, the whole program lowered without
                stages. A program that was lowered before it was compiled has the first alone.

        Raises:
            ShloError: there is no such stage, or a pass refuses the program.
            UnsupportedError: the program is not kept.
        """
        if self.texts is None:
            raise UnsupportedError(f"the executable of @{self.name} does not keep its program")
        return self.texts(stage)

    def dump_kernels(self, folder: str | os.PathLike[str]) -> None:
        """Write what the program was compiled to: files for each distinct stage, and an index.

        ``stage.0.stablehlo.mlir`` is what the stage computes, as a program that can be run;
        ``.llvm.mlir`` its kernels in the llvm dialect, ``.ll`` in LLVM IR; ``.o`` is an object
        file with their machine code, and ``.s`` its instructions, where ``objdump`` or
        ``llvm-objdump`` is installed. ``index.csv`` has a line for each stage: where it stands in
        the source, what it runs, which files there are, and why not all of them.

        Args:
            folder: is made where there is none.

        Raises:
            UnsupportedError: the program is not kept, or not compiled.
            ShloError: a file cannot be written.
        """
        if self.dumps is None:
            raise UnsupportedError(f"the executable of @{self.name} does not know its kernels")
        self.dumps(os.fspath(folder))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was compiled to a file, which ``load_executable`` runs in other processes.

        The file appears whole or not at all. It has machine code for this processor, and serves
        this version of the package: keep the program as well.

        Raises:
            UnsupportedError: this executable is of its process alone, and the message says why.
            ShloError: the file cannot be written.
        """
        raise UnsupportedError(
            f"the executable of @{self.name} cannot be saved: {self._why_not_saved}",
            hint="save the program, and compile it where it runs",
        )

    def _at_once(self, arguments: Sequence[Any]) -> Sequence[Any] | None:
        """The results where a shorter way than ``_run`` takes the arguments as they are."""
        return None

    @abstractmethod
    def _run(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None
    ) -> Sequence[Any]: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} @{self.name}{self.signature}>"

    def _repr_html_(self) -> str:
        title = f"{type(self).__name__} @{self.name}"
        table = notebook.signature(self.signature.inputs, self.signature.results, title)
        return f"{table}<p>{self.memory}</p>" if self.memory is not None else table

    def __reduce__(self) -> NoReturn:
        raise ShloError(
            f"the executable of @{self.name} cannot be pickled or copied: it is of this process",
            hint="send the program and compile it there, or save() the executable to a file",
        )


def _seconds(timeout: Any) -> float:
    """A time limit; raises ArgumentError where it is none."""
    try:
        seconds = math.nan if isinstance(timeout, bool | str | bytes) else float(timeout)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if math.isnan(seconds):
        message = f"timeout={timeout!r}: a number of seconds is wanted"
        raise ArgumentError(message, hint="leave it out for a call without a limit")
    if seconds <= 0:
        raise ExecutionTimeout(f"stopped after {timeout} seconds")
    return seconds
