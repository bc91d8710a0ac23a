"""Bytecode of unknown origin: whatever it does to its reader, this process goes on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import shlo_tools
from shlo_tools import program, workers
from shlo_tools.errors import ParseError, ShloError
from shlo_tools.program import isolation

DAMAGED = Path(__file__).with_name("damaged")
TEXT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x {note = "twice"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("aborts", r"its reader died of SIGABRT"),
        ("crashes", r"its reader died of SIGSEGV"),
        ("hangs", r"its reader took too long"),
        ("quotes_no_text", "quotes bytes that are no text"),
    ],
)
@pytest.mark.parametrize("attribute", [shlo_tools.load, shlo_tools.compile, shlo_tools.interpret])
def test_a_reader_that_dies_is_reported(
    name: str, end: str, attribute: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "SECONDS", 1.0)
    with pytest.raises(ParseError, match=rf"{name}\.bc: broken bytecode.*{end}"):
        attribute(DAMAGED / f"{name}.bc")  # type: ignore[operator]


def test_damaged_at_random() -> None:
    """Bytes changed, taken out and put in: a program that can be used, or an error."""
    whole = program.to_bytecode(program.load(TEXT))
    chance = random.Random(11)
    for _ in range(60):
        source = bytearray(whole)
        for _ in range(chance.choice([1, 1, 2, 8])):
            at = chance.randrange(4, len(source))
            length, byte = chance.choice([0, 1, 1, 1, 4]), chance.randrange(256)
            source[at : at + length] = bytes([byte] * chance.choice([1, 1, 1, 0]))
        try:
            module = program.load(bytes(source))
            program.verify(module)
        except ShloError as error:
            assert str(error).strip()
        else:
            assert "module" in str(module)


def test_bytecode_of_this_process_is_read_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = program.load(TEXT)
    own = program.to_bytecode(module)
    foreign = own.replace(b"twice", b"TWICE")
    assert foreign != own
    assert "TWICE" in str(program.load(foreign))

    def refuse(name: str) -> workers.Worker:
        raise AssertionError(name)

    monkeypatch.setattr(workers, "worker_of", refuse)
    assert str(program.load(own)) == str(module)
    assert "TWICE" in str(program.load(foreign, isolated=False))
    with pytest.raises(AssertionError):
        program.load(foreign)


def test_saved_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = program.load(TEXT)
    path = tmp_path / "program.mlirbc"
    program.save(module, path)
    monkeypatch.setattr(workers, "worker_of", None)
    assert str(program.load(path)) == str(module)
