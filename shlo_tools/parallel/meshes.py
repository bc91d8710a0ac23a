"""The mesh that a program runs over: what its module says, and what its caller asks for.

2x2        the sizes of the axes, major ones first
x=2,y=2    their names as well
"""

from __future__ import annotations

import re

from shlo_tools import ir
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation
from shlo_tools.sharding import Mesh, mesh_of
from shlo_tools.text.sharding import kept

NUM_PARTITIONS, NUM_REPLICAS = "mhlo.num_partitions", "mhlo.num_replicas"  # on the module

_MOST = 4096  # devices
_AXIS = re.compile(r"\s*(?:([A-Za-z_][\w.-]*)\s*=)?\s*(\d{1,6})\s*")


def of_text(text: str) -> Mesh:
    """The mesh ``2x2`` or ``x=2,y=2``; axes without names are called by their numbers.

    Raises:
        ShloError: it is spelled otherwise, or has an axis twice, or no devices, or too many.
    """
    pieces = [_AXIS.fullmatch(piece) for piece in text.split("," if "=" in text else "x")]
    axes = [(piece[1], int(piece[2])) for piece in pieces if piece]
    named = {name is not None for name, _ in axes}
    if len(axes) < len(pieces) or len(named) > 1:
        hint = "sizes, 2x2, or names and sizes, x=2,y=2"
        raise ShloError(f"{text!r} is no mesh", hint=hint)
    mesh = Mesh(tuple((name or f"{k}", size) for k, (name, size) in enumerate(axes)))
    if len(dict(mesh.axes)) < len(axes):
        raise ShloError(f"{text!r} is no mesh: it has an axis twice")
    if not 1 <= mesh.size <= _MOST:
        raise ShloError(f"{text!r} is no mesh: it has {mesh.size} devices, not 1 to {_MOST}")
    return mesh


def of_module(module: Operation, mesh: str | None = None) -> Mesh:
    """The mesh of a program, or the largest one of those that have the same devices.

    Args:
        mesh: as ``of_text`` reads it; what the module leaves open. A module with partitions and
            no mesh leaves open how they lie, and one with neither everything.

    Raises:
        ShloError: there is none, or it is another one than that, or there are several sizes, or
            the program has replicas.
    """
    request = None if mesh is None else of_text(mesh)
    partitions = ir.integer_of(module, NUM_PARTITIONS, 1)
    if (replicas := ir.integer_of(module, NUM_REPLICAS, 1)) > 1:
        hint = "run_spmd, or shlo-run --parallel=threads, takes what each process gets"
        raise ShloError(f"the program is for {replicas} replicas, not for a mesh", hint=hint)
    meshes = _spelled(module)
    if not meshes and partitions == 1:
        if request is not None:
            return request
        hint = (
            'mesh="2x2", or --mesh=2x2, says how large one is; load(..., shardings="keep") '
            "reads annotations"
        )
        raise ShloError("the program has no mesh", hint=hint)
    if request is None:
        return meshes[0] if meshes else Mesh((("partitions", partitions),))
    for own in meshes:
        if _agree(request, own, with_names="=" in str(mesh)):
            return own
    if meshes:
        raise ShloError(f"the mesh {mesh} is asked for, and the program's is {meshes[0]}")
    if request.size != partitions:
        raise ShloError(
            f"the mesh {mesh} of {request.size} devices is asked for,"
            f" and the program has {partitions} partitions"
        )
    return request


def _spelled(module: Operation) -> list[Mesh]:
    """The meshes that a module spells out, which have the same number of devices."""
    spelled = module.attributes[kept.MESHES] if kept.MESHES in module.attributes else []
    meshes = [mesh_of(str(spelled[index].attr.value)) for index in range(len(spelled))]
    meshes = [mesh for mesh in meshes if mesh.axes]
    if len({mesh.size for mesh in meshes}) > 1:
        raise ShloError(f"meshes of several sizes: {', '.join(map(str, meshes))}")
    return meshes


def _agree(request: Mesh, own: Mesh, *, with_names: bool) -> bool:
    return request.axes == own.axes if with_names else request.shape == own.shape
