"""Programs as objects: cut into stages, made machine code, and joined with what runs them."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import ir, mlir, program
from shlo_tools.aot import custom_calls, image, layout, machine_code, refusals, relocatable
from shlo_tools.aot.relocatable import Relocatable
from shlo_tools.codegen import frame, target
from shlo_tools.codegen.function import I32, POINTER, Function, address_table, exporting_text
from shlo_tools.codegen.lowered import is_public
from shlo_tools.codegen.manifest import read_manifest
from shlo_tools.cpu import native, weights
from shlo_tools.cpu.executable import select_function
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.program import read
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.elf import UnsupportedObject
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.pipeline.contents import contents
from shlo_tools.types import array_type


@dataclass(frozen=True)
class EntryPoint:
    """A C function that runs one of the program's.

    Attributes:
        symbol: its name in C.
        function: the program's.
        workspace: bytes that a call needs.
        targets: of its custom calls.
    """

    symbol: str
    function: str
    inputs: tuple[TensorType, ...]
    results: tuple[TensorType, ...]
    workspace: int
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Compiled:
    """A program as an object.

    Attributes:
        pieces: the object file.
        undefined: the symbols that it needs from elsewhere.
        target: the processors that it is for.
    """

    name: str
    pieces: Sequence[bytes | memoryview]
    entry_points: tuple[EntryPoint, ...]
    undefined: tuple[str, ...]
    is_standalone: bool
    target: str


def runtime_mark() -> str:
    """The symbol that says which programs a runtime is for: those of one frame and one target."""
    return f"{_MARK}{frame.VERSION}_{target.host().name}"


def compile_object(
    source: Any,
    *,
    name: str,
    functions: Iterable[str] = (),
    standalone: bool = False,
    lapack: bool = False,
) -> Compiled:
    """Compile functions of a program to an object for this machine's linker.

    Args:
        source: see ``program.module_of``. It is not changed.
        name: what names in C begin with.
        functions: of the program; by default all public ones that have bodies.
        standalone: have the runtime in the object, too, under names that begin with ``name``.
        lapack: leave functions of LAPACKE and CBLAS to the linker; else what needs them is refused.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: it holds something that cannot be compiled ahead of time, or the platform
            is one whose objects are not known.
        ShloError: there is no such function, or C has no such names.
    """
    _check_platform()
    check_name(name)
    with mlir.library_context(), target.of_level():
        whole, constants = weights.detached(source)
        program.verify_further(whole, mlir.walk(whole.operation))
        chosen = list(dict.fromkeys(functions)) or _public_functions(whole)
        symbols = _symbols(name, chosen)
        objects: list[Relocatable] = []
        arrays: dict[str, Array] = {}
        entry_points = []
        for function in chosen:
            one = _Function(symbols[function], function, f"{name}.weight", lapack)
            entry, code, read_weights = one.compiled(program.clone(whole), constants)
            entry_points.append(entry)
            objects.append(code)
            arrays |= read_weights
        objects += [relocatable.data(symbol, _bytes(array)) for symbol, array in arrays.items()]
        joined = relocatable.join(objects)
        exported = list(symbols.values())
        if standalone:
            joined = _with_runtime(joined, name)
            exported += [f"{name}_{public.removeprefix(parts.PREFIX)}" for public in _PUBLIC]
        relocatable.through_jumps(joined, parts.PREFIX)
        relocatable.export(joined, exported)
        for symbol in joined.symbols:
            symbol.name = symbol.name.removeprefix(refusals.LAPACK)
        return Compiled(
            name,
            relocatable.write(joined),
            tuple(entry_points),
            tuple(sorted(joined.undefined())),
            standalone,
            target.host().name,
        )


_MARK = f"{parts.PREFIX}frame_"
_PUBLIC = [public for public in layout.PUBLIC if public != layout.CALL]
_INLINE = ("_call", "_argument", "_result")  # functions of the header beside each entry point
_TAKEN = {public.removeprefix(parts.PREFIX) for public in _PUBLIC}


def check_name(name: str) -> None:
    """Raise ShloError for what no name in C begins with, or only those of the runtime."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, flags=re.ASCII) or name.startswith("shlo_"):
        raise ShloError(
            f"names in C cannot begin with {name!r}",
            hint="--name=model: letters, digits and _, but not shlo_",
        )


def _check_platform() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise UnsupportedError("objects are made on Linux on x86-64 alone")


def _public_functions(module: mlir.Module) -> list[str]:
    functions = ir.functions(module.operation)
    names = [
        ir.symbol_name(func)
        for func in functions
        if is_public(func) and not ir.is_declaration(func)
    ]
    if not names:
        raise ShloError("the program has no public function")
    return names


def _symbols(name: str, functions: Sequence[str]) -> dict[str, str]:
    """The names in C of functions."""
    known: dict[str, str] = {}
    for function in functions:
        symbol = f"{name}_" + re.sub(r"\W", "_", function, flags=re.ASCII)
        if symbol.removeprefix(f"{name}_") in _TAKEN:
            raise ShloError(f"@{function} would be {symbol} in C, which is the runtime's")
        if symbol in known:
            raise ShloError(f"@{known[symbol]} and @{function} would both be {symbol} in C")
        known[symbol] = function
    for symbol, function in known.items():
        for inline in (symbol + suffix for suffix in _INLINE):
            if inline in known:
                raise ShloError(f"@{known[inline]} would be {inline} in C, which is of @{function}")
    return {function: symbol for symbol, function in known.items()}


