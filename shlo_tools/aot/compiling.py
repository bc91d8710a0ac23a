"""Programs as objects: cut into stages, made machine code, and joined with what runs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.aot import image, machine_code, relocatable, runtime
from shlo_tools.aot.relocatable import Relocatable
from shlo_tools.calling.executable import Signature
from shlo_tools.codegen import frame, target
from shlo_tools.codegen.function import I32, POINTER, Function, address_table, module_text
from shlo_tools.codegen.lowered import ADDRESSES
from shlo_tools.cpu import native, weights
from shlo_tools.cpu.executable import select_function
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.program import read
from shlo_tools.errors import UnsupportedError
from shlo_tools.pipeline.contents import contents


@dataclass(frozen=True)
class EntryPoint:
    """A C function that runs one of the program's.

    Attributes:
        symbol: its name in C.
        function: the program's.
        workspace: bytes that a call needs.
    """

    symbol: str
    function: str
    signature: Signature[Any]
    workspace: int


@dataclass(frozen=True)
class Compiled:
    """A program as an object.

    Attributes:
        pieces: the object file.
        undefined: the symbols that it needs from elsewhere.
    """

    name: str
    pieces: Sequence[bytes | memoryview]
    entry_points: tuple[EntryPoint, ...]
    undefined: tuple[str, ...]
    is_standalone: bool


def runtime_mark() -> str:
    """The symbol that says which programs a runtime is for: those of one frame and one target."""
    return f"{parts.PREFIX}frame_{frame.VERSION}_{target.host().name}"


def compile_object(
    source: Any, *, name: str, functions: Iterable[str] = (), standalone: bool = False
) -> Compiled:
    """Compile functions of a program to an object for this machine's linker.

    Args:
        source: see ``program.module_of``. It is not changed.
        name: what names in C begin with.
        functions: of the program; ``main``, by default.
        standalone: have the runtime in the object, too, under names that begin with ``name``.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: it holds something that cannot be compiled ahead of time.
        ShloError: there is no such function.
    """
    with mlir.library_context():
        whole, constants = weights.detached(source)
        program.verify_further(whole, mlir.walk(whole.operation))
        objects: list[Relocatable] = []
        entry_points = []
        for function in functions or ("main",):
            entry, code = _function(program.clone(whole), constants, name, function)
            entry_points.append(entry)
            objects += code
        symbols = [entry.symbol for entry in entry_points]
        one = relocatable.join(objects)
        if standalone:
            one = _with_runtime(one, name)
            symbols += [f"{name}_{public.removeprefix(parts.PREFIX)}" for public in _PUBLIC]
        relocatable.export(one, symbols)
        undefined = tuple(sorted(one.undefined()))
        return Compiled(name, relocatable.write(one), tuple(entry_points), undefined, standalone)


_PUBLIC = [public for public in runtime.PUBLIC if public != runtime.CALL]


def _function(
    module: mlir.Module, constants: Sequence[Any], name: str, function: str
) -> tuple[EntryPoint, list[Relocatable]]:
    select_function(module, function)
    known = contents(module.operation)
    cut = building.normalize(module, constants, known, function)
    if cut is None:
        raise UnsupportedError(f"@{function} cannot be cut into stages")
    signature, kept, _ = cut
    native.run_passes("shlo-partition,shlo-lower-stages", module, None, verify="none")
    steps = read(module, function)
    if steps.plain:
        raise UnsupportedError(f"@{function}: {next(iter(steps.plain.values()))} has no kernel")
    symbol = f"{name}_{function}"
    data = image.of_program(steps, kept, symbol, runtime_mark=runtime_mark())
    kernels = _kernels(module, symbol, data.functions)
    entry = EntryPoint(symbol, function, signature, data.bytes)
    return entry, [data.code, *kernels, _entry(symbol)]


def _entry(symbol: str) -> Relocatable:
    """The C function: ``(context, arguments, results) -> status``."""
    f = Function(symbol, [POINTER, POINTER, POINTER], I32)
    f.result = f.call(runtime.CALL, [f.address_of(f"{symbol}.program"), *f.arguments], I32)
    declared = f"llvm.mlir.global external @{symbol}.program() : i64\n"
    text = module_text([f, address_table(ADDRESSES, [f])], target.host().features)
    return machine_code.of_text(declared + text, [symbol])


def _kernels(module: mlir.Module, symbol: str, functions: Sequence[str]) -> list[Relocatable]:
    """The machine code of a program's own kernels, which get names that begin with its symbol."""
    nested = [op for op in ir.children(module.operation) if op.name == "builtin.module"]
    names = [name for name in functions if not name.startswith(parts.PREFIX)]
    if not nested:
        return []
    (kernels,) = nested
    text = "\n".join(ir.printed(op) for op in ir.children(kernels))
    table = address_table(ADDRESSES, [Function(name, []) for name in names])
    return [machine_code.of_text(f"{text}\n{table.text(target.host().features)}", names)]


def _with_runtime(one: Relocatable, name: str) -> Relocatable:
    needed = {symbol for symbol in one.undefined() if symbol.startswith(parts.PREFIX)}
    code = runtime_object(needed | {*runtime.PUBLIC})
    for symbol in code.symbols:
        if symbol.name in _PUBLIC:
            symbol.name = f"{name}_{symbol.name.removeprefix(parts.PREFIX)}"
    return relocatable.join([one, code])


def runtime_object(names: Iterable[str]) -> Relocatable:
    """The runtime with functions of the process library."""
    mark = runtime_mark()
    functions = machine_code.library(name for name in names if name != mark)
    for function in functions:
        function.exported = function.name.startswith(parts.PREFIX)
    return relocatable.join(
        [machine_code.of_functions(functions), relocatable.data(mark, bytes(8))]
    )
