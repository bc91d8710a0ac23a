"""What ops do, as keys of dictionaries: equal keys, equal code.

A key holds op names, wiring, types, attributes and regions; neither the names of values nor places
in sources are in it. Attributes and types are unique in their context, so that a key is compared
and hashed without printing any.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from shlo_tools.mlir import Block, Operation, Region, Value, inner_operation


def structural_key(op: Operation, inputs: Sequence[Value] = ()) -> Hashable:
    """The key of an op with its regions.

    Args:
        inputs: the values that the op may use, in an order that equal ops share; what else it
            uses is told apart by the order of its uses, and by type.
    """
    return _Walk(inputs).op(op)


def regions_key(regions: Iterable[Region], inputs: Sequence[Value] = ()) -> Hashable:
    """The key of regions, whatever op they belong to."""
    walk = _Walk(inputs)
    return tuple(walk.region(region) for region in regions)


class _Walk:
    """Numbers values and blocks as they are met."""

    def __init__(self, inputs: Sequence[Value]) -> None:
        self.values = {value: number for number, value in enumerate(dict.fromkeys(inputs))}
        self.blocks: dict[Block, int] = {}

    def region(self, region: Region) -> Hashable:
        blocks = list(region.blocks)
        if len(blocks) > 1:
            self.blocks.update((block, number) for number, block in enumerate(blocks))
        return tuple([self.block(block, jumps=len(blocks) > 1) for block in blocks])

    def block(self, block: Block, *, jumps: bool) -> Hashable:
        arguments = tuple([self.definition(value) for value in block.arguments])
        operations = [inner_operation(op) for op in block.operations]
        return arguments, tuple([self.op(op, jumps=jumps) for op in operations])

    def op(self, op: Operation, *, jumps: bool = False) -> Hashable:
        use, definition = self.use, self.definition
        operands = tuple([use(value) for value in op.operands])
        results = tuple([definition(value) for value in op.results])
        attributes = tuple(op.attributes.items()) if len(op.attributes) else ()
        regions = tuple([self.region(region) for region in op.regions]) if len(op.regions) else ()
        successors = tuple([self.blocks[block] for block in op.successors]) if jumps else ()
        return op.name, operands, results, attributes, regions, successors

    def definition(self, value: Value) -> Hashable:
        return self.values.setdefault(value, len(self.values)), value.type

    def use(self, value: Value) -> Hashable:
        """A number, with the type where the value is met for the first time."""
        known = self.values.get(value)
        return self.definition(value) if known is None else known
