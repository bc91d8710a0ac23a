"""What the processes of a program hold of whole arrays, as its module says.

A program over a mesh is written in one of two ways. One of *whole arrays* says where they are cut:
by computations of one device (``jax.shard_map``), by GSPMD's calls, or by advice alone. One of a
*single process* has the types of its parts, and meets the others in collectives of its own:

    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%part: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) ... {
      %0 = "stablehlo.all_gather"(%part) ...

There, shardings of arguments and results say which part of a whole array each is (6 elements here).
Collectives tell both apart: in a program of whole arrays they are in computations of one device
alone. What ``shlo-lower-manual-computations`` made is a program of a single process, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.calling.executable import Signature
from shlo_tools.cpu.native import run_passes
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation
from shlo_tools.passes.normalize import gspmd_shardings
from shlo_tools.passes.normalize.lower_collectives import COLLECTIVES, IDS
from shlo_tools.passes.normalize.lower_manual_computations import meshes_of
from shlo_tools.sharding import PART, SHARD, WHOLE, Mesh, Tiling, sharding_of
from shlo_tools.text.sharding import manual_computations
from shlo_tools.types import ValueType, value_type

_SHARDY, _GSPMD = "shlo.sharding", "mhlo.sharding"  # on arguments and results
_Listed = Sequence[Tiling | None]
_Reader = Callable[[Mapping[str, Any], ValueType], Tiling | None]
_OF_PROCESSES = frozenset(f"stablehlo.{name}" for name in (*COLLECTIVES, *IDS))


@dataclass(frozen=True)
class Shards:
    """How the whole arrays of a program are those of its processes.

    Attributes:
        whole: what the program takes and returns.
        arguments, results: how each is cut; None where every process has it whole.
        is_joined: computations put the results together; else processes that hold the same part
            of a result have to return the same.
    """

    whole: Signature[ValueType]
    arguments: Sequence[Tiling | None]
    results: Sequence[Tiling | None]
    is_joined: bool


def lowered(module: mlir.Module, function: str, mesh: Mesh) -> Shards:
    """Make a program over a mesh one of a single process.

    Raises:
        VerifyError: it cuts arrays that it cannot cut.
        ShloError: there is no such function, or it has shardings for another mesh.
    """
    types = _types(_entry(module, function))
    run_passes("shlo-legalize-gspmd", module, None)
    ops = list(mlir.walk(module.operation))
    cuts = any(map(_cuts, ops))
    meets = any(op.name in _OF_PROCESSES for op in ops)
    run_passes(f"shlo-lower-manual-computations{{function={function}}}", module, None)
    entry = _entry(module, function)
    arguments, results = _tilings(entry, types, _shard)
    if cuts:
        return Shards(types, arguments, results, is_joined=True)
    is_joined = any(tiling is not None for tiling in (*arguments, *results))  # lowered before
    if meets and not is_joined:
        meshes = meshes_of(module.operation)
        arguments, results = _tilings(
            entry, types, lambda item, type: _annotated(item, type, meshes, mesh.size)
        )
    for tiling in (*arguments, *results):
        if tiling is not None and len(tiling.places) != mesh.size:
            raise ShloError(f"a sharding for {len(tiling.places)} devices; the mesh is {mesh}")
    whole = Signature(
        tuple(map(_whole, types.inputs, arguments)), tuple(map(_whole, types.results, results))
    )
    return Shards(whole, arguments, results, is_joined)


def _entry(module: mlir.Module, function: str) -> Operation:
    entry = ir.functions_by_name(module.operation).get(function)
    if entry is None:
        raise ShloError(f"there is no function @{function}")
    return entry


def _cuts(op: Operation) -> bool:
    """Whether an op cuts arrays for devices, or puts them together."""
    target = ir.text_of(op, "call_target_name") if op.name == manual_computations.CALL else ""
    return target in (manual_computations.OP, PART, WHOLE)


def _types(entry: Operation) -> Signature[ValueType]:
    inputs, results = ir.signature(entry)
    return Signature(tuple(map(value_type, inputs)), tuple(map(value_type, results)))


def _tilings(entry: Operation, types: Signature[ValueType], reader: _Reader) -> list[_Listed]:
    """How arguments and results are parts of arrays, as attributes of both say."""
    return [
        [reader(item, type) for item, type in zip(items or [{}] * len(listed), listed, strict=True)]
        for items, listed in (
            (ir.items_of(entry, "arg_attrs"), types.inputs),
            (ir.items_of(entry, "res_attrs"), types.results),
        )
    ]


def _shard(item: Mapping[str, Any], type: ValueType) -> Tiling | None:
    """What lowering a computation of one device says of an argument or a result."""
    return sharding_of(str(item[SHARD].value), {}).tiling() if SHARD in item else None


def _annotated(
    item: Mapping[str, Any], type: ValueType, meshes: Mapping[str, Mesh], count: int
) -> Tiling | None:
    """What the annotations of Shardy or GSPMD, for so many devices, say of one."""
    if _SHARDY in item:
        return sharding_of(str(item[_SHARDY].value), meshes).tiling()
    if _GSPMD in item and isinstance(type, TensorType):
        return gspmd_shardings.sharding_of(str(item[_GSPMD].value), type.rank, count).tiling()
    return None


def _whole(type: ValueType, tiling: Tiling | None) -> ValueType:
    """The type of the array that values of a type are parts of."""
    if tiling is None or not isinstance(type, TensorType):
        return type
    if type.rank != len(tiling.counts):
        raise ShloError(f"a sharding of {len(tiling.counts)} dimensions for {type}")
    return type.with_shape(d * n for d, n in zip(type.shape, tiling.counts, strict=True))
