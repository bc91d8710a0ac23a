"""Making a program smaller as long as it shows what it is about.

Rounds of edits, each tried at many places at once, then at fewer, then one by one, until a round
changes nothing. Every candidate is parsed from text and verified before it is tried, so what a
predicate sees is a valid program, and what comes out depends on nothing but what goes in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.tools.reduce import contents, functions, operations, sizes
from shlo_tools.tools.reduce.edits import Edit

EDITS = (*functions.EDITS, *operations.EDITS, *contents.EDITS, *functions.EDITS)

Progress = Callable[["Reduction"], object]


def reduce(module: Any, predicate: Callable[[mlir.Module], bool]) -> mlir.Module:
    """The smallest version of a program for which a predicate still holds.

    Ops, regions, functions, results, arguments and attributes go, shapes and constants become
    simple; what is given stays as it is.

        small = shlo_tools.reduce("model.mlir", lambda m: "stablehlo.dot_general" in str(m))

    Args:
        module: a module, text, bytecode or a path.
        predicate: whether a module, which is valid, still shows what it is about. It runs in
            this process: what may crash belongs in a child, as ``shlo-reduce`` has it.

    Raises:
        ShloError: the predicate does not hold of the program as it is.
    """
    text = text_of(module)
    if not predicate(program.load(text)):
        raise ShloError("the predicate does not hold of the program as it is: nothing to keep")
    reduction = Reduction(text, lambda text: predicate(program.load(text)))
    reduction.run()
    return program.load(reduction.text)


def text_of(source: Any) -> str:
    """A program as text that stands for itself."""
    module = source if hasattr(source, "operation") else None
    if module is None and hasattr(source, "module"):
        module = source.module
    if module is None:
        module = program.load(source)
    return _printed(module)


def _printed(module: mlir.Module) -> str:
    with mlir.library_context():
        return ir.printed(module.operation, use_local_scope=True) + "\n"


@dataclass
class Reduction:
    """A reduction under way.

    Attributes:
        text: the smallest program so far.
        shows: whether a program, as text, shows what it is about.
        progress: called after every trial.
        doing: the edit that is tried.
        trials: how many programs were tried.
    """

    text: str
    shows: Callable[[str], bool]
    progress: Progress = lambda reduction: None
    doing: str = ""
    trials: int = 0
    _tried: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Edit until nothing more changes; ``text`` is the best at any time."""
        before = ""
        while before != self.text:
            before = self.text
            for edit in EDITS:
                self.doing = edit.name
                self._everywhere(edit)
            self.doing = "shapes"
            self._shapes()

    def _everywhere(self, edit: Edit) -> None:
        """Edit all places, then every half, quarter, ...; what worked is not tried again."""
        size = start = _count(self.text, edit)
        while size:
            start = 0
            while start < (count := _count(self.text, edit)):
                if self._try(_edited(self.text, edit, start, start + size)):
                    start += max(0, _count(self.text, edit) - count + size)
                else:
                    start += size
            size //= 2

    def _shapes(self) -> None:
        changed = True
        while changed:
            changed = any(self._try(_valid(text)) for text in sizes.smaller(self.text))

    def _try(self, text: str | None) -> bool:
        """Keep a program if it shows what it is about."""
        if text is None or text in self._tried or text == self.text:
            return False
        self._tried.add(text)
        self.trials += 1
        shown = self.shows(text)
        if shown:
            self.text = text
        self.progress(self)
        return shown


def _count(text: str, edit: Edit) -> int:
    module = program.load(text)
    with mlir.library_context():
        return len(edit.places(module.operation))


def _edited(text: str, edit: Edit, start: int, stop: int) -> str | None:
    """A program with some places edited, the last first; None where that makes it invalid."""
    module = program.load(text)
    with mlir.library_context():
        for apply in reversed(edit.places(module.operation)[start:stop]):
            apply()
        try:
            module.operation.verify()
        except mlir.MLIRError:
            return None
    return _valid(_printed(module))


def _valid(text: str) -> str | None:
    """A program as it prints itself; None where it is none."""
    try:
        return _printed(program.load(text))
    except ShloError:
        return None
