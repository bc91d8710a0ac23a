"""Custom calls: kernels that call the host.

The host gets logical values, row-major, and the op's attributes: ``operand_layouts`` and
``output_operand_aliases`` matter to functions that look at memory, and are honoured there.
Functions of the program that the op names get entry points, so that the host can call them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from shlo_tools import ir, mlir
from shlo_tools.constraints import Fact
from shlo_tools.dims import symbols
from shlo_tools.dtypes import TensorType, element_type, tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend import registered
from shlo_tools.extend.description import config_of
from shlo_tools.extend.targets import Meaning, meaning_of
from shlo_tools.ir import (
    Lowered,
    Lowering,
    Rule,
    describe,
    flatten,
    functions,
    is_declaration,
    raise_unsupported,
    signature,
    symbol_name,
    text_of,
)
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.passes.legalize_to_linalg.data_movement import extracted
from shlo_tools.passes.legalize_to_linalg.dynamic_windows import dynamic_reduce_window
from shlo_tools.passes.legalize_to_linalg.emit import size_checks, structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    arithmetic,
    choose,
    kernel_call,
)
from shlo_tools.passes.legalize_to_linalg.host_calls import CALLED, description, tensors
from shlo_tools.passes.legalize_to_linalg.random import rng_bit_generator
from shlo_tools.passes.legalize_to_linalg.rules import lowered_tensor, lowers
from shlo_tools.passes.legalize_to_linalg.sorting import sorted_along
from shlo_tools.shapes import Extent

CONDITION = "tensor<i1>"


@lowers
def custom_call(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    target = text_of(op, "call_target_name")
    meaning = meaning_of(target)
    rule = None if meaning is None else _RULES.get(meaning)
    if rule is not None and registered(target) is None:  # what a user registered comes first
        return rule(op, operands, build)
    return host_call(op, operands, build)


def _identity(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    if [o.type for o in op.operands] != [r.type for r in op.results]:
        target = text_of(op, "call_target_name")
        raise_unsupported([op], f"{target!r} for several devices (run_spmd(whole=...) runs it)")
    return operands


def _wrapper(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """Around an operand whose type was made more exact."""
    types = [op.results[0].type]
    values = structured.as_declared(build, flatten(operands[:1]), build.types(types))
    return build.regrouped(types, values)


def _rng_bit_generator(
    op: Operation, operands: list[Lowered], build: Lowering
) -> Sequence[Lowered]:
    return rng_bit_generator(op, flatten(operands), build)


def _assertion(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """The host makes the message, and is called where there is one to make."""
    if [str(o.type) for o in op.operands[:1]] != [CONDITION]:
        return host_call(op, operands, build)
    holds = structured.extract(build, flatten(operands)[0], element_type("i1"))
    yes = build.value("arith.constant", (), holds.type, {"value": mlir.integer_attr(1, holds.type)})

    def refuse(inner: Lowering) -> list[Value]:
        host_call(op, operands, inner)
        return []

    return choose(build, arithmetic(build, "xori", holds, yes), [], refuse, lambda inner: [])


def _reduce_window(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    called = [func for func in _called(op) if not is_declaration(func)]
    if not called:
        raise_unsupported([op], "it names no function with a body")
    body = called[-1]  # as it was before lowering
    return dynamic_reduce_window(op, flatten(operands), build, body)


def _approx_top_k(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """Sorted by the called computation and cut off, which recalls all of the best elements."""
    results = [build.type(result) for result in op.results]
    types = [build.type(value) for value in list(op.operands)[: len(results)]]
    config = config_of(op.attributes)
    comparator = _called_computation(op)
    if comparator is None or config is None or "reduction_dim" not in config:
        reason = "ApproxTopK needs a called computation and a reduction_dim"
        message = f"not supported: {describe(op)}: {reason}"
        raise UnsupportedError(message, place=mlir.place_of(op.location))
    axis = config["reduction_dim"].value
    rows = sorted_along(comparator, build, flatten(operands)[: len(results)], types, axis)
    offsets, strides = [0] * types[0].rank, [1] * types[0].rank
    return [
        extracted(build, row, result, offsets, strides)
        for row, result in zip(rows, results, strict=True)
    ]


_RULES: Mapping[Meaning, Rule] = {
    Meaning.APPROX_TOP_K: _approx_top_k,
    Meaning.ASSERTION: _assertion,
    Meaning.IDENTITY: _identity,
    Meaning.REDUCE_WINDOW: _reduce_window,
    Meaning.RNG_BIT_GENERATOR: _rng_bit_generator,
    Meaning.WRAPPER: _wrapper,
}


def _called_computation(op: Operation) -> Operation | None:
    """The function that a custom call names; its lowered copy, if any, stands before it."""
    return next(iter(_called(op)), None)


def _called(op: Operation) -> list[Operation]:
    """The functions that an op names, and their lowered copies."""
    names = ir.items_of(op, CALLED)
    module = op
    while names and module.parent is not None:
        module = mlir.inner_operation(module.parent)
    named = [name.value for name in names]
    return [func for func in functions(module) if symbol_name(func) in named] if named else []


def host_call(op: Operation, operands: Sequence[Lowered], build: Lowering) -> Sequence[Lowered]:
    """Have the function of a custom_call target compute the results of ``op``."""
    described = description(op)
    if ir.items_of(op, CALLED):
        _give_entry_points(op)
        described["called"] = op.attributes[CALLED]
    if all(_is_told(result, build) for result in op.results):
        types = [type for result in op.results for type in _sized(op, result, build)]
        destinations = [structured.empty(build, type) for type in types]
        values = kernel_call(op, build, "host", destinations, flatten(operands), None, described)
    else:
        values = _in_two_steps(op, build, described, flatten(operands))
    return build.regrouped([result.type for result in op.results], values)


def _in_two_steps(
    op: Operation, build: Lowering, described: Mapping[str, Attribute], operands: Sequence[Value]
) -> list[Value]:
    """Sizes that nothing tells before the call are its first results; the values come after.

    The host keeps the values meanwhile: the first number says where.
    """
    types = [tensor_type(type) for type in tensors([result.type for result in op.results])]
    count = 1 + sum(not isinstance(dim, int) for type in types for dim in type.shape)
    table = structured.empty(build, TensorType((count,), element_type("i64")))
    first = {**described, "step": mlir.string_attr("sizes")}
    (sizes,) = kernel_call(op, build, "host", [table], operands, None, first)
    place = iter(range(1, count))
    destinations = []
    for type in types:
        open_sizes = [
            _number(build, sizes, next(place)) for dim in type.shape if not isinstance(dim, int)
        ]
        destinations.append(build.value("tensor.empty", open_sizes, lowered_tensor(type)))
    called = {name: attribute for name, attribute in described.items() if name != "called"}
    second = {**called, "step": mlir.string_attr("values")}
    return kernel_call(op, build, "host", destinations, [sizes], None, second)


def _number(build: Lowering, numbers: Value, position: int) -> Value:
    at = structured.index(build, position)
    element = build.value("tensor.extract", (numbers, at), mlir.integer_type(64))
    return build.value("arith.index_cast", (element,), mlir.index_type())


def _is_told(result: Value, build: Lowering) -> bool:
    """Whether the sizes of a result are known before the call."""
    if not mlir.is_tensor(result.type):
        return all(tensor_type(type).is_static for type in tensors([result.type]))
    sources = [symbol.source for size in build.type(result).shape for symbol in symbols(size)]
    return not any(isinstance(s, Extent) and s.value == result for s in sources)


def _sized(op: Operation, result: Value, build: Lowering) -> list[TensorType]:
    """The types of the tensors that a result is, with sizes that are told before the call."""
    if not mlir.is_tensor(result.type):
        return [tensor_type(type) for type in tensors([result.type])]
    type = build.type(result)
    for size in type.shape:
        size_checks.check(op, Fact("<=", 0, size), f"a size of {type} is below 0", build)
    return [type]


def _give_entry_points(op: Operation) -> None:
    """Make the functions that an op names public: these get entry points later."""
    called = _called(op)
    known = {symbol_name(func) for func in called if not is_declaration(func)}
    for name in ir.items_of(op, CALLED):
        if name.value not in known:
            raise_unsupported([op], f"@{name.value} has no body in this module")
    for func in called:
        for type in itertools.chain(*signature(func)):
            if not mlir.is_tensor(type):
                reason = f"@{symbol_name(func)} takes or returns {type}, which is no tensor"
                raise_unsupported([op], reason)
        func.attributes["sym_visibility"] = mlir.string_attr("public")
