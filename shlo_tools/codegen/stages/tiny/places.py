"""Slices and elements of tiny tensors at places that run time tells, and such of large tensors.

A tiny tensor that is in registers is stored in scratch memory, where places can be computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.function import I32, I64, POINTER, Function, Value
from shlo_tools.codegen.library import pool
from shlo_tools.codegen.stages.nodes import Node, UnsupportedStage, without_reshapes
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.gather import Slices
from shlo_tools.codegen.stages.tiny.numbering import (
    Numbers,
    number_of,
    numbers_of,
    place_of,
    source_of,
)
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.codegen.stages.tiny.registers import lanes_of
from shlo_tools.codegen.stages.tiny.sums import TinySums
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ElementType, Kind

_LINE = 64  # bytes of a cache line


class TinyPlaces(TinySums):
    """Emits reads and writes at computed places.

    Attributes:
        frame: the call's.
    """

    def __init__(self, function: Function, target: Target, frame: Value) -> None:
        super().__init__(function, target)
        self.frame = frame
        self._slots = 0  # bytes of scratch memory that are in use

    def _slot(self, element: ElementType, count: int) -> Value:
        """Scratch memory for elements."""
        scratch = self.function.load(self.frame.at(layout.offset("scratch")), POINTER)
        address = scratch.at(self._slots)
        size = max(1, count) * place_type(element).bytes
        self._slots += -(-size // _LINE) * _LINE
        if self._slots > pool.SCRATCH_BYTES:
            raise UnsupportedStage("more slices at computed places than scratch memory holds")
        return address

    def large(self, node: Node) -> int:
        """The source of a large node."""
        node = without_reshapes(node)
        source: int | None = self.known(("large", node))
        if source is None:
            raise UnsupportedStage(f"{node.kind.value} of a large tensor")
        return source

    def address_of(self, node: Node) -> Value:
        """Where all elements of a node lie in memory; they are stored if need be."""
        if node.count > LARGEST:
            there: Value = self.known(("address", self.large(node)))
            return there
        numbers = self.of(node)
        first = numbers.flat[0].item()
        address: Value | None = self.known(("address", source_of(first)))
        if address is None or (numbers.ravel() != np.arange(first, first + node.count)).any():
            address = self._slot(node.element, node.count)
            self.store_run(self.pick(numbers), address, node.count)
            return address
        return address.at(place_of(first), place_type(node.element))

    def _clamped(self, index: Value, element: ElementType, most: int) -> Value:
        """Indices within [0, most], as i64."""
        f = self.function
        if element.kind is Kind.SIGNED:
            index = f.maximum(index, 0)
            if most < 1 << (element.bits - 1):
                index = f.minimum(index, most)
        elif most < 1 << element.bits:
            index = f.intrinsic("umin", index, f.constant(most, index.type))
        return index.to("zext", "i64")

    def _offset(self, starts: Sequence[Node], sizes: Sequence[int], whole: Node) -> Value:
        """Elements in front of a slice."""
        offset = self.function.constant(0)
        steps = _steps(whole.shape)
        for start, size, full, step in zip(starts, sizes, whole.shape, steps, strict=True):
            if full > size:
                index = self._clamped(self.pick(self.of(start)), start.element, full - size)
                offset = index * step + offset
        return offset

    def dynamic_slice(self, node: Node) -> Numbers:
        whole, *starts = node.operands
        element = place_type(node.element)
        offset = self._offset(starts, node.shape, whole)
        source = self.in_memory(self.address_of(whole).at(offset, element), node.element, 0)
        return number_of(source, _places(node.shape, whole.shape))

    def dynamic_update_slice(self, node: Node) -> Numbers:
        whole, update, *starts = node.operands
        if not update.count:
            return self.of(whole)
        offset = self._offset(starts, update.shape, whole)
        if update.count == 1 and lanes_of(whole.count):
            lanes = I32.vector(lanes_of(whole.count))
            place = self.splat(offset.to("trunc", "i32"), lanes.lanes)
            is_there = self.function.lane_numbers(lanes).compare("eq", place)
            value = self.select(is_there, self.value(update), self.value(whole))
            return self.numbered(value, node.shape, node.element)
        address = self._slot(node.element, node.count)
        self.store_run(self.value(whole), address, node.count)
        self._write(update, address, offset, whole)
        return numbers_of(self.in_memory(address, node.element, node.count), node.shape)

    def write_slice(self, node: Node) -> None:
        """An update of a large tensor where that lies."""
        whole, update, *starts = node.operands
        offset = self._offset(starts, update.shape, whole)
        self._write(update, self.address_of(whole), offset, whole)

    def _write(self, update: Node, address: Value, offset: Value, whole: Node) -> None:
        """Store elements in runs of neighbours."""
        there = address.at(offset, place_type(update.element))
        places, numbers = _places(update.shape, whole.shape).ravel(), self.of(update).ravel()
        cuts = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), update.count]
        for first, last in pairwise(cuts):
            target = there.at(places[first].item(), place_type(update.element))
            self.store_run(self.pick(numbers[first:last]), target, last - first)

    def gather(self, node: Node) -> Numbers:
        """Each element is looked up at its place, a single slice as a whole."""
        whole, indices = node.operands
        slices: Slices = node.attributes
        vectors = slices.vectors
        steps = _steps(whole.shape)
        at: Any = tuple(np.indices(node.shape))
        rank = len(indices.shape)
        inside = np.zeros(node.shape, np.int64)  # what is known of places
        parts: list[tuple[Numbers, int, int]] = []  # numbers of indices, most, step
        for component, d in enumerate(vectors.starts):
            most = whole.shape[d] - slices.sizes[d]
            where: Any = vectors.index_of(at, component, rank)
            if most:
                index = np.broadcast_to(self.of(indices)[where], node.shape)
                parts.append((index, most, steps[d]))
        batch: Any = vectors.batch(at)
        for d, other in vectors.batching:
            inside += batch[vectors.place_in_batch(other)] * steps[d]
        for d, window in zip(vectors.kept(len(whole.shape)), vectors.windows, strict=True):
            inside += at[window] * steps[d]
        address, element = self.address_of(whole), place_type(node.element)
        offset = self.function.constant(0)
        if not parts or all((index == index.flat[0]).all() for index, _, _ in parts):
            for index, most, step in parts:
                offset = (
                    self._clamped(self.pick(index.ravel()[:1]), indices.element, most) * step
                    + offset
                )
            source = self.in_memory(address.at(offset, element), node.element, 0)
            return number_of(source, inside)
        known = inside.ravel().tolist()
        known += [known[-1]] * (lanes_of(node.count) - node.count)
        offsets = self.function.constant(known, I64.vector(len(known)))
        for index, most, step in parts:
            offsets = offsets + self._clamped(self.pick(index), indices.element, most) * step
        return self.numbered(
            self.load_places(address, offsets, node.element), node.shape, node.element
        )


def _steps(shape: Sequence[int]) -> list[int]:
    """Elements between neighbours of each dimension."""
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


def _places(sizes: Sequence[int], whole: Sequence[int]) -> Numbers:
    """Where the elements of a slice lie behind its first one."""
    places = np.zeros(tuple(sizes), np.int64)
    for at, step in zip(np.indices(tuple(sizes)), _steps(whole), strict=True):
        places += at * step
    return places
