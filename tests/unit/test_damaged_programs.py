"""Texts of real programs, damaged at random: each is a program or an error, in process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ShloError

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"

FUZZ = """
    import random, re, sys
    from pathlib import Path
    from shlo_tools import mlir, program
    from shlo_tools.errors import ShloError

    PIECES = "()[]{}<>%@#!,=x?*-0"

    def damaged(text, chance):
        for _ in range(chance.randint(1, 3)):
            at, length = chance.randrange(len(text)), chance.randint(0, 30)
            other = chance.randrange(len(text))
            piece = chance.choice(["", text[other : other + length], chance.choice(PIECES)])
            text = text[:at] + piece + text[at + length :]
        return text[: chance.choice([len(text), chance.randrange(len(text) + 1)])] or " "

    # Without resources: what a damaged one does to MLIR is tested by name in test_shlo_opt.
    texts = [Path(name).read_text().split("{-#")[0] for name in sys.argv[3:]]
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        chance = random.Random(seed)
        print(seed, flush=True)  # the last line names the text that ended the process
        text = damaged(chance.choice(texts), chance)
        try:
            with mlir.library_context():
                module = program.parse(text)
                program.warn_of_attributes(module)
                module.operation.get_asm()
        except ShloError:
            pass
"""


def fuzzed(seeds: range) -> None:
    files = [f for f in sorted(PROGRAMS.glob("*.mlir")) if f.stat().st_size < 60_000]
    assert files
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FUZZ), str(seeds.start), str(seeds.stop), *files],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=600,
    )
    observed = done.stdout.split()
    assert done.returncode == 0, f"seed {observed[-1:]}: {done.stderr[-2000:]}"
    assert len(observed) == len(seeds)


def test_damaged_programs() -> None:
    fuzzed(range(300))


@pytest.mark.slow
def test_many_damaged_programs() -> None:
    fuzzed(range(1_000, 4_000))


TWO = "tensor<2xf32>"
NO_TEXT = {
    "a function": (rf'func.func @"\FF"(%x: {TWO}) -> {TWO} {{ return %x : {TWO} }}', "sym_name"),
    "a target": (
        rf"""func.func @main(%x: {TWO}) -> {TWO} {{
          %0 = "stablehlo.custom_call"(%x) {{call_target_name = "\FF"}} : ({TWO}) -> {TWO}
          return %0 : {TWO}
        }}""",
        "custom_call",
    ),
    "einsum": (
        rf"""func.func @main(%x: {TWO}) -> {TWO} {{
          %0 = "stablehlo.unary_einsum"(%x) {{einsum_config = "\FF"}} : ({TWO}) -> {TWO}
          return %0 : {TWO}
        }}""",
        "unary_einsum",
    ),
}


@pytest.mark.parametrize("name", NO_TEXT)
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_names_that_are_no_text_are_an_error_with_a_place(name: str, backend: Any) -> None:
    """MLIR's strings are any bytes; a Python string of these bytes does not exist."""
    text, where = NO_TEXT[name]
    with pytest.raises(ShloError, match=rf'{where}.*"\\FF" is no text') as caught:
        shlo_tools.compile(text, backend=backend)(np.zeros(2, np.float32))
    assert caught.value.diagnostics[0].place is not None
