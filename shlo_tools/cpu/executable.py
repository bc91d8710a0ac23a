"""Compiled programs and how they are called."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import dtypes, files, ir, mlir, program
from shlo_tools.codegen import frame as layout
from shlo_tools.cpu import memory, symbols, weights
from shlo_tools.cpu.argument_table import ArgumentTable
from shlo_tools.cpu.frame import Frame, watched
from shlo_tools.cpu.host_calls import HostCall, limited
from shlo_tools.dialects import shape_names
from shlo_tools.dtypes import Array
from shlo_tools.errors import ArgumentError, ShloError, UnsupportedError, did_you_mean
from shlo_tools.pipeline import runner
from shlo_tools.types import ValueType, array_type, value_type

PIPELINE = "shlo-to-llvm"
_UNCHECKED = "shlo-to-linalg,shlo-remove-size-checks,shlo-linalg-to-llvm"
_ENTRY = "shlo.entry"
_SIZES = ("i1", "i32", "i64", "index", "!shape.shape", "!shape.size")
_FREE_FRAMES = 4  # kept per executable for the next call


@dataclass(frozen=True)
class Signature:
    """Argument and result types of a function."""

    inputs: tuple[ValueType, ...]
    results: tuple[ValueType, ...]

    def __str__(self) -> str:
        inputs = ", ".join(str(type) for type in self.inputs)
        results = ", ".join(str(type) for type in self.results)
        return f"({inputs}) -> ({results})"


class Parameters:
    """What a function takes, and the check that arguments fit.

    Attributes:
        types: of the arrays; sizes may be unknown.
    """

    def __init__(self, name: str, signature: Signature) -> None:
        self.types = [array_type(type) for type in signature.inputs]
        self._name = name
        self._signature = signature

    def bound(self, arguments: Sequence[Any], *, cast: bool) -> list[Array]:
        """The arguments as arrays; raises ArgumentError where they do not fit."""
        types = self.types
        if len(arguments) != len(types):
            raise ArgumentError(
                f"@{self._name} takes {len(types)} arguments, {len(arguments)} given",
                hint=f"its signature is {self._signature}",
            )
        return [
            memory.as_argument(argument, type, index, cast=cast)
            for index, (argument, type) in enumerate(zip(arguments, types, strict=True))
        ]


class Executable:
    """A compiled function; call it with arrays.

    Calls may overlap in several threads: each uses a frame of its own.

    Attributes:
        signature: types of arguments and results. Quantized ones are passed as integers.
        name: the function's name.
    """

    def __init__(
        self, engine: Any, address: int, entry: _Entry, constants: Sequence[Array]
    ) -> None:
        self.signature = entry.signature
        self.name = entry.name
        self._parameters = Parameters(entry.name, entry.signature)
        results = [array_type(type) for type in entry.signature.results]
        self._table = ArgumentTable(self._parameters.types, results)
        self._engine = engine  # owns the code
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
        self._arena, self._grows = entry.arena, entry.grows
        self._checks = entry.checks
        self._constants = [
            memory.as_argument(c, dtypes.of_array(c), 0, cast=False) for c in constants
        ]
        pointers = [constant.ctypes.data for constant in self._constants]
        self._weights = (ctypes.c_int64 * max(1, len(pointers)))(*pointers)
        self._free: list[Frame] = []
        self._host_calls = entry.host_calls

    def __repr__(self) -> str:
        return f"<Executable @{self.name}{self.signature}>"

    def __call__(self, *arguments: Any, cast: bool = False, timeout: float | None = None) -> Any:
        """Run the program.

        Args:
            arguments: arrays (anything with ``__array__`` or ``__dlpack__``), Python numbers or
                lists. They are read in place where contiguous, and never written.
            cast: convert arguments of another dtype instead of refusing them.
            timeout: seconds after which a running loop is stopped. Programs that functions of
                custom calls run meanwhile have no more time than is left.

        Returns:
            A new array, or a tuple of them where the function has several results.

        Raises:
            ArgumentError: the arguments do not fit the signature.
            ExecutionError: a check of the program failed, or memory does not suffice.
            ExecutionTimeout: the time is up.
        """
        inputs = self._parameters.bound(arguments, cast=cast)
        table, places = self._table.filled(inputs)
        frame = self._frame()
        frame.reset()
        with limited(timeout) as limit, watched(frame, limit):
            self._call(frame.address, ctypes.addressof(table))
        frame.raise_for_status(self._checks, limit)
        results = self._table.collected(table, places)
        if len(self._free) < _FREE_FRAMES:
            self._free.append(frame)
        return results[0] if len(results) == 1 else tuple(results)

    def _frame(self) -> Frame:
        try:
            return self._free.pop()
        except IndexError:
            weights = ctypes.addressof(self._weights)
            return Frame(self._arena, weights, self._host_calls, grows=self._grows)


@dataclass(frozen=True)
class _Entry:
    """What a lowered module says about its entry point."""

    name: str
    signature: Signature
    arena: int
    grows: bool
    checks: list[Any]
    host_calls: list[HostCall]


def compile(
    source: Any, *, function: str = "main", opt_level: int = 2, check_sizes: bool = True
) -> Executable:
    """Compile a program for this machine.

    Args:
        source: StableHLO (or linalg, or lowered) as text, bytes, a path, a module of the
            bindings, or a ``builder.Module``. It is not changed.
        function: the function to run.
        opt_level: LLVM's optimisation level, 0 to 3.
        check_sizes: whether calls check that unknown sizes fit, and raise ShapeMismatchError.
            Without that, a program with sizes that do not fit may end the process.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: it holds something that cannot be compiled yet.
        ShloError: there is no such function.
    """
    with mlir.library_context():
        module, constants = selected(source, function)
        return lowered(
            module, constants, function=function, opt_level=opt_level, check_sizes=check_sizes
        )


def selected(source: Any, function: str) -> tuple[mlir.Module, list[Array]]:
    """A module of which only ``function`` is needed, and its large constants."""
    name = "-"
    source = getattr(source, "module", source)  # a builder's module
    if program.is_path(source):
        name, source = str(source), files.read_file(str(source))
    module, constants = weights.detached(source, name)
    if find_entry(module, function) is None:
        select_function(module, function)
    return module, constants


def lowered(
    module: mlir.Module,
    constants: Sequence[Array],
    *,
    function: str,
    opt_level: int,
    check_sizes: bool,
    before: str = "",
) -> Executable:
    """Lower a module, and make machine code of it; ``before`` are passes to run first."""
    if find_entry(module, function) is None:
        passes = [before, PIPELINE if check_sizes else _UNCHECKED]
        runner.run(f"builtin.module({','.join(filter(None, passes))})", module)
    engine = _engine(module, opt_level)
    host_calls = [HostCall(k) for k in module.operation.attributes["shlo.host_calls"]]
    names = {function: None, **dict.fromkeys(n for call in host_calls for n in call.called)}
    compiled = {name: _executable(engine, module, name, host_calls, constants) for name in names}
    for call in host_calls:
        call.link(compiled)
    return compiled[function]


def _executable(
    engine: Any,
    module: mlir.Module,
    function: str,
    host_calls: list[HostCall],
    constants: Sequence[Array],
) -> Executable:
    """A function of a lowered module that has an entry point."""
    entry = find_entry(module, function)
    if entry is None:
        raise ShloError(f"lowering left no entry point for @{function}")
    address = mlir.entry_address(engine, ir.symbol_name(entry))
    if not address:
        raise UnsupportedError(f"@{function}: code could not be generated")
    return Executable(engine, address, _read_entry(entry, function, module, host_calls), constants)


def find_entry(module: mlir.Module, function: str) -> mlir.Operation | None:
    """The lowered entry point of a function, where the module is lowered already."""
    for op in ir.children(module.operation):
        if ir.symbol_name(op) == f"{_ENTRY}.{function}":
            return op
    return None


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


def _read_entry(
    entry: mlir.Operation, name: str, module: mlir.Module, host_calls: list[HostCall]
) -> _Entry:
    held: Any = entry.attributes[_ENTRY]
    if held["version"].value != layout.VERSION:
        raise UnsupportedError(f"lowered for frame version {held['version'].value}")
    type = held["signature"].value
    signature = Signature(
        tuple(value_type(t) for t in type.inputs),
        tuple(value_type(t) for t in type.results),
    )
    checks = module.operation.attributes["shlo.checks"]
    arena, grows = held["arena"].value, "grows" in held
    return _Entry(name, signature, arena, grows, list(checks), host_calls)
