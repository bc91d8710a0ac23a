"""The interpreter's own probes, as StableHLO's pass of this name places them.

Before:
    %0 = stablehlo.add %a, %b : tensor<2xf32>
After:
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    %1 = interpreter.probe %0, probe_id = "probe1" : tensor<2xf32>

Whoever used ``%0`` uses ``%1``. ``shlo-instrument`` is the pass for compiled programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shlo_tools import mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.pipeline.registry import Pass

_INDICES = ("<index>", "xindex>")
_NAMED = re.compile(r'loc\("(?:[^"\\]|\\.)*"(?:\(.*\))?\)', re.DOTALL)


@dataclass(frozen=True)
class InstrumentWithProbe(Pass):
    """Put an ``interpreter.probe`` after every op with results but constants.

    Attributes:
        useDebugInfo: name probes after the names in locations, up to the first ``@``.
    """

    name = "interpreter-instrument-with-probe"

    useDebugInfo: bool = False  # spelled so upstream

    def run(self, op: Operation) -> None:
        count = 0
        for inner in _inside_out(op):
            if inner.name == "stablehlo.constant":
                continue
            for result in list(inner.results):
                if _is_probed(result.type):
                    count += 1
                    _probe(inner, result, self._id(inner.location, count))

    def _id(self, location: Any, count: int) -> str:
        if not self.useDebugInfo or not _NAMED.fullmatch(str(location)):
            return f"probe{count}"
        return f"{location.name_str.partition('@')[0]}.{count}"


def _inside_out(root: Operation) -> list[Operation]:
    """Ops below one, those in regions before the op that has them."""
    ops: list[Operation] = []
    for region in root.regions:
        for block in region.blocks:
            for view in block.operations:
                op = mlir.inner_operation(view)
                ops += [*_inside_out(op), op]
    return ops


def _is_probed(type: Type) -> bool:
    return mlir.is_static_tensor(type) and not mlir.spelling(type).endswith(_INDICES)


def _probe(op: Operation, value: Value, name: str) -> None:
    """Put a probe right behind an op; all others use what it gives."""
    uses = [(mlir.inner_operation(use.owner), use.operand_number) for use in value.uses]
    build = Build(mlir.after(op), op.location)
    attributes = {"probe_id": mlir.string_attr(name)}
    seen_value = build.value("interpreter.probe", [value], value.type, attributes)
    for user, index in uses:
        user.operands[index] = seen_value
