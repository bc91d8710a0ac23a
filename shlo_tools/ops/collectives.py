"""Ops that the processes of a grid perform together; see ``shlo_tools.grid`` for the groups."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.constraints import accumulators_of, as_declared, divides, is_unique, require
from shlo_tools.dtypes import ELEMENT_TYPES, Dim, TensorType
from shlo_tools.mlir import Attribute
from shlo_tools.ops._attributes import Flag, I64Matrix, Struct
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Tensor


class ChannelHandle(Struct):
    """``#stablehlo.channel_handle<handle = 1, type = 2>``: ``channel_id`` and ``channel_type``.

    Types: 0 none, 1 device to device, 2 device to host, 3 host to device.
    """

    def encode(self, values: Mapping[str, Any]) -> Attribute:
        handle, type = values["channel_id"], values["channel_type"]
        text = f"handle = {int(handle or 0)}, type = {int(type or 0)}"
        return mlir.parse_attribute(f"#stablehlo.channel_handle<{text}>")

    def decode(self, attribute: Any) -> dict[str, Any]:
        fields = dict(re.findall(r"(\w+) = (-?\d+)", str(attribute)))
        return {"channel_id": int(fields["handle"]), "channel_type": int(fields["type"])}


CHANNEL_HANDLE = ChannelHandle("channel_handle", "channel_handle", ("channel_id", "channel_type"))


def _groups(label: str, replica_groups: Sequence[Sequence[int]]) -> int:
    """Check process groups; returns the size of the largest."""
    members = [number for group in replica_groups for number in group if number != -1]
    require(label, is_unique(members), f"{[list(group) for group in replica_groups]} repeat")
    return max((len(group) for group in replica_groups), default=0)


def _global(label: str, use_global_device_ids: bool | None, channel_id: int | None) -> None:
    fits = not use_global_device_ids or (channel_id or 0) > 0
    require(label, fits, "use_global_device_ids needs a positive channel_id")


def _replaced(shape: Sequence[Dim], axis: int, dim: Dim) -> list[Dim]:
    return [dim if d == axis else old for d, old in enumerate(shape)]


@op(structs=[CHANNEL_HANDLE], traits=Trait.JOINS | Trait.COMMUNICATES)
def all_gather(
    operands: Sequence[Tensor],
    all_gather_dim: int,
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
    use_global_device_ids: Flag | None = None,
    *,
    result_types: Sequence[TensorType],
) -> tuple[Tensor, ...]:
    """The operands of a group's processes, one after the other along a dimension.

    How many processes a group has may depend on the grid, hence ``result_types``.
    """
    _groups("C2", replica_groups)
    _global("C5", use_global_device_ids, channel_id)
    counts = len(operands), len(result_types)
    require("C6", counts[0] == counts[1], "{} operands and {} result types".format(*counts))
    results = []
    for operand, type in zip(operands, result_types, strict=True):
        within = 0 <= all_gather_dim < operand.rank
        require("C1", within, f"dimension {all_gather_dim} of {operand.type}")
        require("C6", operand.rank == type.rank, f"{type} of {operand.type}")
        shape = _replaced(operand.shape, all_gather_dim, type.shape[all_gather_dim])
        results.append(as_declared("C6", operand.like(shape=shape), type))
    return tuple(results)


@op(structs=[CHANNEL_HANDLE], traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def all_reduce(
    operands: Sequence[Tensor],
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
    use_global_device_ids: Flag | None = None,
    *,
    computation: Region,
) -> tuple[Tensor, ...]:
    """The operands of a group's processes combined by a computation."""
    _groups("C1", replica_groups)
    _global("C4", use_global_device_ids, channel_id)
    return _reduced("C5", operands, computation)


def _reduced(label: str, operands: Sequence[Tensor], computation: Region) -> tuple[Tensor, ...]:
    results = []
    for operand in operands:
        (scalar,) = accumulators_of(computation, [operand], label)
        combined = computation(scalar, scalar)
        require(label, len(combined) == 1, "the computation does not return one value")
        results.append(operand.like(element_type=combined[0].element_type))
    return tuple(results)


