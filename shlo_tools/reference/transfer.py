"""Ops that move values in and out of a process, or compute while others go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools.errors import ExecutionError
from shlo_tools.processes import ALONE, Process
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.grouping import TOKEN
from shlo_tools.reference.reduction import Computation, results_of

Pairs = Sequence[Sequence[int]]


@evaluates
def infeed(
    token: Any,
    infeed_config: str | None = None,
    *,
    process: Process = ALONE,
    result_types: list[Any],
) -> tuple[Any, ...]:
    if not process.infeed:
        raise ExecutionError(f"the infeed of process {process.id} is empty")
    return (*_payload(process.infeed.popleft(), result_types), TOKEN)


def _payload(values: Sequence[Any], result_types: Sequence[Any]) -> Sequence[Any]:
    count = len(result_types) - 1
    if len(values) != count:
        raise ExecutionError(f"{len(values)} values arrive, {count} are wanted")
    return values


@evaluates
def outfeed(
    inputs: Sequence[Any],
    token: Any,
    outfeed_config: str | None = None,
    *,
    process: Process = ALONE,
) -> Any:
    process.outfeed.append(tuple(inputs))
    return TOKEN


@evaluates
def recv(
    token: Any,
    channel_id: int,
    is_host_transfer: bool | None = None,
    source_target_pairs: Pairs | None = None,
    *,
    process: Process = ALONE,
    result_types: list[Any],
) -> tuple[Any, ...]:
    if is_host_transfer:
        return (*_payload(process.receive_from_host(channel_id), result_types), TOKEN)
    source = _partner(process, source_target_pairs, receives=True)
    return (*_payload(process.receive(channel_id, source), result_types), TOKEN)


@evaluates
def send(
    inputs: Sequence[Any],
    token: Any,
    channel_id: int,
    is_host_transfer: bool | None = None,
    source_target_pairs: Pairs | None = None,
    *,
    process: Process = ALONE,
) -> Any:
    if is_host_transfer:
        process.send_to_host(channel_id, tuple(inputs))
    else:
        target = _partner(process, source_target_pairs, receives=False)
        process.send(channel_id, target, tuple(inputs))
    return TOKEN


def _partner(process: Process, pairs: Pairs | None, *, receives: bool) -> int | None:
    """The flattened id of the process at the other end; None where the channel alone tells."""
    if not pairs:
        return None
    own = process.replica_id * process.grid.num_partitions + process.partition_id
    for source, target in pairs:
        if own == (target if receives else source):
            return source if receives else target
    raise ExecutionError(f"process {process.id} is in none of the pairs")


@evaluates
def async_start(operands: Sequence[Any], called_computation: Computation) -> Any:
    return [tuple(results_of(called_computation(*operands)))]


@evaluates
def async_done(future: tuple[Any, ...]) -> tuple[Any, ...]:
    return future
