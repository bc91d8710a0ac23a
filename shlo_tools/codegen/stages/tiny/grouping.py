"""Which calls of one mathematical function are one: those of elements that need none of each other.

A call takes as long for one lane as for all of a vector, and spills what registers hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.library import maths
from shlo_tools.codegen.stages.nodes import CONTROL, Node
from shlo_tools.codegen.stages.tiny.registers import LEAST
from shlo_tools.dtypes import Kind

_APART = 8  # ops from the calls below to one that others had to wait for, at most more than theirs


def grouped(nodes: Sequence[Node]) -> list[list[Node]]:
    """Nodes in an order in which operands come first; those of one group are computed together.

    Args:
        nodes: operands first.
    """
    groups = _groups(nodes)
    if all(len(group) == 1 for group in groups.values()):
        return [[node] for node in nodes]
    order: list[list[Node]] = []
    done: set[Node] = set()
    stack = [(node, False) for node in reversed(nodes)]
    while stack:
        node, is_ready = stack.pop()
        if node in done:
            continue
        group = groups[node]
        if is_ready:
            order.append(group)
            done.update(group)
            continue
        stack.append((node, True))
        stack += [(o, False) for n in reversed(group) for o in reversed(n.operands) if o in groups]
    return order


def _groups(nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    """The group of each node.

    Its members have as many calls below each other below them, so that no group rests on itself.
    """
    groups: dict[Node, list[Node]] = {}
    calls: dict[Node, int] = {}  # below each other, with a node's own one
    apart: dict[Node, int] = {}  # ops above the last one of these
    latest: dict[tuple[str, str, int], tuple[list[Node], int]] = {}
    for node in nodes:
        below = [operand for operand in node.operands if operand in calls]
        level = max((calls[operand] for operand in below), default=0)
        ops = max((apart[operand] for operand in below if calls[operand] == level), default=0)
        groups[node] = [node]
        if not _is_call(node):
            calls[node] = level
            apart[node] = ops + (_APART + 1 if node.kind in CONTROL else node.rule is not None)
            continue
        calls[node], apart[node] = level + 1, 0
        key = (node.name, node.element.name, level)
        group, others = latest.get(key, ([], 0))
        if group and node.count + sum(n.count for n in group) <= LEAST:
            if abs(ops - others) <= _APART:
                group.append(node)
                groups[node] = group
                continue
        latest[key] = groups[node], ops
    return groups


def _is_call(node: Node) -> bool:
    return node.name in maths.OPS and node.element.kind is Kind.FLOAT and 0 < node.count < LEAST
