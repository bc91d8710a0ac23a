"""Applies rules until none applies, and erases what nobody uses.

A rule sees one op and gives the values that replace its results, or None to leave it:

    def double_negation(op: Operation, build: Rewriter) -> Replacement | None

Values of another type than the results (``tensor<4xf32>`` for ``tensor<?xf32>``) replace nothing.
Ops wait on a worklist; those next to a change wait again. References to erased ops end the
process, so that ops are erased here only, where the worklist forgets them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import PassError
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Location, Operation, Type, Value
from shlo_tools.passes.effects import Effects

Replacement = Sequence[Value | None]  # None stands for a result that has no uses


class Rewriter(Build):
    """A builder in front of the op that a rule looks at; its ops come under the rules as well."""

    def __init__(self, at: Any, location: Location, worklist: Worklist) -> None:
        super().__init__(at, location)
        self.worklist = worklist
        self.created: list[Operation] = []

    def op(
        self,
        name: str,
        operands: Sequence[Value] = (),
        results: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: int = 0,
    ) -> Operation:
        new = super().op(name, operands, results, attributes, regions)
        self.created.append(mlir.inner_operation(new))
        return new

    def replace_uses(self, old: Value, new: Value) -> None:
        """Have those who use one value use another of its type."""
        self.worklist.replace_uses(old, new)

    def erase(self, op: Operation) -> None:
        """Erase an op without uses, other than the one looked at."""
        self.worklist.erase(op)


Rule = Callable[[Operation, Rewriter], Replacement | None]
Rules = Mapping[str, Sequence[Rule]]

ANY = "any"  # the key of rules for every op


def merged(*tables: Rules) -> Rules:
    """The rules of several tables, in order."""
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: [rule for table in tables for rule in table.get(name, ())] for name in names}


def apply(
    root: Operation,
    rules: Rules,
    effects: Effects | None = None,
    *,
    keep_attributes: bool = True,
    ops: Sequence[Operation] | None = None,
) -> int:
    """Rewrite the ops below ``root`` until no rule applies; erase pure ops without uses.

    Args:
        ops: those that are looked at first, in program order, where it is not all.
        keep_attributes: give an op's discardable attributes to the one made in its place.

    Returns:
        how many ops were replaced or erased.

    Raises:
        PassError: a rule left uses of an op that it replaced.
    """
    first = mlir.walk(root)[1:] if ops is None else ops
    worklist = Worklist(first, rules, effects or Effects())
    worklist.keep_attributes = keep_attributes
    return worklist.run()


class Worklist:
    """Ops that rules have not looked at since something about them changed."""

    def __init__(self, ops: Sequence[Operation], rules: Rules, effects: Effects) -> None:
        self.rules = rules
        self.effects = effects
        self.for_any = tuple(rules.get(ANY, ()))
        self.changes = 0
        self.keep_attributes = True
        # The last one is next: at first that is program order.
        self.pending: dict[int, Operation] = {}
        self.wait(reversed(ops))

    def run(self) -> int:
        while self.pending:
            self._visit(self.pending.popitem()[1])
        return self.changes

    def wait(self, ops: Iterable[Operation]) -> None:
        """Have rules look at ops (again); the last one is next."""
        # By address: what the bindings give as an op's hash changes with its operands.
        self.pending.update((mlir.address_of(op), op) for op in ops)

    def _visit(self, op: Operation) -> None:
        if self.effects.is_dead(op):
            self.erase(op)
            return
        rules = (*self.rules.get(op.name, ()), *self.for_any)
        if not rules:
            return
        build = Rewriter(mlir.before(op), op.location, self)
        for rule in rules:
            values = rule(op, build)
            if values is not None and self._replace(op, values, build.created):
                return

    def _replace(self, op: Operation, values: Replacement, new: list[Operation]) -> bool:
        """Put values in the place of an op; False if their types differ in what is known of sizes.

        What the rule made is dead then, and goes.
        """
        self.wait(reversed(new))
        pairs = list(zip(op.results, values, strict=True))
        if any(value is not None and value.type != result.type for result, value in pairs):
            return False
        if self.keep_attributes and (len(new) == 1 or (new and len(pairs) == 1)):
            _keep_attributes(op, [value for value in values if value is not None], new)
        for result, value in pairs:
            if value is not None:
                self.replace_uses(result, value)
        self.erase(op)
        return True

    def replace_uses(self, old: Value, new: Value) -> None:
        """See ``Rewriter.replace_uses``."""
        self.changes += 1
        source = mlir.defining_op(old)
        if source is not None:
            self.wait([source])  # it may be dead now
        self.wait(mlir.inner_operation(use.owner) for use in old.uses)
        old.replace_all_uses_with(new)

    def erase(self, op: Operation) -> None:
        """Erase an op; what it used may be dead now."""
        self.changes += 1
        used = ir.used_values(op)
        for inner in mlir.walk(op) if len(op.regions) else (op,):
            self.pending.pop(mlir.address_of(inner), None)
        if any(next(result.uses, None) is not None for result in op.results):
            raise PassError(f"{ir.describe(op)} has uses", place=mlir.place_of(op.location))
        sources = [mlir.defining_op(value) for value in used]
        op.erase()
        self.wait(source for source in sources if source is not None)


def _keep_attributes(op: Operation, values: Sequence[Value], new: Sequence[Operation]) -> None:
    """Discardable attributes (those of other dialects) go to the op made for the same results."""
    if not len(op.attributes) or not values:
        return
    last = mlir.defining_op(values[0])
    if last is None or last not in new or len(last.results) != len(op.results):
        return
    for name, attribute in op.attributes.items():
        if "." in name and name not in last.attributes:
            last.attributes[name] = attribute
