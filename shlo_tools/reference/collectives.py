"""Ops that the processes of a grid perform together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId, groups_of, one_way_groups
from shlo_tools.processes import ALONE, NamedCombine, Process, values
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.quantization import QuantizedArray, quantize
from shlo_tools.reference.reduction import Computation, destination_types, promoted, results_of
from shlo_tools.reference.rounding import rounded

Groups = Sequence[Sequence[int]]


def _group(
    process: Process,
    replica_groups: Groups,
    channel_id: int | None,
    use_global_device_ids: bool | None,
) -> list[ProcessId]:
    """The members of the process's group, in its order."""
    rows = tuple(map(tuple, replica_groups))
    size = process.grid.num_replicas, process.grid.num_partitions
    return _known_group(process.id, rows, size, channel_id or 0, bool(use_global_device_ids))


@lru_cache(1024)
def _known_group(
    process: ProcessId,
    replica_groups: Groups,
    size: tuple[int, int],
    channel_id: int,
    use_global_device_ids: bool,
) -> list[ProcessId]:
    groups = groups_of(
        replica_groups, *size, channel_id=channel_id, use_global_device_ids=use_global_device_ids
    )
    return _own(process, groups)


def _own(process: ProcessId, groups: Sequence[list[ProcessId]]) -> list[ProcessId]:
    for group in groups:
        if process in group:
            return group
    raise ExecutionError(f"process {process} is in none of the groups {list(groups)}")


def _one_way(process: Process, groups: Groups, channel_id: int | None) -> list[list[ProcessId]]:
    grid = process.grid
    return one_way_groups(
        groups, grid.num_replicas, grid.num_partitions, channel_id=channel_id or 0
    )


@evaluates
def all_gather(
    operands: Sequence[Array],
    all_gather_dim: int,
    replica_groups: Groups,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    *,
    process: Process = ALONE,
) -> tuple[Array, ...]:
    group = _group(process, replica_groups, channel_id, use_global_device_ids)

    def gathered(shares: Sequence[Sequence[Array]]) -> tuple[Array, ...]:
        return tuple(values.joined(shares, k, all_gather_dim) for k in range(len(operands)))

    results: tuple[Array, ...] = process.exchange(
        "all_gather", channel_id or 0, group, operands, gathered
    )
    return results


@evaluates
def all_reduce(
    operands: Sequence[Array],
    replica_groups: Groups,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    *,
    computation: Computation,
    process: Process = ALONE,
) -> tuple[Array, ...]:
    group = _group(process, replica_groups, channel_id, use_global_device_ids)
    return _reduced("all_reduce", operands, channel_id, group, computation, process)


def _reduced(
    op: str,
    operands: Sequence[Array],
    channel_id: int | None,
    group: Sequence[ProcessId],
    computation: Computation,
    process: Process,
) -> tuple[Array, ...]:
    """The operands of all members combined, from left to right in the group's order."""
    own = _as_combined(operands, computation)
    return tuple(process.combined(op, channel_id or 0, group, own, _on_two(computation)))


def _as_combined(operands: Sequence[Array], computation: Computation) -> list[Array]:
    """Operands in the element type that the computation takes."""
    types = destination_types(computation, [operands[0].dtype]) * len(operands)
    return promoted(operands, types)


def _on_two(computation: Computation) -> Computation:
    def combine(left: Array, right: Array) -> Array:
        return np.asarray(results_of(computation(left, right))[0])

    return NamedCombine(combine, getattr(computation, "kind", ""))


