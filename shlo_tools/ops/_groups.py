"""Groups of processes, as attributes write them: rows of numbers, or axes of a mesh.

    #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>,
      <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y">]>

stands for ``[[0, 1, 2, 3], [4, 5, 6, 7]]``: processes are numbered row by row over the mesh, and
those are in a group that differ along the axes alone. ``(2)2`` is the part of an axis that has 2
positions, with 2 in front of it.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.errors import ConstraintError

PREFIX = "#stablehlo.replica_group_mesh_axes<"
_AXIS = re.compile(r'<name = "([^"]*)", size = (\d+)>')
_REFERENCE = re.compile(
    r'axis_ref<name = "([^"]*)"(?:, sub_axis_info = \((?P<before>\d+)\)(?P<size>\d+))?>'
)
_DEVICES = re.compile(r"device_ids = dense<(\[[^>]*\]|\d+)>")


def rows(attribute: Any) -> list[list[int]]:
    """The rows of an attribute; of rows without members, there may be more than memory holds."""
    if not mlir.is_dense(attribute):
        return of_axes(str(attribute))
    numbers = dtypes.from_attribute(attribute)
    numbers_of_rows: list[list[int]] = numbers.tolist() if numbers.size else []
    return numbers_of_rows


def of_axes(text: str) -> list[list[int]]:
    """The groups that axes of a mesh stand for, by the attribute's text.

    Raises:
        ConstraintError: the mesh is named by a symbol, or the axes are none of its own.
    """
    mesh, _, references = text.partition("axes = [#stablehlo.axis_ref")
    axes = {name: int(size) for name, size in _AXIS.findall(mesh)}
    if "mesh = @" in mesh or not axes:
        raise ConstraintError(f"groups by a mesh that is not written out: {text}")
    parts = [(name, 1, size) for name, size in axes.items()]
    listed: list[tuple[str, int]] = []
    for match in _REFERENCE.finditer(f"axis_ref{references}"):
        name, size = match[1], axes.get(match[1], 0)
        before = int(match["before"] or 1)
        own = int(match["size"] or size)
        if not own or size % (before * own):
            raise ConstraintError(f"no such axis: {match[0]} of {axes}")
        listed.append((name, before))
        parts = [cut for part in parts for cut in _cut(part, name, (before, before * own))]
    places = {(name, before): place for place, (name, before, _) in enumerate(parts)}
    inner = [places[key] for key in listed]
    outer = [place for place in range(len(parts)) if place not in inner]
    sizes = [size for _, _, size in parts]
    ids = _devices(mesh, math.prod(sizes)).reshape(sizes).transpose(*outer, *inner)
    count = math.prod(sizes[place] for place in inner)
    groups: list[list[int]] = ids.reshape(-1, count).tolist()
    return groups


def _cut(
    part: tuple[str, int, int], name: str, bounds: tuple[int, int]
) -> list[tuple[str, int, int]]:
    """A part of an axis, its positions in front of it and its size, cut where another begins."""
    own, before, size = part
    if own != name:
        return [part]
    ends = sorted({before, before * size, *(b for b in bounds if before < b < before * size)})
    cuts = [(own, start, end // start) for start, end in itertools.pairwise(ends)]
    return cuts or [part]


def _devices(mesh: str, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The numbers of the mesh's positions, row by row."""
    match = _DEVICES.search(mesh)
    if match is None:
        return np.arange(count)
    return np.array([int(number) for number in re.findall(r"\d+", match[1])], np.int64)
