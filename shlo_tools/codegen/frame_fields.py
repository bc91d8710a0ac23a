"""Reading and writing the fields of a call frame in compiled code."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir
from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.llvm import POINTER, Code, Word
from shlo_tools.mlir import Operation, Value


def frame_of(func: Operation) -> Value:
    """The frame, which ``shlo-attach-frame`` makes the first argument of a function.

    Raises:
        UnsupportedError: the function has none.
    """
    arguments: Sequence[Value] = func.regions[0].blocks[0].arguments
    if not arguments or str(arguments[0].type) != POINTER:
        ir.raise_unsupported([func], "it has no frame; shlo-attach-frame gives it one")
    return arguments[0]


def load(
    code: Code, frame: Value, field: str, type: str = POINTER, *, volatile: bool = False
) -> Word:
    """The value of a field."""
    address = code.word(frame) + layout.offset(field)
    return code.load(address, type, volatile=volatile)


def store(code: Code, frame: Value, field: str, value: int | Word) -> None:
    """Write a field."""
    code.store(value, code.word(frame) + layout.offset(field))
