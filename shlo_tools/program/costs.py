"""What a function of StableHLO needs at least: arithmetic, and bytes that are read and written.

    costs = function_costs(module, "main")
    costs.flops.total, costs.bytes

Bytes are those of arguments and constants, read once, and of results, written once: what passes
between ops may stay in caches. It is the program that is counted, not what it is compiled to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import ShloError, did_you_mean
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.program.flops import Counter, Flops

__all__ = ["Costs", "Counter", "Flops", "function_costs", "op_costs"]

_CONSTANTS = ("arith.constant", "stablehlo.constant")
# They read of their first operand no more than they return.
_PICKING = ("stablehlo.dynamic_slice", "stablehlo.gather", "stablehlo.slice")


@dataclass(frozen=True)
class Costs:
    """What has to be computed and moved.

    Attributes:
        flops: steps of arithmetic.
        bytes: of arguments, constants and results; elements as arrays store them.
    """

    flops: Flops
    bytes: int


def function_costs(
    module: Operation, function: str = "main", counter: Counter | None = None
) -> Costs:
    """What a call of a function needs, the functions that it calls included.

    An argument of which elements are picked by slices and gathers alone counts with what these
    return, one that is not used with nothing. Constants of one repeated value are no traffic.

    Args:
        module: the ``builtin.module`` op.
        function: the name of a function of it.
        counter: that of the module, where several functions of it are counted.

    Raises:
        ShloError: there is no such function, or a size that counts is unknown.
    """
    counter = counter or Counter(ir.functions_by_name(module))
    functions = counter.functions
    if function not in functions or ir.is_declaration(functions[function]):
        hint = did_you_mean(function, functions)
        raise ShloError(f"there is no function @{function} with a body", hint=hint)
    func = functions[function]
    arguments = list(func.regions[0].blocks[0].arguments)
    moved = sum(map(_bytes_read, arguments)) + _bytes_of(ir.signature(func)[1])
    return Costs(counter.function(function), moved + _constant_bytes(counter, function))


def op_costs(op: Operation, counter: Counter) -> Costs:
    """What one op needs: operands read, results written, with its regions and what it calls.

    Of a slice or a gather the operand counts with what is picked of it.
    """
    operands = list(op.operands)
    results = _bytes_of(result.type for result in op.results)
    if op.name in _PICKING:
        picked = min(_bytes_of([operands[0].type]), results)
        return Costs(counter.op(op), picked + _bytes_of(v.type for v in operands[1:]) + results)
    each_once = dict.fromkeys(operands)
    return Costs(counter.op(op), _bytes_of(value.type for value in each_once) + results)


def _bytes_of(types: Iterable[Type]) -> int:
    """Of tensors and tuples of them; tokens have none."""
    count = 0
    for type in types:
        if mlir.is_tensor(type):
            count += tensor_type(type).storage_type.nbytes
        elif mlir.is_tuple(type):
            count += _bytes_of(mlir.members(type))
    return count


def _bytes_read(argument: Value) -> int:
    """How much of an argument is read at least."""
    uses = [(mlir.inner_operation(use.owner), use.operand_number) for use in argument.uses]
    if all(op.name in _PICKING and number == 0 for op, number in uses):
        picked = sum(_bytes_of([op.results[0].type]) for op, _ in uses)
        return min(picked, _bytes_of([argument.type]) if uses else 0)
    return _bytes_of([argument.type])


def _constant_bytes(counter: Counter, function: str) -> int:
    """Of the constants that a function and its callees hold, each of them once."""
    names, count = [function], 0
    for name in names:  # it grows on the way
        for op in mlir.walk(counter.functions[name]):
            if op.name in _CONSTANTS and not mlir.is_splat(op.attributes["value"]):
                count += _bytes_of([op.results[0].type])
            callee = ir.called_name(op)
            if callee in counter.functions and callee not in names:
                names.append(callee)
    return count
