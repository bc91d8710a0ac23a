"""What shlo-opt does in its child: parse, run passes, verify, print; program after program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shlo_tools import files, ir, mlir, program
from shlo_tools.errors import Collected, Listener, ShloError, emit, listening
from shlo_tools.pipeline import registry, runner
from shlo_tools.pipeline.instrumentation import Instrumentation
from shlo_tools.pipeline.ir_files import IrFiles
from shlo_tools.pipeline.runner import Pipeline
from shlo_tools.text import guards
from shlo_tools.tools.diagnostic_printer import printer
from shlo_tools.tools.isolation import Channel
from shlo_tools.tools.opt import reproducer, round_trip, verify_diagnostics
from shlo_tools.tools.opt.recipe import recipe_of
from shlo_tools.tools.opt.request import SEVERAL, Request
from shlo_tools.tools.opt.timing_report import Times
from shlo_tools.tools.printed_form import asm_options
from shlo_tools.tools.split_input import Chunk, split


def work(request: Request, source: bytes, channel: Channel, *, single_passes: bool = False) -> int:
    """Do what was asked for; returns the exit status.

    Args:
        single_passes: give each C++ pass a run of its own, so that a crash names it.
    """
    with listening(printer()):
        try:
            job = _Job(request, channel, single_passes)
            done = [job.process(chunk) for chunk in job.chunks(source)]
        except ShloError as error:
            print(error.render(), file=sys.stderr)
            return 1
    return 0 if all(done) else 1


def compose_reproducer(request: Request, source: bytes, item: int, remark: str) -> str:
    """The reproducer of program number ``item`` of the input."""
    job = _Job(request)
    return job.reproducer(job.chunks(source)[item], remark)


def _forward(info: Any) -> bool:
    """Send the warnings and remarks of MLIR's own code to our listener."""
    if str(info.message) != reproducer.IGNORED:
        emit(mlir.diagnostic(info))
    return True


