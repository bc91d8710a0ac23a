"""Conformance cases as data: a file per family of ops, named as in ``shlo_tools.ops``."""

from __future__ import annotations

import importlib
from functools import cache

from cases._case import Row

FAMILIES = (
    "batch_normalization",
    "chlo",
    "collectives",
    "contraction",
    "control_flow",
    "convolution",
    "data_movement",
    "deprecated",
    "dynamism",
    "elementwise",
    "gather_scatter",
    "sorting",
    "transfer",
    "windows",
    "grouping",
    "linear_algebra",
    "quantization",
    "random",
    "reduction",
    "signal",
)


@cache
def rows(family: str) -> tuple[Row, ...]:
    """The ops of a family with their cases."""
    results: tuple[Row, ...] = importlib.import_module(f"cases.{family}").ROWS
    return results
