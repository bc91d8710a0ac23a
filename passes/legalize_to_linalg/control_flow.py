"""Control flow: scf."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools import mlir
from shlo_tools.codegen.lowered import STEADY
from shlo_tools.dims import equal
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.ir import Lowered, Lowering, flatten
from shlo_tools.mlir import Attribute, Operation, Region, Value
from shlo_tools.passes.legalize_to_linalg.emit import kernels, structured
from shlo_tools.passes.legalize_to_linalg.rules import RULES, lowers


@lowers
def while_(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """``scf.while``; where its values live is decided before bufferization."""
    old_types = [value.type for value in op.operands]
    types = build.types(old_types)
    starts = structured.as_declared(build, flatten(operands), types)
    loop = build.op("scf.while", starts, types, _steady(op, build), regions=2)
    block, inner = build.block(loop.regions[0], types)
    carried = list(block.arguments)
    holds = flatten(inner.inline(op.regions[0], inner.regrouped(old_types, carried)))
    condition = structured.extract(inner, holds[0], ELEMENT_TYPES["i1"])
    inner.op("scf.condition", [condition, *carried])
    block, inner = build.block(loop.regions[1], types)
    carried = list(block.arguments)
    results = inner.inline(op.regions[1], inner.regrouped(old_types, carried))
    inner.op("scf.yield", structured.as_declared(inner, flatten(results), types))
    return build.regrouped(old_types, list(loop.results))


def _steady(op: Operation, build: Lowering) -> dict[str, Attribute]:
    """Which carried tensors of unknown sizes have the same ones in every iteration."""
    numbers = []
    count = 0
    for operand, result in zip(op.operands, op.results, strict=True):
        if mlir.is_tensor(operand.type) and mlir.is_dynamic(operand.type):
            pairs = zip(build.type(operand).shape, build.type(result).shape, strict=True)
            numbers += [count] if all(equal(*pair) for pair in pairs) else []
        count += len(build.types([operand.type]))
    return {STEADY: mlir.i64_array_attr(numbers)} if numbers else {}


@lowers
def if_(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Lowered]:
    pred = structured.extract(build, operands[0], ELEMENT_TYPES["i1"])
    types = build.types([result.type for result in op.results])
    values = _branch(
        op,
        build,
        pred,
        op.regions[0],
        lambda b: structured.as_declared(b, _inlined(b, op.regions[1]), types),
    )
    return build.regrouped([result.type for result in op.results], values)


@lowers
def case(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Lowered]:
    """A chain of ``scf.if``; an index out of range takes the last branch."""
    index = structured.extract(build, operands[0], ELEMENT_TYPES["i32"])

    types = build.types([result.type for result in op.results])

    def from_branch(inner: Lowering, number: int) -> list[Value]:
        if number == len(op.regions) - 1:
            return structured.as_declared(inner, _inlined(inner, op.regions[number]), types)
        position = structured.scalar(inner, number, ELEMENT_TYPES["i32"])
        chosen = kernels.compare(inner, kernels.EQ, index, position)
        return _branch(op, inner, chosen, op.regions[number], lambda b: from_branch(b, number + 1))

    return build.regrouped([result.type for result in op.results], from_branch(build, 0))


def _branch(
    op: Operation,
    build: Lowering,
    condition: Value,
    then: Region,
    otherwise: Callable[[Lowering], Sequence[Value]],
) -> list[Value]:
    types = build.types([result.type for result in op.results])
    return kernels.choose(
        build,
        condition,
        types,
        lambda b: structured.as_declared(b, _inlined(b, then), types),
        otherwise,
    )


def _inlined(build: Lowering, region: Region) -> list[Value]:
    return flatten(build.inline(region, []))


@lowers
def return_(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """A function may end with ``stablehlo.return``."""
    build.op("func.return", flatten(operands))
    return []


def poison(op: Operation, operands: list[Lowered], build: Lowering) -> Sequence[Lowered]:
    """What ``lift-cf-to-scf`` passes where a value is never read."""
    types = [op.results[0].type]
    return build.regrouped(types, [structured.undefined(build, t) for t in build.types(types)])


RULES["ub.poison"] = poison
