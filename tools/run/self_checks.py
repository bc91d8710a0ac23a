"""Files that check themselves, as StableHLO's own tests do: many functions, no arguments.

    func.func @add_op_test_si4() {
      ...
      check.expect_eq_const %result, dense<[3, 4]> : tensor<2xi4>
      func.return
    }

Where there is no @main, every public function that takes no arguments runs, in order, but for those
that another function uses. With ``--split-input-file`` each part of a file is a program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.run.run_request import Request
from shlo_tools.tools.run.values import signature
from shlo_tools.tools.run.values.signature import Function
from shlo_tools.tools.split_input import Chunk, split

# Runs a function of a module, and gives its results.
Runner = Callable[[Request, mlir.Module, Channel], Sequence[Array]]
# Shows the results of a function.
Shower = Callable[[Function, Sequence[Array]], None]


def functions(request: Request, module: mlir.Module) -> list[Function]:
    """The functions of a program that checks itself; none where a certain one was asked for."""
    needs_one = request.inputs or request.output or request.expected_output or request.compare
    if needs_one or request.repeat or request.probe_dir or request.function != "main":
        return []
    known = signature.functions(module)
    if any(function.name == "main" for function in known):
        return []
    used = _used(module)
    return [
        function
        for function in known
        if function.public
        and not function.declared
        and not function.inputs
        and function.name not in used
    ]


def _used(module: mlir.Module) -> set[str]:
    """The names of functions that ops of other functions refer to."""
    with mlir.library_context():
        return {
            name
            for func in ir.functions(module.operation)
            for op in mlir.walk(func)[1:]
            for attribute in op.attributes.values()
            for name in _symbols(attribute)
            if name != ir.symbol_name(func)
        }


def _symbols(attribute: Any) -> Iterator[str]:
    kind = type(attribute).__name__
    if kind == "FlatSymbolRefAttr":
        yield attribute.value
    elif kind == "ArrayAttr":
        for item in attribute:
            yield from _symbols(item)
    elif kind == "DictAttr":
        for item in attribute:
            yield from _symbols(item.attr)


@dataclass
class Tally:
    """How many functions ran, and how many of them failed."""

    run: int = 0
    failed: int = 0

    def __str__(self) -> str:
        functions = "function" if self.run == 1 else "functions"
        return f"{self.run} {functions}: {self.run - self.failed} passed, {self.failed} failed"


@dataclass(frozen=True)
class SelfChecks:
    """Runs functions one after the other, and reports on each.

    Attributes:
        request: what was asked for.
        name: what messages call the file.
        run: runs one function.
        show: shows what it returned.
    """

    request: Request
    name: str
    run: Runner
    show: Shower

    def of_module(
        self, module: mlir.Module, functions: Sequence[Function], source: bytes, channel: Channel
    ) -> int:
        """Run functions of one program, read from ``source``; returns the exit status."""
        tally = Tally()
        text = "" if program.is_bytecode(source) else source.decode(errors="replace")
        self._functions(module, functions, text, tally, channel)
        return self._conclude(tally)

    def of_parts(self, source: bytes, channel: Channel) -> int:
        """Run the functions of each part of a file; returns the exit status."""
        tally = Tally()
        for chunk in split(source, self.request.split_input_file, self.name):
            self._part(chunk, tally, channel)
        return self._conclude(tally)

    def _part(self, chunk: Chunk, tally: Tally, channel: Channel) -> None:
        channel.tell(f"while parsing part {chunk.index + 1}")
        try:
            with mlir.library_context():
                module = program.parse_expendable(chunk.source, name=self.name)
                program.warn_of_attributes(module)
            if not signature.functions(module):
                return  # what follows the last marker may be empty
            functions_found = functions(self.request, module)
            if not functions_found:
                functions_found = [signature.find(module, self.request.function)]
                if functions_found[0].inputs:
                    raise ShloError(
                        f"@{functions_found[0].name} takes arguments, and a part has none"
                    )
        except ShloError as error:
            tally.run += 1
            self._failed(f"part {chunk.index + 1}", error, chunk.text, tally)
            return
        self._functions(module, functions_found, chunk.text, tally, channel)

    def _functions(
        self,
        module: mlir.Module,
        functions: Sequence[Function],
        text: str,
        tally: Tally,
        channel: Channel,
    ) -> None:
        for function in functions:
            tally.run += 1
            try:
                results = self.run(replace(self.request, function=function.name), module, channel)
            except ShloError as error:
                self._failed(f"@{function.name}", error, text, tally)
                continue
            print(f"ok    @{function.name}")
            self.show(function, results)

    def _failed(self, what: str, error: ShloError, text: str, tally: Tally) -> None:
        tally.failed += 1
        print(f"FAIL  {what}", flush=True)
        if error.source is None:
            places = [diagnostic.place for diagnostic in error.diagnostics if diagnostic.place]
            own = bool(text) and all(place.file == "-" for place in places)
            error = error.with_source(text if own else None, self.name)
        print(error.render(), file=sys.stderr, flush=True)

    def _conclude(self, tally: Tally) -> int:
        if not tally.run:
            raise ShloError(f"{self.name} has no functions")
        print(tally)
        return 1 if tally.failed else 0


def probes(request: Request) -> AbstractContextManager[object]:
    """Have ``interpreter.probe`` write to the folder that was asked for, in the block."""
    if request.probe_output_dir is None:
        return nullcontext()
    from shlo_tools.reference.probes import writing  # and all of the reference with it

    return writing(request.probe_output_dir)
