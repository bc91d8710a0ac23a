"""Reading and writing the fields of a call frame in compiled code."""

from __future__ import annotations

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.llvm import POINTER, Code, Word
from shlo_tools.mlir import Value


def load(
    code: Code, frame: Value, field: str, type: str = POINTER, *, volatile: bool = False
) -> Word:
    """The value of a field."""
    address = code.word(frame) + layout.offset(field)
    return code.load(address, type, volatile=volatile)


def store(code: Code, frame: Value, field: str, value: int | Word) -> None:
    """Write a field."""
    code.store(value, code.word(frame) + layout.offset(field))
