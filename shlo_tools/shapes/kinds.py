"""What ops of one name have in common, as shapes are found."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from shlo_tools.ops import DESCRIPTIONS, Trait, has_trait
from shlo_tools.ops._op import Role

# Ops whose results functions of the program or of users tell.
RESULTS_FROM_FUNCTIONS = frozenset(
    f"stablehlo.{name}" for name in ("async_done", "composite", "custom_call")
)


@dataclass(frozen=True)
class OpKind:
    """Ops of one name.

    Attributes:
        is_described: whether an op function tells their results.
        is_plain: whether it does so by their operands and attributes alone.
        has_regions: whether what is in regions has a say in results.
        attributes: names of those that have one.
        is_settled_by_types: whether static types leave nothing to check.
    """

    name: str
    is_described: bool
    is_plain: bool
    has_regions: bool
    attributes: tuple[str, ...]
    is_settled_by_types: bool


@functools.cache
def kind_of(name: str) -> OpKind:
    """What is known of the ops of a name; those that nothing is known of may have regions."""
    description = DESCRIPTIONS.get(name)
    if description is None:
        return OpKind(name, False, False, True, (), True)
    plain = name not in RESULTS_FROM_FUNCTIONS
    regions = any(p.role in (Role.REGION, Role.REGIONS) for p in description.parameters)
    settled = not has_trait(name, Trait.SIZES_AS_OPERANDS)
    return OpKind(name, True, plain and not regions, regions, description.attribute_names, settled)
