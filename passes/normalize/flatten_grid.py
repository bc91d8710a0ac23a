"""A program for a grid of replicas and partitions becomes one for replicas alone.

Before, in a grid of 2 replicas and 2 partitions:
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = <handle = 1, ...>,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : ...
After:
    %id = stablehlo.replica_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %0 = stablehlo.remainder %id, %two : tensor<ui32>
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : ...

The number of a replica is that of the process: ``replica * num_partitions + partition``. XLA takes
programs of partitions only where its own partitioner may cut them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.lower_collectives import COLLECTIVES, GROUPS, MATRIX, members
from shlo_tools.passes.normalize.shape_operands import ssa
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass

_NUMBERS = ("stablehlo.partition_id", "stablehlo.replica_id")


@dataclass(frozen=True)
class FlattenGrid(Pass):
    """Number the processes of a grid, and have collectives name them by their numbers.

    Options: ``num-replicas`` and ``num-partitions``, the size of the grid.
    """

    name = "shlo-flatten-grid"
    num_replicas: int = 1
    num_partitions: int = 1

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(*_NUMBERS, *(f"stablehlo.{name}" for name in COLLECTIVES))

    def run(self, op: Operation) -> None:
        for each in mlir.walk(op):
            name = each.name.removeprefix("stablehlo.")
            if each.name in _NUMBERS:
                build = Build(mlir.before(each), each.location)
                ir.replace(each, [self._number(name, build)])
            elif each.name.startswith("stablehlo.") and name in COLLECTIVES:
                self._renumber(each, name)

    def _number(self, name: str, build: Build) -> Value:
        """The replica or the partition of the process."""
        with ir.inserting(build):
            count = ops.constant(np.uint32(self.num_partitions))
            rule = ops.remainder if name == "partition_id" else ops.divide
            return ssa(rule(ops.replica_id(), count))

    def _renumber(self, op: Operation, name: str) -> None:
        groups = members(op, name, (self.num_replicas, self.num_partitions))
        rows = [[r * self.num_partitions + p for r, p in group] for group in groups]
        attribute = GROUPS["permute" in name]
        op.attributes[attribute] = MATRIX.encode(_padded(rows))
        for channel in ("channel_handle", "use_global_device_ids"):
            if channel in op.attributes:
                del op.attributes[channel]


def _padded(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of one length: shorter ones are filled with -1."""
    length = max(map(len, rows), default=0)
    return [[*row, *[-1] * (length - len(row))] for row in rows]
