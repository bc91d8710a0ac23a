"""What shlo-translate was asked for. Free of MLIR, which only its child loads."""

from __future__ import annotations

from dataclasses import dataclass

# The translations that there are, with what they do; their functions are in ``translations``.
TRANSLATIONS = {
    "serialize": "StableHLO to a portable artifact of --target.",
    "deserialize": "A portable artifact to StableHLO.",
    "interpret": "Run the program on --args, op by op, and print its results.",
    "mlir-to-llvmir": "A module in the llvm dialect to LLVM IR.",
    "to-python": "StableHLO to the Python source that builds it.",
}


@dataclass(frozen=True)
class Request:
    """The command's options, without the ``mlir-`` before some of them.

    Attributes:
        translations: names of ``TRANSLATIONS``, in order.
    """

    input: str
    output: str
    translations: tuple[str, ...]
    target: str
    explain_target: str | None
    strip_debuginfo: bool
    allow_other_dialects: bool
    print_stablehlo_version: bool
    args: str
    probe_output_dir: str
    interpreter_print_dense: bool
    split_input_file: str
    output_split_marker: str
    verify_diagnostics: str | None
    error_diagnostics_only: bool
    allow_unregistered_dialect: bool
    no_implicit_module: bool
    print_op_generic: bool
    print_debuginfo: bool
    print_local_scope: bool
    print_assume_verified: bool
    print_skip_regions: bool
    pretty_debuginfo: bool
    use_nameloc_as_prefix: bool
    elide_elementsattrs_if_larger: int | None
    elide_resource_strings_if_larger: int | None

    @property
    def name(self) -> str:
        """What messages call the input."""
        return "<stdin>" if self.input == "-" else self.input
