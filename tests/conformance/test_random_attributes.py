"""Random attributes of the ops that have many: natively as by the reference."""

from __future__ import annotations

from typing import Any

import pytest
from cases import _random
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from runs import outcomes

STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "broadcast_in_dim": _random.broadcasts(),
    "concatenate": _random.concatenations(),
    "convolution": _random.convolutions(),
    "dot_general": _random.dots(),
    "gather": _random.gathers(),
    "pad": _random.pads(),
    "reduce": _random.reductions(),
    "reduce_window": _random.reduced_windows(),
    "reverse": _random.reverses(),
    "scatter": _random.scatters(),
    "select_and_scatter": _random.selections(),
    "slice": _random.slices(),
    "sort": _random.sorts(),
    "transpose": _random.transposes(),
}
EXAMPLES = 4  # programs per op
TOGETHER = 5  # cases per program


@pytest.mark.parametrize("op", STRATEGIES)
def test_random_attributes(op: str) -> None:
    key = outcomes.Key("random", op, "", 0)

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(STRATEGIES[op], min_size=TOGETHER, max_size=TOGETHER))
    def check(cases: list[Any]) -> None:
        outcome = outcomes.outcomes([(key, case) for case in cases])
        wrong = [f"{o.status}: {o.label}: {o.detail}" for o in outcome if o.status != outcomes.PASS]
        assert not wrong, "\n".join(wrong)

    check()
