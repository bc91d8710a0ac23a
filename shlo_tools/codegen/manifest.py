"""What the host has to know of a lowered module: plain data, read from its attributes once.

Nothing here refers to MLIR's objects, so that it may outlive the module and stand beside machine
code in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shlo_tools import dtypes, ir, mlir
from shlo_tools.calling.executable import Signature
from shlo_tools.codegen import frame
from shlo_tools.codegen.lowered import CHECKS, ENTRY, ENTRY_PREFIX, HOST_CALLS
from shlo_tools.errors import Place, UnsupportedError
from shlo_tools.extend.description import Call, python_value, read
from shlo_tools.mlir import Operation
from shlo_tools.types import ValueType, value_type


@dataclass(frozen=True)
class EntryPoint:
    """A function that the host can call with two pointers: to a frame, and to a table.

    Attributes:
        symbol: its name in the module.
        function: that of the function that it enters.
        signature: the types as the host sees them.
        arena: how many bytes of temporaries a call needs.
        grows: whether it may need any number of them.
    """

    symbol: str
    function: str
    signature: Signature[ValueType]
    arena: int
    grows: bool


@dataclass(frozen=True)
class Check:
    """What a failing check says.

    Attributes:
        is_of_sizes: whether the message has places for two sizes.
    """

    message: str
    place: Place | None
    is_of_sizes: bool


@dataclass(frozen=True)
class HostKernel:
    """What the host is called for.

    Attributes:
        step: ``sizes`` and then ``values``, where only the target's function knows the results'
            sizes; else ''.
        called: the names of the program's functions that the target's function may call.
    """

    call: Call
    step: str
    called: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """What a lowered module says of itself.

    Attributes:
        entry_points: by the name of the function that they enter.
        checks: check n is what the status n + 1 stands for.
        host_kernels: by the number that the host is called with.
    """

    entry_points: Mapping[str, EntryPoint]
    checks: tuple[Check, ...]
    host_kernels: tuple[HostKernel, ...]


def is_lowered(module: mlir.Module, function: str) -> bool:
    """Whether a module has an entry point for a function."""
    return any(ir.symbol_name(op) == ENTRY_PREFIX + function for op in _entry_points(module))


def read_manifest(module: mlir.Module) -> Manifest:
    """The manifest of a lowered module; without entry points where it is none.

    Raises:
        UnsupportedError: it was lowered by a version whose frame is another one.
    """
    top = module.operation
    entries = [_entry_point(op) for op in _entry_points(module)]
    return Manifest(
        {entry.function: entry for entry in entries},
        tuple(map(_check, ir.items_of(top, CHECKS))),
        tuple(map(_host_kernel, ir.items_of(top, HOST_CALLS))),
    )


def described(module: mlir.Module) -> str:
    """An empty module that says of checks and host calls what this one does; '' of none."""
    attributes = module.operation.attributes
    texts = [f"{name} = {attributes[name]}" for name in (CHECKS, HOST_CALLS) if name in attributes]
    return f"module attributes {{{', '.join(texts)}}} {{}}" if texts else ""


def _entry_points(module: mlir.Module) -> list[Operation]:
    return [op for op in ir.children(module.operation) if ENTRY in op.attributes]


def _entry_point(op: Operation) -> EntryPoint:
    entry = op.attributes[ENTRY]
    version = entry["version"].value
    if version != frame.VERSION:
        message = f"lowered for frame version {version}, and this is version {frame.VERSION}"
        raise UnsupportedError(message, hint="lower the program again")
    type, symbol = entry["signature"].value, ir.symbol_name(op)
    inputs, results = (tuple(map(value_type, types)) for types in (type.inputs, type.results))
    return EntryPoint(
        symbol,
        symbol.removeprefix(ENTRY_PREFIX),
        Signature(inputs, results),
        entry["arena"].value,
        "grows" in entry,
    )


def _check(entry: Any) -> Check:
    return Check(entry["message"].value, _place(entry), "sizes" in entry)


def _host_kernel(entry: Any) -> HostKernel:
    step = entry["step"].value if "step" in entry else ""
    called = tuple(name.value for name in entry["called"]) if "called" in entry else ()
    return HostKernel(_call(entry, _place(entry)), step, called)


def _call(entry: Any, place: Place | None) -> Call:
    """The call that a kernel stands for: a ``custom_call``, or one of our own lowering."""
    if "op" in entry:
        types = entry["types"].value
        attributes = {item.name: item.attr for item in entry["op"]}
        return read(attributes, types.inputs, types.results, place)
    config = python_value(entry["config"]) if "config" in entry else None
    inputs, results = (
        tuple(dtypes.tensor_type(item.value) for item in entry[name])
        for name in ("inputs", "results")
    )
    return Call(entry["target"].value, inputs, results, config=config, place=place)


def _place(entry: Any) -> Place | None:
    return Place.read(entry["place"].value) if "place" in entry else None
