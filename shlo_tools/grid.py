"""Process groups of a grid, as the specification's four strategies form them.

A grid has ``num_replicas`` x ``num_partitions`` processes; a process is (replica, partition).
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.errors import ShloError

ProcessId = tuple[int, int]
Groups = list[list[ProcessId]]


def cross_replica(
    replica_groups: Sequence[Sequence[int]], num_replicas: int, num_partitions: int
) -> Groups:
    """Replicas of one partition communicate: each group once per partition."""
    _check(replica_groups, num_replicas, "replica")
    return [
        [(replica, partition) for replica in group]
        for group in _unpadded(replica_groups)
        for partition in range(num_partitions)
    ]


def cross_partition(
    partition_groups: Sequence[Sequence[int]], num_replicas: int, num_partitions: int
) -> Groups:
    """Partitions of one replica communicate: each group once per replica."""
    _check(partition_groups, num_partitions, "partition")
    return [
        [(replica, partition) for partition in group]
        for group in _unpadded(partition_groups)
        for replica in range(num_replicas)
    ]


def cross_replica_and_partition(
    replica_groups: Sequence[Sequence[int]], num_replicas: int, num_partitions: int
) -> Groups:
    """All partitions of a group of replicas communicate: partitions in the outer loop."""
    _check(replica_groups, num_replicas, "replica")
    return [
        [(replica, partition) for partition in range(num_partitions) for replica in group]
        for group in _unpadded(replica_groups)
    ]


def flattened_ids(
    flattened_id_groups: Sequence[Sequence[int]], num_replicas: int, num_partitions: int
) -> Groups:
    """Groups of ids that count all processes: replica * num_partitions + partition."""
    _check(flattened_id_groups, num_replicas * num_partitions, "process")
    return [
        [divmod(process, num_partitions) for process in group]
        for group in _unpadded(flattened_id_groups)
    ]


def groups_of(
    replica_groups: Sequence[Sequence[int]],
    num_replicas: int,
    num_partitions: int,
    *,
    channel_id: int = 0,
    use_global_device_ids: bool = False,
) -> Groups:
    """The groups of all_gather, all_reduce and reduce_scatter; none given means all replicas.

    Raises:
        ShloError: global ids without a channel, or ids outside of the grid.
    """
    if not len(_unpadded(replica_groups)):
        count = num_replicas * (num_partitions if use_global_device_ids else 1)
        replica_groups = [list(range(count))]
    if use_global_device_ids:
        if channel_id <= 0:
            raise ShloError("use_global_device_ids needs a positive channel_id")
        return flattened_ids(replica_groups, num_replicas, num_partitions)
    if channel_id > 0:
        return cross_replica_and_partition(replica_groups, num_replicas, num_partitions)
    return cross_replica(replica_groups, num_replicas, num_partitions)


def one_way_groups(
    groups: Sequence[Sequence[int]], num_replicas: int, num_partitions: int, *, channel_id: int = 0
) -> Groups:
    """The groups of all_to_all, collective_broadcast and collective_permute."""
    if channel_id > 0:
        return cross_partition(groups, num_replicas, num_partitions)
    return cross_replica(groups, num_replicas, num_partitions)


def require_all(groups: Groups, num_replicas: int, num_partitions: int) -> None:
    """Check that every process of a grid is in one of the groups, and in one alone.

    Raises:
        ShloError: it is not so.
    """
    members = [process for group in groups for process in group]
    for process in ((r, p) for r in range(num_replicas) for p in range(num_partitions)):
        if members.count(process) != 1:
            raise ShloError(f"process {process} is in {members.count(process)} of the groups")


def _unpadded(groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups without the -1 that fill shorter ones."""
    members = [[number for number in group if number != -1] for group in groups]
    return [group for group in members if group]


def _check(groups: Sequence[Sequence[int]], count: int, what: str) -> None:
    for group in _unpadded(groups):
        for number in group:
            if not 0 <= number < count:
                raise ShloError(f"there is no {what} {number}: the grid has {count}")
