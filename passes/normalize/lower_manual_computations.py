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
from typing import TypeVar

from shlo_tools import ir, mlir, sharding
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.normalize import parts
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.sharding import Mesh, Sharding
from shlo_tools.text.sharding import kept, manual_computations

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
        for call in mlir.walk(op):
            if manual_computations.is_call(call):
                _Computation(call, functions, meshes).lower()
        parts.lower(op, self.function)


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


class _Computation:
    """A call, and how its operands and results are cut.

    Attributes:
        takes, gives: the shardings of operands and results, along manual axes.
    """

    def __init__(
        self, call: Operation, functions: Mapping[str, Operation], meshes: Mapping[str, Mesh]
    ) -> None:
        self.call = call
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
        types: Sequence[Type],
    ) -> None:
        """Refuse shardings that do not make these parts of values."""
        if not len(values) == len(cuts) == len(types):
            counts = f"{len(values)} {what}s, {len(cuts)} shardings, {len(types)} parts"
            raise self._refusal(counts)
        for number, (value, cut, part) in enumerate(zip(values, cuts, types, strict=True)):
            if not mlir.is_tensor(value.type) or not tensor_type(value.type).is_static:
                raise self._refusal(f"{what} {number} is {value.type}, without known sizes")
            try:
                expected = parts.type_of(value.type, cut)
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
            parts.part(value, cut, build)
            for value, cut in zip(self.call.operands, self.takes, strict=True)
        ]
        results = list(self.call.results)
        types = [parts.type_of(w.type, cut) for w, cut in zip(results, self.gives, strict=True)]
        returned = build.call(self.callee, operands, types)
        wholes = [
            parts.whole(value, result.type, cut, build)
            for value, result, cut in zip(returned, results, self.gives, strict=True)
        ]
        ir.replace(self.call, wholes)
