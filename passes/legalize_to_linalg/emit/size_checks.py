"""What ops demand of sizes, checked when the program runs.

    func.call @shlo.check(%holds, %a, %b) {shlo.message = "... {0} ... {1}"}

stands for an assertion that leaves the function with a ``ShapeMismatchError``; the two sizes are
part of its message. ``shlo-attach-frame`` makes a ``cf.assert`` of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import CHECK, MESSAGE
from shlo_tools.constraints import Fact, Obligation
from shlo_tools.dims import Dim, at_most, equal
from shlo_tools.ir import Build, Lowered, Lowering, Rule
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.size_values import size_value
from shlo_tools.shapes import NEVER, Shapes

_EQ, _SLE = 0, 3


class SizeChecks:
    """Emits, before an op is lowered, the checks that its sizes need.

    Args:
        shapes: what is known of the function; its ``unproven`` obligations are checked.
    """

    def __init__(self, shapes: Shapes) -> None:
        self._of: dict[int, list[Obligation]] = {}  # by the op's address
        for item in shapes.unproven:
            self._of.setdefault(mlir.address_of(item.op), []).append(item.obligation)
        self._failing = shapes.failing
        self._checked: set[Fact] = set()

    def __call__(self, op: Operation, build: Lowering) -> None:
        obligations = self._of.get(mlir.address_of(op), ()) if self._of else ()
        for obligation in obligations:
            for fact in dict.fromkeys(obligation.facts):
                if fact not in self._checked:
                    check(op, fact, obligation.message, build)
                if op.parent is not None and op.parent.name == "func.func":
                    self._checked.add(fact)

    def guarded(self, rules: Mapping[str, Rule]) -> Mapping[str, Rule]:
        """Rules that give ops which fail anyhow results of no meaning: nobody gets to see them."""
        names = {op.name for op in self._failing.values()}
        known = {"tensor.cast": _cast, **rules}
        return {**rules, **{name: self._guarded(known[name]) for name in names if name in known}}

    def _guarded(self, rule: Rule) -> Rule:
        def guarded(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
            if mlir.address_of(op) not in self._failing:
                return rule(op, operands, build)
            types = [result.type for result in op.results]
            return build.regrouped(
                types, [structured.undefined(build, type) for type in build.types(types)]
            )

        return guarded


def _cast(op: Operation, operands: list[Any], build: Lowering) -> Sequence[Lowered]:
    """As it is; only one that fails anyhow is none that MLIR takes."""
    (type,) = build.types([op.results[0].type])
    return structured.as_declared(build, operands, [type])


_PROOFS = {"==": equal, "<=": at_most, "stretches to": equal}


def check(op: Operation, fact: Fact, message: str, build: Lowering) -> None:
    """Leave the function unless a fact holds; nothing where it does for certain.

    An op whose sizes contradict each other in a region that may never run has ``NEVER`` for a fact.
    """
    if _PROOFS[fact.relation](fact.a, fact.b):
        return
    a, b = size_value(build, fact.a), size_value(build, fact.b)
    holds = _compared(build, _SLE if fact.relation == "<=" else _EQ, a, b)
    if fact.relation == "stretches to":
        is_one = _compared(build, _EQ, a, size_value(build, 1))
        holds = build.value("arith.ori", (is_one, holds), mlir.integer_type(1))
    text = f"{op.name}: {_escaped(message)}"
    if fact is not NEVER:
        text += f": {_written(fact)}"
    build.call(CHECK, [holds, a, b], (), {MESSAGE: mlir.string_attr(text)})


def _written(fact: Fact) -> str:
    """``n = {0} is not m = {1}``."""
    verb = {"==": "is not", "<=": "is more than", "stretches to": "does not stretch to"}
    left, right = (_named(dim, f"{{{i}}}") for i, dim in enumerate((fact.a, fact.b)))
    return f"{left} {verb[fact.relation]} {right}"


def _named(dim: Dim, place: str) -> str:
    return place if isinstance(dim, int) else f"{_escaped(str(dim))} = {place}"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _compared(build: Lowering, predicate: int, a: Value, b: Value) -> Value:
    attributes = {"predicate": mlir.i64_attr(predicate)}
    return build.value("arith.cmpi", (a, b), mlir.integer_type(1), attributes)


def declare(module: Operation) -> None:
    """Add the declaration of ``@shlo.check`` where it is called."""
    calls = [op for op in mlir.walk(module) if op.name == "func.call" and MESSAGE in op.attributes]
    if not calls or CHECK in ir.functions_by_name(module):  # a lowered module has it
        return
    types = [mlir.integer_type(1), mlir.index_type(), mlir.index_type()]
    Build(mlir.at_end(module.regions[0].blocks[0]), module.location).function(CHECK, types)