@dataclass
class _Job:
    """What is the same for all programs of an input."""

    request: Request
    channel: Channel = field(default_factory=Channel)
    single_passes: bool = False
    advice: Collected = field(default_factory=Collected)  # about the program at work

    def __post_init__(self) -> None:
        request = self.request
        folder = request.print_ir_tree_dir
        self.ir_files = IrFiles(folder) if folder else None
        for plugin in request.load_pass_plugin:
            registry.load_plugin(plugin)
        for name in (*request.print_ir_before, *request.print_ir_after):
            runner.anchor_of(name)  # raises where there is no such pass
        if not request.run_reproducer and not request.no_implicit_module:
            Pipeline(recipe_of(request, "").pipeline)  # raises before any program is parsed
        with mlir.library_context() as context:
            context.attach_diagnostic_handler(_forward)
            self._prepare(context)

    def _prepare(self, context: mlir.Context) -> None:
        """Have in the current context what --irdl-file and --allow-unregistered-dialect say."""
        path = self.request.irdl_file
        if path:
            self.channel.tell(f"while defining the dialects of {path!r}")
            description = program.parse(files.read_file(path), name=path)
            try:
                mlir.define_dialects(description)
            except ShloError as error:
                raise ShloError(f"{path}: {error.diagnostics[0].message}") from error
        context.allow_unregistered_dialects = self.request.allow_unregistered_dialect

    def _verify_round_trip(self, root: mlir.Module, chunk: Chunk) -> None:
        self.channel.tell("while verifying the round trip", chunk.index)

        def new_context() -> mlir.Context:
            context = mlir.new_context()
            with mlir.at(context):
                self._prepare(context)
            return context

        with mlir.library_context():
            round_trip.check(root, self.request.name, new_context)

    def chunks(self, source: bytes) -> list[Chunk]:
        chunks = list(split(source, self.request.split_input_file, self.request.name))
        if self.request.emit_bytecode and len(chunks) > 1:
            raise ShloError(f"bytecode holds one program, and the input has {len(chunks)}")
        if self.request.externalize_constants and len(chunks) > 1:
            raise ShloError(f"constants of one program go to a file, the input has {len(chunks)}")
        return chunks

    def process(self, chunk: Chunk) -> bool:
        """Transform one program and write it; returns whether all is as it should be."""
        request, show = self.request, printer(self.request.name, chunk.text)
        heard, self.advice = Collected(), Collected()
        listener: Listener = heard if request.verify_diagnostics else show
        succeeded = False
        if chunk.index:
            self.channel.output.write(f"{request.output_split_marker}\n".encode())
        with listening(listener):
            try:
                self.channel.output.write(self._transformed(chunk))
                succeeded = True
            except ShloError as error:
                for diagnostic in error.diagnostics:
                    listener(diagnostic)
        if not request.verify_diagnostics:
            return succeeded
        only_expected = request.verify_diagnostics == "only-expected"
        wrong = verify_diagnostics.check(
            chunk.text,
            request.name,
            heard.diagnostics,
            optional=self.advice.diagnostics,
            only_expected=only_expected,
        )
        for diagnostic in wrong:
            show(diagnostic)
        return not wrong

    def _transformed(self, chunk: Chunk) -> bytes:
        """The output for one program."""
        request, times = self.request, Times()
        self.channel.tell("while parsing", chunk.index)
        with times.measured("Parser"):
            root = self._parse(chunk)
            self._advise(root)
        if request.verify_roundtrip:
            self._verify_round_trip(root, chunk)
        self.channel.tell("while reading the pipeline", chunk.index)
        recipe = recipe_of(request, chunk.text, root.operation.name)
        pipeline = Pipeline(recipe.pipeline, root.operation.name)
        if request.dump_pass_pipeline:
            count = sum(1 for _ in pipeline.root.passes())
            print(f"Pass Manager with {count} passes:\n{pipeline}\n", file=sys.stderr)
        watch = self._instrumentation(chunk)
        watch.verify_each = recipe.verify_each
        self._run(chunk, pipeline, root, watch)
        times.add(watch.seconds)
        self.channel.tell("while printing", chunk.index)
        with times.measured("Output"):
            output = self._printed(root)
        if request.timing:
            print(times.report(request.timing_display), file=sys.stderr)
        return output

    def _advise(self, root: mlir.Module) -> None:
        """Warn of what MLIR has no word about: files of tests that expect nothing still pass."""
        if not self.request.verify_diagnostics:
            program.warn_of_attributes(root)
            return
        with listening(self.advice):
            program.warn_of_attributes(root)

    def _parse(self, chunk: Chunk) -> mlir.Module:
        """The program, in a module; with --no-implicit-module, the one op that it is."""
        source, name = chunk.source, self.request.name
        with mlir.library_context():
            if not self.request.no_implicit_module or not isinstance(source, str):
                module = program.parse_expendable(source, name=name)
                program.locate(module, self.request.input)
                return module
            guards.check(source, name)
            try:
                op: Any = mlir.parse_operation(source)
            except mlir.MLIRError as error:
                raise program.parse_error(error, source, name) from error
            root: mlir.Module = op
            return root

    def _run(
        self, chunk: Chunk, pipeline: Pipeline, root: mlir.Module, watch: Instrumentation
    ) -> None:
        """Run the passes; where one fails and it was asked for, leave a reproducer."""
        path = self.request.pass_pipeline_crash_reproducer
        try:
            pipeline.run(root, watch)
        except BaseException:
            if path and not self.request.run_reproducer:
                files.write_file(path, self.reproducer(chunk).encode())
                print(self.request.reproducer_note(path), file=sys.stderr)
            raise

    def reproducer(self, chunk: Chunk, remark: str = "") -> str:
        """A file with the program as it was before any pass, and the passes."""
        root = self._parse(chunk)
        recipe = recipe_of(self.request, chunk.text, root.operation.name)
        with mlir.library_context():
            text = chunk.text.strip("\n") or ir.printed(root.operation)
        return reproducer.write(text, recipe, remark)

    def _printed(self, root: mlir.Module) -> bytes:
        with mlir.library_context(), program.relative_to(root, self.request.output):
            if self.request.emit_bytecode:
                return program.to_bytecode(root, self.request.emit_bytecode_version)
            return ir.printed(root.operation, **asm_options(self.request)).encode() + b"\n"

    def _instrumentation(self, chunk: Chunk) -> Instrumentation:
        request = self.request

        def on_pass(name: str) -> None:
            single = "," not in name
            where = f"in pass {name!r}" if single else SEVERAL + name.replace(",", ", ")
            self.channel.tell(where, chunk.index)

        # -after-change and -after-failure narrow what -after says; alone, they narrow all.
        narrowed = request.print_ir_after_change or request.print_ir_after_failure
        after_all = request.print_ir_after_all or (narrowed and not request.print_ir_after)
        watch = Instrumentation(
            after_change=request.print_ir_after_change,
            after_failure=request.print_ir_after_failure,
            module_scope=request.print_ir_module_scope,
            ir_files=self.ir_files,
            asm=asm_options(request),
            timing=request.timing,
            single_passes=self.single_passes,
            on_pass=on_pass,
        )
        if request.print_ir_before_all or request.print_ir_before:
            watch.before = _chooser(request.print_ir_before_all, request.print_ir_before)
        if after_all or request.print_ir_after:
            watch.after = _chooser(after_all, request.print_ir_after)
        return watch


def _chooser(every: bool, names: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda name: every or name in names
