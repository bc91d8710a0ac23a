"""Every op as Python source: running it gives the same program, for the op's first cases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from cases import FAMILIES, rows
from cases._case import program as text_of

import shlo_tools
from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError

CASES = 2  # of each type


def texts(family: str) -> Iterator[str]:
    for row in rows(family):
        middle = row.elements[len(row.elements) // 2]
        for element in dict.fromkeys((row.elements[0], middle, row.elements[-1])):
            for case in islice(row.build(element), CASES):
                yield text_of([case])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, where inputs are made
def test_the_source_prints_as_the_program(family: str) -> None:
    tried = 0
    for text in texts(family):
        try:
            module = program.load(text)
        except ShloError:  # a case of what must be refused
            continue
        source = shlo_tools.to_python(module)
        names: dict[str, object] = {}
        exec(compile(source, "lifted.py", "exec"), names)
        with mlir.library_context():
            assert str(names["module"]) == ir.printed(module.operation), source
        tried += 1
    assert tried > 1
