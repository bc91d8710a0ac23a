"""Programs over meshes of devices, from whole arrays to whole arrays.

    y = run_sharded("model.mlir", x)       # the module says how x is cut, and how y is put together

A program keeps Shardy's annotations (``load(..., shardings="keep")``), or has GSPMD's calls.
Each device of the mesh is a partition of a grid. What ``jax.shard_map`` or ``jax.pmap`` wrote for
one device runs on its own parts of the arrays; around such computations every process computes
whole arrays.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir, program
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.cpu.native import run_passes
from shlo_tools.dtypes import Array
from shlo_tools.errors import ExecutionError, ShloError
from shlo_tools.mlir import Operation
from shlo_tools.parallel import meshes
from shlo_tools.parallel.compiling import compile
from shlo_tools.parallel.executable import ParallelExecutable
from shlo_tools.sharding import PART, SHARD, WHOLE, Mesh, Tiling, sharding_of
from shlo_tools.text.sharding import manual_computations
from shlo_tools.types import ValueType, value_type


class ShardedExecutable(Executable):
    """A program over a mesh, ready to run; call it with whole arrays.

    Attributes:
        mesh: its devices, which are the processes of the grid.
        grid: what they run.
    """

    _why_not_saved = "it is one of a grid of processes"

    def __init__(
        self,
        name: str,
        signature: Signature[ValueType],
        mesh: Mesh,
        grid: ParallelExecutable,
        arguments: Sequence[Tiling | None],
        results: Sequence[Tiling | None],
        is_alike: bool = False,
    ) -> None:
        """Put one together; ``is_alike`` says that all devices have to return the same."""
        self.name, self.signature = name, signature
        self.mesh, self.grid = mesh, grid
        self._parameters = Parameters(name, signature)
        self._arguments, self._results = arguments, results
        self._is_alike = is_alike

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        """Run all processes once; ``timeout`` is for all together."""
        count = self.mesh.size
        bound = self._parameters.bound(arguments, cast=cast)
        shares = [self._shares(number, array) for number, array in enumerate(bound)]
        returned = self.grid(
            [[share[k] for share in shares] for k in range(count)], timeout=timeout
        )
        if len(self._results) == 1:
            columns: list[Sequence[Array]] = [list(returned)]
        else:
            columns = list(zip(*returned, strict=True))
        if self._is_alike:
            _check_alike(columns)
        return [
            parts[0] if tiling is None else tiling.join(parts)
            for parts, tiling in zip(columns, self._results, strict=True)
        ]

    def _shares(self, number: int, array: Array) -> list[Array]:
        """What each device gets of an argument."""
        tiling = self._arguments[number]
        parts = [array] * self.mesh.size if tiling is None else tiling.split(array)
        if number in self.grid.executables[0].donated:
            return [part.copy() for part in parts]  # it writes them, and others may have the same
        return parts


def _check_alike(columns: Sequence[Sequence[Array]]) -> None:
    """Refuse results which would depend on the device that is looked at."""
    for number, (first, *others) in enumerate(columns):
        bits = first.reshape(-1).view(np.uint8)  # a NaN is itself
        if any(not np.array_equal(bits, other.reshape(-1).view(np.uint8)) for other in others):
            message = f"devices do not return the same: result {number} is not one whole array"
            hint = "run_spmd, or shlo-run --parallel=threads, gives those of each process"
            raise ExecutionError(message, hint=hint)


def compile_sharded(
    source: Any, *, function: str = "main", mesh: str | None = None, **options: Any
) -> ShardedExecutable:
    """Compile a program over a mesh.

    Args:
        source: text, bytes, a path, or a module, with one mesh.
        mesh: what the program leaves open: ``"2x2"`` or ``"x=2,y=2"``. Where the program says
            which mesh it is for, it has to be that one.
        options: those of ``parallel.compile`` but for the grid: ``backend``, ``transport``, ...
            What is donated is copied for each device.

    Raises:
        ParseError, VerifyError: the source is no valid module, or cuts arrays that it cannot cut.
        ShloError: it has no mesh, or another one, or meshes of several sizes.
    """
    with mlir.library_context():
        module = _module(source)
        devices = meshes.of_module(module.operation, mesh)
        whole = _signature(_entry(module, function))
        run_passes("shlo-legalize-gspmd", module, None)
        is_alike = not any(map(_cuts, mlir.walk(module.operation)))
        run_passes(f"shlo-lower-manual-computations{{function={function}}}", module, None)
        entry = _entry(module, function)
        arguments = _tilings(entry, "arg_attrs", len(whole.inputs))
        results = _tilings(entry, "res_attrs", len(whole.results))
    if options.get("transport") == "mpi":
        options["gather"] = True
    grid = compile(
        module, num_replicas=1, num_partitions=devices.size, function=function, **options
    )
    return ShardedExecutable(function, whole, devices, grid, arguments, results, is_alike)


def run_sharded(source: Any, *arrays: Any, timeout: float | None = None, **options: Any) -> Any:
    """Run a program over a mesh once, on whole arrays; see ``compile_sharded`` for the options."""
    return compile_sharded(source, **options)(*arrays, timeout=timeout)


def _module(source: Any) -> mlir.Module:
    if isinstance(source, str | bytes | os.PathLike):
        return program.load(source, shardings="keep")
    return program.module_of(source)


def _entry(module: mlir.Module, function: str) -> Operation:
    entry = ir.functions_by_name(module.operation).get(function)
    if entry is None:
        raise ShloError(f"there is no function @{function}")
    return entry


def _cuts(op: Operation) -> bool:
    """Whether an op cuts arrays for devices, or puts them together."""
    target = ir.text_of(op, "call_target_name") if op.name == manual_computations.CALL else ""
    return target in (manual_computations.OP, PART, WHOLE)


def _signature(entry: Operation) -> Signature[ValueType]:
    """What the function takes and returns, whole."""
    inputs, results = ir.signature(entry)
    return Signature(tuple(map(value_type, inputs)), tuple(map(value_type, results)))


def _tilings(entry: Operation, name: str, count: int) -> list[Tiling | None]:
    """How arguments or results are parts of arrays."""
    listed = ir.items_of(entry, name) or [{}] * count
    spelled = [str(item[SHARD].value) if SHARD in item else "" for item in listed]
    return [sharding_of(text, {}).tiling() if text else None for text in spelled]
