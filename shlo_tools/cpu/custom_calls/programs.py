"""Targets that say something about the program they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import Diagnostic, ExecutionError, Place, UnsupportedError
from shlo_tools.extend import CustomCall
from shlo_tools.extend.targets import SHAPE_ASSERTION
from shlo_tools.shapes.assertions import message_of


def shape_assertion(
    holds: Array, *words: Array, op_attributes: Mapping[str, Any], place: Place | None
) -> None:
    """Stop the program where a constraint on its sizes does not hold.

    ``{0}``, ``{1}``, ... in the ``error_message`` stand for the other operands, ``{{`` for a brace.
    """
    if holds:
        return

    message = str(op_attributes.get("error_message") or "a shape assertion failed")
    raise ExecutionError(Diagnostic("error", message_of(message, words), place))


def python_callback(*operands: Array, attributes: Mapping[str, Any], place: Place | None) -> None:
    """A function of the process that exported the program: nobody else has it."""
    message = (
        f"the program calls Python function {attributes.get('index', '?')} of the JAX process that"
        " exported it (jax.pure_callback, io_callback, debug.callback), which it does not contain"
    )
    hint = "export it without the callback, or register a function for this target"
    raise UnsupportedError(Diagnostic("error", message, place, hint=hint))


def allocate_buffer(*, result_types: Sequence[TensorType]) -> Array:
    """``jax.lax.empty``: any values; zeros here, so that runs repeat."""
    return np.zeros(result_types[0].static_shape, result_types[0].element_type.dtype)


def nothing(*operands: Array) -> None:
    """Keeps its operands from being removed, or says something about them."""


TARGETS: dict[str, CustomCall] = {
    SHAPE_ASSERTION: shape_assertion,
    "xla_ffi_python_cpu_callback": python_callback,
    "xla_ffi_partitioned_python_cpu_callback": python_callback,
    "xla_buffer_python_cpu_callback": python_callback,
    "AllocateBuffer": allocate_buffer,
    "dce_sink": nothing,
    "xla.sdy.ShardingGroup": nothing,
}