@evaluates
def all_to_all(
    operands: Sequence[Array],
    split_dimension: int,
    concat_dimension: int,
    split_count: int,
    replica_groups: Groups,
    channel_id: int | None = None,
    *,
    process: Process = ALONE,
) -> tuple[Array, ...]:
    groups = _one_way(process, replica_groups or [list(range(split_count))], channel_id)
    group = _own(process.id, groups)
    if len(group) != split_count:
        raise ExecutionError(f"(C8) groups of {len(group)} processes, {split_count} parts")
    splits = [np.split(operand, split_count, split_dimension) for operand in operands]
    parts = list(zip(*splits, strict=True))  # of all operands, by receiver

    def joined(shares: Sequence[Sequence[Array]]) -> tuple[Array, ...]:
        return tuple(
            np.concatenate(senders, concat_dimension) for senders in zip(*shares, strict=True)
        )

    results: tuple[Array, ...] = process.deal(
        "all_to_all", channel_id or 0, group, operands, parts, joined
    )
    return results


def _zeros(operand: Any, zeros: Sequence[Array] | None, number: int = 0) -> Any:
    """What a process gets to which nobody sends.

    Args:
        zeros: what stands for 0, by results, where that is not what arrays start as.
        number: of the result.
    """
    if zeros is not None:
        return np.full_like(operand, zeros[number])
    if isinstance(operand, QuantizedArray):
        return quantize(np.zeros(operand.shape, operand.type.expressed.dtype), operand.type)
    return rounded(np.zeros(operand.shape), operand.dtype)  # NaN where a type has no zero


@evaluates
def collective_broadcast(
    operand: Any,
    replica_groups: Groups,
    channel_id: int | None = None,
    *,
    process: Process = ALONE,
    zeros: Sequence[Array] | None = None,
) -> Any:
    for group in _one_way(process, replica_groups, channel_id):
        if process.id in group:
            return process.broadcast("collective_broadcast", channel_id or 0, group, operand)
    return _zeros(operand, zeros)


@evaluates
def collective_permute(
    operand: Any,
    source_target_pairs: Groups,
    channel_id: int | None = None,
    *,
    process: Process = ALONE,
    zeros: Sequence[Array] | None = None,
) -> Any:
    pairs = _one_way(process, source_target_pairs, channel_id)
    for source, target in pairs:
        if source == process.id:
            process.give("collective_permute", channel_id or 0, target, operand)
    for source, target in pairs:
        if target == process.id:
            return process.get("collective_permute", channel_id or 0, source)
    return _zeros(operand, zeros)


@evaluates
def collective_reduce(
    operands: Sequence[Array],
    replica_groups: Groups,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    has_dynamic_root: bool | None = None,
    *,
    computation: Computation,
    process: Process = ALONE,
    zeros: Sequence[Array] | None = None,
) -> tuple[Array, ...]:
    group = _group(process, replica_groups, channel_id, use_global_device_ids)
    data = operands[:-1] if has_dynamic_root else operands
    roots = [int(root) for root in operands[-1]] if has_dynamic_root else [0] * len(data)
    if any(not 0 <= root < len(group) for root in roots):
        raise ExecutionError(f"roots {roots} in a group of {len(group)} processes")
    totals = _reduced("collective_reduce", data, channel_id, group, computation, process)
    return tuple(
        total if group[root] == process.id else _zeros(total, zeros, number)
        for number, (total, root) in enumerate(zip(totals, roots, strict=True))
    )


@evaluates
def partition_id(*, process: Process = ALONE) -> Array:
    return np.asarray(process.partition_id, np.uint32)


@evaluates
def reduce_scatter(
    operand: Array,
    scatter_dimension: int,
    replica_groups: Groups,
    channel_id: int | None = None,
    use_global_device_ids: bool | None = None,
    *,
    computation: Computation,
    process: Process = ALONE,
) -> Array:
    group = _group(process, replica_groups, channel_id, use_global_device_ids)
    if operand.shape[scatter_dimension] % len(group):
        raise ExecutionError(f"(C1) {operand.shape} does not divide into {len(group)} parts")
    (own,) = _as_combined([operand], computation)
    parts = np.split(own, len(group), scatter_dimension)
    combine = _on_two(computation)
    total: Array = process.combined_part(
        "reduce_scatter", channel_id or 0, group, own, parts, combine
    )
    return total


@evaluates
def replica_id(*, process: Process = ALONE) -> Array:
    return np.asarray(process.replica_id, np.uint32)
