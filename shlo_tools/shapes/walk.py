"""The walk through functions and blocks, in the order in which they run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from shlo_tools import mlir
from shlo_tools.constraints import Fact, Obligation
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.shapes import blocks
from shlo_tools.shapes.knowledge import Knowledge
from shlo_tools.shapes.state import State, Unproven
from shlo_tools.shapes.values import Contents
from shlo_tools.types import ValueType

NEVER = Fact("==", 0, 1)  # what an op demands that cannot run


class Mismatch(NamedTuple):
    """A branch that yields other types than its op has, or a loop that starts with others.

    Attributes:
        results: positions of the results that it does so for.
    """

    op: Operation
    results: Sequence[int]


class Walk(State, ABC):
    """Visits functions op by op.

    Attributes:
        integers: the ops visited so far that compute small integer tensors: their name, the op
            and its result.
        failing: the ops visited so far that fail whenever they run; they may not run. As all that
            follows by the op's address.
        mismatches: of the branches and loops visited so far.
        ends: the last op of each function visited of one block.
        branches: the ends of blocks visited that branch to others.
    """

    def __init__(self, compute: Callable[[Value, State], Contents | None]) -> None:
        super().__init__(compute)
        self.integers: list[tuple[str, Operation, Value]] = []
        self.failing: dict[int, Operation] = {}
        self.mismatches: dict[int, Mismatch] = {}
        self.ends: dict[int, Operation] = {}
        self.branches: list[Operation] = []

    @abstractmethod
    def visit(self, op: Operation) -> None:
        """Find what is known of an op's results.

        Raises:
            ConstraintError: the op fails whenever it runs.
        """

    def function(
        self, func: Operation, arguments: Sequence[ValueType] | None = None
    ) -> list[ValueType]:
        """Visit a function; returns the types of what it returns.

        Args:
            arguments: more exact types of its arguments.
        """
        region = func.regions[0]
        block = region.blocks[0]
        self.bind_arguments(block, arguments)
        outside, self.knowledge = self.knowledge, Knowledge()
        try:
            if len(region.blocks) > 1:
                return self._graph(region)
            end = self.block(block)
        finally:
            self.knowledge = outside
        self.ends[mlir.address_of(func)] = end
        return [self.type(value) for value in end.operands]

    def _graph(self, region: Region) -> list[ValueType]:
        """Visit blocks that branch to each other; returns what all ends of the function agree on.

        A block comes after all that dominate it. Its arguments are what all branches to it agree
        on; where one of them comes later, as in a loop, they are what they are declared to be.
        """
        graph = blocks.Graph(region)
        visited: set[int] = set()  # by address
        for block in graph.blocks:
            edges = graph.edges_to(block)
            if edges and all(hash(edge.branch.block) in visited for edge in edges):
                rows = [[self.type(value) for value in edge.values] for edge in edges]
                self.bind_arguments(block, blocks.agreed(rows))
            if visited:
                with self.knowledge.within(), self.perhaps():
                    self.block(block)
            else:
                self.block(block)  # it always runs: what it has checked is known in all others
            visited.add(hash(block))
        self.branches += graph.branches
        return blocks.agreed([[self.type(v) for v in end.operands] for end in graph.returns])

    def block(self, block: Block) -> Operation:
        """Visit the ops of a block; returns the last one, which MLIR finds by counting them.

        Raises:
            ConstraintError: sizes contradict each other; it names the op and both.
        """
        for view in block.operations:
            op: Operation = view.operation
            try:
                self.visit(op)
            except ConstraintError as error:
                self._contradicted(op, error)
        return op

    def region(self, region: Region) -> None:
        """Visit a region; what its ops check is known within it."""
        with self.knowledge.within():
            for block in region.blocks:
                self.block(block)

    def enter(self, block: Block, arguments: Sequence[ValueType]) -> None:
        """Visit a block that has been visited before with other arguments."""
        self.forget(block.arguments)
        for view in block.operations:
            self._forget(view.operation)
        self.bind_arguments(block, arguments)
        self.block(block)

    def bind_arguments(self, block: Block, types: Sequence[ValueType] | None) -> None:
        """Say what is known of a block's arguments."""
        for argument, type in zip(block.arguments, types or (), strict=bool(types)):
            self.bind(argument, type)

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is visited in the block may never run: what fails there is for run time to tell."""
        self._optional += 1
        try:
            yield
        finally:
            self._optional -= 1

    # --- ops that fail ----------------------------------------------------------------------------
    def _contradicted(self, op: Operation, error: ConstraintError) -> None:
        """An op that fails whenever it runs is an error, unless it may never run."""
        message = error.diagnostics[0].message
        if self._optional:
            self._forget_inside(op)
            self.unproven.append(Unproven(op, Obligation("never", (NEVER,), message)))
            self.failing[mlir.address_of(op)] = op
        elif self._refuted is not None:
            raise self._refuted from error
        elif error.diagnostics[0].place is not None:
            raise error
        else:
            place = mlir.place_of(op.location)
            hint = error.diagnostics[0].hint
            raise ConstraintError(f"{op.name}: {message}", place=place, hint=hint) from error

    def _forget_inside(self, op: Operation) -> None:
        """Forget what is known of an op's results and of all that is in it."""
        inside = {mlir.address_of(inner) for inner in mlir.walk(op)}
        self.unproven[:] = [u for u in self.unproven if mlir.address_of(u.op) not in inside]
        self.integers[:] = [i for i in self.integers if mlir.address_of(i[1]) not in inside]
        self._forget(op)

    def _forget(self, root: Operation) -> None:
        tables: tuple[dict[int, Operation] | dict[int, Mismatch], ...]
        tables = tuple(t for t in (self.wrappers, self.failing, self.mismatches) if t)
        for op in mlir.walk(root):
            self.forget(op.results)
            self.forget(a for r in op.regions for b in r.blocks for a in b.arguments)
            for table in tables:
                table.pop(mlir.address_of(op), None)
