"""What shlo-opt was asked for, and what its two processes agree on."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

# The activity of a child in C++ passes that share a run.
SEVERAL = "in one of the passes "


@dataclass(frozen=True)
class Request:
    """The command's options, without the ``mlir-`` before some of them.

    Attributes:
        pass_flags: passes given as flags, in order, as elements of a pipeline.
        externalize_constants: the file, and from how many bytes on, where that was said.
        option_names: all options there are; a misspelled one looks like a pass.
    """

    input: str
    output: str
    pass_pipeline: str | None
    pass_flags: tuple[str, ...]
    externalize_constants: tuple[str, int | None] | None
    to: str | None
    load_pass_plugin: tuple[str, ...]
    run_reproducer: bool
    dump_pass_pipeline: bool
    split_input_file: str
    output_split_marker: str
    verify_diagnostics: str | None
    verify_each: bool
    verify_roundtrip: bool
    allow_unregistered_dialect: bool
    irdl_file: str | None
    no_implicit_module: bool
    emit_bytecode: bool
    emit_bytecode_version: int | None
    print_op_generic: bool
    print_debuginfo: bool
    print_local_scope: bool
    print_assume_verified: bool
    print_skip_regions: bool
    pretty_debuginfo: bool
    use_nameloc_as_prefix: bool
    elide_elementsattrs_if_larger: int | None
    elide_resource_strings_if_larger: int | None
    print_ir_before: tuple[str, ...]
    print_ir_after: tuple[str, ...]
    print_ir_before_all: bool
    print_ir_after_all: bool
    print_ir_after_change: bool
    print_ir_after_failure: bool
    print_ir_module_scope: bool
    print_ir_tree_dir: str | None
    timing: bool
    timing_display: str
    pass_pipeline_crash_reproducer: str | None
    option_names: tuple[str, ...]

    @property
    def name(self) -> str:
        """What messages call the input."""
        return "<stdin>" if self.input == "-" else self.input

    def reproducer_note(self, path: str) -> str:
        """How to run the reproducer at ``path``, with the options that it cannot hold."""
        command = ["shlo-opt", "--run-reproducer"]
        command += [f"--load-pass-plugin={plugin}" for plugin in self.load_pass_plugin]
        if self.irdl_file:
            command.append(f"--irdl-file={self.irdl_file}")
        if self.allow_unregistered_dialect:
            command.append("--allow-unregistered-dialect")
        return f"note: reproducer written; run it by: {shlex.join([*command, path])}"
