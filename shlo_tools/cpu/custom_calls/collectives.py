"""Targets of ``shlo-lower-collectives``: what a process does with others, or with the host.

The reference has the functions; they are the process's that runs in the calling thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from shlo_tools import processes
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import Diagnostic, ExecutionError, Place, ShloError
from shlo_tools.extend import CustomCall
from shlo_tools.extend.targets import PROCESS

_OPS = (
    *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute"),
    *("collective_reduce", "infeed", "outfeed", "partition_id", "recv", "reduce_scatter"),
    *("replica_id", "send"),
)


def _target(name: str) -> CustomCall:
    def call(
        *operands: Array,
        attributes: Mapping[str, Any],
        place: Place | None,
        result_types: Sequence[TensorType],
    ) -> Sequence[Array]:
        process = processes.current()
        try:
            _check_grid(process, attributes.get("grid"))
            computed = _evaluated(name, process, operands, attributes, result_types)
        except ShloError as error:
            first = error.diagnostics[0]
            if first.place is not None or place is None:
                raise
            message = f"stablehlo.{name}: {first.message}"
            raise type(error)(
                [Diagnostic("error", message, place, first.notes, first.hint)]
            ) from error
        return tuple(value for value in computed if isinstance(value, np.ndarray))  # no token

    return call


def _check_grid(process: processes.Process, size: Sequence[int] | None) -> None:
    """Refuse a program whose grid is another than that of the process."""
    own = (process.grid.num_replicas, process.grid.num_partitions)
    if size is not None and tuple(size) != own:
        replicas, partitions = size
        raise ExecutionError(
            f"compiled for {replicas} replicas of {partitions} partitions, and this process is of"
            f" {own[0]} of {own[1]}",
            hint="shlo_tools.run_spmd runs a program in all processes of a grid",
        )


def _evaluated(
    name: str,
    process: processes.Process,
    operands: Sequence[Array],
    attributes: Mapping[str, Any],
    result_types: Sequence[TensorType],
) -> Sequence[Any]:
    """What the reference's function gives."""
    from shlo_tools.reference._evaluates import EVALUATORS, keywords_of
    from shlo_tools.reference.grouping import TOKEN

    evaluate = EVALUATORS[f"stablehlo.{name}"]
    offered = keywords_of(evaluate)
    arguments = {n: _plain(value) for n, value in attributes.items() if n in offered}
    arguments |= {"process": process, "operands": operands, "inputs": operands, "token": TOKEN}
    arguments |= {"operand": operands[0]} if operands else {}
    if "computation" in offered:
        arguments["computation"] = _combining(attributes["computation"])
    arguments["result_types"] = [*result_types, TOKEN]
    computed = evaluate(**{n: value for n, value in arguments.items() if n in offered})
    return computed if isinstance(computed, tuple | list) else [computed]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


@cache
def _combining(text: str) -> Any:
    """The compiled computation of a collective, on arrays of any shape."""
    from shlo_tools.cpu.executable import compile

    combine = compile(text)

    def on_arrays(left: Array, right: Array) -> Array:
        flat: Array = combine(left.reshape(-1), right.reshape(-1))
        return flat.reshape(left.shape)

    return on_arrays


TARGETS: dict[str, CustomCall] = {PROCESS + name: _target(name) for name in _OPS}
