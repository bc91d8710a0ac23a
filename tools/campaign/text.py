"""Damaged program text: it is refused, or it is a program that all ways run or all refuse."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

from shlo_tools import demo, mlir, program
from shlo_tools.dtypes import Array
from shlo_tools.errors import ShloError
from shlo_tools.tools.campaign.outcome import REFUSED, RIGHT, Case, Outcome
from shlo_tools.tools.campaign.programs import examination, generation

MOST = 1 << 16  # elements of arguments of a program that is run
PIECES = "()[]{}<>%@#!,=x?*-0"
NUMBERS = (
    *("0", "1", "-1", "2", "7", "100", "4294967296", "1000000000", "18446744073709551616"),
    *("9223372036854775807", "-9223372036854775808"),
)
_NUMBER = re.compile(r"-?(?<![\w.])\d+(?=x|\b)")
_ELEMENT = re.compile(r"\b(?:[su]?i\d+|b?f\d\w*|complex<\w+>|index)\b")
_OP = re.compile(r"\b(?:stablehlo|chlo)\.\w+")
_ATTRIBUTE = re.compile(r"\w+ = [^,{}<>]+(?:, )?")


def case(seed: int) -> Case:
    """Numbers, types and ops changed, lines doubled and dropped, characters lost."""
    chance = random.Random(seed)
    text = generation.program(seed)
    if chance.random() < 0.1:
        text = (Path(demo.__file__).parent / "mlp_step.mlir").read_text()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        text = chance.choice((_near, _near, _near, _number, _word, _line, _piece))(text, chance)
    return Case("text", seed, text.splitlines() or [" "])


def _replaced(text: str, pattern: re.Pattern[str], chance: random.Random, by: str) -> str:
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    match = chance.choice(matches)
    return text[: match.start()] + by + text[match.end() :]


def _number(text: str, chance: random.Random) -> str:
    return _replaced(text, _NUMBER, chance, chance.choice(NUMBERS))


def _near(text: str, chance: random.Random) -> str:
    """A size, an index, a number of a constant: one more or less, or 0."""
    matches = [match for match in _NUMBER.finditer(text) if text[match.start() - 1] not in "%_a"]
    if not matches:
        return text
    match = chance.choice(matches)
    number = str(chance.choice((int(match[0]) + 1, int(match[0]) - 1, 0, 1)))
    return text[: match.start()] + number + text[match.end() :]


def _word(text: str, chance: random.Random) -> str:
    """Another op, another element type, an attribute less."""
    form = chance.randrange(3)
    if form == 0:
        return _replaced(text, _OP, chance, chance.choice(mlir.registered_op_names()))
    if form == 1:
        elements = ("f32", "i1", "i4", "ui8", "bf16", "f8E5M2", "complex<f32>", "index", "i128")
        return _replaced(text, _ELEMENT, chance, chance.choice(elements))
    return _replaced(text, _ATTRIBUTE, chance, "")


def _line(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at : at + 1] = chance.choice(([], [lines[at]] * 2, [lines[other]]))
    return "\n".join(lines)


def _piece(text: str, chance: random.Random) -> str:
    if not text:
        return " "
    at, length = chance.randrange(len(text)), chance.randint(0, 30)
    other = chance.randrange(len(text))
    piece = chance.choice(["", text[other : other + length], chance.choice(PIECES)])
    return text[:at] + piece + text[at + length :]


def check(case: Case) -> Outcome:
    text = "\n".join(case.parts)
    try:
        with mlir.library_context():
            module = program.parse(text)
            module.operation.get_asm()
    except ShloError as error:
        return Outcome(REFUSED, str(error.diagnostics[0].message)[:200])
    return run(text, module, case.seed)


def run(text: str, module: mlir.Module, seed: int) -> Outcome:
    """Run a program of moderate size in all ways; what differs is shapes and refusals only."""
    try:
        types = examination.argument_types(module)
    except KeyError:
        return Outcome(REFUSED, "there is no function @main")
    if sum(math.prod(examination.drawn_shape(type.shape)) for type in types) > MOST:
        return Outcome(RIGHT)
    return examination.examine(text, seed, _shape_differs)


def _shape_differs(got: Array, expected: Array) -> str:
    """'' where results are of one type: sums of any numbers may round in any way."""
    alike = got.dtype == expected.dtype and got.shape == expected.shape
    return "" if alike else examination.exact(got, expected)
