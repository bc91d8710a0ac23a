"""The call frame: the block of memory through which compiled code and its host talk.

Every compiled function gets a pointer to one as its first argument. The layout is the ABI of
compiled programs, in process and ahead of time; ``VERSION`` counts its changes. Code holds no
absolute address: constants, callbacks and temporaries are all reached through the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import parse_tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Type, Value

VERSION = 2

# Every field takes eight bytes; a field's offset is eight times its position.
FIELDS = (
    "version",
    "status",  # 0: running or done; n > 0: check n failed; n < 0: see STATUS
    "word0",  # what the failing check saw, or the exception of a signal handler
    "word1",
    "word2",
    "word3",
    "poll",  # nonzero: call the poll callback at the next opportunity
    "arena",  # next free byte for temporaries
    "arena_end",
    "callbacks",  # table of function pointers, see CALLBACKS
    "pool",  # thread pool
    "process",  # process id in its grid
    "transport",  # how processes reach each other
    "profile",  # buffer of time stamps
    "weights",  # table of pointers to constants
    "host",  # whatever the host keeps here
    "argv",  # the entry point's table, where results of unknown size are announced
)
SIZE = 8 * len(FIELDS)
CALLBACKS = ("poll", "host")


# Why a call ended early, besides failing checks.
STATUS = {"cancelled": -1, "signal": -2, "host": -3}

# What the host writes to ``poll``.
POLL_SIGNALS, POLL_CANCEL = 1, 2


def offset(field: str) -> int:
    """Byte offset of a field in the frame."""
    return 8 * FIELDS.index(field)


def pointer() -> Type:
    return mlir.parse_type("!llvm.ptr")


def i64() -> Type:
    return mlir.integer_type(64)


_DYNAMIC_INDEX = -(1 << 31)  # in rawConstantIndices: the index is an operand


def element_address(build: Build, base: Value, distance: int | Value) -> Value:
    """``base + distance`` in bytes."""
    if isinstance(distance, int) and distance >= 1 << 31:  # static indices are 32 bits wide
        distance = constant(build, distance)
    static, indices = (distance, []) if isinstance(distance, int) else (_DYNAMIC_INDEX, [distance])
    attributes = {
        "rawConstantIndices": mlir.i32_array_attr([static]),
        "elem_type": mlir.type_attr(mlir.integer_type(8)),
    }
    return build.value("llvm.getelementptr", (base, *indices), pointer(), attributes)


def load(build: Build, frame: Value, field: str, type: Type, *, volatile: bool = False) -> Value:
    """The value of a frame's field."""
    address = element_address(build, frame, offset(field))
    attributes = {"volatile_": mlir.unit_attr()} if volatile else {}
    attributes["ordering"] = mlir.integer_attr(0, i64())
    return build.value("llvm.load", (address,), type, attributes)


def store(build: Build, frame: Value, field: str, value: Value) -> None:
    address = element_address(build, frame, offset(field))
    build.op("llvm.store", (value, address), (), {"ordering": mlir.integer_attr(0, i64())})


def load_at(build: Build, table: Value, index: int, type: Type) -> Value:
    """Entry ``index`` of a table of eight-byte entries."""
    address = element_address(build, table, 8 * index)
    return build.value("llvm.load", (address,), type, {"ordering": mlir.integer_attr(0, i64())})


def store_at(build: Build, table: Value, index: int, value: Value) -> None:
    """Write entry ``index`` of a table of eight-byte entries."""
    address = element_address(build, table, 8 * index)
    build.op("llvm.store", (value, address), (), {"ordering": mlir.integer_attr(0, i64())})


def constant(build: Build, value: int) -> Value:
    return build.value("llvm.mlir.constant", (), i64(), {"value": mlir.integer_attr(value, i64())})


def memref_at(
    build: Build,
    address: Value,
    shape: Sequence[int | Value],
    type: Type,
    strides: Sequence[int | Value] | None = None,
) -> Value:
    """A memref of ``type`` over memory that starts at ``address``; row-major by default.

    Args:
        shape: sizes; those known at run time only as i64.
        strides: likewise.
    """
    rank = len(shape)
    sizes = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    struct = mlir.parse_type(f"!llvm.struct<(ptr, ptr, i64{sizes})>")
    descriptor = build.value("llvm.mlir.poison", (), struct)
    steps = _strides(build, shape) if strides is None else strides
    fields: list[tuple[list[int], Value]] = [
        ([0], address),
        ([1], address),
        ([2], constant(build, 0)),
    ]
    for d in range(rank):
        fields.append(([3, d], _number(build, shape[d])))
        fields.append(([4, d], _number(build, steps[d])))
    for position, value in fields:
        attributes = {"position": mlir.i64_array_attr(position)}
        descriptor = build.value("llvm.insertvalue", (descriptor, value), struct, attributes)
    return build.value("builtin.unrealized_conversion_cast", (descriptor,), type)


def _strides(build: Build, shape: Sequence[int | Value]) -> Sequence[int | Value]:
    strides: list[int | Value] = []
    step: int | Value = 1
    for size in reversed(shape):
        strides.append(step)
        step = _product(build, step, size)
    return strides[::-1]


def _product(build: Build, a: int | Value, b: int | Value) -> int | Value:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return build.value("llvm.mul", (_number(build, a), _number(build, b)), i64())


def _number(build: Build, value: int | Value) -> Value:
    return constant(build, value) if isinstance(value, int) else value


def address_of(build: Build, buffer: Value) -> Value:
    """The address of a memref's first element: the way back from ``memref_at``."""
    index = mlir.index_type()
    address = build.value("memref.extract_aligned_pointer_as_index", (buffer,), index)
    if "offset" in str(buffer.type):
        address = build.value("arith.addi", (address, _offset_bytes(build, buffer)), index)
    number = build.value("arith.index_cast", (address,), i64())
    return build.value("llvm.inttoptr", (number,), pointer())


def _offset_bytes(build: Build, buffer: Value) -> Value:
    index = mlir.index_type()
    type: Any = buffer.type
    base = mlir.parse_type(f"memref<{type.element_type}>")
    rank = len(type.shape)
    metadata = build.op(
        "memref.extract_strided_metadata", (buffer,), (base, *[index] * (1 + 2 * rank))
    )
    itemsize = parse_tensor_type(f"tensor<{type.element_type}>").element_type.dtype.itemsize
    size = {"value": mlir.integer_attr(itemsize, index)}
    width = build.value("arith.constant", (), index, size)
    return build.value("arith.muli", (metadata.results[1], width), index)
