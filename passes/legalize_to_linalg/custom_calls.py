"""Custom calls: kernels that call the host.

The host sees logical values, row-major. ``operand_layouts`` and ``result_layouts`` say how another
compiler would place them in memory, ``output_operand_aliases`` where: neither changes a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend import registered
from shlo_tools.ir import (
    Lowered,
    Lowering,
    describe,
    flatten,
    functions,
    raise_unsupported,
    symbol_name,
)
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.passes import lapack_kernels
from shlo_tools.passes.legalize_to_linalg import sparse, structured
from shlo_tools.passes.legalize_to_linalg.data_movement import extracted
from shlo_tools.passes.legalize_to_linalg.kernels import kernel_call
from shlo_tools.passes.legalize_to_linalg.rules import lowers
from shlo_tools.passes.legalize_to_linalg.sorting import sorted_along

_CALLED = "called_computations"

# Targets that only say where values live, or group them.
IDENTITIES = (
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.PropagationBarrier",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "LayoutConstraint",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
)


@lowers
def custom_call(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    target = op.attributes["call_target_name"].value
    if target in IDENTITIES:
        if [o.type for o in op.operands] != [r.type for r in op.results]:
            raise_unsupported([op], f"{target!r} for several devices")
        return operands
    if target == "ApproxTopK":
        return _approx_top_k(op, flatten(operands), build)
    if target == sparse.TARGET and registered(target) is None:
        return sparse.csr_times_dense(op, flatten(operands), build)
    return host_call(op, operands, build, target, _config(op))


def _approx_top_k(op: Operation, operands: list[Value], build: Lowering) -> list[Value]:
    """Sorted by the called computation and cut off, which recalls all of the best elements."""
    results = [tensor_type(result.type) for result in op.results]
    types = [tensor_type(value.type) for value in list(op.operands)[: len(results)]]
    config: Any = _config(op)
    comparator = _called_computation(op)
    if comparator is None or config is None or "reduction_dim" not in config:
        reason = "ApproxTopK needs a called computation and a reduction_dim"
        message = f"not supported: {describe(op)}: {reason}"
        raise UnsupportedError(message, place=mlir.place_of(op.location))
    axis = config["reduction_dim"].value
    rows = sorted_along(comparator, build, operands[: len(results)], types, axis)
    offsets, strides = [0] * types[0].rank, [1] * types[0].rank
    return [
        extracted(build, row, result, offsets, strides)
        for row, result in zip(rows, results, strict=True)
    ]


def _called_computation(op: Operation) -> Operation | None:
    """The function that a custom call names; its lowered copy, if any, stands before it."""
    module = op
    while module.parent is not None:
        module = mlir.inner_operation(module.parent)
    named = {symbol_name(func): func for func in functions(module)}
    called: Any = op.attributes[_CALLED] if _CALLED in op.attributes else ()
    return next((named[name.value] for name in called if name.value in named), None)


def host_call(
    op: Operation,
    operands: Sequence[Lowered],
    build: Lowering,
    target: str,
    config: Attribute | None,
) -> Sequence[Lowered]:
    """Have the function of a custom_call target compute the results of ``op``.

    Args:
        config: the attributes that the function gets.
    """
    results = _spread([result.type for result in op.results])
    inputs = _spread([operand.type for operand in op.operands])
    if not all(mlir.is_tensor(type) for type in (*results, *inputs)):
        raise_unsupported([op], "a custom call takes and returns tensors")
    if not all(tensor_type(type).is_static for type in (*results, *inputs)):
        raise_unsupported([op], "its sizes must be known")
    described = {
        "target": mlir.string_attr(target),
        "inputs": mlir.array_attr(mlir.type_attr(type) for type in inputs),
        "results": mlir.array_attr(mlir.type_attr(type) for type in results),
    }
    if config is not None:
        described["config"] = config
    destinations = [structured.empty(build, tensor_type(type)) for type in results]
    # What a user registered comes before what is built in.
    direct = registered(target) is None and lapack_kernels.find(described) is not None
    kind = "lapack" if direct else "host"
    values = kernel_call(op, build, kind, destinations, flatten(operands), None, described)
    return build.regrouped([result.type for result in op.results], values)


def host_config(op: Operation, names: Sequence[str]) -> Attribute:
    """The named attributes of an op; those that name one of several choices as text."""
    given: Mapping[str, Any] = op.attributes
    return mlir.dict_attr({name: _plain(given[name]) for name in names if name in given})


def _plain(attribute: Any) -> Attribute:
    text = str(attribute)
    if text.startswith("#stablehlo<"):  # an enum: #stablehlo<fft_type RFFT>
        return mlir.string_attr(text.removesuffix(">").split()[-1])
    plain: Attribute = attribute
    return plain


def _config(op: Operation) -> Attribute | None:
    """What the exporter tells the target."""
    if op.attributes["call_target_name"].value == "shape_assertion":
        return host_config(op, ["error_message"])
    for name in ("mhlo.backend_config", "backend_config"):
        if name in op.attributes:
            config: Attribute = op.attributes[name]
            return config
    return None


def _spread(types: Sequence[Type]) -> list[Type]:
    """Types with tuples spread out and tokens dropped."""
    spread: list[Type] = []
    for type in types:
        if str(type).startswith("tuple<"):
            members: Any = type
            spread += _spread([members.get_type(i) for i in range(members.num_types)])
        elif str(type) != "!stablehlo.token":
            spread.append(type)
    return spread
