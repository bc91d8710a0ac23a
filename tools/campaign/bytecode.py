"""Damaged bytecode and portable artifacts: refused, or a program that prints and runs."""

from __future__ import annotations

import base64
import random

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.tools.campaign import text
from shlo_tools.tools.campaign.outcome import REFUSED, Case, Outcome
from shlo_tools.tools.campaign.programs import generation


def case(seed: int) -> Case:
    """Bytes changed, dropped, put in; the parts are the changes."""
    chance = random.Random(seed)
    module = shlo_tools.load(generation.program(seed))
    with mlir.library_context():
        source = program.to_bytecode(module)
    changes = [
        (chance.choice("srdi"), chance.randrange(len(source)), chance.randrange(256))
        for _ in range(chance.choice((1, 1, 2, 4, 16)))
    ]
    base = base64.b64encode(source).decode()
    return Case("bytecode", seed, [list(change) for change in changes], {"base": base})


def damaged(case: Case) -> bytes:
    source = bytearray(base64.b64decode(case.rest["base"]))
    for form, at, byte in case.parts:
        if form == "s":
            source[at % len(source)] = byte
        elif form == "r":  # one bit
            source[at % len(source)] ^= 1 << (byte % 8)
        elif form == "d":
            del source[at : at + byte % 8 + 1]
        else:
            source[at:at] = bytes([byte])
        if len(source) < 4:
            break
    return bytes(source)


def check(case: Case) -> Outcome:
    try:
        module = shlo_tools.load(damaged(case))
        with mlir.library_context():
            printed = module.operation.get_asm()
    except ShloError as error:
        return Outcome(REFUSED, str(error.diagnostics[0].message)[:200])
    return text.run(printed, module, case.seed)
