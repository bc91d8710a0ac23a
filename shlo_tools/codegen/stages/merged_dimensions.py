"""Short rows become parts of long ones: rows of pixels are rows of numbers.

    pad [20, 18, 3] -> [20, 20, 3], low [0, 2, 0]     is     pad [20, 54] -> [20, 60], low [0, 6]

So it is with what slices, joins and reverses such rows. Vectors of long rows lie side by side in
memory; of rows of three a kernel would transpose tiles, once for each op that moves them.

    x [8, 24, 33, 33] * broadcast [24], dims = [1]    is    x [8, 24, 1089] * broadcast [24]

Where no op tells the last two dimensions apart, a vector is in one row more often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shlo_tools.codegen.stages.map_space import LEAST_ROW
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Stage

_PRICE = 2  # ops that gain by long rows, for each that finds its place in short ones by dividing

_Form = tuple[Node, bool]  # a node, and whether it has long rows


def merged(stage: Stage, lanes: int) -> Stage:
    """The same stage, of known sizes, with longer rows; itself where these are no better.

    Args:
        lanes: of a vector. Short rows of whole vectors are left: no lane of them is idle.
    """
    while any(map(_counts_dimensions, stage.nodes)):
        most = max(node.count for node in stage.nodes)
        lengths = {n.shape[-1] for n in stage.nodes if n.count == most and len(n.shape) > 1}
        if len(lengths) != 1:
            break
        (columns,) = lengths
        merging = _Merging(stage, columns)
        is_short = columns < LEAST_ROW and columns % lanes != 0
        if not merging.is_free() and not (is_short and merging.is_worth_it()):
            break
        stage = merging.stage()
    return stage


class _Merging:
    """The last two dimensions of what has rows of so many columns become one."""

    def __init__(self, stage: Stage, columns: int) -> None:
        self._stage, self._columns = stage, columns
        self._results = [(result, self._has_rows(result)) for result in stage.results]
        self._inputs: dict[_Form, list[_Form]] = {}
        stack = list(self._results)
        while stack:
            form = stack.pop()
            if form not in self._inputs:
                self._inputs[form] = self._operands(*form)
                stack += self._inputs[form]

    def is_free(self) -> bool:
        """Whether no op tells the two dimensions apart, of some that count dimensions."""
        long = [node for node, is_long in self._inputs if is_long]
        has_less = any(map(_counts_dimensions, long)) or any(
            map(self._reduces_rows, self._stage.nodes)
        )
        fit = all(self._is_fit(node) and _keeps_pairs(node) for node in long)
        return has_less and fit and not self._has_twice()

    def is_worth_it(self) -> bool:
        """Whether more ops gain than lose by it, and none is computed twice."""
        long = [node for node, is_long in self._inputs if is_long]
        gains = sum(node.kind in _MOVED and self._is_fit(node) for node in long)
        losses = sum(not self._is_fit(node) for node in long)
        return gains > _PRICE * losses and not self._has_twice()

    def _has_twice(self) -> bool:
        """Whether something is computed for both."""
        both = (node for node, is_long in self._inputs if is_long and (node, False) in self._inputs)
        return any(node.operands and self._is_fit(node) for node in both)

    def stage(self) -> Stage:
        """The stage with nodes of its own."""
        nodes: dict[_Form, Node] = {}
        for node in self._stage.nodes:
            for is_long in (False, True):
                if (node, is_long) in self._inputs:
                    operands = [nodes[form] for form in self._inputs[node, is_long]]
                    if is_long and node.kind is NodeKind.INPUT and (node, False) in nodes:
                        operands = [nodes[node, False]]  # an argument is one node
                    nodes[node, is_long] = self._made(node, tuple(operands), is_long=is_long)
        arguments = [
            nodes.get((a, False)) or nodes.get((a, True)) or replace(a, users=[])
            for a in self._stage.arguments
        ]
        results = [nodes[form] for form in self._results]
        old = self._stage
        return Stage(old.name, old.kind, old.split, arguments, results)

    def _has_rows(self, node: Node) -> bool:
        return len(node.shape) > 1 and node.shape[-1] == self._columns

    def _is_fit(self, node: Node) -> bool:
        """Whether a node with long rows is an op as well."""
        return self._has_rows(node) and node.kind in _FITS and _FITS[node.kind](node)

    def _reduces_rows(self, node: Node) -> bool:
        """Whether a reduction reduces both of the dimensions."""
        if node.kind is not NodeKind.REDUCE or len(node.operands) > 2:
            return False
        (source, _), last = node.operands, len(node.operands[0].shape) - 1
        both = last in node.dimensions and last - 1 in node.dimensions
        return both and self._is_fit(source)

    def _operands(self, node: Node, is_long: bool) -> list[_Form]:
        """What a node reads of its operands."""
        if is_long and not self._is_fit(node):
            return [(node, False)]
        if node.kind is NodeKind.REDUCE:
            starts = [(start, False) for start in node.operands[1:]]
            return [(node.operands[0], is_long or self._reduces_rows(node)), *starts]
        if node.kind is NodeKind.RESHAPE:
            (source,) = node.operands
            return [(source, self._is_fit(source))]
        operands = node.operands
        if is_long and node.kind is NodeKind.DYNAMIC_SLICE:
            operands = operands[:-1]  # all of the last dimension
        if node.kind is NodeKind.BROADCAST and not _keeps_rows(node):
            is_long = False
        return [(operand, is_long and len(operand.shape) > 1) for operand in operands]

    def _made(self, node: Node, operands: tuple[Node, ...], *, is_long: bool) -> Node:
        if not is_long and self._reduces_rows(node):
            last = len(node.operands[0].shape) - 1
            dimensions = tuple(d for d in node.dimensions if d != last)
            return replace(node, operands=operands, dimensions=dimensions, users=[])
        if not is_long:
            return replace(node, operands=operands, users=[])
        *outer, rows, columns = node.shape
        shape = (*outer, rows * columns)
        if operands and (node.kind is NodeKind.INPUT or not self._is_fit(node)):
            return Node(NodeKind.RESHAPE, shape, node.element, operands)
        changed: dict[str, Any] = {}
        if node.kind in (NodeKind.SLICE, NodeKind.PAD):
            *starts, start, _ = node.starts
            changed = {"starts": (*starts, start * columns), "steps": node.steps[:-1]}
        elif node.kind in (NodeKind.BROADCAST, NodeKind.REVERSE, NodeKind.TRANSPOSE):
            last = len(node.shape) - 1
            changed = {"dimensions": tuple(d for d in node.dimensions if d != last)}
            if node.kind is NodeKind.BROADCAST and _is_spread(node):
                (source,) = operands
                cut = source.shape[:-1]
                operands = (Node(NodeKind.RESHAPE, cut, source.element, operands),)
        return replace(node, shape=shape, operands=operands, users=[], **changed)


# --- which ops are such with long rows ------------------------------------------------------------
def _always(node: Node) -> bool:
    return True


def _is_whole(node: Node) -> bool:
    """Whether slices and pads keep rows, all elements of them, beside each other."""
    is_all = node.operands[0].shape[-1] == node.shape[-1]
    return is_all and node.starts[-1] == 0 and node.steps[-2:] == (1, 1)


def _is_dynamic_whole(node: Node) -> bool:
    return bool(node.operands[0].shape[-2:] == node.shape[-2:])


def _has_neighbours(node: Node) -> bool:
    """Whether dimensions that a source has both or neither of are its last ones."""
    last = len(node.shape) - 1
    if last not in node.dimensions and last - 1 not in node.dimensions:
        return True
    return _keeps_rows(node) or _is_spread(node)


def _keeps_rows(node: Node) -> bool:
    """Whether the last dimensions are the source's."""
    last, shape = len(node.shape) - 1, node.operands[0].shape
    return node.dimensions[-2:] == (last - 1, last) and shape[-2:] == node.shape[-2:]


