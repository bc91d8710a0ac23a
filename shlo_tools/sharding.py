"""Meshes of devices, and which part of an array each process of a program holds.

Shardy (``sdy``) spells it so, and JAX writes it so for ``jit`` with shardings, ``shard_map`` and
``pmap``:

    <["x"=2, "y"=4]>                    a mesh; its devices are numbered along its last axis first
    <["x"=2], device_ids=[1, 0]>        a mesh whose devices are these
    <@mesh, [{"x", "y"}, {}, {?}]>      dimension 0 is cut into 2 * 4 parts; "x" is the major axis
    <@mesh, [{"x":(1)2}]>               cut along the major half of "x", whose size is 4

A device is a partition of the program's grid. What is not cut along an axis is there once for each
place on that axis. Axes that a compiler may add (``?``), priorities (``p1``) and lists of axes that
are not to be used (``replicated={...}``) change no values. Parts are of one size: JAX refuses other
arrays when it exports a program, and so does ``Tiling``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError

SHARD = "shlo.shard"  # on an argument or a result: the sharding of the array that it is a part of
PART, WHOLE = "shlo.part", "shlo.whole"  # targets of calls: of an array the part, and back

Item = TypeVar("Item")


@dataclass(frozen=True)
class Mesh:
    """Devices in a row-major order along named axes.

    Attributes:
        axes: their names and sizes, major ones first.
        device_ids: the device at each place; empty where they are in order.
    """

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(size for _, size in self.axes)

    @property
    def size(self) -> int:
        """How many devices there are."""
        return prod(self.shape)

    @property
    def devices(self) -> tuple[int, ...]:
        """The device at each place, in row-major order."""
        return self.device_ids or tuple(range(self.size))

    def size_of(self, axis: str) -> int:
        """The size of an axis; raises ShloError where there is no such axis."""
        sizes = dict(self.axes)
        if axis not in sizes:
            listed = ", ".join(map(repr, sizes)) or "none"
            raise ShloError(f"there is no axis {axis!r}: the mesh {self} has {listed}")
        return sizes[axis]

    def __str__(self) -> str:
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes)
        ids = f", device_ids={list(self.device_ids)}" if self.device_ids else ""
        return f"<[{axes}]{ids}>"


@dataclass(frozen=True)
class SubAxis:
    """A whole axis of a mesh, or a part of it.

    Attributes:
        stride: how far apart devices are on the axis which are neighbours on this part.
        size: how many places there are.
    """

    name: str
    stride: int
    size: int


@dataclass(frozen=True)
class Sharding:
    """The axes along which each dimension is cut, major ones first."""

    mesh: Mesh
    dimensions: tuple[tuple[SubAxis, ...], ...]

    def along(self, names: Collection[str]) -> Sharding:
        """The same, cut along these axes of the mesh alone."""
        kept = (tuple(axis for axis in axes if axis.name in names) for axes in self.dimensions)
        return Sharding(self.mesh, tuple(kept))

    def tiling(self) -> Tiling:
        """Who holds what.

        Raises:
            ShloError: it cuts along an axis more than once.
        """
        mesh, chosen = self.mesh, self.dimensions
        names = [name for name, _ in mesh.axes]
        places: dict[int, tuple[int, ...]] = {}
        for device, at in zip(mesh.devices, np.ndindex(*mesh.shape), strict=True):
            coordinates = dict(zip(names, at, strict=True))
            places[device] = tuple(_place(axes, coordinates) for axes in chosen)
        counts = tuple(prod(axis.size for axis in axes) for axes in chosen)
        if len(set(places.values())) != prod(counts):
            raise ShloError(f"a sharding cuts along an axis of {mesh} more than once")
        return Tiling(counts, tuple(places[p] for p in range(mesh.size)), mesh.devices)

    def __str__(self) -> str:
        """As ``sharding_of`` reads it, with the mesh spelled out."""
        dimensions = ", ".join(
            "{" + ", ".join(self._spelled(axis) for axis in axes) + "}" for axes in self.dimensions
        )
        return f"<mesh{self.mesh}, [{dimensions}]>"

    def _spelled(self, axis: SubAxis) -> str:
        whole = self.mesh.size_of(axis.name)
        part = f":({whole // (axis.stride * axis.size)}){axis.size}" if axis.size != whole else ""
        return f'"{axis.name}"{part}'


def _place(axes: Sequence[SubAxis], coordinates: Mapping[str, int]) -> int:
    """The number of the part that is at some place of the mesh."""
    number = 0
    for axis in axes:
        number = number * axis.size + coordinates[axis.name] // axis.stride % axis.size
    return number


@dataclass(frozen=True)
class Tiling:
    """How an array is cut into parts of one size, and which part each process holds.

    Attributes:
        counts: how many parts there are along each dimension.
        places: by process, the number of its part along each dimension.
        order: the processes, as they lie in the mesh.
    """

    counts: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every process holds the whole array."""
        return all(count == 1 for count in self.counts)

    def part_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of each part; raises ShloError where parts would not be of one size."""
        if len(shape) != len(self.counts):
            raise ShloError(
                f"a sharding of {len(self.counts)} dimensions for an array of {len(shape)}"
            )
        for dimension, (size, count) in enumerate(zip(shape, self.counts, strict=True)):
            if size % count:
                raise ShloError(
                    f"dimension {dimension} of size {size} is not cut into {count} equal parts"
                )
        return tuple(size // count for size, count in zip(shape, self.counts, strict=True))

    def starts(self, shape: Sequence[int]) -> list[tuple[int, ...]]:
        """By process, where its part of an array begins along each dimension."""
        sizes = self.part_shape(shape)
        return [tuple(np.multiply(place, sizes, dtype=int).tolist()) for place in self.places]

    def split(self, array: Array) -> list[Array]:
        """The part of each process, as a view of the array."""
        sizes = self.part_shape(array.shape)
        return [array[_slices(start, sizes)] for start in self.starts(array.shape)]

    def join(self, parts: Sequence[Array | None]) -> Array:
        """The array that parts make up; of those that are there often, the first one counts.

        Args:
            parts: by process; None for those that nobody needs.

        Raises:
            ShloError: a part is missing, or they are of several shapes.
        """
        shape = next((part.shape for part in parts if part is not None), ())
        whole: Array | None = None
        missing = set(np.ndindex(*self.counts))
        for process in self.order:
            part, place = parts[process], self.places[process]
            if part is None or place not in missing:
                continue
            if part.shape != shape:
                raise ShloError(f"parts of shapes {shape} and {part.shape} make no array")
            if whole is None:
                whole = np.empty(np.multiply(shape, self.counts, dtype=int), part.dtype)
            start = np.multiply(place, shape, dtype=int)
            whole[_slices(start.tolist(), shape)] = part
            missing.discard(place)
        if whole is None or missing:
            raise ShloError(f"{len(missing)} parts of an array are missing")
        return whole

    def groups(self, dimension: int) -> list[list[int]]:
        """Processes whose parts are neighbours along a dimension, in the order of their parts.

        Each process is in one group. The members of a group have the same place on all axes that
        do not cut this dimension.
        """
        parts: dict[tuple[int, ...], list[list[int]]] = {}
        for process in self.order:
            place = self.places[process]
            others = place[:dimension] + place[dimension + 1 :]
            alike = parts.setdefault(others, [[] for _ in range(self.counts[dimension])])
            alike[place[dimension]].append(process)
        return [list(group) for alike in parts.values() for group in zip(*alike, strict=True)]


def _slices(start: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(at, at + size) for at, size in zip(start, sizes, strict=True))


# --- reading --------------------------------------------------------------------------------------
def mesh_of(text: str) -> Mesh:
    """A mesh as Shardy spells it, ``<["x"=2, "y"=4]>``; raises ShloError where it is none."""
    return _Reading(text, {}).whole(_Reading.mesh)


def sharding_of(text: str, meshes: Mapping[str, Mesh]) -> Sharding:
    """A sharding, ``<@mesh, [{"x"}]>`` or ``#sdy.sharding<...>``.

    Raises:
        ShloError: it is none, or names a mesh or an axis that is not there, or says that an array
            is still to be reduced.
    """
    return _Reading(text, meshes).whole(_Reading.sharding)


def shardings_of(text: str, meshes: Mapping[str, Mesh]) -> list[Sharding]:
    """A list of shardings, ``[<...>, <...>]``; raises ShloError as ``sharding_of`` does."""
    return _Reading(text, meshes).whole(
        lambda reading: reading.listed("[", "]", reading.sharding),
    )


def axes_of(text: str) -> list[str]:
    """The names in a list of axes, ``{"x", "y"}``; raises ShloError where it is none."""
    return _Reading(text, {}).whole(lambda reading: reading.listed("{", "}", reading.string))


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|@"[^"]*"|@[\w.$-]+|#?\w[\w.]*|\S)')


class _Reading:
    """One look at a text, from left to right."""

    def __init__(self, text: str, meshes: Mapping[str, Mesh]) -> None:
        self._text, self._meshes = text, meshes
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._at = 0

    def whole(self, rule: Callable[[_Reading], Item]) -> Item:
        """What a rule makes of the text, of which it has to leave nothing."""
        item = rule(self)
        self._expect("")
        return item

    def mesh(self) -> Mesh:
        self._skip("mesh")
        self._expect("<")
        axes = tuple(self.listed("[", "]", self._sized_axis))
        ids: tuple[int, ...] = ()
        if self._skip(","):
            self._expect("device_ids")
            self._expect("=")
            ids = tuple(self.listed("[", "]", self._number))
        self._expect(">")
        mesh = Mesh(axes, ids)
        is_unique = len(dict(axes)) == len(axes) and len(set(ids)) == len(ids)
        if not is_unique or mesh.size < 1 or len(mesh.devices) != mesh.size:
            raise self._broken()
        return mesh

    def sharding(self) -> Sharding:
        self._skip("#sdy.sharding")
        self._expect("<")
        mesh = self._named_mesh() if self._tokens[self._at].startswith("@") else self.mesh()
        self._expect(",")
        dimensions = tuple(self.listed("[", "]", lambda: self._dimension(mesh)))
        while self._skip(","):
            what = self._next()
            self._expect("=")
            if self.listed("{", "}", lambda: self._axis(mesh)) and what != "replicated":
                raise ShloError(f"not supported: {what} axes in the sharding {self._text}")
        self._expect(">")
        if sorted(mesh.devices) != list(range(mesh.size)):
            raise ShloError(f"the devices of the mesh {mesh} are not 0 to {mesh.size - 1}")
        return Sharding(mesh, dimensions)

    def listed(self, opening: str, closing: str, item: Callable[[], Item]) -> list[Item]:
        """Items between brackets, with commas between them."""
        self._expect(opening)
        items: list[Item] = []
        while not self._skip(closing):
            if items:
                self._expect(",")
            items.append(item())
        return items

    def string(self) -> str:
        token = self._next()
        if not token.startswith('"'):
            raise self._broken()
        return token[1:-1]

    def _named_mesh(self) -> Mesh:
        name = self._next().removeprefix("@").strip('"')
        if name not in self._meshes:
            raise ShloError(f"there is no mesh @{name}")
        return self._meshes[name]

    def _sized_axis(self) -> tuple[str, int]:
        name = self.string()
        self._expect("=")
        return name, self._number()

    def _dimension(self, mesh: Mesh) -> tuple[SubAxis, ...]:
        axes = self.listed("{", "}", lambda: None if self._skip("?") else self._axis(mesh))
        if re.fullmatch(r"p\d+", self._tokens[self._at]):
            self._at += 1
        return tuple(axis for axis in axes if axis is not None)

    def _axis(self, mesh: Mesh) -> SubAxis:
        name = self.string()
        whole = mesh.size_of(name)
        if not self._skip(":"):
            return SubAxis(name, 1, whole)
        self._expect("(")
        before = self._number()
        self._expect(")")
        size = self._number()
        if not before or not size or whole % (before * size):
            raise self._broken()
        return SubAxis(name, whole // (before * size), size)

    def _number(self) -> int:
        token = self._next()
        if not token.isdecimal():
            raise self._broken()
        return int(token)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _skip(self, token: str) -> bool:
        is_next = self._tokens[self._at] == token
        self._at += is_next
        return is_next

    def _expect(self, token: str) -> None:
        if self._tokens[self._at] != token:
            raise self._broken()
        self._next()

    def _broken(self) -> ShloError:
        return ShloError(f"malformed: {self._text}")
