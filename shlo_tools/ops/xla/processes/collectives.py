"""What the processes of a grid compute together.

Where ``replica_groups`` are empty, all replicas are one group, in their order. A ``channel_id``
lets all partitions of the replicas take part.

Source: XLA's operation semantics, "AllGather", "AllReduce", "AllToAll", "CollectivePermute",
"CrossReplicaSum", "ReduceScatter" and "ReplicaId".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from shlo_tools import ops
from shlo_tools.dims import Dim
from shlo_tools.errors import ShloError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, Operands, tensor_of
from shlo_tools.ops.xla.computations import (
    Computation,
    Result,
    grouped,
    region_of,
    tensors_of_group,
)
from shlo_tools.types import Tensor

ReplicaGroups: TypeAlias = Sequence[Sequence[int]]
_DEVICE_TO_DEVICE = 1


def _channel(channel_id: int | None) -> dict[str, Any]:
    """The attributes of a channel between devices; none where there is no channel."""
    if channel_id is None:
        return {}
    return {"channel_id": channel_id, "channel_type": _DEVICE_TO_DEVICE}


def _require_dimension(tensor: Tensor, dimension: int) -> None:
    if not 0 <= dimension < tensor.rank:
        raise ShloError(f"{tensor.type} has no dimension {dimension}")


def _require_groups(count: int, groups: ReplicaGroups) -> None:
    if count < 1 or any(len(group) != count for group in groups):
        raise ShloError(
            f"groups {[list(group) for group in groups]} are not of {count} replicas each"
        )


def _replaced(shape: Sequence[Dim], axis: int, size: Dim) -> list[Dim]:
    return [size if d == axis else old for d, old in enumerate(shape)]


@xla_op
def AllGather(
    operand: Operands,
    all_gather_dim: int,
    shard_count: int,
    replica_groups: ReplicaGroups = (),
    channel_id: int | None = None,
) -> Result:
    """The arrays of a group's replicas, one after the other along a dimension: ``all_gather``.

    Args:
        operand: an array, or a tuple of arrays.
        all_gather_dim: the dimension, which grows ``shard_count`` times.
        shard_count: how many replicas a group has.
        replica_groups: the groups; their order is that of the parts.
        channel_id: see above.

    Returns:
        An array; a tuple of them where the operand is one.

    Raises:
        ShloError: there is no such dimension, or the groups are of another size.
    """
    tensors, is_tuple = tensors_of_group(operand)
    _require_groups(shard_count, replica_groups)
    types = []
    for tensor in tensors:
        _require_dimension(tensor, all_gather_dim)
        size = tensor.shape[all_gather_dim] * shard_count
        types.append(tensor.type.with_shape(_replaced(tensor.shape, all_gather_dim, size)))
    results = ops.all_gather(
        tensors, all_gather_dim, replica_groups, **_channel(channel_id), result_types=types
    )
    return grouped(results, is_tuple)


@xla_op
def AllReduce(
    operand: Operands,
    computation: Computation,
    replica_groups: ReplicaGroups = (),
    channel_id: int | None = None,
) -> Result:
    """The arrays of a group's replicas combined element by element: ``all_reduce``.

    Args:
        operand: an array, or a tuple of arrays.
        computation: takes two scalars, gives one.
        replica_groups: the groups.
        channel_id: see above.

    Returns:
        An array; a tuple of them where the operand is one.

    Raises:
        ShloError: the operand is an empty tuple or one of several element types, or a replica is
            in two groups.
    """
    tensors, is_tuple = tensors_of_group(operand)
    if len(elements := {str(tensor.element_type) for tensor in tensors}) > 1:
        raise ShloError(f"one computation of element types {sorted(elements)}")
    region = region_of(computation)
    results = ops.all_reduce(tensors, replica_groups, **_channel(channel_id), computation=region)
    return grouped(results, is_tuple)


@xla_op
def CrossReplicaSum(operand: Operands, replica_groups: ReplicaGroups = ()) -> Result:
    """``AllReduce`` by a sum, of booleans logical or: ``all_reduce``."""
    return AllReduce(operand, ops.add, replica_groups)


@xla_op
def AllToAll(
    operand: Operands,
    split_dimension: int,
    concat_dimension: int,
    split_count: int,
    replica_groups: ReplicaGroups = (),
    channel_id: int | None = None,
) -> Result:
    """Each replica splits its array, gives a part to each, and joins what it gets: ``all_to_all``.

    Args:
        operand: an array, or a tuple of arrays.
        split_dimension: along which it is split.
        concat_dimension: along which the parts are joined, in the group's order.
        split_count: how many replicas a group has.
        replica_groups: the groups.
        channel_id: see above.

    Returns:
        An array; a tuple of them where the operand is one.

    Raises:
        ShloError: there is no such dimension, it does not divide, or the groups are of another
            size.
    """
    tensors, is_tuple = tensors_of_group(operand)
    _require_groups(split_count, replica_groups)
    groups = replica_groups or [list(range(split_count))]
    results = ops.all_to_all(
        tensors, split_dimension, concat_dimension, split_count, groups, **_channel(channel_id)
    )
    return grouped(results, is_tuple)


@xla_op
def CollectiveBroadcast(
    operand: Operand, replica_groups: ReplicaGroups, channel_id: int | None = None
) -> Tensor:
    """The array of each group's first replica; zeros in no group: ``collective_broadcast``.

    Raises:
        ShloError: a replica is in two groups.
    """
    tensor = tensor_of(operand)
    return ops.collective_broadcast(tensor, replica_groups, **_channel(channel_id))


@xla_op
def CollectivePermute(
    operand: Operand,
    source_target_pairs: Sequence[tuple[int, int]],
    channel_id: int | None = None,
) -> Tensor:
    """The array of another replica, zeros where none sends one: ``collective_permute``.

    Args:
        operand: the array.
        source_target_pairs: who sends and who receives; each at most once.
        channel_id: see above.

    Raises:
        ShloError: a source or a target repeats.
    """
    pairs = [list(pair) for pair in source_target_pairs]
    return ops.collective_permute(tensor_of(operand), pairs, **_channel(channel_id))


@xla_op
def ReduceScatter(
    operand: Operands,
    computation: Computation,
    scatter_dimension: int,
    shard_count: int,
    replica_groups: ReplicaGroups = (),
    channel_id: int | None = None,
) -> Result:
    """``AllReduce``, of which each replica keeps its part along a dimension: ``reduce_scatter``.

    Args:
        operand: an array, or a tuple of arrays, of which each gets an op of its own.
        computation: takes two scalars, gives one.
        scatter_dimension: the dimension, which shrinks ``shard_count`` times.
        shard_count: how many replicas a group has.
        replica_groups: the groups; their order is that of the parts.
        channel_id: see above.

    Returns:
        An array; a tuple of them where the operand is one.

    Raises:
        ShloError: there is no such dimension, it does not divide, or the groups are of another
            size.
    """
    tensors, is_tuple = tensors_of_group(operand)
    _require_groups(shard_count, replica_groups)
    results = [
        _scattered(tensor, computation, scatter_dimension, shard_count, replica_groups, channel_id)
        for tensor in tensors
    ]
    return grouped(results, is_tuple)


def _scattered(
    tensor: Tensor,
    computation: Computation,
    axis: int,
    count: int,
    groups: ReplicaGroups,
    channel_id: int | None,
) -> Tensor:
    _require_dimension(tensor, axis)
    size = tensor.shape[axis]
    if isinstance(size, int) and size % count:
        raise ShloError(f"dimension {axis} of {tensor.type} has no {count} parts")
    return ops.reduce_scatter(
        tensor,
        axis,
        groups,
        **_channel(channel_id),
        computation=region_of(computation),
        result_type=tensor.type.with_shape(_replaced(tensor.shape, axis, size // count)),
    )


@xla_op
def ReplicaId() -> Tensor:
    """The number of the replica, a u32 scalar: ``replica_id``."""
    return ops.replica_id()
