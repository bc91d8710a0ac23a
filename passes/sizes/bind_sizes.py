"""Sizes that have names become the numbers that the module says of them.

Before:
    module attributes {shlo.numbers = array<i64: 2>} {
      func.func private @stage.0(%x: tensor<?x8xf32>, %y: tensor<f32>) -> tensor<?x8xf32>
          attributes {shlo.shapes = ["s0; 8", ""], shlo.stage = "map"} {
        %shape = tensor.empty() {shlo.elements = "s0; 8"} : tensor<2xi32>
        %0 = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [] {shlo.shapes = ["s0; 8"]}
After:
      func.func private @stage.0(%x: tensor<2x8xf32>, %y: tensor<f32>) -> tensor<2x8xf32>
          attributes {shlo.stage = "map"} {
        %shape = stablehlo.constant dense<[2, 8]> : tensor<2xi32>
        %0 = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = []

Number n is what ``sn`` or ``en`` names. What makes static ops of the rest is
``shlo-canonicalize-dynamism``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen import named_sizes
from shlo_tools.codegen.lowered import ELEMENTS, NUMBERS, ROWS, SHAPES, SIZE_CHECKS, SYMBOLS
from shlo_tools.errors import PassError
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class BindSizes(Pass):
    """Write numbers for the names of sizes."""

    name = "shlo-bind-sizes"

    def run(self, op: Operation) -> None:
        if NUMBERS not in op.attributes:
            raise PassError(f"the module has no {NUMBERS}: they say what sizes are")
        numbers = ir.integers_of(op, NUMBERS)
        sizes = {f"{kind}{k}": number for k, number in enumerate(numbers) for kind in "se"}
        del op.attributes[NUMBERS]
        bound = _Bound(sizes)
        for func in ir.functions(op):
            bound.function(func)


class _Bound:
    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes

    def function(self, func: Operation) -> None:
        """Bind the sizes of a function and of all that it holds."""
        for op in mlir.walk(func)[1:]:
            if ELEMENTS in op.attributes:
                self._constant(op)
            elif SHAPES in op.attributes:
                shapes = self._shapes(op)
                self._write(list(op.results), shapes)
                if op.name == "stablehlo.while":
                    for region in op.regions:
                        self._write(region.blocks[0].arguments, shapes)
        if SHAPES in func.attributes:
            self._write(func.regions[0].blocks[0].arguments, self._shapes(func))
        if ROWS in func.attributes and hasattr(func.attributes[ROWS], "value"):
            rows = self._numbers(func.attributes[ROWS].value)
            func.attributes[ROWS] = mlir.i64_array_attr(rows)
        for name in (SYMBOLS, SIZE_CHECKS):
            if name in func.attributes:
                del func.attributes[name]
        if not ir.is_declaration(func):
            (block,) = func.regions[0].blocks
            inputs = [argument.type for argument in block.arguments]
            results = [value.type for value in ir.terminator(block).operands]
            func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))

    def _shapes(self, op: Operation) -> list[list[int]]:
        shapes = [self._numbers(shape.value) for shape in op.attributes[SHAPES]]
        del op.attributes[SHAPES]
        return shapes

    def _numbers(self, text: str) -> list[int]:
        parts = text.split(";") if text else []
        return [named_sizes.evaluated(part.strip(), self.sizes) for part in parts]

    def _write(self, values: Sequence[Value], shapes: Sequence[Sequence[int]]) -> None:
        for value, shape in zip(values, shapes, strict=True):
            if mlir.is_dynamic(value.type):
                value.set_type(mlir.tensor_type(list(shape), value.type.element_type))

    def _constant(self, op: Operation) -> None:
        (result,) = op.results
        type = dtypes.tensor_type(result.type)
        elements = self._numbers(ir.text_of(op, ELEMENTS))
        array = np.array(elements, object).astype(type.element_type.dtype)
        attribute = dtypes.to_attribute(array.reshape(type.static_shape), type.element_type)
        build = ir.Build(mlir.before(op), op.location)
        constant = build.value("stablehlo.constant", (), result.type, {"value": attribute})
        result.replace_all_uses_with(constant)
        op.erase()
