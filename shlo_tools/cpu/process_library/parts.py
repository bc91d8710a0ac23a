"""The process library: compiled once per process, part by part, when a program first needs it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from shlo_tools import codegen, dtypes, mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.function import (
    F32,
    F64,
    I32,
    I64,
    Function,
    Type,
    address_table,
    exporting_text,
)
from shlo_tools.codegen.library import (
    calling,
    clock,
    copying,
    entering,
    interleaving,
    jobs,
    many_matrices,
    maths,
    narrow_lanes,
    pool,
    profiling,
    quotients,
    selecting,
    sharing,
    sorting,
    together,
    transposition,
)
from shlo_tools.codegen.library.contractions import (
    blocks,
    channel_windows,
    conversion,
    depthwise,
    gemm,
    lines,
    micro_kernels,
    packing,
    planes,
    window_matrix,
)
from shlo_tools.codegen.library.fourier import jobs as fourier
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.machine_code.compilation import Compilation, MachineCode, loading, stored

PREFIX = "shlo_rt_"


def _gemm(element: Type, part: Sequence[str]) -> Callable[[], list[Function]]:
    return lambda: gemm.functions(target.host(), element, part)


def _transposition(bits: int) -> Callable[[], list[Function]]:
    return lambda: transposition.functions(target.host(), bits)


def _sorting(entry: sorting.Entry) -> Callable[[], list[Function]]:
    return lambda: [*sorting.functions(entry), *selecting.functions(entry)]


def _picking() -> list[Function]:
    return selecting.picking(target.host())


def _running() -> list[Function]:
    """What every program needs."""
    parts = (clock, pool, sharing, jobs, entering, copying, calling)
    return [function for part in parts for function in part.functions()]


# Parts by the functions that they offer.
_PARTS: dict[Callable[[], list[Function]], tuple[str, ...]] = {
    _running: (
        *(sharing.PARALLEL, pool.WORKER, pool.WAKE, jobs.RUN),
        *(entering.ENTER, copying.COPY, calling.CALL_HOST, calling.TRANSFORM),
    ),
    _picking: (selecting.PICK,),
    entering.called: (entering.CALLED,),
    profiling.functions: (profiling.PROFILE, profiling.TIMED),
    together.functions: (together.TOGETHER, together.BLOCK),
    **{
        _gemm(element, part): tuple(micro_kernels.name(element, name) for name in part)
        for element in (F32, F64, I32, I64)
        for part in gemm.PARTS
    },
    **{
        _transposition(bits): (transposition.job_name(bits), transposition.matrix_name(bits))
        for bits in transposition.WIDTHS
    },
    **{
        _sorting(entry): (
            sorting.sort_name(entry),
            *([selecting.select_name(entry)] if entry.has_place else []),
            *(sorting.job_name(entry, part) for part in ("count", "offsets", "move")),
        )
        for entry in sorting.ENTRIES
    },
}
# Families of functions, by how their names begin.
_FAMILIES = {
    micro_kernels.MIXED: gemm.mixed,
    f"{PREFIX}pack_": packing.functions,
    f"{PREFIX}contraction_": blocks.functions,
    conversion.NAMES: conversion.functions,
    f"{PREFIX}lines_": lines.functions,
    f"{PREFIX}planes_": planes.functions,
    f"{PREFIX}channel_windows_": channel_windows.functions,
    f"{PREFIX}depthwise_": depthwise.functions,
    f"{PREFIX}window_matrix_": window_matrix.functions,
    transposition.STREAMED: transposition.streamed,
    calling.ROUTINES: calling.routines,
    fourier.NAMES: fourier.functions,
    interleaving.JOINS: interleaving.joining,
    interleaving.PARTS: interleaving.parting,
    many_matrices.NAMES: many_matrices.functions,
    narrow_lanes.NAMES: narrow_lanes.functions,
    quotients.NAMES: quotients.functions,
}
_WHERE = {name: part for part, names in _PARTS.items() for name in names}
_parts: dict[str, MachineCode] = {}  # by each function's name
_texts: dict[tuple[str, ...], MachineCode] = {}  # those of ``text_code``, by their functions


def address(name: str) -> int:
    """The address of a function of the library, whose part is compiled if need be."""
    start([name])
    return _parts[name].addresses[name]


def start(names: Iterable[str]) -> None:
    """Let threads compile the parts of functions that will be needed soon."""
    for name in names:
        if name not in _parts:
            with mlir.library_context():  # behind its lock one thread starts a part
                if name not in _parts:
                    _start(name)


def _named(name: str) -> Callable[[], list[Function]]:
    """The part of a function whose name says all about it."""
    for family, functions in _FAMILIES.items():
        if name.startswith(family):
            return partial(functions, target.host(), name.removeprefix(family))
    return _maths(name)


def _maths(name: str) -> Callable[[], list[Function]]:
    """The part of one function on vectors, ``shlo_rt_exp_f32x32``."""
    function, _, type = name.removeprefix(PREFIX).rpartition("_")
    element, _, lanes = type.partition("x")
    return lambda: maths.functions(function, Type(element, int(lanes)))


def functions(name: str) -> list[Function]:
    """The functions of the part that has one of the library's."""
    return _part(name)()