@dataclass(frozen=True)
class _Function:
    """One function on its way to an object.

    Attributes:
        weight: what the symbols of constants begin with that all functions have.
    """

    symbol: str
    function: str
    weight: str
    lapack: bool

    def compiled(
        self, module: mlir.Module, constants: Sequence[Array]
    ) -> tuple[EntryPoint, Relocatable, dict[str, Array]]:
        """Its entry point, the object that has it, and the constants that this reads."""
        select_function(module, self.function)
        refusals.refuse_sizes(module, self.function)
        cut = building.normalize(module, len(constants), contents(module.operation), self.function)
        if cut is None or cut[-1]:
            refusals.refuse_uncut(module, self.function)
        signature, own_constants, _ = cut
        kept = [*constants, *own_constants]
        inputs, results = (
            tuple(map(array_type, types)) for types in (signature.inputs, signature.results)
        )
        native.run_passes("shlo-partition,shlo-lower-stages", module, None, verify="none")
        steps = read(module, self.function)
        calls = dict(enumerate(read_manifest(module).host_kernels))
        refusals.refuse_stages(module, steps, calls, lapack=self.lapack)
        called = f"{self.symbol}.calls" if calls else ""
        names = [
            f"{self.weight if number < len(constants) else self.symbol}.{number}"
            for number in range(len(kept))
        ]
        data = image.of_program(
            steps, self.symbol, weight_names=names, runtime_mark=runtime_mark(), calls=called
        )
        objects = [data.code, *_kernels(module, data.functions), _entry(self.symbol)]
        if calls:
            objects.append(custom_calls.of_program(calls, called))
        called_targets = dict.fromkeys(kernel.call.target for kernel in calls.values())
        targets = tuple(filter(custom_calls.is_hook, called_targets))
        entry = EntryPoint(self.symbol, self.function, inputs, results, data.bytes, targets)
        own = relocatable.join(objects)
        relocatable.export(own, [self.symbol])  # functions may have kernels of one name
        return entry, own, {names[number]: kept[number] for number in data.weights}


def _bytes(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _entry(symbol: str) -> Relocatable:
    """The C function: ``(context, arguments, results) -> status``."""
    f = Function(symbol, [POINTER, POINTER, POINTER], I32)
    f.result = f.call(layout.CALL, [f.address_of(f"{symbol}.program"), *f.arguments], I32)
    declared = f"llvm.mlir.global external @{symbol}.program() : i64\n"
    text = exporting_text([f], target.host().features)
    return machine_code.of_text(declared + text, [symbol])


def _kernels(module: mlir.Module, functions: Sequence[str]) -> list[Relocatable]:
    """The machine code of a program's own kernels, under names that nobody else sees."""
    nested = [op for op in ir.children(module.operation) if op.name == "builtin.module"]
    names = [name for name in functions if not name.startswith(parts.PREFIX)]
    if not nested:
        return []
    (kernels,) = nested
    text = "\n".join(ir.printed(op) for op in ir.children(kernels))
    return [machine_code.of_text(f"{text}\n{address_table(names)}", names)]


def _with_runtime(one: Relocatable, name: str) -> Relocatable:
    needed = {symbol for symbol in one.undefined() if symbol.startswith(parts.PREFIX)}
    code = runtime_object(needed | {*layout.PUBLIC})
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


def runtime_for(objects: Mapping[str, bytes]) -> Sequence[bytes | memoryview]:
    """The runtime that some objects need, as an object file.

    Args:
        objects: files that ``compile_object`` has made, by their names.

    Raises:
        ShloError: one of them is no such file, needs no runtime, or is for another target.
    """
    _check_platform()
    names: set[str] = set()
    for path, image_bytes in objects.items():
        try:
            undefined = relocatable.read(image_bytes).undefined()
        except UnsupportedObject as error:
            raise ShloError(f"{path!r} is no object of shlo-compile: {error}") from error
        needed = {name for name in undefined if name.startswith(parts.PREFIX)}
        marks = sorted(name for name in needed if name.startswith(_MARK))
        if not marks:
            raise ShloError(f"{path!r} needs no runtime", hint="it is standalone, or another's")
        if marks != [runtime_mark()]:
            made_for = ", ".join(mark.removeprefix(_MARK) for mark in marks)
            here = runtime_mark().removeprefix(_MARK)
            raise ShloError(
                f"{path!r} is of frame and target {made_for}, and this runtime would be of {here}",
                hint="--target=NAME says which target",
            )
        names |= needed
    with mlir.library_context():
        one = runtime_object(names | {*layout.PUBLIC})
    relocatable.through_jumps(one, parts.PREFIX)
    relocatable.export(one, names | {*layout.PUBLIC})
    return relocatable.write(one)
