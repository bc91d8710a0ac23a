"""Every op on every element type, natively and by the reference: the fast slice of ``run.py``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import FAMILIES, rows
from cases._case import Row
from cases._case import program as cases_program
from cases._types import ALL
from runs import support
from runs.children import Job, run
from runs.outcomes import Outcome

from shlo_tools import mlir, program
from shlo_tools.errors import ParseError, VerifyError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "support.md"
REGENERATE = "python tests/conformance/run.py --family {} --write docs/support.md"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_page_tells_what_happens(family: str) -> None:
    """The smallest case of each op and type has the outcome that docs/support.md promises."""
    outcomes: list[Outcome] = []
    run([Job(family, fast=True)], outcomes.append, children=1)
    messages = support.read(PAGE.read_text())
    outcome = support.judged(outcomes)
    assert not support.red(outcome), "\n".join(support.red(outcome))
    assert set(outcome) == {(row.op, e) for row in rows(family) for e in row.elements}
    wrong = [
        f"{op} {element}: {messages.get((op, element))} promised, {cell} found"
        for (op, element), cell in outcome.items()
        if not _agrees(messages.get((op, element)), cell)
    ]
    assert not wrong, "\n".join([*wrong, REGENERATE.format(family)])


def _agrees(messages: support.Cell | None, results: support.Cell) -> bool:
    """The same mark for the same reason; of ``part`` the smallest case may be either."""
    if messages is not None and messages.mark == support.PART:
        return results.mark == support.YES or results == support.Cell(support.NO, messages.reason)
    return messages == results


def test_nothing_on_the_page_is_red() -> None:
    assert support.red(support.read(PAGE.read_text())) == []


def test_every_registered_op_has_cases() -> None:
    with_cases = {row.op for family in FAMILIES for row in rows(family)}
    assert with_cases == set(mlir.registered_op_names()) - {"stablehlo.return"}


# Types that the verifier takes and no case has, and why.
UNLISTED = {
    r"chlo\.broadcast_.*": "CHLO checks no element types: they are those of the plain op",
    r"chlo\.top_k": "complex numbers have no order here, quantized ones no meaning",
    r"chlo\.(ragged_dot|scan)": "quantized operands have no meaning in CHLO",
    r"stablehlo\.(after_all|create_token|partition_id|replica_id)": "types play no part",
    r"stablehlo\.dynamic_iota": "the specification has no boolean iota",
}


@pytest.mark.filterwarnings("ignore")  # cases are built for types that they are not made for
def test_no_type_is_left_out() -> None:
    """The official verifier refuses the cases of an op on every other element type."""
    branch = [
        f"{row.op} {element}"
        for family in FAMILIES
        for row in rows(family)
        for element in ALL
        if element not in row.elements and _is_verified(row, element)
    ]
    unlisted = [name for name in branch if not any(re.match(op, name) for op in UNLISTED)]
    assert not unlisted, unlisted
    assert all(any(re.match(op, name) for name in branch) for op in UNLISTED)


def _is_verified(row: Row, element: str) -> bool:
    try:
        case = next(iter(row.build(element)))
    except (KeyError, IndexError, StopIteration, ValueError):
        return False  # no case can be made: no dimension to quantize along, no parts
    try:
        program.load(cases_program([case]))
    except (VerifyError, ParseError):
        return False
    return True


def test_the_page_is_read_as_it_was_written() -> None:
    cells = support.read(PAGE.read_text())
    assert PAGE.read_text() == support.page(cells)
    assert len(cells) > 2500
