"""Parts of whole arrays, as calls that say which part, and what these become.

    %1 = stablehlo.custom_call @shlo.part(%0) {shlo.sharding = "<mesh<[\\"x\\"=2]>, [{\\"x\\"}]>"}
      : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.custom_call @shlo.whole(%1) {shlo.sharding = "<mesh<[\\"x\\"=2]>, [{\\"x\\"}]>"}
      : (tensor<2xf32>) -> tensor<4xf32>

The first is the part that a process has of an array; the second puts together the parts of all.
An argument of the entry function of which only one part is used is that part, and says so
(``shlo.shard``); a result that is put together is the part that the process has. Elsewhere a part
is cut out by a table of where parts begin, and a whole is gathered.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from shlo_tools import ir, mlir, ops, sharding
from shlo_tools.dtypes import Array, tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.shape_operands import ssa
from shlo_tools.sharding import PART, SHARD, WHOLE, Sharding, Tiling
from shlo_tools.types import of_value

_CALL, _SHARDING = "stablehlo.custom_call", "shlo.sharding"


def type_of(whole: Type, cut: Sharding) -> Type:
    """The type of a part; raises ShloError where parts would not be of one size."""
    type = tensor_type(whole)
    return type.with_shape(cut.tiling().part_shape(type.static_shape)).mlir()


def part(value: Value, cut: Sharding, build: Build) -> Value:
    """A call that gives the part of an array; the array itself where it is not cut."""
    if cut.tiling().is_whole:
        return value
    return _call(PART, value, type_of(value.type, cut), cut, build)


def whole(value: Value, type: Type, cut: Sharding, build: Build) -> Value:
    """A call that gives the array of a type whose parts are these."""
    return value if cut.tiling().is_whole else _call(WHOLE, value, type, cut, build)


def _call(target: str, value: Value, type: Type, cut: Sharding, build: Build) -> Value:
    attributes: dict[str, Attribute] = {
        "call_target_name": mlir.string_attr(target),
        _SHARDING: mlir.string_attr(str(cut)),
    }
    return build.op(_CALL, [value], [type], attributes).results[0]


def lower(module: Operation, function: str) -> None:
    """Replace all such calls of a module, whose entry function has this name."""
    entry = ir.functions_by_name(module).get(function)
    is_called = any(ir.called_name(each) == function for each in mlir.walk(module))
    has_body = entry is not None and not ir.is_declaration(entry)
    if entry is not None and has_body and not is_called:
        _take_parts(entry)
        _return_parts(entry)
    for call in mlir.walk(module):
        if target := _target(call):
            build = Build(mlir.before(call), call.location)
            tiling = _cut(call).tiling()
            if target == PART:
                value = _sliced(call.operands[0], tiling, build)
            else:
                value = _gathered(call.operands[0], call.results[0].type, tiling, build)
            ir.replace(call, [value])
    if entry is not None and has_body:
        _retype(entry)


def _target(op: Operation) -> str:
    """Which of the two an op calls; '' for any other op."""
    target = ir.text_of(op, "call_target_name") if op.name == _CALL else ""
    return target if target in (PART, WHOLE) else ""


def _cut(call: Operation) -> Sharding:
    return sharding.sharding_of(ir.text_of(call, _SHARDING), {})


# --- the entry function ---------------------------------------------------------------------------
def _take_parts(entry: Operation) -> None:
    """Have arguments be parts where nothing but one part of them is used."""
    for number, argument in enumerate(entry.regions[0].blocks[0].arguments):
        users = [mlir.inner_operation(use.owner) for use in argument.uses]
        if not users or any(_target(user) != PART for user in users):
            continue
        first, *others = map(_cut, users)
        if any(other.tiling() != first.tiling() for other in others):
            continue
        argument.set_type(users[0].results[0].type)
        for user in users:
            ir.replace(user, [argument])
        _describe(entry, "arg_attrs", number, first)


def _return_parts(entry: Operation) -> None:
    """Have results be parts where nothing else uses the whole."""
    ending = ir.terminator(entry.regions[0].blocks[0])
    for call in mlir.walk(entry):
        if _target(call) != WHOLE:
            continue
        uses = [
            (mlir.inner_operation(use.owner), use.operand_number) for use in call.results[0].uses
        ]
        if not uses or any(owner != ending for owner, _ in uses):
            continue
        for _, position in uses:
            _describe(entry, "res_attrs", position, _cut(call))
        call.results[0].replace_all_uses_with(call.operands[0])  # of another type
        call.erase()


def _describe(entry: Operation, name: str, number: int, cut: Sharding) -> None:
    """Say of an argument or a result that it is a part."""
    count = len(ir.signature(entry)[name == "res_attrs"])
    listed = ir.items_of(entry, name) or [mlir.dict_attr({})] * count
    entries: dict[str, Attribute] = {
        listed[number][index].name: listed[number][index].attr
        for index in range(len(listed[number]))
    }
    listed[number] = mlir.dict_attr({**entries, SHARD: mlir.string_attr(str(cut))})
    entry.attributes[name] = mlir.array_attr(listed)


def _retype(entry: Operation) -> None:
    """The function's type as its arguments and results are."""
    block = entry.regions[0].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in ir.terminator(block).operands]
    entry.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


# --- elsewhere ------------------------------------------------------------------------------------
def _sliced(value: Value, tiling: Tiling, build: Build) -> Value:
    """The part of a whole array that the process has."""
    shape = tensor_type(value.type).static_shape
    starts = np.asarray(tiling.starts(shape), np.int32)
    with ir.inserting(build):
        process = ops.partition_id()
        begins = [_element(column, process) for column in starts.T]
        sizes = tiling.part_shape(shape)
        return ssa(ops.dynamic_slice(cast(Tensor, of_value(value)), begins, sizes))


def _element(numbers: Array, index: Tensor) -> Tensor:
    """An element of a table; the number itself where all are the same."""
    if (numbers == numbers[0]).all():
        return ops.constant(numbers[0])
    element = ops.dynamic_slice(ops.constant(numbers), [index], [1])
    return ops.reshape(element, element.type.with_shape(()))


def _gathered(value: Value, whole: Type, tiling: Tiling, build: Build) -> Value:
    """A whole array, of the parts of all processes."""
    shape = list(tensor_type(value.type).static_shape)
    for dimension, count in enumerate(tiling.counts):
        if count == 1:
            continue
        shape[dimension] *= count
        type = tensor_type(whole).with_shape(shape)
        with ir.inserting(build):
            (joined,) = ops.all_gather(
                [cast(Tensor, of_value(value))],
                dimension,
                tiling.groups(dimension),
                channel_id=1,
                channel_type=1,
                use_global_device_ids=True,
                result_types=[type],
            )
            value = ssa(joined)
    return value
