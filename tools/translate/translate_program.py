"""What shlo-translate does in its child: parse, translate, print; program after program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shlo_tools import mlir, program
from shlo_tools.errors import Collected, Diagnostic, Listener, ShloError, emit, listening
from shlo_tools.interop import blockers
from shlo_tools.reference import probes
from shlo_tools.text import guards
from shlo_tools.tools.diagnostic_printer import printer
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.opt import verify_diagnostics
from shlo_tools.tools.split_input import Chunk, split
from shlo_tools.tools.translate import translations
from shlo_tools.tools.translate.request import Request


def work(request: Request, source: bytes, channel: Channel) -> int:
    """Do what was asked for; returns the exit status."""
    with listening(printer()):
        try:
            with _probes(request):
                job = _Job(request, channel)
                done = [job.process(chunk) for chunk in job.chunks(source)]
        except ShloError as error:
            print(error.render(), file=sys.stderr)
            return 1
    return 0 if all(done) else 1


@contextmanager
def _probes(request: Request) -> Iterator[None]:
    """Have probes write to the folder that was asked for, where an older index goes first."""
    folder = request.probe_output_dir
    if folder:
        index = Path(folder) / probes.INDEX
        try:
            index.unlink(missing_ok=True)
        except OSError as error:
            raise ShloError(f"cannot remove {str(index)!r}: {error.strerror}") from error
    with probes.writing(folder or None):
        yield


def _forward(info: Any) -> bool:
    """Send the warnings and remarks of MLIR's own code to our listener."""
    emit(mlir.diagnostic(info))
    return True


@dataclass
class _Job:
    """What is the same for all programs of an input."""

    request: Request
    channel: Channel

    def __post_init__(self) -> None:
        with mlir.library_context() as context:
            context.attach_diagnostic_handler(_forward)
            context.allow_unregistered_dialects = self.request.allow_unregistered_dialect

    def chunks(self, source: bytes) -> list[Chunk]:
        chunks = list(split(source, self.request.split_input_file, self.request.name))
        if self.request.translations[-1:] == ("serialize",) and len(chunks) > 1:
            raise ShloError(f"an artifact holds one program, and the input has {len(chunks)}")
        return chunks

    def process(self, chunk: Chunk) -> bool:
        """Translate one program and write it; returns whether all is as it should be."""
        request, show = self.request, self._shown(chunk)
        heard, advice = Collected(), Collected()
        listener: Listener = heard if request.verify_diagnostics else show
        succeeded = False
        if chunk.index and request.output_split_marker:
            self._write(f"{request.output_split_marker}\n")
        with listening(listener):
            try:
                succeeded = self._translate(chunk, advice if request.verify_diagnostics else None)
            except ShloError as error:
                for diagnostic in error.diagnostics:
                    listener(diagnostic)
        if not request.verify_diagnostics:
            return succeeded
        wrong = verify_diagnostics.check(
            chunk.text,
            request.name,
            heard.diagnostics,
            optional=advice.diagnostics,
            only_expected=request.verify_diagnostics == "only-expected",
        )
        for diagnostic in wrong:
            show(diagnostic)
        return not wrong

    def _shown(self, chunk: Chunk) -> Listener:
        show = printer(self.request.name, chunk.text)

        def show_errors(diagnostic: Diagnostic) -> None:
            if diagnostic.severity == "error":
                show(diagnostic)

        return show_errors if self.request.error_diagnostics_only else show

    def _translate(self, chunk: Chunk, advice: Listener | None) -> bool:
        """Do all translations of one program; returns whether they succeeded."""
        source: str | bytes = chunk.source
        for number, name in enumerate(self.request.translations or ("explain-target",)):
            if name == "deserialize" and self.request.print_stablehlo_version:
                self._write(translations.stablehlo_version(source))
            self.channel.tell("while parsing", chunk.index)
            with mlir.library_context():
                module = self._parse(source)
                if number == 0:
                    self._advise(module, advice)
                self.channel.tell(f"in --{name}", chunk.index)
                if name == "explain-target":
                    return self._explain(module)
            source = self._translated(name, module, source)
        self._write(source)
        return True

    def _translated(self, name: str, module: mlir.Module, source: str | bytes) -> str | bytes:
        if name == "interpret":  # runs without the lock of the context
            return translations.interpret(module, source, self.request)
        with mlir.library_context():
            return translations.FUNCTIONS[name](module, source, self.request)

    def _advise(self, module: mlir.Module, listener: Listener | None) -> None:
        """Warn of what MLIR has no word about: files of tests that expect nothing still pass."""
        if listener is None:
            program.warn_of_attributes(module)
            return
        with listening(listener):
            program.warn_of_attributes(module)

    def _parse(self, source: str | bytes) -> mlir.Module:
        """The program, in a module; with --no-implicit-module, it must be one."""
        name = self.request.name
        if isinstance(source, str) and self.request.no_implicit_module:
            guards.check(source, name)
            try:
                op = mlir.inner_operation(mlir.parse_operation(source))
            except mlir.MLIRError as error:
                raise program.parse_error(error, source, name) from error
            if op.name != "builtin.module":
                place = mlir.place_of(op.location)
                raise ShloError(f"expected a 'builtin.module' op, got '{op.name}'", place=place)
        return program.parse_expendable(source, name=name)

    def _explain(self, module: mlir.Module) -> bool:
        """Tell what keeps a program from a version; returns whether nothing does."""
        explanation = blockers.explain(
            module,
            self.request.explain_target or "",
            allow_other_dialects=self.request.allow_other_dialects,
        )
        for blocker in explanation.blockers:
            emit(blocker.diagnostic)
        oldest = explanation.oldest
        verdict = f"oldest version that will do: {oldest}" if oldest else "no version will do"
        self._write(f"{verdict}\n")
        return not explanation.blockers

    def _write(self, data: str | bytes) -> None:
        """Write output; what people read comes in order with what the program itself prints."""
        if isinstance(data, str) and self.request.output == "-":
            print(data, end="", flush=True)
        else:
            self.channel.output.write(data.encode() if isinstance(data, str) else data)
