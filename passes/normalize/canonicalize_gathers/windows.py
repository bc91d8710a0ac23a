"""Gathers of single elements, some of whose coordinates only count, are gathers of windows.

Before, as exporters of PyTorch write ``x[:, index]``:
    %rows = stablehlo.iota dim = 0 : tensor<8x68x1xi64>
    %0 = stablehlo.concatenate %rows, %index, dim = 2 : tensor<8x68x2xi64>
    %1 = "stablehlo.gather"(%x, %0) <{slice_sizes = array<i64: 1, 1>}> : tensor<8x68xf32>
After, where all rows of ``%index`` are the same:
    %0 = stablehlo.slice %index [0:1, 0:68, 0:1] ... stablehlo.reshape : tensor<68x1xi64>
    %1 = "stablehlo.gather"(%x, %0) <{slice_sizes = array<i64: 8, 1>}> : tensor<8x68xf32>

A coordinate counts where it is the place along one dimension of the result, as long as that of the
operand, and no other coordinate differs along it. One that is 0 everywhere is left out as well. The
tensor of all coordinates, which may be larger than what is gathered, is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from shlo_tools import dtypes, ir, mlir
from shlo_tools.ir import Build, Rewrite
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.passes.normalize.canonicalize_gathers.known_indices import Places
from shlo_tools.passes.simplify.slicing import sliced
from shlo_tools.passes.simplify.values import constant, origin, source, without_dims


def rule() -> Rewrite:
    """A rule for the gathers of a program."""
    return partial(_gather, places=Places())


def _gather(op: Operation, build: Build, *, places: Places) -> list[Value] | None:
    """A gather with fewer coordinates, or by known ones; None where all are needed."""
    (result,) = op.results
    if not all(mlir.is_static_tensor(v.type) for v in (*op.operands, result)):
        return None
    windows = _windows(op, places)
    if windows is None or not windows.leave_out():
        value = places.gathered(op, build)
        return None if value is None else [value]
    fewer = windows.gathered(build)
    value = places.gathered(fewer, build)
    if value is None:
        return list(fewer.results)
    fewer.erase()
    return [value]


def _windows(op: Operation, places: Places) -> _Windows | None:
    """What a gather takes whose coordinates are put together one by one; None of another one."""
    parts = source(op.operands[1], "concatenate")
    numbers = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    vector = numbers.get("index_vector_dim", 0)
    if parts is None or numbers.get("operand_batching_dims"):
        return None
    if ir.integer_of(parts, "dimension") != vector:
        return None
    coordinates = list(parts.operands)
    # Of one number each, in the last dimension.
    is_by_one = all(dtypes.tensor_type(v.type).static_shape[vector:] == (1,) for v in coordinates)
    return _Windows(op, numbers, coordinates, places) if is_by_one else None


class _Windows:
    """What a gather takes, and where.

    Attributes:
        places: by the operand's dimension, the result's, of windows.
        starts: by the operand's dimension, the coordinate.
        sizes: of windows.
        collapsed: the operand's dimensions that windows do not have.
        inner: dimensions of the indices along which windows lie now.
    """

    def __init__(
        self,
        op: Operation,
        numbers: Mapping[str, list[int]],
        parts: list[Value],
        known: Places,
    ) -> None:
        self.op, self._known = op, known
        self.collapsed = set(numbers.get("collapsed_slice_dims", ()))
        self.sizes = list(ir.integers_of(op, "slice_sizes"))
        self.starts = dict(zip(numbers.get("start_index_map", ()), parts, strict=True))
        offsets = numbers.get("offset_dims", ())
        kept = [d for d in range(len(self.sizes)) if d not in self.collapsed]
        self.places = dict(zip(kept, offsets, strict=True))
        rank = dtypes.tensor_type(op.results[0].type).rank
        self._outer = [d for d in range(rank) if d not in offsets]  # by dimension of the indices
        self.inner: set[int] = set()

    def leave_out(self) -> bool:
        """Leave out the coordinates that need not be known, but for one; whether there are any."""
        counting = self._known.counting
        known = {dim: counting.numbers(value) for dim, value in self.starts.items()}
        shape = dtypes.tensor_type(self.op.operands[0].type).static_shape
        sizes = dtypes.tensor_type(self.op.operands[1].type).static_shape
        count = len(known)
        for dim in [dim for dim in known if dim in self.collapsed and self.sizes[dim] == 1]:
            if len(self.starts) == 1:
                break
            if known[dim].is_zero:
                del self.starts[dim]
            elif known[dim].is_place:
                (own,) = known[dim].dims
                place = self._outer[own]
                is_alone = sum(own in numbers.dims for numbers in known.values()) == 1
                if is_alone and shape[dim] == sizes[own] and self._is_in_order(dim, place):
                    self.places[dim], self.sizes[dim] = place, shape[dim]
                    self.collapsed.remove(dim)
                    self.inner.add(own)
                    del self.starts[dim]
        return len(self.starts) < count

    def _is_in_order(self, dim: int, place: int) -> bool:
        """Whether windows with one more dimension have all in the operand's order."""
        return all((place < p) == (dim < d) for d, p in self.places.items())

    def gathered(self, build: Build) -> Operation:
        """The gather of what is left."""
        parts = [self._outside(value, build) for value in self.starts.values()]
        indices = parts[0]
        vector = dtypes.tensor_type(indices.type).rank - 1
        if len(parts) > 1:
            type = dtypes.tensor_type(indices.type)
            joined = type.with_shape((*type.static_shape[:-1], len(parts)))
            attributes = {"dimension": mlir.i64_attr(vector)}
            indices = build.value("stablehlo.concatenate", parts, joined.mlir(), attributes)
        numbers = {
            "offset_dims": sorted(self.places.values()),
            "collapsed_slice_dims": sorted(self.collapsed),
            "operand_batching_dims": (),
            "start_indices_batching_dims": (),
            "start_index_map": list(self.starts),
            "index_vector_dim": vector,
        }
        attributes = {
            "dimension_numbers": GATHER_DIMENSION_NUMBERS.encode(numbers),
            "slice_sizes": mlir.i64_array_attr(self.sizes),
        }
        operands, types = (self.op.operands[0], indices), (self.op.results[0].type,)
        return build.op("stablehlo.gather", operands, types, attributes)

    def _outside(self, value: Value, build: Build) -> Value:
        """A coordinate without the dimensions along which windows lie: it is the same there."""
        if not self.inner:
            return value
        type = dtypes.tensor_type(value.type)
        kept = [d for d in range(type.rank) if d not in self.inner]
        part, dims = origin(value)
        array = self._known.of(part, self.op.results[0])
        if array is not None:
            part = constant(build, part.type, array)
        if self.inner.isdisjoint(dims):
            return without_dims(build, value, kept, part, dims)
        limits = [1 if d in self.inner else size for d, size in enumerate(type.static_shape)]
        part = sliced(build, value, ([0] * type.rank, limits, [1] * type.rank))
        outside = type.with_shape([type.static_shape[d] for d in kept]).mlir()
        return build.value("stablehlo.reshape", (part,), outside)
