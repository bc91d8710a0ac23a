"""The table of what implements opaque kernels: rules from the op that a kernel stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools.ir import Lowered, Lowering, Rule
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.rules import op_name

IMPLEMENTATIONS: dict[str, Rule] = {}  # op name -> rule


def implements(
    rule: Callable[[Operation, list[Any], Lowering], Sequence[Lowered]],
) -> Callable[[Operation, list[Any], Lowering], Sequence[Lowered]]:
    """Register a rule for kernels that stand for the StableHLO op it is named after."""
    IMPLEMENTATIONS[op_name(rule)] = rule
    return rule
