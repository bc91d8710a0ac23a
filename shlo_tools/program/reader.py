"""The process that reads what could end its reader; run as ``__main__`` by ``workers``.

What survives here is read again where it is wanted: bytes as MLIR itself wrote them anew, texts
as they are.
"""

from __future__ import annotations

import os

from shlo_tools import mlir, workers
from shlo_tools.program import reading, writing
from shlo_tools.program.isolation import limited
from shlo_tools.program.verification import check_rules

MEMORY = 8 << 30  # bytes of address space, of which the libraries take two
PER_BYTE = 64  # and these for each byte of the source


def bytecode(source: bytes, name: str, seconds: float) -> bytes:
    """Bytecode or an artifact as bytecode of this version."""
    with mlir.library_context():
        module = _read(source, name, seconds)
        check_rules(module)
        return writing.to_bytecode(module)


def text(source: str, name: str, seconds: float) -> None:
    """Do to a text what is done to every program."""
    with mlir.library_context():
        writing.clone(_read(source, name, seconds))


def _read(source: str | bytes, name: str, seconds: float) -> mlir.Module:
    workers.limit_memory(MEMORY + PER_BYTE * len(source))
    with limited(seconds):
        module = reading.parse(source, name=name, isolated=False)
        module.operation.get_asm(large_elements_limit=16)
    return module


if __name__ == "__main__":
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the last words of those that die of it
    workers.serve({"bytecode": bytecode, "text": text})
