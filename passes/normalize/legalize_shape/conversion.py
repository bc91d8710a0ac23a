"""Converts the functions that hold shapes, and inlines those that are called with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.dialects import shape_names
from shlo_tools.ir import Lowered, Lowering
from shlo_tools.mlir import Block, Operation, Type, Value
from shlo_tools.passes.normalize.legalize_shape import functions, library, shapes
from shlo_tools.passes.normalize.legalize_shape.rules import (
    RULES,
    VALUE_SHAPE,
    WITNESS,
    converted_type,
)
from shlo_tools.passes.sizes import size_constants

# Dialects whose ops have rules, and those whose ops stay; of any other nothing is known.
BESIDE = ("arith", "index", "shape", "tensor")
WEIGHTS = ("memref.get_global", "bufferization.to_tensor")  # constants that left the module
KEPT = ("builtin", "check", "chlo", "func", "interpreter", "sdy", "stablehlo", "vhlo")


class ShapeConversion(ir.Conversion):
    """One conversion of a module.

    Attributes:
        memory: ops made so far: per block equal ones are made once.
        checked: conditions that are asserted, per block.
        inlined: functions whose calls are replaced by what they do.
        said: op name -> the function that says which shapes its results have.
    """

    def __init__(self, module: Operation) -> None:
        super().__init__(RULES | {"func.call": self._call}, converted_type, ())
        self.memory: dict[Any, Value] = {}
        self.checked: set[Any] = set()
        bodies = [func for func in ir.functions(module) if not ir.is_declaration(func)]
        self.shape_functions = library.functions(module)
        self.inlined = {ir.symbol_name(func): func for func in bodies if self._changes(func)}

    def module(self, module: Operation) -> None:
        """Convert what holds shapes; on an error the module is as it was."""
        old = [func for func in ir.functions(module) if self._concerns(func)]
        new: list[Operation] = []
        block = module.regions[0].blocks[0]
        kept = {mlir.address_of(mlir.inner_operation(op)) for op in block.operations}
        try:
            for func in old:
                if not (ir.symbol_name(func) in self.inlined and _is_private(func)):
                    new.append(self.function(func))
            self._drop_unused()
        except BaseException:
            for op in ir.children(module):
                if mlir.address_of(op) not in kept:
                    op.erase()
            raise
        finally:
            self.values.clear()
            self.memory.clear()
        for func in old:
            func.erase()
        library.erase(module)

    def function(self, func: Operation) -> Operation:
        """A function on tensors; what it returns is as exact as its type can say."""
        _check_signature(func)
        new = super().function(func)
        if ir.is_declaration(func):
            return new
        inputs, results = ir.signature(new)
        end = ir.terminator(new.regions[0].blocks[0])
        exact = [value.type for value in end.operands]
        if exact != results:
            new.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, exact))
        return new

    def regroup(self, types: Sequence[Type], values: list[Value]) -> list[Lowered]:
        pairs = zip(types, values, strict=True)
        lowered: list[Any] = [shapes.inside(value, type) for type, value in pairs]
        return lowered

    def operation(self, op: Operation, lowering: Lowering, blocks: dict[Block, Block]) -> None:
        dialect = op.name.partition(".")[0]
        if op.name not in (*self.rules, *WEIGHTS) and dialect not in KEPT:
            reason = "" if dialect in BESIDE else f"dialect {dialect!r} beside shapes"
            ir.raise_unsupported([op], reason)
        super().operation(op, lowering, blocks)
        if op.name in self.shape_functions:
            values = [self.values[value] for value in (*op.operands, *op.results)]
            library.check(self.shape_functions[op.name], op, values, lowering)

    def _call(self, op: Operation, operands: list[Any], build: Lowering) -> Any:
        name = ir.callee_of(op)
        if name in self.inlined:
            return functions.call(self.inlined[name], operands, build)
        types = [result.type for result in op.results]
        inputs = build.types([value.type for value in op.operands])
        pairs = zip(operands, inputs, strict=True)
        results = [shapes.declared(build, *pair) for pair in pairs]
        return self.regroup(types, list(build.call(name, results, build.types(types))))

    def _changes(self, func: Operation) -> bool:
        inputs, results = ir.signature(func)
        return any(converted_type(type) != type or _is_own(type) for type in (*inputs, *results))

    def _concerns(self, func: Operation) -> bool:
        """Whether a function holds anything to be converted."""
        ops = mlir.walk(func)
        if self._changes(func) or shape_names.sizes_beside(ops):
            return True
        return any(
            op.name.startswith(shape_names.PREFIX)
            or op.name in self.shape_functions
            or ir.called_name(op) in self.inlined
            for op in ops
        )

    def _drop_unused(self) -> None:
        owners = [mlir.defining_op(value) for value in self.memory.values()]
        self.memory.clear()
        size_constants.erase_unused(op for op in owners if op is not None)


def _is_own(type: Type) -> bool:
    return str(type).startswith("!shape.")


def _is_private(func: Operation) -> bool:
    return ir.text_of(func, "sym_visibility") == "private"


def _check_signature(func: Operation) -> None:
    """Refuse functions that take or return what nobody outside can have."""
    inputs, results = ir.signature(func)
    for type in (*inputs, *results):
        if str(type) in (WITNESS, VALUE_SHAPE):
            ir.raise_unsupported([func], f"{type} in the signature of a public function")
