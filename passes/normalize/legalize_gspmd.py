"""What GSPMD cuts and puts together by custom calls, as parts of whole arrays.

Before, with ``mhlo.num_partitions = 4`` on the module, as JAX writes ``shard_map`` where Shardy is
switched off:
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : ...
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %2 = call @shmap_body(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : ...
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,2]<=[4]}"}
      : (tensor<4x2xf32>) -> tensor<8x4xf32>
After:
    %1 = stablehlo.custom_call @shlo.part(%a)
      {shlo.sharding = "<mesh<[\\"0\\"=2, \\"1\\"=2]>, [{\\"0\\"}, {\\"1\\"}]>"} : ...
    %2 = call @shmap_body(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.custom_call @shlo.whole(%2) {shlo.sharding = ...} : ...

which ``shlo-lower-manual-computations`` lowers. Other shardings are advice, and change no values.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import ShloError, VerifyError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize import parts
from shlo_tools.passes.normalize.gspmd_shardings import sharding_of
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.sharding import Sharding

_CALL, _SHARDING = "stablehlo.custom_call", "mhlo.sharding"
_ADVICE, _TO_PART, _TO_WHOLE = "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"


@dataclass(frozen=True)
class LegalizeGspmd(Pass):
    """Say of GSPMD's custom calls which parts of arrays they take and make."""

    name = "shlo-legalize-gspmd"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(_CALL)

    def run(self, op: Operation) -> None:
        size = ir.integer_of(op, "mhlo.num_partitions", 1)
        calls = [call for call in mlir.walk(op) if _target(call)]
        cuts = [_cut_of(call, size) for call in calls]  # before what says so goes
        for call, cut in zip(calls, cuts, strict=True):
            build = Build(mlir.before(call), call.location)
            operand, type = call.operands[0], call.results[0].type
            if cut is None:
                value = operand
            elif _target(call) == _TO_PART:
                value = parts.part(operand, cut, build)
            else:
                value = parts.whole(operand, type, cut, build)
            ir.replace(call, [value])


def _target(op: Operation) -> str:
    """Which of the three an op calls; '' for any other op."""
    target = ir.text_of(op, "call_target_name") if op.name == _CALL else ""
    return target if target in (_ADVICE, _TO_PART, _TO_WHOLE) else ""


def _cut_of(call: Operation, size: int) -> Sharding | None:
    """How an array is cut or put together, in a program for so many devices; None by advice."""
    if len(call.operands) != 1 or len(call.results) != 1:
        raise _refusal(call, "it has one operand and one result")
    operand, result = call.operands[0], call.results[0]
    if _target(call) == _TO_PART:
        return _cut(call, _sharding_of_value(operand), operand, result, size)
    if _target(call) == _TO_WHOLE:
        return _cut(call, ir.text_of(call, _SHARDING), result, operand, size)
    if operand.type != result.type:
        raise _refusal(call, f"it returns its operand, {operand.type}, not {result.type}")
    return None


def _sharding_of_value(value: Value) -> str:
    """What is said of a value: by the op that it comes from, or by its function."""
    source = mlir.defining_op(value)
    if source is not None:
        return ir.text_of(source, _SHARDING)
    block = value.owner
    function = mlir.inner_operation(block.owner)
    listed = ir.items_of(function, "arg_attrs") if function.name == "func.func" else []
    described = dict(zip(block.arguments, listed, strict=False)).get(value, {})
    return str(described[_SHARDING].value) if _SHARDING in described else ""


def _cut(call: Operation, spelled: str, whole: Value, part: Value, size: int) -> Sharding:
    """How a call's array is cut; raises VerifyError where that does not make its part."""
    for value in (whole, part):
        if not mlir.is_tensor(value.type) or not tensor_type(value.type).is_static:
            raise _refusal(call, f"{value.type} has no known sizes")
    if not spelled:
        raise _refusal(call, "nothing says how the array is cut", hint=f"{_SHARDING} = ... does")
    try:
        cut = sharding_of(spelled, tensor_type(whole.type).rank, size)
        expected = parts.type_of(whole.type, cut)
    except ShloError as error:
        raise _refusal(call, error.diagnostics[0].message) from error
    if expected != part.type:
        raise _refusal(call, f"{spelled} makes parts {expected} of {whole.type}, not {part.type}")
    return cut


def _refusal(call: Operation, message: str, *, hint: str = "") -> VerifyError:
    target = ir.text_of(call, "call_target_name")
    return VerifyError(f"{target}: {message}", place=mlir.place_of(call.location), hint=hint)
