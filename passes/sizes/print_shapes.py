"""Remarks that say what is known of sizes: per op its symbolic shapes, and what is to be checked.

    shlo-opt model.mlir --shlo-print-shapes

    model.mlir:2:8: remark: stablehlo.add -> tensor<(arg0.0)x4xf32>
      %0 = stablehlo.add %a, %b : tensor<?x4xf32>
           ^
    model.mlir:2:8: note: to be checked: arg0.0 == arg1.0

``arg0.0`` is the size of dimension 0 of argument 0. Calls are followed with what they are given: a
function called twice is told of twice. The program stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import dims, errors, ir, mlir
from shlo_tools.constraints import Obligation
from shlo_tools.dims import Dim, Size
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import Diagnostic
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import NEVER, Shapes

_INLINE = "builtin.module(inline{default-pipeline=},symbol-dce)"
_FAR = 1 << 59  # of limits that no size reaches nobody wants to read


@dataclass(frozen=True)
class PrintShapes(Pass):
    """Say what is known of sizes before the program runs.

    Attributes:
        all: say it of ops with static types, too, and of the integers that sizes are computed from.
    """

    name = "shlo-print-shapes"
    all: bool = False

    def run(self, op: Operation) -> None:
        ir.call_order(op)  # refuses recursion
        inlined = mlir.inner_operation(op.clone())
        try:
            mlir.parse_pipeline(_INLINE).run(inlined)
            self._print_module(inlined)
        finally:
            inlined.erase()

    def _print_module(self, module: Operation) -> None:
        shapes = Shapes()
        functions = [func for func in ir.functions(module) if not ir.is_declaration(func)]
        for func in functions:
            shapes.calls.summary(func)
        unproven_of: dict[int, list[Obligation]] = {}  # by the op's address
        for item in shapes.unproven:
            unproven_of.setdefault(mlir.address_of(item.op), []).append(item.obligation)
        for func in functions:
            _print_function(func, shapes)
            for inner in mlir.walk(func)[1:]:
                _print(inner, shapes, unproven_of.get(mlir.address_of(inner), ()), every=self.all)


def _print_function(func: Operation, shapes: Shapes) -> None:
    block = func.regions[0].blocks[0]
    arguments = ", ".join(_known(argument, shapes) for argument in block.arguments)
    results = ", ".join(_known(v, shapes) for v in ir.terminator(block).operands)
    name = ir.symbol_name(func)
    errors.remark(f"@{name}: ({arguments}) -> ({results})", mlir.place_of(func.location))


def _known(value: Value, shapes: Shapes) -> str:
    """A value's type, and for integers that are sizes their expressions."""
    type = shapes.type(value)
    elements = shapes.contents(value)
    if elements is None or not any(_is_told(dim, value) for dim in elements):
        return str(type)
    listed = ", ".join(str(dim) for dim in elements)
    rank = type.rank if isinstance(type, TensorType) else 0
    return f"{type} = {f'[{listed}]' if rank else listed}"


def _is_told(dim: Dim, value: Value) -> bool:
    """Whether an element is more than a name for itself."""
    if not isinstance(dim, Size):
        return False
    return any(symbol.source.value != value for symbol in dims.symbols(dim))


def _print(
    op: Operation, shapes: Shapes, obligations: Sequence[Obligation], *, every: bool
) -> None:
    facts = dict.fromkeys(
        f"to be checked: {fact}" if fact is not NEVER else f"fails if it runs: {o.message}"
        for o in obligations
        for fact in o.facts
        if not _is_far(fact.a, fact.b)
    )
    types = [shapes.type(result) for result in op.results]
    if not (facts or every or any(isinstance(t, TensorType) and not t.is_static for t in types)):
        return
    place = mlir.place_of(op.location)
    notes = tuple(Diagnostic("note", fact, place) for fact in facts)
    texts = [_known(r, shapes) if every else str(t) for r, t in zip(op.results, types, strict=True)]
    message = f"{op.name} -> {', '.join(texts)}" if texts else op.name
    errors.emit(Diagnostic("remark", message, place, notes))


def _is_far(a: Dim, b: Dim) -> bool:
    return any(isinstance(dim, int) and abs(dim) > _FAR for dim in (a, b))
