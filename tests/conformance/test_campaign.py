"""A seeded slice of every kind of campaign; ``shlo_tools.tools.campaign`` has the rest."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from shlo_tools.tools.campaign.children import Worker
from shlo_tools.tools.campaign.outcome import RIGHT, Outcome
from shlo_tools.tools.campaign.programs import generation
from shlo_tools.tools.campaign.programs.drawing import COMMON, RARE, Program

SECONDS, GIGABYTES = 60, 6


def outcomes(kind: str, seeds: range) -> dict[int, Outcome]:
    with Worker(SECONDS, GIGABYTES) as worker:
        return dict(zip(seeds, worker.seeds(kind, seeds), strict=True))


# Programs, among them a third of unknown sizes, most with loops and branches.
@pytest.mark.parametrize("seeds", [range(2000, 2024), range(2024, 2048)], ids=str)
def test_programs_are_alike_in_all_ways(seeds: range) -> None:
    """Natively fused and with probes, simplified, and by the reference."""
    outcome = outcomes("programs", seeds)
    assert {seed: o for seed, o in outcome.items() if o.failed} == {}
    assert Counter(o.status for o in outcome.values())[RIGHT] > 0.9 * len(seeds)


def test_programs_of_unknown_sizes_are_alike() -> None:
    """With sizes that fit and others: equal results, or a refusal in all ways."""
    seeds = [seed for seed in range(3000, 3080) if generation.is_open(seed)][:20]
    with Worker(SECONDS, GIGABYTES) as worker:
        results = dict(zip(seeds, worker.seeds("programs", seeds), strict=True))
    assert {seed: o for seed, o in results.items() if o.status != RIGHT} == {}


@pytest.mark.parametrize(
    "kind, count",
    [("text", 60), ("pipelines", 24), ("bytecode", 48), ("calls", 60), ("builder", 120)],
)
def test_nothing_fails(kind: str, count: int) -> None:
    outcome = outcomes(kind, range(count))
    assert {seed: o for seed, o in outcome.items() if o.failed} == {}


def test_a_seed_is_a_program() -> None:
    texts = [generation.program(seed) for seed in range(40)]
    assert texts == [generation.program(seed) for seed in range(40)]
    assert len(set(texts)) == 40


def test_programs_hold_everything() -> None:
    """Ops of every family, degenerate ones, regions in regions, all element types."""
    text = "\n".join(generation.program(seed) for seed in range(300))
    names = """add and broadcast_in_dim case clamp compare concatenate convert convolution divide
      dot_general dynamic_broadcast_in_dim dynamic_gather dynamic_iota dynamic_pad dynamic_reshape
      dynamic_slice dynamic_update_slice gather get_dimension_size if iota multiply negate
      optimization_barrier pad real_dynamic_slice reduce reduce_window remainder reshape reverse
      scatter select slice sort subtract tanh transpose uniform_dequantize uniform_quantize while"""
    assert [name for name in names.split() if f"stablehlo.{name}" not in text] == []
    assert "chlo.broadcast_" in text and "call @_inner" in text
    for degenerate in (
        "contracting_dims = [] x []",
        r"across dimensions = \[\]",
        "window_dimensions = array<i64: 1(, 1)*>",
        r"tensor<(\d+x)*0x",
        r"tensor<(\?x)+",
    ):
        assert re.search(degenerate.replace("= [] x []", r"= \[\] x \[\]"), text)
    for element in (*COMMON, *RARE):
        assert re.search(rf"tensor<[\dx?]*{re.escape(element)}>", text), element
    nested = [generation.program(seed).count("stablehlo.while") for seed in range(100)]
    assert sum(nested) > 60 and max(nested) > 2


def test_draws_are_of_all_forms() -> None:
    programs = [Program(random.Random(seed)) for seed in range(100)]
    assert 10 < sum(p.open for p in programs) < 60
    assert 10 < sum(p.rough for p in programs) < 60
