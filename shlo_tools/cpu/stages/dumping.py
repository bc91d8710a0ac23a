"""What stages were compiled to, as files: StableHLO, the llvm dialect, LLVM IR, machine code.

Each distinct stage is lowered alone, by the same passes as in its program, and compiled as its
kernels are: without LLVM's optimiser.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from shlo_tools import files, ir, mlir, program
from shlo_tools.codegen import jobs, named_sizes
from shlo_tools.codegen.function import ADDRESSES, address_table
from shlo_tools.codegen.lowered import JOBS, PLAIN, ROWS, STAGE, calls_stages
from shlo_tools.cpu import native
from shlo_tools.cpu.machine_code import objects
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.program import stage_calls
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation

INDEX = "index.csv"
_DISASSEMBLERS = ("objdump", "llvm-objdump")
_SECONDS = 60  # that one may take
_ANYWHERE = 64  # the address of functions that nobody calls


@dataclass(frozen=True)
class Entry:
    """A line of the index.

    Attributes:
        stage: its name, which those of its files begin with.
        kind: how a kernel walks it, as ``shlo-partition`` has it.
        calls: how many there are in the program.
        place: of the first call in the source.
        ops: what it computes.
        jobs: functions that it runs: of its own, and of the process library (``shlo_rt_...``).
        files: suffixes of its files.
        missing: why there are not more of them.
    """

    stage: str
    kind: str
    calls: int
    place: str
    ops: str
    jobs: str
    files: str
    missing: str


def dump(source: Callable[[], mlir.Module], function: str, folder: str) -> list[Entry]:
    """Write the stages of a program to files of a folder, which is made where it is not there.

    Args:
        source: gives the program as it was read, without its large constants.

    Raises:
        ShloError: a file cannot be written.
    """
    path = _made(folder)
    with mlir.library_context():
        module = program.clone(source())
        building.cut(module, function)
        calls = stage_calls(module, function)
        counts = Counter(ir.callee_of(call) for call in calls)
        places = {ir.callee_of(call): str(mlir.place_of(call.location)) for call in calls[::-1]}
        entries = []
        for func in ir.functions(module.operation):
            if STAGE in func.attributes:
                name = ir.symbol_name(func)
                entries.append(_stage(module, name, path, counts[name], places.get(name, "")))
    files.write_file(str(path / INDEX), _index(entries).encode())
    return entries


def dump_function(texts: Callable[[str], str], name: str, folder: str) -> list[Entry]:
    """The same of a program that is compiled as one function, without machine code."""
    path = _made(folder)
    with mlir.library_context():
        files.write_file(str(path / "program.stablehlo.mlir"), texts("stablehlo").encode())
        lowered = mlir.parse_module(texts("llvm"))
        suffixes, missing = _lowered(path / "program", lowered.operation)
    entry = Entry(
        *("program", "function", 1, "", "", f"@{name}"),
        files=" ".join(["stablehlo.mlir", *suffixes]),
        missing=missing or "machine code: the program is compiled as a whole, by LLVM's optimiser",
    )
    files.write_file(str(path / INDEX), _index([entry]).encode())
    return [entry]


def _made(folder: str) -> Path:
    files.check_path(folder, "write")
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ShloError(f"cannot write to {folder!r}: {error.strerror}") from error
    return path


def _index(entries: Sequence[Entry]) -> str:
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    names = [field.name for field in fields(Entry)]
    table.writerow(names)
    table.writerows([getattr(entry, name) for name in names] for entry in entries)
    return rows.getvalue()


# --- one stage ------------------------------------------------------------------------------------
def _stage(module: mlir.Module, name: str, folder: Path, calls: int, place: str) -> Entry:
    """Write what there is of a stage."""
    alone = _alone(module, name)
    func = ir.functions_by_name(alone.operation)[name]
    inner = [op for op in ir.children(func) if op.name != "func.return"]
    ops = Counter(op.name.removeprefix("stablehlo.") for op in inner)
    kind, base = ir.text_of(func, STAGE), folder / name
    files.write_file(f"{base}.stablehlo.mlir", _as_program(alone, name).encode())
    suffixes = ["stablehlo.mlir"]
    native.run_passes("shlo-lower-stages", alone, None)
    func = ir.functions_by_name(alone.operation)[name]
    functions, missing = "", ""
    if JOBS in func.attributes:
        code = jobs.from_json(ir.text_of(func, JOBS))
        functions = " ".join(job.function for job in code.jobs)
        kernels = [op for op in ir.children(alone.operation) if op.name == "builtin.module"]
        missing = "" if kernels else "it runs functions of the process library alone"
        for module_op in kernels:
            more, missing = _kernel_files(base, module_op)
            suffixes += more
    else:
        missing = f"no kernel: {ir.text_of(func, PLAIN)}"
        more, why = _plain_files(base, module, name)
        suffixes += more
        missing += f"; {why}" if why else ""
    listed = " ".join(op if n == 1 else f"{n}*{op}" for op, n in ops.items())
    return Entry(name, kind, calls, place, listed, functions, " ".join(suffixes), missing)


def _alone(module: mlir.Module, name: str) -> mlir.Module:
    """A module of a stage, and of what else is no function with stages."""
    alone = program.clone(module)
    for op in ir.children(alone.operation):
        if op.name != "func.func" or ir.symbol_name(op) == name:
            continue
        if STAGE in op.attributes or calls_stages(op):
            op.erase()
    return alone


def _as_program(alone: mlir.Module, name: str) -> str:
    """A stage as a program that can be run: its function is ``@main``."""
    module = program.clone(alone)
    func = ir.functions_by_name(module.operation)[name]
    for attribute in (STAGE, ROWS):
        if attribute in func.attributes:
            del func.attributes[attribute]
    func.attributes["sym_visibility"] = mlir.string_attr("public")
    func.attributes["sym_name"] = mlir.string_attr("main")
    return ir.printed(module.operation)


def _kernel_files(base: Path, kernels: Operation) -> tuple[list[str], str]:
    """Files of kernels, by suffixes, and why there are not more."""
    suffixes, missing = _lowered(base, kernels)
    if missing:
        return suffixes, missing
    if not objects.is_supported():
        return suffixes, "machine code: object files are not taken on this platform"
    _write_object(f"{base}.o", kernels)
    assembly, missing = _disassembled(f"{base}.o")
    if assembly:
        files.write_file(f"{base}.s", assembly.encode())
    return [*suffixes, "o", *(["s"] if assembly else [])], missing


def _lowered(base: Path, module: Operation) -> tuple[list[str], str]:
    """Files of a module of the llvm dialect: as it is, and as LLVM IR."""
    files.write_file(f"{base}.llvm.mlir", ir.printed(module).encode())
    with mlir.hearing() as diagnostics:
        text = mlir.llvm_ir(module)
    if text is None:
        return ["llvm.mlir"], f"LLVM IR: {'; '.join(d.message for d in diagnostics)}"
    files.write_file(f"{base}.ll", text.encode())
    return ["llvm.mlir", "ll"], ""


def _plain_files(base: Path, module: mlir.Module, name: str) -> tuple[list[str], str]:
    """Files of a stage that goes through linalg, by suffixes, and why there are none."""
    if named_sizes.has_unknown_sizes(ir.functions_by_name(module.operation)[name]):
        return [], "it is lowered for the sizes of a call"
    alone = _alone(module, name)
    func = ir.functions_by_name(alone.operation)[name]
    func.attributes["sym_visibility"] = mlir.string_attr("public")
    native.run_passes("shlo-normalized-to-llvm", alone, None)
    return _lowered(base, alone.operation)


# --- machine code ---------------------------------------------------------------------------------
def _write_object(path: str, kernels: Operation) -> None:
    """Compile kernels as they are for a program; nothing is run."""
    functions = ir.children(kernels)
    defined = [ir.symbol_name(op) for op in functions if list(op.regions[0].blocks)]
    declared = {ir.symbol_name(op) for op in functions}.difference(defined)
    text, _, _ = ir.printed(kernels).rpartition("}")
    engine = mlir.ExecutionEngine.of_text(f"{text}{address_table(defined)}}}", keeps_object=True)
    for name in declared:
        engine.bind(name, _ANYWHERE)
    if not engine.address(ADDRESSES):
        raise ShloError(f"no machine code for {path}: LLVM takes no such module")
    with tempfile.TemporaryDirectory() as folder:
        temporary = os.path.join(folder, "kernels.o")  # LLVM writes to a path alone
        engine.save_object(temporary)
        files.write_file(path, files.read_file(temporary))


def _disassembled(path: str) -> tuple[str, str]:
    """The instructions of an object file, or why there are none."""
    program = next(filter(None, map(shutil.which, _DISASSEMBLERS)), None)
    if program is None:
        return "", f"assembly: neither {' nor '.join(_DISASSEMBLERS)} is on PATH"
    command = [program, "-d", "-r", "--no-show-raw-insn", path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"assembly: {program}: {error}"
    if done.returncode:
        return "", f"assembly: {program}: {done.stderr.strip()}"
    return done.stdout, ""
