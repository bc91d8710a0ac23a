"""What every op says of its results: by its op function, or by a rule of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from functools import partial

from shlo_tools import ir
from shlo_tools.mlir import Operation, Value
from shlo_tools.shapes import contents, control_flow, custom_calls
from shlo_tools.shapes.arithmetic import RULES
from shlo_tools.shapes.calls import NAMES, Calls
from shlo_tools.shapes.evaluation import FROM_FLOATS
from shlo_tools.shapes.inference import Alike, Inference, Inferred, Result
from shlo_tools.shapes.kinds import OpKind, kind_of
from shlo_tools.shapes.values import listed
from shlo_tools.shapes.walk import Walk

Visit = Callable[[Operation], None]

SPECIAL: dict[str, Callable[[Walk, Operation], None]] = {
    "stablehlo.async_done": control_flow.async_done,
    "stablehlo.async_start": control_flow.async_start,
    "stablehlo.case": control_flow.branches,
    "stablehlo.custom_call": custom_calls.custom_call,
    "stablehlo.if": control_flow.branches,
    "stablehlo.while": control_flow.loop,
    "tensor.cast": control_flow.cast,
}


class Shapes(Walk):
    """Types and contents of all values of the functions that it visits.

    Args:
        call: visits calls in another way than by what the called function returns.

    Attributes:
        not_plain: names of the ops visited so far that more than an op function has a say in.
        calls: what the functions called return.
    """

    def __init__(self, call: Callable[[Shapes, Operation], None] | None = None) -> None:
        super().__init__(contents.of_value)
        self.not_plain: set[str] = set()
        self.calls = Calls(self)
        visit_call: Visit = self.calls.visit if call is None else partial(call, self)
        self._special: dict[str, Visit] = {
            name: partial(visit, self) for name, visit in SPECIAL.items()
        }
        self._special |= dict.fromkeys(NAMES, visit_call)
        self._inference = Inference(self)
        self._alike: dict[Hashable, Alike] = {}

    def visit(self, op: Operation) -> None:
        kind = kind_of(op.name)
        if kind.is_plain:
            self._infer(op, kind)
            return
        self.not_plain.add(kind.name)
        special = self._special.get(kind.name)
        if special is None:
            self._visit_regions(op, kind)
        else:
            special(op)

    def _visit_regions(self, op: Operation, kind: OpKind) -> None:
        count = len(self.integers)
        # A branch or a loop's body may never run.
        with self.perhaps() if kind.name.startswith("scf.") else nullcontext():
            for region in op.regions:
                self.region(region)
        del self.integers[count:]  # of computations nothing is folded: they are the op's
        if kind.is_described or kind.name in RULES:
            self._infer(op, kind, self._yielded(op))

    def _yielded(self, op: Operation) -> tuple[Hashable, ...]:
        """What the regions of an op take and yield, as part of what it is known by."""
        values: list[Value] = []
        for region in op.regions:
            for block in region.blocks:
                values += block.arguments
                values += ir.terminator(block).operands
        return tuple([id(self.current(value)) for value in values])

    # --- ops with functions -----------------------------------------------------------------------
    def _infer(self, op: Operation, kind: OpKind, yielded: tuple[Hashable, ...] = ()) -> None:
        """Find the types of results by the op's function, and elements of small integer tensors.

        This is where refinement spends its time: on table look-ups and on what MLIR is asked.
        """
        operands, results = listed(op.operands), listed(op.results)
        key, settled, follows = self._seen(kind, operands, results)
        if settled and not follows:
            return
        if kind.attributes:
            attributes = op.attributes
            for name in kind.attributes:
                key.append(hash(attributes.get(name)))
        if yielded:
            key.append(yielded)
        looks = tuple(key)
        alike = self._alike.get(looks)
        if alike is None:
            alike = self._alike[looks] = Alike()
        if not settled and kind.is_described:
            if alike.result is None or self.knowledge.values:
                self._bind_inferred(op, results, self._inference.inferred(alike, op, operands))
            else:
                self._bind_result(results[0], alike.result)
        if follows:
            self._bind_elements(op, kind, operands, results[0], alike)

    def _seen(
        self, kind: OpKind, operands: Sequence[Value], results: Sequence[Value]
    ) -> tuple[list[Hashable], bool, bool]:
        """What an op's types say of it.

        Returns:
            Its name and types, which are kept for good and so known by id; whether they leave
            nothing to find out; whether the elements of its result are followed.
        """
        types, static, learnt = self._types, self._static, self.knowledge.values
        settled, follows = kind.is_settled_by_types, False
        key: list[Hashable] = [kind.name]
        for value in operands:
            address = hash(value)
            type = static.get(address)
            if type is None:
                type = types.get(address) or self.type(value)
                settled = settled and address in static
                if learnt:
                    type = self.current(value)
            key.append(id(type))
        for value in results:
            declared = self._declared.get(hash(value.type)) or self.declaration(value)
            type, is_static, follows = declared
            if is_static:
                static[hash(value)] = type
            else:
                settled = False
            key.append(id(type))
        return key, settled, follows and len(results) == 1

    def _bind_result(self, value: Value, result: Result) -> None:
        """As ``_bind_inferred``, for the one result of an op like others before it."""
        address = hash(value)
        if address not in self._static:
            self._types[address] = result.type
            self._values[address] = value
        if result.contents is not None:
            self._contents[address] = result.contents

    def _bind_inferred(self, op: Operation, results: Sequence[Value], inferred: Inferred) -> None:
        if inferred.obligations:
            self.oblige(op, inferred.obligations)
        as_inferred = inferred.is_closed and not self.knowledge.values
        for value, result in zip(results, inferred.results or (), strict=False):
            address = hash(value)
            if address not in self._static:
                if as_inferred:
                    self._set_type(value, result.type)
                else:
                    self._set(value, result.type)
            if result.contents is not None:
                self._contents[address] = result.contents

    def _bind_elements(
        self, op: Operation, kind: OpKind, operands: Sequence[Value], value: Value, alike: Alike
    ) -> None:
        address = hash(value)
        if address not in self._contents:
            rows = self.rows(operands)
            # Regions compute what they please, and rows do not tell one float from another.
            fresh = kind.has_regions or (kind.name in FROM_FLOATS and None in rows)
            like = Alike() if fresh else alike
            self._contents[address] = self._inference.elements(like, op, rows)
        self.integers.append((kind.name, op, value))
