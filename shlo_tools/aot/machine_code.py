"""Machine code that linkers can put anywhere, and the functions of the process library it needs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from shlo_tools import ir, mlir
from shlo_tools.aot import calls, contexts, layout, relocatable
from shlo_tools.aot.relocatable import Relocatable
from shlo_tools.codegen import target
from shlo_tools.codegen.function import ADDRESSES, Function, exporting_text
from shlo_tools.cpu.process_library import parts
from shlo_tools.errors import UnsupportedError

_REFERENCES = re.compile(r"@([\w.$-]+)")
_DECLARATIONS = re.compile(
    r"^\s*llvm\.(?:func|mlir\.global external) @([\w.$-]+)\((?!.*\{$)", re.MULTILINE
)
# By targets: the level of the x86-64 psABI, and its last features, which LLVM wants to be told.
LEVELS = {
    "avx512": ("x86-64-v4", ("+avx512f", "+avx512bw", "+avx512cd", "+avx512dq", "+avx512vl")),
    "avx2": ("x86-64-v3", ("+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe")),
    "baseline": ("x86-64-v2", ("+cx16", "+popcnt", "+sse4.2")),
}
_NOWHERE = 1  # an address that nobody goes to: MLIR's engine wants one of each external function


def of_functions(functions: Sequence[Function]) -> Relocatable:
    """The machine code of functions; those that are exported have global names."""
    exported = [function for function in functions if function.exported]
    text = exporting_text(functions, target.host().features)
    return of_text(text, [function.name for function in exported])


def of_text(text: str, exported: Iterable[str]) -> Relocatable:
    """The machine code of a text of the llvm dialect.

    Args:
        text: with a table of the addresses of those that are exported, or nothing would keep them.
        exported: functions that get global names.

    Raises:
        UnsupportedError: LLVM generates no code for it.
    """
    text = _for_all_of_a_level(text)
    engine = mlir.ExecutionEngine.of_text(text, keeps_object=True, is_relocatable=True)
    for name in _DECLARATIONS.findall(text):
        engine.bind(name, _NOWHERE)
    engine.address(ADDRESSES)  # code is generated now
    with open(os.memfd_create("object"), "rb") as file:  # LLVM writes to a path alone
        engine.save_object(f"/proc/self/fd/{file.fileno()}")
        image = file.read()
    if not image:
        raise UnsupportedError("code could not be generated")
    code = relocatable.read(image)
    names = {*exported}
    for symbol in code.symbols:
        if symbol.section is not None:
            symbol.is_global = symbol.name in names
    missing = names - code.defined().keys()
    if missing:
        raise RuntimeError(f"machine code lacks {sorted(missing)}")
    return code


def _for_all_of_a_level(text: str) -> str:
    """The functions of a text for any processor of the target's level, not this machine's alone.

    LLVM would use all that this machine's processor can do, down to what few others can.
    """
    level, features = LEVELS[target.host().name]
    names = ", ".join(f'"{feature}"' for feature in features)
    attributes = {
        "target_cpu": mlir.string_attr(level),
        "target_features": mlir.parse_attribute(f"#llvm.target_features<[{names}]>"),
    }
    module = mlir.parse_module(text)
    for op in ir.children(module.operation):
        if op.name == "llvm.func" and not ir.is_declaration(op):
            for name, attribute in attributes.items():
                op.attributes[name] = attribute
    return ir.printed(module.operation)


def library(names: Iterable[str]) -> list[Function]:
    """Functions of the runtime and the process library, and all that they call there."""
    known: dict[str, Function] = {}
    chosen: dict[str, Function] = {}
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name in chosen:
            continue
        if name not in known:
            known.update((f.name, f) for f in _part(name))
        chosen[name] = known[name]
        used = set(_REFERENCES.findall(known[name].text()))
        waiting += sorted(used & known.keys() | {n for n in used if n.startswith(parts.PREFIX)})
    return list(chosen.values())


def _part(name: str) -> list[Function]:
    """The functions of the part that has one of them."""
    if name in (*layout.PUBLIC, layout.ASSERT):
        return [*contexts.functions(), *calls.functions()]
    return parts.functions(name)
