"""Tensors without elements, whatever computes them."""

from __future__ import annotations

import numpy as np

from shlo_tools.mlir import Operation
from shlo_tools.passes.simplify.driver import ANY, Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import constant, static


def without_elements(op: Operation, build: Rewriter) -> Replacement | None:
    """op(x) -> constant, of no elements; an op with effects stays beside it"""
    if op.name == "stablehlo.constant":
        return None
    for result in op.results:
        type = static(result)
        if type is None or type.size or next(result.uses, None) is None:
            continue
        nothing = np.empty(type.static_shape, type.element_type.dtype)
        build.replace_uses(result, constant(build, result.type, nothing))
    return None


RULES: Rules = {ANY: (without_elements,)}
