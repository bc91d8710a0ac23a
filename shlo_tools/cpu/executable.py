"""Compiled programs and how they are called."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.calling.arguments import Parameters, as_argument
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.codegen.manifest import EntryPoint, Manifest, is_lowered, read_manifest
from shlo_tools.cpu import staged, symbols, weights
from shlo_tools.cpu.argument_table import ArgumentTable
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.host_calls import HostCall
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.dialects import shape_names
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError, UnsupportedError, did_you_mean
from shlo_tools.pipeline.runner import Instrumentation, Pipeline
from shlo_tools.time_limit import limited
from shlo_tools.types import array_type, value_type

_SIZES = ("i1", "i32", "i64", "index", "!shape.shape", "!shape.size")
_FREE_FRAMES = 4  # kept per executable for the next call

Tell = Callable[[str], None]


class NativeExecutable(Executable):
    """A compiled function; each call uses a frame of its own."""

    def __init__(
        self,
        engine: Any,
        entry: EntryPoint,
        manifest: Manifest,
        host_calls: Sequence[HostCall],
        constants: Sequence[Array],
    ) -> None:
        self.signature = entry.signature
        self.name = entry.function
        address = mlir.entry_address(engine, entry.symbol)
        if not address:
            raise UnsupportedError(f"@{self.name}: code could not be generated")
        self._parameters = Parameters(self.name, self.signature)
        inputs, results = (
            [array_type(type) for type in types]
            for types in (self.signature.inputs, self.signature.results)
        )
        self._table = ArgumentTable(inputs, results)
        self._engine = engine  # owns the code
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
        self._entry, self._checks, self._host_calls = entry, manifest.checks, host_calls
        self._constants = [as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants]
        pointers = [constant.ctypes.data for constant in self._constants]
        self._weights = (ctypes.c_int64 * max(1, len(pointers)))(*pointers)
        self._free: list[Frame] = []

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Array]:
        inputs = self._parameters.bound(arguments, cast=cast)
        table, places = self._table.filled(inputs)
        frame = self._frame()
        frame.reset()
        with limited(timeout) as limit, watched(frame, limit):
            self._call(frame.address, ctypes.addressof(table))
        raise_for_status(frame, self._checks, limit)
        results = self._table.collected(table, places)
        if len(self._free) < _FREE_FRAMES:
            self._free.append(frame)
        return results

    def _frame(self) -> Frame:
        try:
            return self._free.pop()
        except IndexError:
            weights = ctypes.addressof(self._weights)
            return Frame(self._entry.arena, weights, self._host_calls, grows=self._entry.grows)


def compile(
    source: Any,
    *,
    function: str = "main",
    opt_level: int = 2,
    check_sizes: bool = True,
    tell: Tell | None = None,
) -> Executable:
    """Compile a program for this machine.

    Args:
        source: StableHLO (or linalg, or lowered) as text, bytes, a path, a module of the
            bindings, or a ``builder.Module``. It is not changed.
        function: the function to run.
        opt_level: LLVM's optimisation level, 0 to 3; kernels of stages need none.
        check_sizes: whether calls check that unknown sizes fit, and raise ShapeMismatchError.
            Without that, a program with sizes that do not fit may end the process.
        tell: is told what happens next (``in pass 'cse'``); passes then run one by one.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: it holds something that cannot be compiled yet.
        ShloError: there is no such function.
    """
    with mlir.library_context():
        module, constants = weights.detached(source)
        program.verify_further(module)
        if not is_lowered(module, function):
            select_function(module, function)
            executable = _of_stages(module, constants, function, tell)
            if executable is not None:
                return executable
            lower(module, check_sizes=check_sizes, tell=tell)
        return linked(module, constants, function=function, opt_level=opt_level, tell=tell)


def run_passes(text: str, module: mlir.Module, tell: Tell | None) -> None:
    """Run a pipeline on a module; ``tell`` is told each pass, and then they run one by one."""
    watch = Instrumentation()
    if tell is not None:
        watch = Instrumentation(single_passes=True, on_pass=lambda name: tell(f"in pass {name!r}"))
    Pipeline(f"builtin.module({text})").run(module, watch)


def _of_stages(
    module: mlir.Module, constants: Sequence[Array], function: str, tell: Tell | None
) -> Executable | None:
    """An executable of stages; None where kernels do not compute all of the program."""
    if not staged.may_be_staged(module):
        return None
    copy = program.clone(module)
    run_passes("shlo-normalize", copy, tell)
    func = ir.functions_by_name(copy.operation)[function]
    inputs, results = (tuple(map(value_type, types)) for types in ir.signature(func))
    if any(op.name == "func.call" for op in ir.children(func)):
        return None
    first = len(constants)
    small = weights.take_out(copy, ir.children(func), threshold=0, first=first)
    run_passes("shlo-to-stages", copy, tell)
    cut = staged.read_program(copy, function)
    if not {step.stage for step in cut.steps} <= set(cut.codes):
        return None
    if tell is not None:
        tell("while generating machine code")
    kernels = staged.kernels_of(copy)
    signature = Signature(inputs, results)
    return staged.StagedExecutable(function, signature, cut, kernels, [*constants, *small])


def lower(
    module: mlir.Module, *, check_sizes: bool, before: str = "", tell: Tell | None = None
) -> None:
    """Take a module down to machine instructions, in place; ``before`` are passes to run first."""
    passes = [before, "shlo-to-llvm" if check_sizes else "shlo-to-llvm-unchecked"]
    run_passes(",".join(filter(None, passes)), module, tell)


def linked(
    module: mlir.Module,
    constants: Sequence[Array],
    *,
    function: str,
    opt_level: int,
    tell: Tell | None = None,
) -> NativeExecutable:
    """Make machine code of a lowered module, and join it to what it calls."""
    manifest = read_manifest(module)
    if tell is not None:
        tell("while generating machine code")
    engine = _engine(module, opt_level)
    host_calls = [HostCall(kernel) for kernel in manifest.host_kernels]
    names = {function, *(name for kernel in manifest.host_kernels for name in kernel.called)}
    compiled: Mapping[str, NativeExecutable] = {
        name: NativeExecutable(
            engine, _entry_point(manifest, name), manifest, host_calls, constants
        )
        for name in names
    }
    for call in host_calls:
        call.link(compiled)
    return compiled[function]


def _entry_point(manifest: Manifest, function: str) -> EntryPoint:
    if function not in manifest.entry_points:
        raise ShloError(f"lowering left no entry point for @{function}")
    return manifest.entry_points[function]


def select_function(module: mlir.Module, function: str) -> None:
    """Make ``function`` the only public one, so that only what it needs is compiled.

    Raises:
        ShloError: there is none of that name, or it has no body.
        UnsupportedError: its types are dynamic.
    """
    named = ir.functions_by_name(module.operation)
    if function not in named:
        listed = ", ".join(f"@{name}" for name in list(named)[:10]) or "none"
        hint = did_you_mean(function, named) or f"functions: {listed}"
        raise ShloError(f"there is no function @{function}", hint=hint)
    if ir.is_declaration(named[function]):
        raise ShloError(f"@{function} is a declaration without a body")
    for type in itertools.chain(*ir.signature(named[function])):
        if not (mlir.is_tensor(type) or _is_size(type, module)):
            place = mlir.place_of(named[function].location)
            message = f"@{function} takes or returns {type}; tensors are supported"
            raise UnsupportedError(message, place=place)
    for name, func in named.items():
        visibility = "public" if name == function else "private"
        func.attributes["sym_visibility"] = mlir.string_attr(visibility)


def _is_size(type: mlir.Type, module: mlir.Module) -> bool:
    """Whether ``shlo-legalize-shape`` makes a tensor of a type."""
    ops = mlir.walk(module.operation) if str(type) in _SIZES else ()
    return any(shape_names.concerns(op) for op in ops)


def _engine(module: mlir.Module, opt_level: int) -> Any:
    left = [
        op for op in mlir.walk(module.operation) if not op.name.startswith(("llvm.", "builtin."))
    ]
    ir.raise_unsupported(left[:3], "left over after lowering")
    addresses = symbols.resolve(module)
    try:
        engine = mlir.execution_engine(module, opt_level)
    except (mlir.MLIRError, RuntimeError, ValueError) as error:
        raise UnsupportedError(f"code could not be generated: {error}") from error
    for name, address in addresses.items():
        mlir.bind_symbol(engine, name, address)
    return engine