@op(structs=[CHANNEL_HANDLE], traits=Trait.JOINS | Trait.COMMUNICATES)
def all_to_all(
    operands: Sequence[Tensor],
    split_dimension: int,
    concat_dimension: int,
    split_count: int,
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
) -> tuple[Tensor, ...]:
    """Each process splits its operands, gives one part to each member, and joins what it gets."""
    require("C4", split_count > 0, f"split_count = {split_count}")
    size = _groups("C5", replica_groups)
    require("C8", not replica_groups or size == split_count, f"groups of {size} processes")
    results = []
    for operand in operands:
        shape = list(operand.shape)
        require("C1", 0 <= split_dimension < operand.rank, f"dimension {split_dimension}")
        require("C3", 0 <= concat_dimension < operand.rank, f"dimension {concat_dimension}")
        dim = shape[split_dimension]
        require("C2", divides(split_count, dim), f"{dim} does not divide into {split_count} parts")
        if split_dimension != concat_dimension:
            shape[split_dimension] = dim // split_count
            shape[concat_dimension] = shape[concat_dimension] * split_count
        results.append(operand.like(shape=shape))
    return tuple(results)


@op(structs=[CHANNEL_HANDLE], traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def collective_broadcast(
    operand: Tensor,
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
) -> Tensor:
    """The operand of each group's first process; zeros for processes in no group."""
    _groups("C1", replica_groups)
    return operand.like()


@op(structs=[CHANNEL_HANDLE], traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def collective_permute(
    operand: Tensor,
    source_target_pairs: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
) -> Tensor:
    """The operand of the process that is paired with this one; zeros where there is none."""
    pairs = [list(pair) for pair in source_target_pairs]
    require("C1", all(len(pair) == 2 for pair in pairs), f"{pairs} are no pairs")
    require("C2", is_unique([source for source, _ in pairs]), f"a source repeats in {pairs}")
    require("C3", is_unique([target for _, target in pairs]), f"a target repeats in {pairs}")
    return operand.like()


@op(structs=[CHANNEL_HANDLE], traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def collective_reduce(
    operands: Sequence[Tensor],
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
    use_global_device_ids: Flag | None = None,
    has_dynamic_root: Flag | None = None,
    *,
    computation: Region,
) -> tuple[Tensor, ...]:
    """``all_reduce`` whose results only the first process of a group gets; the others get zeros.

    With ``has_dynamic_root`` the last operand holds, for each other one, the position of the
    process that gets its result. Not in the specification.
    """
    _groups("C1", replica_groups)
    _global("C4", use_global_device_ids, channel_id)
    data = operands[:-1] if has_dynamic_root else operands
    return _reduced("C5", data, computation)


@op
def partition_id() -> Tensor:
    """The process's partition, as a ui32."""
    return Tensor(TensorType((), ELEMENT_TYPES["ui32"]))


@op(structs=[CHANNEL_HANDLE], traits=Trait.COMMUNICATES | Trait.QUANTIZED)
def reduce_scatter(
    operand: Tensor,
    scatter_dimension: int,
    replica_groups: I64Matrix,
    channel_id: int | None = None,
    channel_type: int | None = None,
    use_global_device_ids: Flag | None = None,
    *,
    computation: Region,
    result_type: TensorType,
) -> Tensor:
    """``all_reduce``, of which each process of a group keeps its part along a dimension."""
    _groups("C3", replica_groups)
    _global("C6", use_global_device_ids, channel_id)
    within = 0 <= scatter_dimension < operand.rank
    require("C2", within, f"dimension {scatter_dimension} of {operand.type}")
    whole, part = operand.shape[scatter_dimension], result_type.shape[scatter_dimension]
    if isinstance(whole, int) and isinstance(part, int):
        fits = part == 0 or whole % part == 0
        require("C1", fits, f"{operand.type} does not divide into parts of {result_type}")
    reduced = _reduced("C7", [operand], computation)[0]
    shape = _replaced(operand.shape, scatter_dimension, part)
    return as_declared("C8", reduced.like(shape=shape), result_type)


@op
def replica_id() -> Tensor:
    """The process's replica, as a ui32."""
    return Tensor(TensorType((), ELEMENT_TYPES["ui32"]))
