"""Custom calls: kernels that call the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Lowered, Lowering, flatten, raise_unsupported
from shlo_tools.mlir import Operation, Type
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.kernels import kernel_call
from shlo_tools.passes.legalize_to_linalg.rules import lowers

# Targets that only say where values live.
IDENTITIES = (
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
)


@lowers
def custom_call(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    target = op.attributes["call_target_name"].value
    if target in IDENTITIES:
        return operands
    old = _spread([result.type for result in op.results])
    inputs = _spread([operand.type for operand in op.operands])
    if not all(mlir.is_tensor(type) for type in (*old, *inputs)):
        raise_unsupported([op], "a custom call takes and returns tensors")
    described = {
        "target": mlir.string_attr(target),
        "inputs": mlir.array_attr(mlir.type_attr(type) for type in inputs),
        "results": mlir.array_attr(mlir.type_attr(type) for type in old),
    }
    config = "mhlo.backend_config"
    config = config if config in op.attributes else "backend_config"
    if config in op.attributes:
        described["config"] = op.attributes[config]
    destinations = [structured.empty(build, tensor_type(type)) for type in old]
    values = kernel_call(op, build, "host", destinations, flatten(operands), None, described)
    return build.regrouped([result.type for result in op.results], values)


def _spread(types: Sequence[Type]) -> list[Type]:
    """Types with tuples spread out and tokens dropped."""
    spread: list[Type] = []
    for type in types:
        if str(type).startswith("tuple<"):
            members: Any = type
            spread += _spread([members.get_type(i) for i in range(members.num_types)])
        elif str(type) != "!stablehlo.token":
            spread.append(type)
    return spread
