"""What one device of many computes happens on the process' own parts of whole arrays.

Before, with ``shlo.meshes = {mesh = "<[\\"x\\"=2]>"}`` on the module:
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.abs %a : tensor<4xf32>
      %1 = stablehlo.custom_call @shlo.manual_computation(%0) {called_computations = [@body],
        shlo.in_shardings = "[<@mesh, [{\\"x\\"}]>]", shlo.out_shardings = "[<@mesh, [{\\"x\\"}]>]",
        shlo.manual_axes = "{\\"x\\"}"} : (tensor<4xf32>) -> tensor<4xf32>
      %2 = stablehlo.negate %1 : tensor<4xf32>
      return %2 : tensor<4xf32>
After:
      %id = stablehlo.partition_id : tensor<ui32>
      %starts = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
      ... the element of %starts that %id names
      %part = stablehlo.dynamic_slice %0, %start, sizes = [2] : (tensor<4xf32>, ...)
      %r = call @body(%part) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = "stablehlo.all_gather"(%r) ... : (tensor<2xf32>) -> tensor<4xf32>

Around such computations every process computes whole arrays, all alike. Where an argument
of the entry function is an operand of such computations alone, cut in one way, the function takes
the part (``shlo.shard`` on the argument says which); where a result of it is one of such a
computation, it returns the part. Constraints on shardings go: they change no values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast

import numpy as np

from shlo_tools import ir, mlir, ops, sharding
from shlo_tools.dtypes import Array, tensor_type
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.shape_operands import ssa
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.sharding import SHARD, Mesh, Sharding, Tiling
from shlo_tools.text.sharding import kept, manual_computations
from shlo_tools.types import of_value

Item = TypeVar("Item")

_CALL, _BARRIER = manual_computations.CALL, "stablehlo.optimization_barrier"


@dataclass(frozen=True)
class LowerManualComputations(Pass):
    """Cut arrays for computations of one device of many, and put their results together.

    Options: ``function``, the entry function, whose arguments and results may become parts.
    """

    name = "shlo-lower-manual-computations"
    function: str = "main"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(_CALL, _BARRIER)

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {_BARRIER: _without_constraint})
        meshes = meshes_of(op)
        functions = ir.functions_by_name(op)
        computations = [
            _Computation(call, functions, meshes)
            for call in mlir.walk(op)
            if manual_computations.is_call(call)
        ]
        entry = functions.get(self.function)
        is_called = any(ir.called_name(each) == self.function for each in mlir.walk(op))
        if entry is not None and not ir.is_declaration(entry) and not is_called:
            _take_parts(entry, computations)
            _return_parts(entry, computations)
        for computation in computations:
            computation.lower()
        if entry is not None and not ir.is_declaration(entry):
            _retype(entry)


def meshes_of(module: Operation) -> dict[str, Mesh]:
    """The meshes of a module by their names; raises ShloError where one is malformed."""
    if kept.MESHES not in module.attributes:
        return {}
    spelled = module.attributes[kept.MESHES]
    names = [spelled[index].name for index in range(len(spelled))]
    return {name: sharding.mesh_of(str(spelled[name].value)) for name in names}


def _without_constraint(op: Operation, build: Build) -> Sequence[Value] | None:
    if any(name.startswith("shlo.") for name, _ in op.attributes.items()):
        return list(op.operands)
    return None


# --- the entry function ---------------------------------------------------------------------------
def _take_parts(entry: Operation, computations: Sequence[_Computation]) -> None:
    """Have arguments be parts where all their uses want the same ones."""
    by_call = {computation.call: computation for computation in computations}
    for number, argument in enumerate(entry.regions[0].blocks[0].arguments):
        uses = [(mlir.inner_operation(use.owner), use.operand_number) for use in argument.uses]
        if not uses or any(owner not in by_call for owner, _ in uses):
            continue
        first, *others = [by_call[owner].takes[position] for owner, position in uses]
        if first.tiling().is_whole or any(other != first for other in others):
            continue
        for owner, position in uses:
            by_call[owner].takes_parts.add(position)
        argument.set_type(_part_type(argument.type, first))
        _describe(entry, "arg_attrs", number, first)


def _return_parts(entry: Operation, computations: Sequence[_Computation]) -> None:
    """Have results be parts where nothing else uses them."""
    ending = ir.terminator(entry.regions[0].blocks[0])
    for computation in computations:
        for number, result in enumerate(computation.call.results):
            uses = [(mlir.inner_operation(use.owner), use.operand_number) for use in result.uses]
            cut = computation.gives[number]
            if cut.tiling().is_whole or any(owner != ending for owner, _ in uses):
                continue
            computation.gives_parts.add(number)
            for _, position in uses:
                _describe(entry, "res_attrs", position, cut)


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


def _part_type(whole: Type, cut: Sharding) -> Type:
    type = tensor_type(whole)
    return type.with_shape(cut.tiling().part_shape(type.static_shape)).mlir()


# --- one computation ------------------------------------------------------------------------------
class _Computation:
    """A call, and how its operands and results are cut.

    Attributes:
        takes, gives: the shardings of operands and results, along manual axes.
        takes_parts, gives_parts: numbers of those that are parts outside of it as well.
    """

    def __init__(
        self, call: Operation, functions: Mapping[str, Operation], meshes: Mapping[str, Mesh]
    ) -> None:
        self.call = call
        self.takes_parts: set[int] = set()
        self.gives_parts: set[int] = set()
        names = [str(symbol.value) for symbol in ir.items_of(call, "called_computations")]
        self.callee = names[0] if len(names) == 1 else ""
        if self.callee not in functions:
            raise self._refusal("it calls no function of the module")
        inputs, results = ir.signature(functions[self.callee])
        axes = self._read(manual_computations.MANUAL_AXES, sharding.axes_of)
        listed = partial(sharding.shardings_of, meshes=meshes)
        self.takes, self.gives = (
            [each.along(axes) for each in self._read(name, listed)]
            for name in (manual_computations.IN_SHARDINGS, manual_computations.OUT_SHARDINGS)
        )
        self._check("operand", list(call.operands), self.takes, inputs)
        self._check("result", list(call.results), self.gives, results)

    def _read(self, name: str, reading: Callable[[str], list[Item]]) -> list[Item]:
        try:
            return reading(ir.text_of(self.call, name))
        except ShloError as error:
            raise self._refusal(error.diagnostics[0].message) from error

    def _check(
        self,
        what: str,
        values: Sequence[Value],
        cuts: Sequence[Sharding],
        parts: Sequence[Type],
    ) -> None:
        """Refuse shardings that do not make these parts of values."""
        if not len(values) == len(cuts) == len(parts):
            counts = f"{len(values)} {what}s, {len(cuts)} shardings, {len(parts)} parts"
            raise self._refusal(counts)
        for number, (value, cut, part) in enumerate(zip(values, cuts, parts, strict=True)):
            if not mlir.is_tensor(value.type) or not tensor_type(value.type).is_static:
                raise self._refusal(f"{what} {number} is {value.type}, without known sizes")
            try:
                expected = _part_type(value.type, cut)
            except ShloError as error:
                message = error.diagnostics[0].message
                raise self._refusal(f"{what} {number}, {value.type}: {message}") from error
            if expected != part:
                raise self._refusal(f"{what} {number} has parts {expected}, not {part}")

    def _refusal(self, message: str) -> VerifyError:
        place = mlir.place_of(self.call.location)
        return VerifyError(f"manual computation: {message}", place=place)

    def lower(self) -> None:
        """Replace the call by that of its function, between cuts and joins."""
        build = Build(mlir.before(self.call), self.call.location)
        operands = [
            value if number in self.takes_parts else _part(value, cut.tiling(), build)
            for number, (value, cut) in enumerate(zip(self.call.operands, self.takes, strict=True))
        ]
        wholes = list(self.call.results)
        types = [_part_type(w.type, cut) for w, cut in zip(wholes, self.gives, strict=True)]
        parts = list(build.call(self.callee, operands, types))
        for number, (whole, cut) in enumerate(zip(wholes, self.gives, strict=True)):
            if number not in self.gives_parts:
                parts[number] = _joined(parts[number], whole.type, cut.tiling(), build)
            whole.replace_all_uses_with(parts[number])
        self.call.erase()


def _part(value: Value, tiling: Tiling, build: Build) -> Value:
    """The part of a whole array that the process has."""
    if tiling.is_whole:
        return value
    whole = tensor_type(value.type)
    starts = np.asarray(tiling.starts(whole.static_shape), np.int32)
    with ir.inserting(build):
        process = ops.partition_id()
        begins = [_element(column, process) for column in starts.T]
        sizes = tiling.part_shape(whole.static_shape)
        return ssa(ops.dynamic_slice(cast(Tensor, of_value(value)), begins, sizes))


def _element(numbers: Array, index: Tensor) -> Tensor:
    """An element of a table; the number itself where all are the same."""
    if (numbers == numbers[0]).all():
        return ops.constant(numbers[0])
    element = ops.dynamic_slice(ops.constant(numbers), [index], [1])
    return ops.reshape(element, element.type.with_shape(()))


def _joined(value: Value, whole: Type, tiling: Tiling, build: Build) -> Value:
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
