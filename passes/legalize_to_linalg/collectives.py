"""Collectives of a program that runs alone: it is process (0, 0) of a grid of 1 x 1.

A group of this one process leaves its operand as it is. Groups that name other processes are
refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import grid, ir, mlir
from shlo_tools.constraints import Fact
from shlo_tools.dims import equal
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.extend.targets import ZEROS
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops._op import read_arguments
from shlo_tools.ops.collectives import CHANNEL_HANDLE
from shlo_tools.passes.legalize_to_linalg.emit import size_checks, structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import converted, zero_of
from shlo_tools.passes.legalize_to_linalg.rules import lowers

ALONE = (0, 0)
MAX_SHOWN = 80  # characters of groups in messages


# --- which process this is ------------------------------------------------------------------------
@lowers
def partition_id(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return [_zeros(op, build, op.results[0])]


@lowers
def replica_id(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return [_zeros(op, build, op.results[0])]


def _zeros(op: Operation, build: Lowering, result: Value) -> Value:
    """What a process gets to which nobody sends."""
    type = build.type(result)
    element = type.element_type
    zeros = ir.integers_of(op, ZEROS, ())
    zero = structured.scalar(build, zeros[0], element) if zeros else zero_of(op, build, element)
    return structured.filled(build, zero, type)


# --- what it shares with itself -------------------------------------------------------------------
@lowers
def all_gather(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    _check_alone(op, _reducing_groups(op))
    return _as_they_are(op, operands, build)


@lowers
def all_reduce(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    _check_alone(op, _reducing_groups(op))
    return _promoted(op, operands, build)


@lowers
def all_to_all(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    _check_alone(op, _one_way_groups(op, "replica_groups"))
    if ir.integer_of(op, "split_count") != 1:
        raise_unsupported([op], "more parts than processes in a group")
    return _as_they_are(op, operands, build)


@lowers
def collective_broadcast(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Zeros where this process is in no group."""
    groups = _one_way_groups(op, "replica_groups")
    return operands if groups else [_zeros(op, build, op.results[0])]


@lowers
def collective_permute(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Zeros unless this process sends to itself."""
    pairs = _one_way_groups(op, "source_target_pairs")
    return operands if pairs else [_zeros(op, build, op.results[0])]


@lowers
def collective_reduce(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """``all_reduce`` for the root of the group, which can be no other process."""
    _check_alone(op, _reducing_groups(op))
    count = len(op.results)
    if "has_dynamic_root" in op.attributes:
        for root in build.contents(op.operands[count]):
            only = Fact("==", root, 0)
            size_checks.check(op, only, "roots in a group of one process", build)
    return _promoted(op, operands[:count], build)


@lowers
def reduce_scatter(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """The whole is this process's part."""
    _check_alone(op, _reducing_groups(op))
    return _promoted(op, operands, build)


def _promoted(op: Operation, operands: Sequence[Value], build: Lowering) -> list[Value]:
    """The operands in the element types that the computation combines."""
    results = []
    for value, old, new in zip(operands, op.operands, op.results, strict=False):
        source, target = build.type(old), build.type(new)
        _check_shape(op, source, target, build)
        results.append(converted(op, build, value, source, target))
    return results


def _as_they_are(op: Operation, operands: list[Value], build: Lowering) -> list[Value]:
    for old, new in zip(op.operands, op.results, strict=True):
        _check_shape(op, build.type(old), build.type(new), build)
    return operands


def _check_shape(op: Operation, operand: TensorType, result: TensorType, build: Lowering) -> None:
    """Refuse, or check at run time, what is no group's of one process.

    A size of the result that its type leaves open is the operand's.
    """
    for have, want in zip(operand.shape, result.shape, strict=True):
        if equal(have, want) is False:
            raise_unsupported([op], "its types are those of a group of several processes")
        if isinstance(want, int):
            size_checks.check(op, Fact("==", have, want), "one process has the whole", build)


# --- groups ---------------------------------------------------------------------------------------
def _reducing_groups(op: Operation) -> grid.Groups:
    global_ids = ir.flag_of(op, "use_global_device_ids")
    rows = _rows(op, "replica_groups")
    try:
        return grid.groups_of(rows, 1, 1, channel_id=_channel(op), use_global_device_ids=global_ids)
    except ShloError as error:
        raise _refusal(op, rows, error) from error


def _one_way_groups(op: Operation, name: str) -> grid.Groups:
    rows = _rows(op, name)
    try:
        return grid.one_way_groups(rows, 1, 1, channel_id=_channel(op))
    except ShloError as error:
        raise _refusal(op, rows, error) from error


def _rows(op: Operation, name: str) -> list[list[int]]:
    rows: list[list[int]] = read_arguments(op)[name]
    return rows


def _channel(op: Operation) -> int:
    if "channel_handle" not in op.attributes:
        return 0
    channel: int = CHANNEL_HANDLE.decode(op.attributes["channel_handle"])["channel_id"]
    return channel


def _refusal(op: Operation, rows: Sequence[Sequence[int]], error: ShloError) -> UnsupportedError:
    shown = str(rows) if len(str(rows)) < MAX_SHOWN else f"{str(rows)[:MAX_SHOWN]}..."
    reason = f"a compiled program runs alone: {error.diagnostics[0].message} in {shown}"
    message = f"not supported: {ir.describe(op)}: {reason}"
    return UnsupportedError(message, place=mlir.place_of(op.location))


def _check_alone(op: Operation, groups: grid.Groups) -> None:
    if [ALONE] not in groups:
        raise_unsupported([op], "this process is in none of the groups")
