"""A failing assertion leaves the function, not the process.

Before:
    cf.assert %ok, "sizes differ"
After:
    cf.cond_br %ok, ^rest, ^fail
  ^fail:
    <status of the frame = number of the message>
    return

Runs on functions whose control flow is branches. The messages end up in ``shlo.checks`` on the
module, each with the place that its op came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame_fields as fields
from shlo_tools.codegen.llvm import Code
from shlo_tools.codegen.lowered import CHECKS, PROPAGATE, SIZES
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Type, Value
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LowerChecks(Pass):
    """Turn assertions into early returns with a status."""

    name = "shlo-lower-checks"

    def run(self, op: Operation) -> None:
        messages: list[mlir.Attribute] = []
        for func in ir.functions(op):
            for block in list(func.regions[0].blocks):
                _lower_in(func, [mlir.inner_operation(o) for o in block.operations], messages)
        op.attributes[CHECKS] = mlir.array_attr(messages)


def _lower_in(func: Operation, block: list[Operation], messages: list[mlir.Attribute]) -> None:
    """Lower the checks among a block's ops, last ones first: no op is moved twice."""
    following: list[Operation] = []
    for op in reversed(block):
        if op.name == "cf.assert":
            following = [_lower(func, op, following[::-1], messages)]
        else:
            following.append(op)


def _lower(
    func: Operation,
    check: Operation,
    following: Sequence[Operation],
    messages: list[mlir.Attribute],
) -> Operation:
    """Move what follows a check to a block of its own; returns the branch there."""
    block = check.block
    rest, fail = mlir.block_after(block), mlir.block_after(block)
    for op in following:
        rest.append(op)
    code = Code(mlir.at_end(fail), check.location)
    if PROPAGATE not in check.attributes:
        messages.append(_message(check))
        fields.store(code, fields.frame_of(func), "status", len(messages))
    code.op("func.return", _zeros(code, ir.signature(func)[1]))
    return _branch(check, rest, fail)


def _message(check: Operation) -> mlir.Attribute:
    place = mlir.place_of(check.location)
    words = {"message": check.attributes["msg"]}
    if SIZES in check.attributes:
        words["sizes"] = mlir.unit_attr()
    if place is not None:
        words["place"] = mlir.string_attr(str(place))
    return mlir.dict_attr(words)


def _branch(check: Operation, rest: Block, fail: Block) -> Operation:
    branch = mlir.create(
        "cf.cond_br",
        [check.operands[0]],
        (),
        {"operandSegmentSizes": mlir.i32_array_attr([1, 0, 0])},
        successors=[rest, fail],
        location=check.location,
        at=mlir.before(check),
    )
    check.erase()
    return branch


def _zeros(build: Build, types: Sequence[Type]) -> list[Value]:
    """Results of a function that failed; its caller does not look at them."""
    return [build.value("ub.poison", (), type) for type in types]
