"""Computations of reductions, sorts, scatters and their like, on scalars.

The computation of such an op is a region on 0-dimensional tensors. Where each of its ops has a
scalar form it becomes scalar code, which may stand in a ``linalg.generic``. Any other op
(control flow, an op on larger tensors) is lowered as it is everywhere else, on 0-dimensional
tensors made from the scalars: that wants plain loops around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.ir import Lowering, used_values
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS, Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import kernel_call, load, nest, store
from shlo_tools.passes.legalize_to_linalg.rules import lowered_tensor


def is_scalar(region: Region) -> bool:
    """Whether every op of a computation has a scalar form."""
    operations = [mlir.inner_operation(view) for view in region.blocks[0].operations]
    return all(_is_scalar(op) for op in operations[:-1])


def _is_scalar(op: Operation) -> bool:
    values = (*op.operands, *op.results)
    return op.name in SCALARS and all(_is_0d_tensor(value) for value in values)


def _is_0d_tensor(value: Value) -> bool:
    return mlir.is_tensor(value.type) and tensor_type(value.type).rank == 0


def inline(region: Region, arguments: Sequence[Value], build: Lowering) -> list[Value]:
    """Emit a region on 0-dimensional tensors here; takes and returns scalars.

    Inside a ``linalg.generic`` the region must be ``is_scalar``; see ``computed``.
    """
    block = region.blocks[0]
    body = _Body(build, block, arguments)
    operations = [mlir.inner_operation(view) for view in block.operations]
    for op in operations[:-1]:
        build.location = op.location
        if _is_scalar(op):
            scalars = [body.scalar(value) for value in op.operands]
            body.scalars[op.results[0]] = SCALARS[op.name](Emit(op, build), *scalars)
        else:
            body.lower(op)
    return [body.scalar(value) for value in operations[-1].operands]


class _Body:
    """A region being inlined, whose values are scalars, lowered tensors, or both.

    Attributes:
        scalars: of values computed here, and of those read from their tensors.
    """

    def __init__(self, build: Lowering, block: Block, arguments: Sequence[Value]) -> None:
        self.build = build
        self.scalars = dict(zip(block.arguments, arguments, strict=True))
        results = [result for op in block.operations for result in op.results]
        for value in (*block.arguments, *results):  # of an earlier inlining
            build.conversion.values.pop(value, None)

    def scalar(self, value: Value) -> Value:
        """The scalar for an old value; one captured from outside is read from its tensor."""
        if value not in self.scalars:
            lowered = self.build.lowered(value)
            if isinstance(lowered, tuple):
                raise TypeError("a value of several parts has no scalar")
            type = tensor_type(value.type).element_type
            self.scalars[value] = structured.extract(self.build, lowered, type)
        return self.scalars[value]

    def lower(self, op: Operation) -> None:
        """Lower an op by its rule on tensors."""
        tensors = self.build.conversion.values
        for value in used_values(op):
            if value in self.scalars and value not in tensors:
                type = lowered_tensor(tensor_type(value.type))
                scalars = (self.scalars[value],)
                tensors[value] = self.build.value("tensor.from_elements", scalars, type)
        self.build.lower(op)


def computed(
    op: Operation,
    build: Lowering,
    extents: Sequence[Dim],
    inputs: Sequence[Value],
    input_maps: Sequence[str],
    outputs: Sequence[Value],
    types: Sequence[TensorType],
    body: structured.Body,
    output_maps: Sequence[str],
    iterators: Sequence[str],
) -> Sequence[Value]:
    """``structured.generic`` for an op whose body inlines the op's computation.

    Where that is not scalar, plain loops over ``extents`` stand for the ``linalg.generic``.
    """
    if is_scalar(op.regions[0]):
        return structured.generic(
            build,
            inputs,
            input_maps,
            outputs,
            types,
            body,
            iterators=iterators,
            output_maps=output_maps,
        )
    count = len(outputs)

    def loops(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        def one(b: Lowering, at: list[Value], state: list[Value]) -> Sequence[Value]:
            elements = [
                load(b, tensor, _places(b, map, at))
                for tensor, map in zip(arguments[count:], input_maps, strict=True)
            ]
            where = [_places(b, map, at) for map in output_maps]
            old = [load(b, tensor, w) for tensor, w in zip(state, where, strict=True)]
            new = body(b, [*elements, *old])
            rows = zip(new, state, where, strict=True)
            return [store(b, value, tensor, w) for value, tensor, w in rows]

        return nest(inner, extents, arguments[:count], one)

    described = {
        "extents": mlir.string_attr(str(list(extents))),
        "maps": mlir.string_attr("; ".join((*input_maps, *output_maps))),
    }
    kind = op.name.removeprefix("stablehlo.")
    return kernel_call(op, build, kind, outputs, inputs, loops, described)


def _places(build: Lowering, map: str, at: Sequence[Value]) -> list[Value]:
    """What the results of an affine map are at a point."""
    dimensions, results = map.split(" -> ")
    rows = [result.strip() for result in results.strip("()").split(",") if result.strip()]
    return [
        build.value(
            "affine.apply",
            at,
            mlir.index_type(),
            {"map": mlir.affine_map_attr(f"{dimensions} -> ({row})")},
        )
        for row in rows
    ]
