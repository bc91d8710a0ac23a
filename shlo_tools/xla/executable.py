"""Programs that XLA runs in a child process, behind the interface of a compiled program."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import time
from collections.abc import Sequence
from typing import Any

from shlo_tools import ir, mlir, program, workers
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.cpu import weights
from shlo_tools.cpu.executable import select_function
from shlo_tools.cpu.native import run_passes
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ExecutionError, ExecutionTimeout, ShloError, UnsupportedError
from shlo_tools.ir import Build
from shlo_tools.pipeline.stage_texts import StageTexts
from shlo_tools.types import ValueType, value_type

_FLATTEN = "shlo-flatten-grid{{num-replicas={} num-partitions={}}}"
_WORKER = "shlo_tools.xla.worker"


class XlaExecutable(Executable):
    """A function that XLA runs, in one process or in all processes of a grid.

    Attributes:
        num_replicas, num_partitions: the size of the grid.
    """

    _why_not_saved = "XLA has it, in another process"

    def __init__(
        self, name: str, signature: Signature[ValueType], text: str, grid: tuple[int, int]
    ) -> None:
        self.name, self.signature = name, signature
        self.num_replicas, self.num_partitions = grid
        self._parameters = Parameters(name, signature)
        self._text = text
        self._key = hashlib.sha256(f"{grid} {text}".encode()).hexdigest()
        self._compile(None)

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        size = self.num_replicas * self.num_partitions
        if size > 1:
            raise ExecutionError(f"@{self.name} is run by all {size} processes of a grid at once")
        return self.run_all([arguments], cast=cast, timeout=timeout)[0]

    def run_all(
        self, rows: Sequence[Sequence[Any]], *, cast: bool = False, timeout: float | None = None
    ) -> list[list[Array]]:
        """Run the program once in all processes.

        Args:
            rows: the arguments of each process, by its number.

        Returns:
            The results of each.

        Raises:
            ArgumentError, ExecutionError, ExecutionTimeout: as calling an ``Executable`` does.
        """
        bound = [self._parameters.bound(row, cast=cast) for row in rows]
        deadline = None if timeout is None else time.monotonic() + timeout
        results = self._ask(deadline, "call", self._key, bound)
        if results is None:  # of another program's time, or a child that died since
            self._compile(deadline)
            results = self._ask(deadline, "call", self._key, bound)
        answer: list[list[Array]] = results
        return answer

    def _compile(self, deadline: float | None) -> None:
        size = self.num_replicas * self.num_partitions
        self._ask(deadline, "compile", self._key, self._text, size)

    def _ask(self, deadline: float | None, request: str, *arguments: Any) -> Any:
        size = self.num_replicas * self.num_partitions
        try:
            return workers.ask(_WORKER, [str(size)], request, *arguments, deadline=deadline)
        except workers.WorkerDied as died:
            doing = "compiling" if request == "compile" else "running"
            message = f"XLA's process {died.end} while {doing} @{self.name}"
            raise ExecutionError(message) from died
        except workers.WorkerStopped:
            raise ExecutionTimeout(f"stopped while XLA ran @{self.name}") from None


def compile(
    source: Any, *, function: str = "main", grid: tuple[int, int] = (1, 1)
) -> XlaExecutable:
    """Compile a program by XLA, for this machine's CPU.

    Args:
        source: as for native code. It is sent as it is, but for constants in files.
        function: the function to run.
        grid: replicas and partitions, which run the function together.

    Raises:
        ParseError, VerifyError: the source is no valid module.
        UnsupportedError: sizes are unknown, or XLA refuses the program.
        ExecutionError: XLA's process died of it.
        ShloError: jaxlib is not installed, or there is no such function.
    """
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("jaxlib") is None:
        hint = "pip install 'shlo-tools[xla]'"
        raise ShloError("backend='xla' needs jaxlib, which is not installed", hint=hint)
    with mlir.library_context():
        module = program.module_of(source)
        program.internalize(module)
        weights.take_out(module, threshold=sys.maxsize)  # resources become values, as XLA has them
        program.verify_further(module)
        select_function(module, function)
        entry = ir.functions_by_name(module.operation)[function]
        _check_alone(module, grid)
        signature = _signature(entry)
        texts = StageTexts(program.clone(module), ("stablehlo",))
        _call_it_main(module, entry)
        flatten = [_FLATTEN.format(*grid)] if grid[1] > 1 else []
        run_passes(",".join(["symbol-dce", *flatten]), module, None)  # only what it needs
        executable = XlaExecutable(function, signature, module.operation.get_asm(), grid)
    executable.texts = texts
    return executable


def _check_alone(module: mlir.Module, grid: tuple[int, int]) -> None:
    """Refuse what a program alone cannot be: parts of arrays, which GSPMD's calls cut."""
    for op in mlir.walk(module.operation) if grid == (1, 1) else ():
        target = ir.text_of(op, "call_target_name") if op.name == "stablehlo.custom_call" else ""
        if target.startswith("SPMD") and op.operands[0].type != op.results[0].type:
            ir.raise_unsupported(
                [op], f"{target!r} for several devices (run_spmd(whole=...) runs it)"
            )


def _signature(entry: mlir.Operation) -> Signature[ValueType]:
    inputs, results = (tuple(map(value_type, types)) for types in ir.signature(entry))
    for type in (*inputs, *results):
        if not isinstance(type, TensorType) or not type.is_static:
            place = mlir.place_of(entry.location)
            message = f"XLA takes programs of known sizes, and this one has {type}"
            hint = "shlo-opt --shlo-refine-arguments gives arguments their sizes"
            raise UnsupportedError(message, place=place, hint=hint)
    return Signature(inputs, results)


def _call_it_main(module: mlir.Module, entry: mlir.Operation) -> None:
    """Have a function be the one that XLA runs, which is the one called main."""
    name = ir.symbol_name(entry)
    if name == "main":
        return
    other = ir.functions_by_name(module.operation).get("main")
    if other is not None:
        if any(ir.called_name(op) == "main" for op in mlir.walk(module.operation)):
            message = f"XLA runs @main, which is called: @{name} cannot take its place"
            raise UnsupportedError(message, place=mlir.place_of(other.location))
        other.erase()
    entry.attributes["sym_visibility"] = mlir.string_attr("private")
    inputs, results = (list(types) for types in ir.signature(entry))
    build = Build(mlir.at_end(module.body), entry.location)
    main = build.function("main", inputs, results, private=False)
    block, inside = build.block(main.regions[0], inputs)
    inside.op("func.return", list(inside.call(name, list(block.arguments), results)))
