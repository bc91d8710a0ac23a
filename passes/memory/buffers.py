"""New memory for what a tensor or buffer holds."""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Value


def allocated_like(build: Build, value: Value) -> Value:
    """A buffer for what a tensor or memref holds, row-major."""
    sizes = unknown_sizes(build, value)
    type = mlir.memref_type(list(value.type.shape), value.type.element_type)
    segments = {"operandSegmentSizes": mlir.i32_array_attr([len(sizes), 0])}
    return build.value("memref.alloc", sizes, type, segments)


def unknown_sizes(build: Build, value: Value) -> list[Value]:
    """The sizes of a tensor or memref that its type leaves open, in order."""
    name = "tensor.dim" if mlir.is_tensor(value.type) else "memref.dim"
    return [
        build.value(name, (value, build.index(d)), mlir.index_type())
        for d, dim in enumerate(tensor_type(value.type).shape)
        if not isinstance(dim, int)
    ]


def copied(build: Build, tensor: Value) -> Value:
    """The same tensor in memory of its own, filled where this stands."""
    segments = {"operandSegmentSizes": mlir.i32_array_attr([0, 1, 0])}
    return build.value("bufferization.alloc_tensor", (tensor,), tensor.type, segments)
