"""All rules of simplification."""

from __future__ import annotations

from shlo_tools.passes.simplify import (
    arithmetic,
    choices,
    control_flow,
    conversion,
    data_movement,
    driver,
    dynamism,
    empty,
    logic,
    reduction,
    slicing,
)

RULES = driver.merged(
    arithmetic.RULES,
    logic.RULES,
    choices.RULES,
    conversion.RULES,
    data_movement.RULES,
    slicing.RULES,
    dynamism.RULES,
    control_flow.RULES,
    reduction.RULES,
    empty.RULES,
)
