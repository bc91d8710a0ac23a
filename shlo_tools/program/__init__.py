"""Programs in and out: text, MLIR bytecode, portable artifacts; and whether they are valid."""

from shlo_tools.program.external_constants import externalize, internalize, locate, relative_to
from shlo_tools.program.reading import (
    BYTECODE_MAGIC,
    is_bytecode,
    is_path,
    load,
    module_of,
    parse,
    parse_error,
    parse_expendable,
)
from shlo_tools.program.verification import (
    LOOSELY_VERIFIED,
    verify,
    verify_further,
    warn_of_attributes,
)
from shlo_tools.program.writing import clone, moved, save, serialize, to_bytecode

__all__ = [
    "BYTECODE_MAGIC",
    "LOOSELY_VERIFIED",
    "clone",
    "externalize",
    "internalize",
    "is_bytecode",
    "is_path",
    "load",
    "locate",
    "module_of",
    "moved",
    "parse",
    "parse_error",
    "parse_expendable",
    "relative_to",
    "save",
    "serialize",
    "to_bytecode",
    "verify",
    "verify_further",
    "warn_of_attributes",
]
