"""Object files: what is read is written again, joined as linkers join, and damage is refused."""

from __future__ import annotations

import random
import struct

import pytest

from shlo_tools.aot import compiling, relocatable
from shlo_tools.cpu.machine_code import objects
from shlo_tools.elf import UnsupportedObject

pytestmark = pytest.mark.skipif(not objects.is_supported(), reason="no objects are made here")

SOURCE = """func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}"""


@pytest.fixture(scope="module")
def image() -> bytes:
    return b"".join(compiling.compile_object(SOURCE, name="model").pieces)


def test_what_is_read_is_written_again(image: bytes) -> None:
    assert b"".join(relocatable.write(relocatable.read(image))) == image


def test_only_entry_points_are_seen(image: bytes) -> None:
    one = relocatable.read(image)
    names = {symbol.name for symbol in one.symbols if symbol.is_global and symbol.section}
    assert names == {"model_main"}
    others = set(one.undefined()) - {"_GLOBAL_OFFSET_TABLE_"}
    assert others and all(name.startswith("shlo_rt_") for name in others)


def test_code_is_not_written_by_linkers_at_run_time(image: bytes) -> None:
    """No section that can be run, or that is constant, holds an absolute address."""
    for section in relocatable.read(image).sections:
        if not section.name.startswith(".data"):
            assert all(kind != 1 for _, kind, _, _ in section.relocations), section.name


def test_tables_hold_addresses_of_what_others_define() -> None:
    table = relocatable.table("table", [3, 0, 0], {1: ("other", 8), 2: ("table", 0)})
    joined = relocatable.join([table, relocatable.data("other", b"0123456789")])
    assert joined.undefined() == []
    (section, _) = joined.sections
    assert struct.unpack("<3q", section.data) == (3, 0, 0)
    assert [(r.offset, r.symbol.name, r.addend) for r in section.relocations] == [
        (8, "other", 8),
        (16, "table", 0),
    ]


def test_a_name_is_defined_once() -> None:
    with pytest.raises(UnsupportedObject, match="twice is defined twice"):
        relocatable.join([relocatable.data("twice", b"1"), relocatable.data("twice", b"2")])


def test_hidden_names_may_be_the_same() -> None:
    parts = []
    for text in (b"1", b"2"):
        part = relocatable.join(
            [relocatable.data("own", text), relocatable.table("t", [0], {0: ("own", 0)})]
        )
        relocatable.export(part, [])
        parts.append(part)
    joined = relocatable.join(parts)
    targets = [r.symbol for section in joined.sections for r in section.relocations]
    assert [bytes(symbol.section.data) for symbol in targets if symbol.section] == [b"1", b"2"]


def test_damage_is_refused_or_harmless(image: bytes) -> None:
    """Cut off anywhere, or with other bytes in the header or the tables: no other exception."""
    numbers = random.Random(5)
    for _ in range(300):
        damaged = bytearray(image[: numbers.randrange(len(image))])
        damaged = damaged if numbers.random() < 0.3 else bytearray(image)
        for _ in range(numbers.randrange(8)):
            if damaged:
                damaged[numbers.choice([0, -1]) * numbers.randrange(len(damaged))] ^= 1 << 6
        try:
            relocatable.read(bytes(damaged))
        except UnsupportedObject:
            continue
