"""What is in memory when: nothing lies where something else is, and all fits what is planned."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from loop_programs import LoopProgram

import shlo_tools
from shlo_tools.calling import plotting
from shlo_tools.calling.memory_timeline import TEMPORARIES, Buffer
from shlo_tools.calling.memory_use import Memory
from shlo_tools.errors import ShloError, UnsupportedError

CHAIN = """
func.func @main(%x: tensor<64x300xf32>, %w: tensor<300x300xf32>, %v: tensor<300x2xf32>)
    -> tensor<64x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x300xf32>, tensor<300x300xf32>) -> tensor<64x300xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<64x300xf32>, tensor<300x300xf32>) -> tensor<64x300xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0]
    : (tensor<64x300xf32>, tensor<300x2xf32>) -> tensor<64x2xf32>
  return %2 : tensor<64x2xf32>
}"""
VALUE = 64 * 300 * 4  # bytes of what steps pass on


def memory_of(text: str, **options: object) -> Memory:
    memory = shlo_tools.compile(text, **options).memory  # type: ignore[arg-type]
    assert memory is not None
    return memory


def test_values_live_from_the_step_that_makes_them_to_the_last_that_reads_them() -> None:
    timeline = memory_of(CHAIN).timeline
    values = {b.name: b for b in timeline.buffers if "#" in b.name}
    assert [(b.first, b.last, b.bytes) for b in values.values() if b.block == TEMPORARIES] == [
        (1, 2, VALUE),
        (2, 3, VALUE),
    ]
    (result,) = [b for b in values.values() if b.block == "result 0"]
    assert (result.first, result.bytes) == (3, 64 * 2 * 4)
    lines = [n for n, line in enumerate(CHAIN.split("\n"), 1) if "dot_general" in line]
    assert [step.place.line for step in timeline.steps if step.place] == lines


def overlap(one: Buffer, other: Buffer) -> bool:
    if one.block != other.block or 0 in (one.bytes, other.bytes):
        return False
    return one.offset < other.offset + other.bytes and other.offset < one.offset + one.bytes


@pytest.mark.parametrize("seed", range(20))
def test_nothing_lies_where_something_else_is(seed: int) -> None:
    """But for what a step reads and writes in one place, which is one buffer."""
    memory = memory_of(LoopProgram(np.random.default_rng(seed), 2).text())
    timeline = memory.timeline
    for step in timeline.steps:
        buffers = [timeline.buffers[n] for n in step.buffers]
        assert not any(overlap(one, other) for one, other in combinations(buffers, 2))
        inside = [b for b in buffers if b.block == TEMPORARIES]
        assert step.alive == sum(b.bytes for b in inside) <= memory.temporaries
        assert all(b.offset + b.bytes <= memory.temporaries for b in inside)
    assert timeline.peak == max(step.alive for step in timeline.steps)


def test_each_buffer_is_in_the_steps_of_its_life() -> None:
    timeline = memory_of(LoopProgram(np.random.default_rng(1), 2).text()).timeline
    for number, buffer in enumerate(timeline.buffers):
        steps = [n for n, step in enumerate(timeline.steps) if number in step.buffers]
        assert steps == list(range(buffer.first, buffer.last + 1))


def test_donated_arguments_take_no_memory() -> None:
    text = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = stablehlo.add %x, %x : tensor<64xf32>
      return %0 : tensor<64xf32>
    }"""
    assert not memory_of(text, donate=[0]).timeline.buffers
    assert [b.block for b in memory_of(text).timeline.buffers] == ["result 0"]


def test_unknown_sizes_have_a_timeline_for_each_call() -> None:
    executable = shlo_tools.compile(CHAIN.replace("64x300x", "?x300x").replace("64x2x", "?x2x"))
    for rows in (10, 64):
        arrays = [np.ones(s, np.float32) for s in ((rows, 300), (300, 300), (300, 2))]
        executable(*arrays)
        timeline = executable.latest.memory.timeline  # type: ignore[attr-defined]
        assert {b.name: b.bytes for b in timeline.buffers}["1#0"] == rows * 300 * 4
        assert timeline.steps[1].place.line == 4


def test_a_table_has_a_line_for_each_step() -> None:
    memory = memory_of(CHAIN)
    head, columns, *lines = memory.in_file("chain.mlir").table().split("\n")
    assert head.startswith(f"{memory}; {memory.peak:,} bytes")
    assert columns.split()[0] == "step"
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert all("chain.mlir:" in line for line in lines)
    assert f"1#0 {VALUE / 1000:.3g}k" in lines[0]
    assert memory.table(most=1).split("\n")[-1] == "2 more steps with fewer bytes in use"
    with pytest.raises(ShloError, match="one row at least"):
        memory.table(most=0)


@pytest.mark.parametrize("suffix", plotting.SUFFIXES)
def test_a_plot_is_a_picture(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    memory_of(CHAIN).plot(tmp_path / f"memory{suffix}")
    content = (tmp_path / f"memory{suffix}").read_bytes()
    assert content.startswith(b"\x89PNG") if suffix == ".png" else b"<svg" in content


def test_what_cannot_be_drawn_or_told(tmp_path: Path) -> None:
    with pytest.raises(ShloError, match=r"must end in \.png or \.svg"):
        memory_of(CHAIN).plot(tmp_path / "memory.pdf")
    for timeline_of in (Memory.table, lambda memory: memory.timeline, lambda memory: memory.peak):
        with pytest.raises(UnsupportedError, match="one function"):
            timeline_of(Memory(1, 2, 3))
