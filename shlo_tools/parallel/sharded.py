"""Programs over a mesh of devices, from whole arrays to whole arrays.

    y = run_sharded("model.mlir", x)       # the module says how x is cut, and how y is put together

A program keeps Shardy's annotations (``load(..., shardings="keep")``). Each device of the mesh is
a partition of a grid. What ``jax.shard_map`` or ``jax.pmap`` wrote for one device runs on its own
parts of the arrays; around such computations every process computes whole arrays.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir, program
from shlo_tools.cpu.native import run_passes
from shlo_tools.dtypes import Array
from shlo_tools.errors import ArgumentError, ShloError
from shlo_tools.mlir import Operation
from shlo_tools.parallel.executable import ParallelExecutable, compile
from shlo_tools.sharding import SHARD, Mesh, Tiling, mesh_of, sharding_of
from shlo_tools.text.sharding import kept


class ShardedExecutable:
    """A program over a mesh, ready to run; call it with whole arrays.

    Attributes:
        mesh: its devices, which are the processes of the grid.
        grid: what they run.
    """

    def __init__(
        self,
        mesh: Mesh,
        grid: ParallelExecutable,
        arguments: Sequence[Tiling | None],
        results: Sequence[Tiling | None],
    ) -> None:
        self.mesh, self.grid = mesh, grid
        self._arguments, self._results = arguments, results

    def __call__(self, *arrays: Any, timeout: float | None = None) -> Any:
        """Run all processes once.

        Args:
            arrays: the program's arguments, whole.
            timeout: seconds for all.

        Returns:
            The whole result, or a tuple of all.

        Raises:
            ArgumentError: there are too few or too many arrays, or one does not fit.
            ExecutionError, ExecutionTimeout: as ``ParallelExecutable`` raises them.
        """
        if len(arrays) != len(self._arguments):
            raise ArgumentError(
                f"{len(arrays)} arguments, and the program has {len(self._arguments)}"
            )
        shares = [
            self._share(number, array, tiling)
            for number, (array, tiling) in enumerate(zip(arrays, self._arguments, strict=True))
        ]
        count = self.mesh.size
        returned = self.grid(
            [[share[k] for share in shares] for k in range(count)], timeout=timeout
        )
        if len(self._results) == 1:
            return self._joined(list(returned), self._results[0])
        columns = zip(*returned, strict=True)
        joined = zip(columns, self._results, strict=True)
        return tuple(self._joined(parts, tiling) for parts, tiling in joined)

    def _share(self, number: int, array: Any, tiling: Tiling | None) -> Sequence[Any]:
        """What each process gets of an argument."""
        if tiling is None:
            return [array] * self.mesh.size
        try:
            return tiling.split(np.asarray(array))
        except ShloError as error:
            raise ArgumentError(f"argument {number}: {error.diagnostics[0].message}") from error

    @staticmethod
    def _joined(parts: Sequence[Array], tiling: Tiling | None) -> Array:
        return parts[0] if tiling is None else tiling.join(parts)


def compile_sharded(source: Any, *, function: str = "main", **options: Any) -> ShardedExecutable:
    """Compile a program over a mesh.

    Args:
        source: text, bytes, a path, or a module, with one mesh.
        options: those of ``parallel.compile`` but for the grid: ``backend``, ``transport``, ...

    Raises:
        ParseError, VerifyError: the source is no valid module, or cuts arrays that it cannot cut.
        ShloError: it has no mesh, or meshes of several sizes.
    """
    with mlir.library_context():
        module = _module(source)
        mesh = _mesh(module.operation)
        run_passes(f"shlo-lower-manual-computations{{function={function}}}", module, None)
        entry = ir.functions_by_name(module.operation).get(function)
        if entry is None:
            raise ShloError(f"there is no function @{function}")
        inputs, outputs = ir.signature(entry)
        arguments = _tilings(entry, "arg_attrs", len(inputs))
        results = _tilings(entry, "res_attrs", len(outputs))
    if options.get("transport") == "mpi":
        options["gather"] = True
    grid = compile(module, num_replicas=1, num_partitions=mesh.size, function=function, **options)
    return ShardedExecutable(mesh, grid, arguments, results)


def run_sharded(source: Any, *arrays: Any, timeout: float | None = None, **options: Any) -> Any:
    """Run a program over a mesh once, on whole arrays; see ``compile_sharded`` for the options."""
    return compile_sharded(source, **options)(*arrays, timeout=timeout)


def _module(source: Any) -> mlir.Module:
    if isinstance(source, str | bytes | os.PathLike):
        return program.load(source, shardings="keep")
    return program.module_of(source)


def _mesh(module: Operation) -> Mesh:
    """The mesh of a program, or the largest one of those that have the same devices."""
    spelled = module.attributes[kept.MESHES] if kept.MESHES in module.attributes else []
    meshes = [mesh_of(str(spelled[index].attr.value)) for index in range(len(spelled))]
    meshes = [mesh for mesh in meshes if mesh.axes]
    if not meshes:
        hint = 'load(..., shardings="keep") reads annotations; run_spmd runs what has none'
        raise ShloError("the program has no mesh", hint=hint)
    if len({mesh.size for mesh in meshes}) > 1:
        raise ShloError(f"meshes of several sizes: {', '.join(map(str, meshes))}")
    return meshes[0]


def _tilings(entry: Operation, name: str, count: int) -> list[Tiling | None]:
    """How arguments or results are parts of arrays."""
    listed = ir.items_of(entry, name) or [{}] * count
    spelled = [str(item[SHARD].value) if SHARD in item else "" for item in listed]
    return [sharding_of(text, {}).tiling() if text else None for text in spelled]
