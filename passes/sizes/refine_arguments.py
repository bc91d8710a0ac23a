"""Arguments of the entry function get the types that a program is to be refined for.

    shlo-refine-arguments{types=tensor<16xf32>}

Before:
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.abs %x : tensor<?xf32>
After:
    func.func @main(%x: tensor<16xf32>) -> tensor<?xf32> {
      %c = stablehlo.constant dense<16> : tensor<1xi64>
      %w = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%x, %c)
             {indices_of_shape_operands = dense<1> : tensor<1xi64>}
             : (tensor<16xf32>, tensor<1xi64>) -> tensor<?xf32>
      %0 = stablehlo.abs %w : tensor<?xf32>

The custom call gives the rest of the program the types that it was written for, until
``shlo-refine-shapes`` (or the C++ pass) refines those, too. The entry function is ``@main``, the
only public function, or the only one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.constraints import same
from shlo_tools.dims import UNKNOWN
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError, PassError, ShloError
from shlo_tools.extend.targets import WRAPPER
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import types as shape_types


@dataclass(frozen=True)
class RefineArguments(Pass):
    """Give the entry function's arguments the types in the option ``types``.

    Attributes:
        types: one type for each argument, separated by commas, as written in MLIR.
    """

    name = "shlo-refine-arguments"
    types: str

    def run(self, op: Operation) -> None:
        func = _entry(op)
        arguments = list(func.regions[0].blocks[0].arguments)
        types = [_parsed(text) for text in split_types(self.types)]
        if len(types) != len(arguments):
            raise PassError(
                f"types={self.types} has {len(types)} types for the {len(arguments)} arguments"
                f" of @{ir.symbol_name(func)}",
                place=mlir.place_of(func.location),
            )
        for position, (argument, type) in enumerate(zip(arguments, types, strict=True)):
            _check(func, position, argument.type, type)
        # The last one first: each puts its wrapper at the start of the block.
        for argument, type in reversed(list(zip(arguments, types, strict=True))):
            if argument.type != type:
                _refine(argument, type, func)
        _, results = ir.signature(func)
        inputs = [argument.type for argument in arguments]
        func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


def _entry(module: Operation) -> Operation:
    functions = [func for func in ir.functions(module) if not ir.is_declaration(func)]
    public = [func for func in functions if ir.text_of(func, "sym_visibility") != "private"]
    for candidates in (public, functions):
        named = [func for func in candidates if ir.symbol_name(func) == "main"]
        if named or len(candidates) == 1:
            return (named or candidates)[0]
    raise PassError(
        f"there is no @main among {len(functions)} functions",
        place=mlir.place_of(module.location),
    )


def split_types(text: str) -> list[str]:
    """``tensor<2xf32>,tuple<i1, i2>`` is two types: commas inside brackets separate nothing."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "<([{") - (char in ">)]}")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    types = [part.strip() for part in parts]
    return [] if types == [""] else types


def _parsed(text: str) -> Type:
    try:
        return mlir.parse_type(text)
    except mlir.MLIRError as error:
        reason = mlir.diagnostics_of(error)[0].message
        raise ShloError(f"types: {text!r} is no type: {reason}", hint="tensor<2x3xf32>") from error


def _check(func: Operation, position: int, declared: Type, refined: Type) -> None:
    """Refuse a type that is not the argument's with more sizes known."""
    have, want = (shape_types.declared(type).type for type in (declared, refined))
    if have == want or str(declared) == str(refined):
        return
    reason = _difference(have, want)
    if reason:
        raise ConstraintError(
            f"argument {position} of @{ir.symbol_name(func)} is {declared}, which {refined}"
            f" does not refine: {reason}",
            place=mlir.place_of(func.location),
        )


def _difference(have: object, want: object) -> str:
    if not (isinstance(have, TensorType) and isinstance(want, TensorType)):
        return "they are no tensors"
    if have.element_type != want.element_type:
        return f"elements are {have.element_type}, not {want.element_type}"
    if have.rank != want.rank:
        return f"the rank is {have.rank}, not {want.rank}"
    for d, (old, new) in enumerate(zip(have.shape, want.shape, strict=True)):
        if same(old, new) is False or (old is not UNKNOWN and new is UNKNOWN):
            return f"dimension {d} is {old}, not {new}"
        bound = have.bounds[d] if have.bounds else None
        if bound is not None and isinstance(new, int) and new > bound:
            return f"size {new} of dimension {d} is over its bound {bound}"
    try:
        shape_types.check_sizes(want)
    except ConstraintError as error:
        return error.diagnostics[0].message
    return ""


def _refine(argument: Value, type: Type, func: Operation) -> None:
    """Give an argument its type, and its uses the old one."""
    old = argument.type
    uses = list(argument.uses)
    argument.set_type(type)
    if not uses:
        return
    build = Build(mlir.at_start(func.regions[0].blocks[0]), func.location)
    shape = _shape_of(argument, build)
    attributes = {
        "call_target_name": mlir.string_attr(WRAPPER),
        "indices_of_shape_operands": dtypes.to_attribute(np.array([1], np.int64)),
    }
    wrapped = build.value("stablehlo.custom_call", (argument, shape), old, attributes)
    for use in uses:
        use.owner.operands[use.operand_number] = wrapped


def _shape_of(argument: Value, build: Build) -> Value:
    """The sizes of an argument as a tensor, constant if they are known."""
    type = shape_types.declared(argument.type).type
    sizes = type.shape if isinstance(type, TensorType) else ()
    if all(isinstance(size, int) for size in sizes):
        value = {"value": dtypes.to_attribute(np.array(sizes, np.int64))}
        result = TensorType((len(sizes),), dtypes.ELEMENT_TYPES["i64"]).mlir()
        return build.value("stablehlo.constant", (), result, value)
    one, index = (TensorType(shape, dtypes.ELEMENT_TYPES["i64"]) for shape in ((1,), ()))
    scalar = TensorType((), dtypes.ELEMENT_TYPES["i32"]).mlir()
    parts = []
    for d in range(len(sizes)):
        attributes = {"dimension": mlir.i64_attr(d)}
        size = build.value("stablehlo.get_dimension_size", (argument,), scalar, attributes)
        wide = build.value("stablehlo.convert", (size,), index.mlir())
        parts.append(build.value("stablehlo.reshape", (wide,), one.mlir()))
    result = TensorType((len(sizes),), dtypes.ELEMENT_TYPES["i64"]).mlir()
    along = {"dimension": mlir.i64_attr(0)}
    return build.value("stablehlo.concatenate", parts, result, along)
