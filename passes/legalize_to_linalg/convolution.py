"""Convolutions: opaque kernels, as dot products are (``contraction``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.dtypes import to_attribute
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit.kernels import opaque_call, statement_of
from shlo_tools.passes.legalize_to_linalg.rules import lowers


@lowers
def convolution(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return opaque_call(op, build, operands, "convolution", statement_of(op))


@lowers
def dynamic_conv(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """With padding that is known a ``convolution``."""
    padding = [size for size in build.contents(op.operands[2]) if isinstance(size, int)]
    rank = build.type(op.operands[0]).rank - 2
    if len(padding) < 2 * rank:
        return opaque_call(op, build, operands, "dynamic_conv", statement_of(op))
    pairs = to_attribute(np.array(padding, np.int64).reshape(rank, 2))
    statement = statement_of(op, list(op.operands)[:2], padding=pairs)
    return opaque_call(op, build, operands[:2], "convolution", statement)
