"""Lowered modules as executables: machine code joined to what it calls."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from shlo_tools import dtypes, ir, mlir
from shlo_tools.calling.arguments import Parameters, as_argument
from shlo_tools.calling.executable import Executable
from shlo_tools.codegen.manifest import EntryPoint, Manifest, described, read_manifest
from shlo_tools.cpu import symbols
from shlo_tools.cpu.argument_table import ArgumentTable
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.host_calls import HostCall
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.instrumentation import Instrumentation
from shlo_tools.pipeline.runner import Pipeline
from shlo_tools.time_limit import limited
from shlo_tools.types import array_type

if TYPE_CHECKING:
    from shlo_tools.calling.memory_use import Memory
    from shlo_tools.calling.profile import Profile

_FREE_FRAMES = 4  # kept per executable for the next call

Tell = Callable[[str], None]


class NativeExecutable(Executable):
    """A compiled function; each call uses a frame of its own."""

    _why_not_saved = "it is code of the whole program, through linalg, of which no object is kept"

    def __init__(
        self,
        engine: mlir.ExecutionEngine,
        entry: EntryPoint,
        manifest: Manifest,
        host_calls: Sequence[HostCall],
        constants: Sequence[Array],
    ) -> None:
        self.signature = entry.signature
        self.name = entry.function
        address = engine.address(entry.symbol)
        if not address:
            raise UnsupportedError(f"@{self.name}: code could not be generated")
        self._parameters = Parameters(self.name, self.signature)
        inputs, results = (
            [array_type(type) for type in types]
            for types in (self.signature.inputs, self.signature.results)
        )
        self._table, self._results = ArgumentTable(inputs, results), results
        self._engine = engine  # owns the code
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
        self._entry, self._checks, self._host_calls = entry, manifest.checks, host_calls
        self._constants = [as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants]
        pointers = [constant.ctypes.data for constant in self._constants]
        self._weights = (ctypes.c_int64 * max(1, len(pointers)))(*pointers)
        self._free: list[Frame] = []

    @property
    def memory(self) -> Memory | None:
        from shlo_tools.calling.memory_use import Memory

        if self._entry.grows or not all(type.is_static for type in self._results):
            return None
        return Memory(self._entry.arena, sum(type.nbytes for type in self._results), 0)

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast, donated=self.donated)
        table, places = self._table.filled(inputs)
        frame = self._frame()
        frame.reset()
        with limited(timeout) as limit, watched(frame, limit):
            self._call(frame.address, ctypes.addressof(table))
        raise_for_status(frame, self._checks, limit)
        results = self._table.collected(table, places)
        if len(self._free) < _FREE_FRAMES and not frame.is_claimed:
            self._free.append(frame)
        return results

    def _profiled(
        self, arguments: Sequence[Any], cast: bool, timeout: float | None, calls: int | None
    ) -> Profile:
        from shlo_tools.cpu.profiling import measuring

        inputs: Sequence[Array] = self._parameters.bound(arguments, cast=cast)

        def call() -> tuple[float, int]:
            own = [x.copy() if k in self.donated else x for k, x in enumerate(inputs)]
            start = time.perf_counter()
            results = self._run(own, False, timeout)
            seconds = time.perf_counter() - start
            return seconds, sum(array.nbytes for array in (*own, *results))

        return measuring.profile_of_one_step(self.name, call, calls, self.threads)

    def _frame(self) -> Frame:
        try:
            return self._free.pop()
        except IndexError:
            weights = ctypes.addressof(self._weights)
            return Frame(self._entry.arena, weights, self._host_calls, grows=self._entry.grows)


def run_passes(
    text: str,
    module: mlir.Module,
    tell: Tell | None,
    known: Contents | None = None,
    *,
    verify: Literal["each", "python", "none"] = "each",
) -> Contents | None:
    """Run a pipeline on a module; ``tell`` is told each pass, and then they run one by one.

    What the module holds, before and afterwards, may be known.

    Args:
        verify: after which passes the IR is verified, which takes longer than many of them; after
            each where ``SHLO_VERIFY_EACH`` is set, as it is in tests.
    """
    watch = Instrumentation()
    if tell is not None:
        watch = Instrumentation(single_passes=True, on_pass=lambda name: tell(f"in pass {name!r}"))
    if not os.environ.get("SHLO_VERIFY_EACH"):
        watch.verify_each, watch.verify_native = verify != "none", verify == "each"
    return _pipeline(text).run(module, watch, known)


@cache
def _pipeline(text: str) -> Pipeline:
    """One of the few pipelines that this package runs on its own account."""
    return Pipeline(f"builtin.module({text})")


def lower(module: mlir.Module, *, check_sizes: bool, tell: Tell | None = None) -> None:
    """Take a module down to machine instructions, in place."""
    run_passes("shlo-to-llvm" if check_sizes else "shlo-to-llvm-unchecked", module, tell)


@dataclass(frozen=True)
class Linked:
    """A lowered module's machine code, joined to what it calls.

    Attributes:
        engine: owns the code.
        host_calls: by the number that the code calls the host with.
        executables: functions that were asked for, and those that host calls call.
        described: where there is no engine, what the manifest is read from again; '' for nothing.
    """

    engine: mlir.ExecutionEngine | None
    manifest: Manifest
    host_calls: Sequence[HostCall]
    executables: Mapping[str, NativeExecutable]
    described: str = ""

    def addresses(self) -> dict[str, int]:
        """The addresses of entry points, by their symbols."""
        if self.engine is None:
            return {}
        symbols = [entry.symbol for entry in self.manifest.entry_points.values()]
        return {symbol: self.engine.address(symbol) for symbol in symbols}


def calls_alone(module: mlir.Module) -> Linked:
    """What a module without machine code calls of the host."""
    manifest = read_manifest(module)
    host_calls = [HostCall(kernel) for kernel in manifest.host_kernels]
    for call in host_calls:
        call.link({})
    return Linked(None, manifest, host_calls, {}, described(module))


def link(
    module: mlir.Module,
    constants: Sequence[Array],
    *,
    functions: Sequence[str],
    opt_level: int,
    tell: Tell | None = None,
) -> Linked:
    """Make machine code of a lowered module, and join it to what it calls."""
    manifest = read_manifest(module)
    if tell is not None:
        tell("while generating machine code")
    engine = _engine(module, opt_level)
    host_calls = [HostCall(kernel) for kernel in manifest.host_kernels]
    names = {*functions, *(name for kernel in manifest.host_kernels for name in kernel.called)}
    executables = {
        name: NativeExecutable(
            engine, _entry_point(manifest, name), manifest, host_calls, constants
        )
        for name in names
    }
    for call in host_calls:
        call.link(executables)
    return Linked(engine, manifest, host_calls, executables)


def linked(
    module: mlir.Module,
    constants: Sequence[Array],
    *,
    function: str,
    opt_level: int,
    tell: Tell | None = None,
) -> NativeExecutable:
    """One function of a lowered module."""
    whole = link(module, constants, functions=[function], opt_level=opt_level, tell=tell)
    return whole.executables[function]


def _entry_point(manifest: Manifest, function: str) -> EntryPoint:
    if function not in manifest.entry_points:
        raise ShloError(f"lowering left no entry point for @{function}")
    return manifest.entry_points[function]


def _engine(module: mlir.Module, opt_level: int) -> mlir.ExecutionEngine:
    left = [
        op for op in mlir.walk(module.operation) if not op.name.startswith(("llvm.", "builtin."))
    ]
    ir.raise_unsupported(left[:3], "left over after lowering")
    addresses = symbols.resolve(module)
    try:
        engine = mlir.ExecutionEngine(module, opt_level)
    except (mlir.MLIRError, RuntimeError, ValueError) as error:
        raise UnsupportedError(f"code could not be generated: {error}") from error
    for name, address in addresses.items():
        engine.bind(name, address)
    return engine