def _is_spread(node: Node) -> bool:
    """Whether a broadcast's source has one element each for the last dimensions."""
    last, shape = len(node.shape) - 1, node.operands[0].shape
    return node.dimensions[-2:] == (last - 1, last) and shape[-2:] == (1, 1) != node.shape[-2:]


def _turns_both(node: Node) -> bool:
    last = len(node.shape) - 1
    return (last in node.dimensions) == (last - 1 in node.dimensions)


def _is_outer(node: Node) -> bool:
    """Whether an iota counts another dimension."""
    return node.dimensions[0] < len(node.shape) - 2


def _joins_rows(node: Node) -> bool:
    return node.dimensions[0] < len(node.shape) - 1


def _reduces_others(node: Node) -> bool:
    """Whether a reduction keeps its source's last dimensions."""
    last = len(node.operands[0].shape) - 1
    return len(node.operands) == 2 and not {last, last - 1} & set(node.dimensions)


_MOVED: dict[NodeKind, Callable[[Node], bool]] = {
    NodeKind.SLICE: _is_whole,
    NodeKind.PAD: _is_whole,
    NodeKind.REVERSE: _turns_both,
    NodeKind.CONCATENATE: _joins_rows,
    NodeKind.DYNAMIC_SLICE: _is_dynamic_whole,
}
_FITS = _MOVED | {
    NodeKind.INPUT: _always,
    NodeKind.CONSTANT: _always,
    NodeKind.ELEMENTWISE: _always,
    NodeKind.RESHAPE: _always,
    NodeKind.IOTA: _is_outer,
    NodeKind.BROADCAST: _has_neighbours,
    NodeKind.TRANSPOSE: _has_neighbours,
    NodeKind.REDUCE: _reduces_others,
}


def _keeps_pairs(node: Node) -> bool:
    """Whether elements that share all but the last two dimensions stay where they are."""
    last = len(node.shape) - 1
    if node.kind in (NodeKind.SLICE, NodeKind.PAD):
        return node.starts[-2] == 0 and node.operands[0].shape[-2:] == node.shape[-2:]
    if node.kind in (NodeKind.CONCATENATE, NodeKind.REVERSE):
        return last - 1 not in node.dimensions
    return True


_COUNTLESS = {NodeKind.INPUT, NodeKind.CONSTANT, NodeKind.ELEMENTWISE, NodeKind.RESHAPE}


def _counts_dimensions(node: Node) -> bool:
    """Whether it matters to an op which dimensions there are."""
    if node.kind is NodeKind.BROADCAST:
        return node.operands[0].count != 1
    return node.kind not in _COUNTLESS
