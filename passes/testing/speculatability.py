"""``hlo-test-speculatability``: ops vanish together with markers that know their answer.

Before:
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    "hlo_test_speculatability.is_speculatable"(%0) : (tensor<2xf32>) -> ()
    %1 = stablehlo.add %c, %c : tensor<?xf32>
    "hlo_test_speculatability.is_speculatable"(%1) : (tensor<?xf32>) -> ()
After:
    %1 = stablehlo.add %c, %c : tensor<?xf32>
    "hlo_test_speculatability.is_speculatable"(%1) : (tensor<?xf32>) -> ()
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.mlir import Operation
from shlo_tools.passes.testing.answers import Speculatability, answer
from shlo_tools.passes.testing.markers import markers, subject
from shlo_tools.passes.upstream.greedily import clean_up
from shlo_tools.pipeline.registry import Pass

_PREFIX = "hlo_test_speculatability."
_MARKERS = tuple(f"{_PREFIX}{word.value}" for word in Speculatability)


@dataclass(frozen=True)
class TestSpeculatability(Pass):
    """Erase markers and the ops they ask about, where the op's answer is the marker's word.

    An op is erased only if the marker is its one use.
    """

    name = "hlo-test-speculatability"
    anchor = "func.func"

    def run(self, op: Operation) -> None:
        clean_up(op)
        for marker in markers(op, *_MARKERS):
            source = subject(marker)
            if source is None or _count_of_uses(source) != 1:
                continue
            word = answer(source)
            if word is not None and marker.name == f"{_PREFIX}{word.value}":
                marker.erase()
                source.erase()
        clean_up(op)


def _count_of_uses(op: Operation) -> int:
    return sum(1 for result in op.results for _ in result.uses)
