"""One rule per op that the specification allows on quantized tensors.

A rule gets integers for the quantized operands of an op, and returns integers for its quantized
results. Ops without any are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, ops
from shlo_tools.dtypes import Kind, QuantizedElementType, from_attribute, tensor_type
from shlo_tools.extend import registered
from shlo_tools.extend.targets import hands_on
from shlo_tools.ir import Lowered, Lowering, Rule
from shlo_tools.mlir import Block, Operation, Region, Type, Value
from shlo_tools.ops import Tensor, Trait, names_with
from shlo_tools.passes.normalize.legalize_quantized.arithmetic import (
    dequantize,
    quantize,
    round_trips,
)
from shlo_tools.passes.normalize.shape_operands import retyped, ssa
from shlo_tools.quantized_types import holds_quantized, quantized_element, stored_type
from shlo_tools.types import array_type, value_type

RULES: dict[str, Rule] = {}


def rule_of(names: str = "", *, trait: Trait = Trait.NONE) -> Callable[[Rule], Rule]:
    """Register a rule for StableHLO ops, where they have quantized operands or results.

    A later rule replaces an earlier one, as those by name do those by trait.
    """

    def register(rule: Rule) -> Rule:
        def applied(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
            if not is_touched(op):
                return copied(op, operands, build)
            with ir.inserting(build):
                results = rule(op, operands, build)
                pairs = zip(results, op.results, strict=True)
                return [_declared(new, stored_type(old.type)) for new, old in pairs]

        RULES.update((f"stablehlo.{name}", applied) for name in names.split())
        RULES.update((name, applied) for name in names_with(trait))
        return rule

    return register


def _declared(result: Lowered, type: Type) -> Lowered:
    """A result in the type that is declared, which may know more of its sizes than its operands."""
    if isinstance(result, tuple) or result.type == type:
        return result
    return ssa(retyped(_tensor(result), type))


def is_touched(op: Operation) -> bool:
    """Whether an op has an operand or a result of quantized type."""
    return any(holds_quantized(value.type) for value in (*op.operands, *op.results))


def copied(
    op: Operation,
    operands: Sequence[Lowered],
    build: Lowering,
    *,
    results: Sequence[Type] = (),
    without: Sequence[str] = (),
) -> Sequence[Value]:
    """The same op on other types: those of its operands, and those given for its results."""
    attributes = {name: item for name, item in op.attributes.items() if name not in without}
    types = results or build.types([result.type for result in op.results])
    copy = build.op(op.name, ir.flatten(operands), types, attributes, len(op.regions))
    for old, new in zip(op.regions, copy.regions, strict=True):
        block, inner = build.block(new, build.types(region_arguments(old)))
        yielded = inner.inline(old, list(block.arguments))
        inner.op("stablehlo.return", ir.flatten(yielded))
    return list(copy.results)


# --- numbers --------------------------------------------------------------------------------------
@rule_of(trait=Trait.ARITHMETIC)
def on_numbers(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """dequantize_op_quantize; hybrid_dequantize_then_op where only rhs is quantized."""
    return _computed(op, operands, build)


def _computed(
    op: Operation, operands: Sequence[Value], build: Lowering, *, without: Sequence[str] = ()
) -> Sequence[Value]:
    numbers = [_numbers(value, old.type) for value, old in zip(operands, op.operands, strict=True)]
    result_types = [quantized_element(result.type) for result in op.results]
    types = [
        tensor_type(result.type).expressed_type.mlir() if type else result.type
        for type, result in zip(result_types, op.results, strict=True)
    ]
    computed = copied(op, numbers, build, results=types, without=without)
    return [_integers(value, type) for value, type in zip(computed, result_types, strict=True)]


@rule_of("uniform_dequantize")
def uniform_dequantize(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    return [_numbers(operands[0], op.operands[0].type)]


@rule_of("uniform_quantize")
def uniform_quantize(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    numbers = _numbers(operands[0], op.operands[0].type)
    return [_integers(numbers, quantized_element(op.results[0].type))]


def _numbers(stored: Value, old: Type) -> Value:
    """What integers of a quantized type stand for; other values as they are."""
    type = quantized_element(old)
    return ssa(dequantize(_tensor(stored), type)) if type else stored


def _integers(numbers: Value, type: QuantizedElementType | None) -> Value:
    return ssa(quantize(_tensor(numbers), type)) if type else numbers


def _tensor(value: Value) -> Tensor:
    return Tensor(tensor_type(value.type), value)


@rule_of("clamp compare maximum minimum select")
def in_order(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """These choose and order, which integers do as their numbers would, if all are read alike.

    Numbers are compared as floats, whatever ``compare_type`` says.
    """
    types = [quantized_element(value.type) for value in (*op.operands, *op.results)]
    quantized = [type for type in types if type is not None]
    if len({*quantized}) == 1 and round_trips(quantized[0]):
        return copied(op, operands, build, without=["compare_type"])
    return _computed(op, operands, build, without=["compare_type"])


# --- integers -------------------------------------------------------------------------------------
@rule_of("get_dimension_size map sort", trait=Trait.DATA_MOVEMENT)
def on_integers(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """They place elements, which all are of one quantized type."""
    return copied(op, operands, build)


@rule_of("bitcast_convert")
def bitcast_convert(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    source, target = (tensor_type(stored_type(v.type)) for v in (op.operands[0], op.results[0]))
    if source == target:
        return operands
    have, want = source.element_type, target.element_type
    if have.is_integer and want.is_integer and have.bits == want.bits:  # such wrap
        return [ssa(ops.convert(_tensor(operands[0]), target))]
    return copied(op, operands, build)


@rule_of("constant")
def constant(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """The literals are integers; those for unsigned storage are spelled as signed ones."""
    storage = array_type(value_type(op.results[0].type)).element_type
    if storage.kind is not Kind.UNSIGNED:
        return copied(op, operands, build)
    bits = from_attribute(op.attributes["value"]).astype(np.int64) & ((1 << storage.bits) - 1)
    return [ssa(ops.constant(bits.astype(storage.dtype)))]


@rule_of("reduce reduce_window")
def reduce(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Elements and init values become what the computation takes, then integers are combined."""
    body_types = region_arguments(op.regions[0])[: len(op.results)]
    return combined(op, operands, [*body_types, *body_types], build)


