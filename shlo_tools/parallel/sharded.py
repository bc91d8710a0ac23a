"""Programs over meshes of devices, from whole arrays to whole arrays.

    y = compile_sharded("model.mlir")(x)   # the module says how x is cut, and how y is put together

A program keeps Shardy's annotations (``load(..., shardings="keep")``), or has GSPMD's calls.
Each device of the mesh is a partition of a grid. What ``jax.shard_map`` or ``jax.pmap`` wrote for
one device runs on its own parts of the arrays; around such computations every process computes
whole arrays. A program that is written for a single process runs as it is (``shards``).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import mlir, program
from shlo_tools.calling.arguments import Parameters
from shlo_tools.calling.executable import Executable
from shlo_tools.dtypes import Array
from shlo_tools.errors import ExecutionError
from shlo_tools.parallel import meshes, shards
from shlo_tools.parallel.compiling import compile
from shlo_tools.parallel.executable import ParallelExecutable
from shlo_tools.parallel.shards import Shards
from shlo_tools.sharding import Mesh, Tiling


class ShardedExecutable(Executable):
    """A program over a mesh, ready to run; call it with whole arrays.

    Attributes:
        mesh: its devices, which are the processes of the grid.
        grid: what they run.
    """

    _why_not_saved = "it is one of a grid of processes"

    def __init__(self, name: str, shards: Shards, mesh: Mesh, grid: ParallelExecutable) -> None:
        self.name, self.signature = name, shards.whole
        self.mesh, self.grid = mesh, grid
        self._parameters = Parameters(name, shards.whole)
        self._shards = shards

    def _run(self, arguments: Sequence[Any], cast: bool, timeout: float | None) -> Sequence[Any]:
        """Run all processes once; ``timeout`` is for all together."""
        count = self.mesh.size
        bound = self._parameters.bound(arguments, cast=cast)
        shares = [self._shares(number, array) for number, array in enumerate(bound)]
        returned = self.grid(
            [[share[k] for share in shares] for k in range(count)], timeout=timeout
        )
        tilings = self._shards.results
        if len(tilings) == 1:
            columns: list[Sequence[Array]] = [list(returned)]
        else:
            columns = list(zip(*returned, strict=True))
        if not self._shards.is_joined:
            _check_alike(columns, tilings)
        return [
            parts[0] if tiling is None else tiling.join(parts)
            for parts, tiling in zip(columns, tilings, strict=True)
        ]

    def _shares(self, number: int, array: Array) -> list[Array]:
        """What each device gets of an argument."""
        tiling = self._shards.arguments[number]
        parts = [array] * self.mesh.size if tiling is None else tiling.split(array)
        if number in self.grid.executables[0].donated:
            return [part.copy() for part in parts]  # it writes them, and others may have the same
        return parts


def _check_alike(columns: Sequence[Sequence[Array]], tilings: Sequence[Tiling | None]) -> None:
    """Refuse results which would depend on the device that is looked at."""
    for number, (parts, tiling) in enumerate(zip(columns, tilings, strict=True)):
        first: dict[tuple[int, ...], Array] = {}
        places = [()] * len(parts) if tiling is None else tiling.places
        for part, place in zip(parts, places, strict=True):
            if not _is_same(part, first.setdefault(place, part)):
                message = f"devices do not return the same: result {number} is not one whole array"
                hint = "run_spmd, or shlo-run --parallel=threads, gives those of each process"
                raise ExecutionError(message, hint=hint)


def _is_same(left: Array, right: Array) -> bool:
    """Whether two arrays are the same bits: a NaN is itself."""
    if left is right:
        return True
    if left.shape != right.shape:
        return False
    bits, others = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (left, right))
    return bool(np.array_equal(bits, others))


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
        parts = shards.lowered(module, function, devices)
    if options.get("transport") == "mpi":
        options["gather"] = True
    grid = compile(
        module, num_replicas=1, num_partitions=devices.size, function=function, **options
    )
    return ShardedExecutable(function, parts, devices, grid)


def _module(source: Any) -> mlir.Module:
    if isinstance(source, str | bytes | os.PathLike):
        return program.load(source, shardings="keep")
    return program.module_of(source)
