"""Executables of programs whose sizes are known: stages by kernels, what is left through linalg."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.calling.executable import Signature
from shlo_tools.codegen.library import entering
from shlo_tools.codegen.lowered import PLAIN
from shlo_tools.cpu import native, symbols, weights
from shlo_tools.cpu.native import Linked, Tell
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages import kernels
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.program import Program, read
from shlo_tools.dtypes import Array
from shlo_tools.pipeline.contents import Contents, contents
from shlo_tools.types import value_type


def build(
    module: mlir.Module,
    constants: Sequence[Array],
    *,
    function: str,
    opt_level: int,
    donate: Collection[int] = (),
    tell: Tell | None = None,
) -> StagedExecutable | None:
    """An executable of stages; None where a program cannot be cut into such.

    Args:
        donate: numbers of the arguments that calls may write.
    """
    known = contents(module.operation)
    if not _is_fit(known):
        return None
    parts.start([entering.ENTER])
    copy = program.clone(module)
    normalizing = "shlo-normalize,shlo-canonicalize-dynamism{exact}"
    known = native.run_passes(normalizing, copy, tell, known) or contents(copy.operation)
    func = ir.functions_by_name(copy.operation)[function]
    ops = mlir.walk(func)
    if not _is_fit(known) or any(op.name == "func.call" for op in ops):
        return None
    inputs, results = (tuple(map(value_type, types)) for types in ir.signature(func))
    first = len(constants)
    constants = [*constants, *weights.take_out(copy, ops, threshold=0, first=first)]
    native.run_passes("shlo-partition,shlo-lower-stages{shared}", copy, tell)
    cut = read(copy, function, donate)
    jobs = {job.function for code in cut.codes.values() for job in code.jobs}
    parts.start(name for name in jobs if name.startswith(parts.PREFIX))
    if tell is not None:
        tell("while generating machine code")
    codes = kernels.compiled(jobs)
    addresses = {name: code.addresses[name] for name, code in codes.items()}
    owners: list[Any] = [*{*codes.values()}]
    words = {word for code in cut.codes.values() for c in code.contexts for word in c.words}
    addresses |= {word: symbols.known_address(word) for word in words if isinstance(word, str)}
    if cut.plain:
        plain = _plain(copy, cut, constants, opt_level, tell)
        owners.append(plain.engine)
        for entry in plain.manifest.entry_points.values():
            addresses[entry.symbol] = mlir.entry_address(plain.engine, entry.symbol)
    else:
        plain = native.calls_alone(copy)
    signature = Signature(inputs, results)
    return StagedExecutable(function, signature, cut, addresses, owners, constants, plain)


def _plain(
    module: mlir.Module,
    cut: Program,
    constants: Sequence[Array],
    opt_level: int,
    tell: Tell | None,
) -> Linked:
    """Machine code of the stages that no kernel computes, as entry points; all else goes."""
    for op in ir.children(module.operation):
        if op.name != "func.func" or ir.symbol_name(op) in cut.plain:
            continue
        if ir.text_of(op, "sym_visibility") != "private" or ir.symbol_name(op) in cut.codes:
            op.erase()
    for name in cut.plain:
        func = ir.functions_by_name(module.operation)[name]
        del func.attributes[PLAIN]
        func.attributes["sym_visibility"] = mlir.string_attr("public")
    native.run_passes("shlo-normalized-to-llvm", module, tell)
    return native.link(module, constants, functions=list(cut.plain), opt_level=opt_level, tell=tell)


def _is_fit(known: Contents) -> bool:
    """Whether all values are tensors of known sizes and of plain numbers."""
    return all(_is_fit_type(type) for type in known.types if not mlir.is_memref(type))


def _is_fit_type(type: mlir.Type) -> bool:
    return mlir.is_static_tensor(type) and not dtypes.tensor_type(type).element_type.is_quantized