def _part(name: str) -> Callable[[], list[Function]]:
    return _WHERE[name] if name in _WHERE else _named(name)


def _start(name: str) -> None:
    part = _part(name)
    first = _PARTS[part][0] if part in _PARTS else name
    key = store.key("library", f"{sources()} {target.host().name} {first}")
    code = stored(key, PREFIX, linked) or compilation(part(), [key])
    keep(code)
    _parts.update(dict.fromkeys((n for n in code.names if n.startswith(PREFIX)), code))


def sources() -> str:
    """What changes whenever a file changes that functions are made by."""
    return store.sources(codegen.__path__[0], str(dtypes.__file__))


def keep(owner: Any) -> None:
    """Keep what compiled code needs for as long as there is a process: threads may run it then."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))


def compiled(functions: Sequence[Function]) -> tuple[Any, Mapping[str, int]]:
    """Machine code of functions: what owns it, and the addresses of the exported ones.

    Functions of the library that they call are found; others have to be of this process.
    """
    code = compilation(functions, [])
    return code, code.addresses


def text_code(text: str, names: Sequence[str]) -> MachineCode:
    """Machine code of functions of the llvm dialect that call none of the library."""
    if tuple(names) not in _texts:
        text += address_table(names)
        key = store.key("library", text)
        code = stored(key, PREFIX, linked)
        _texts[tuple(names)] = code or Compilation(text, names, [key], {})
    return _texts[tuple(names)]


# --- in files of executables ----------------------------------------------------------------------
def needed(names: Iterable[str], codes: Iterable[MachineCode]) -> list[tuple[list[str], bytes]]:
    """The parts that a program needs, each with its functions; what a part calls comes before it.

    Args:
        names: functions of the library that its jobs are.
        codes: its kernels.
    """
    listed: dict[MachineCode, None] = {}

    def add(callees: Mapping[str, MachineCode]) -> None:
        for _, part in sorted(callees.items()):
            add(part.callees)
            listed[part] = None

    add({name: part for code in codes for name, part in code.callees.items()})
    add(linked([*names, *_PARTS[_running], entering.CALLED]))
    parts = [(sorted(n for n in part.names if _parts.get(n) is part), part) for part in listed]
    texts = [(list(names), part) for names, part in _texts.items()]
    return [(names, part.image()) for names, part in (*parts, *texts)]


def adopt(names: Sequence[str], image: bytes) -> None:
    """Take a part from a file that was made by this version, unless this process has it."""
    with mlir.library_context():
        if tuple(names) in _texts or any(name in _parts for name in names):
            return
        code = loading(image, PREFIX, linked)
        if code is None:  # it is made when it is needed
            return
        keep(code)
        if all(name.startswith(PREFIX) for name in names):
            _parts.update(dict.fromkeys(names, code))
        else:
            _texts[tuple(names)] = code


def compilation(functions: Sequence[Function], keys: Sequence[str]) -> Compilation:
    """Start to compile functions, which the store keeps under some keys."""
    exported = [function for function in functions if function.exported]
    text = exporting_text(functions, target.host().features)
    defined = {function.name for function in functions}
    callees = {callee for f in functions for callee in f.callees} - defined
    names = [function.name for function in exported]
    return Compilation(text, names, keys, linked(callees))


def linked(callees: Iterable[str]) -> dict[str, MachineCode]:
    """What has those functions that are the library's."""
    names = [name for name in callees if name.startswith(PREFIX)]
    start(names)
    return {name: _parts[name] for name in names}