@rule_of("scatter")
def scatter(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    body_types = region_arguments(op.regions[0])[: len(op.results)]
    indices = op.operands[len(body_types)].type
    return combined(op, operands, [*body_types, indices, *body_types], build)


@rule_of("select_and_scatter")
def select_and_scatter(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    select, scatter = (region_arguments(region)[0] for region in op.regions)
    return combined(op, operands, [select, scatter, scatter], build)


def combined(
    op: Operation, operands: Sequence[Value], body_types: Sequence[Type], build: Lowering
) -> Sequence[Value]:
    operand_types = [value.type for value in op.operands]
    rows = zip(operands, operand_types, body_types, strict=True)
    return copied(op, [_to_destination_type(*row) for row in rows], build)


def region_arguments(region: Region) -> list[Type]:
    return [argument.type for argument in _block(region).arguments]


def _block(region: Region) -> Block:
    block: Block = region.blocks[0]
    return block


def _to_destination_type(stored: Value, source: Type, target: Type) -> Value:
    """Integers as those of the quantized type that a computation takes."""
    old, new = quantized_element(source), quantized_element(target)
    if old is None or new is None or old == new:
        return stored
    return _integers(_numbers(stored, source), new)


# --- carriers -------------------------------------------------------------------------------------
@rule_of("case if while")
def carried(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Values pass through regions as they are."""
    loop = op.name == "stablehlo.while"
    regions = op.regions[1:] if loop else op.regions
    flows = [ir.terminator(_block(region)).operands for region in regions]
    for flow in (*flows, *((op.operands, _block(regions[0]).arguments) if loop else ())):
        for value, result in zip(flow, op.results, strict=True):
            if _read_differently(value.type, result.type):
                ir.raise_unsupported([op], f"{value.type} is carried as {result.type}")
    return copied(op, operands, build)


@rule_of("custom_call")
def custom_call(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Value]:
    """Functions get the integers; what hands a tensor on must not change what they stand for."""
    target = ir.text_of(op, "call_target_name")
    if hands_on(target) and registered(target) is None:
        for value, result in zip(op.operands, op.results, strict=False):
            if _read_differently(value.type, result.type):
                ir.raise_unsupported([op], f"{target!r} hands {value.type} on as {result.type}")
    return copied(op, operands, build)


def _read_differently(one: Type, other: Type) -> bool:
    return quantized_element(one) != quantized_element(other)
