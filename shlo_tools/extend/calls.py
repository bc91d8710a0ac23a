"""How the function of a target is run, for compiled programs and by the reference alike.

A function meets the same arrays, keywords and checks in both.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.extend import CustomCall, built_in, c_calls
from shlo_tools.extend.c_calls import Applied, started
from shlo_tools.extend.c_functions import CFunction
from shlo_tools.extend.description import Call


def applied(
    function: CustomCall | CFunction, call: Call, computations: Sequence[Callable[..., Any]]
) -> Applied:
    """How a function is run for a call.

    Args:
        computations: the called computations, as functions of arrays.

    Raises:
        UnsupportedError: it is a C function, and the call is none that these can take.
    """
    if call.shape_operands:
        return _without_shapes(function, call, computations)
    if isinstance(function, CFunction):
        return c_calls.applied(function, call)
    names = _parameters(function)
    offered = {
        **{"attributes": call.attributes, "op_attributes": call.op_attributes},
        **{"result_types": call.result_types, "called_computations": list(computations)},
        **{"target": call.target, "place": call.place},
        **{"api_version": call.api_version, "has_side_effect": call.has_side_effect},
    }
    late = ("operand_layouts", "result_layouts", "output_operand_aliases")
    offered |= {name: getattr(call, name) for name in late if name in names}
    call_function = partial(function, **{name: offered[name] for name in names if name in offered})

    def returning(operands: Sequence[Array], _: Sequence[Array] | None) -> Sequence[Array]:
        return results_of(call, call_function(*operands))

    def filling(operands: Sequence[Array], outputs: Sequence[Array] | None) -> Sequence[Array]:
        """Of a function of our own, which writes all of the results' memory."""
        memory = started(call, operands, outputs) if outputs is None else outputs
        call_function(*operands, memory=memory)
        return memory

    def writing(operands: Sequence[Array], outputs: Sequence[Array] | None) -> Sequence[Array]:
        memory = started(call, operands, outputs)
        for number, output in enumerate(memory):
            if number not in call.output_operand_aliases:
                output[...] = np.zeros((), output.dtype)  # runs repeat
        if call_function(*operands, outputs=list(memory)) is not None:
            raise call.error("takes outputs and returns a value: it is to do one of the two")
        return memory

    if "memory" in names and function is built_in(call.target):
        return filling
    return writing if "outputs" in names else returning


def _without_shapes(
    function: CustomCall | CFunction, call: Call, computations: Sequence[Callable[..., Any]]
) -> Applied:
    """As if the program had been written for the sizes that it runs with."""

    def run(operands: Sequence[Array], outputs: Sequence[Array] | None) -> Sequence[Array]:
        exact = call.with_shapes([operands[n] for n in call.shape_operands])
        kept = [x for n, x in enumerate(operands) if n not in call.shape_operands]
        return applied(function, exact, computations)(kept, outputs)

    return run


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # builtin functions may have no signature
        return []


def results_of(call: Call, returned: Any) -> list[Array]:
    """What a function returned, as one array per result.

    Raises:
        ExecutionError: their number, a dtype or a shape is not what the op says.
    """
    types = call.result_types
    several = tuple if len(types) == 1 else (tuple, list)  # one result may be a list
    values = returned if isinstance(returned, several) else [returned]
    if returned is None:
        values = []
    if len(values) != len(types):
        raise call.error(f"returned {len(values)} results, not {len(types)}")
    arrays = [np.asarray(value) for value in values]
    for number, (array, type) in enumerate(zip(arrays, types, strict=True)):
        if array.dtype != type.element_type.dtype or not type.admits(array.shape):
            actual = f"{array.dtype} array of shape {array.shape}"
            raise call.error(f"returned a {actual} as result {number}, which is {type}")
    return arrays
