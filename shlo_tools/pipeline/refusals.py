"""Passes of StableHLO's tools that are refused by name, and options that MLIR does not check."""

from __future__ import annotations

import re

from shlo_tools import mlir
from shlo_tools.pipeline import grammar
from shlo_tools.pipeline.grammar import Node

_NO_TOSA = "the MLIR wheel has no lowering between StableHLO and TOSA; docs/upstream.md has a list"

UNSUPPORTED = {
    "stablehlo-legalize-to-tosa": _NO_TOSA,
    "stablehlo-quant-legalize-to-tosa-rescale": _NO_TOSA,
    "tosa-rescale-legalize-to-stablehlo": _NO_TOSA,
}

_EXPANDER = "stablehlo-compatibility-expander"  # it asserts its target, in builds with assertions
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


def unsupported(name: str) -> str:
    """Why there is no such pass although upstream has it; empty where it is not one of those."""
    reason = UNSUPPORTED.get(name)
    return f"pass {name!r} is not supported: {reason}" if reason else ""


def reason(node: Node) -> str:
    """Why a pass is refused, alone or with its options; empty where it is not."""
    if node.name != _EXPANDER:
        return unsupported(node.name)
    target = grammar.split_options(node.options).get("target") or ""
    if not _VERSION.fullmatch(target):
        form = "must be of the form `#.#.#`"
        return f"option 'target' of pass {node.name!r}: target version {form}, not {target!r}"
    least, current = mlir.oldest_stablehlo_version(), mlir.stablehlo_version()
    if not _numbers(least) <= _numbers(target) <= _numbers(current):
        window = f"between {least} and {current}"
        return f"option 'target' of pass {node.name!r}: {target} is not {window}"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    """Major and minor; patches change nothing that is written."""
    return tuple(map(int, version.split(".")[:2]))
