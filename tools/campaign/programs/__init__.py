"""Random StableHLO and CHLO programs whose results no order of sums and no fusion may change.

A seed is a program; several small ones are compiled as one, since compiling costs more than
running, and looked at one by one where something is the matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.tools.campaign.outcome import RIGHT, Case, Outcome, watched
from shlo_tools.tools.campaign.programs import examination, generation

TOGETHER = 4


def case(seed: int) -> Case:
    return Case("programs", seed, generation.program(seed).splitlines())


def check(case: Case) -> Outcome:
    return examination.examine("\n".join(case.parts), case.seed)


def check_seeds(seeds: Sequence[int]) -> list[Outcome]:
    """The outcomes of several seeds."""
    apart = {seed for seed in seeds if generation.is_open(seed)}
    joint = [seed for seed in seeds if seed not in apart]
    outcomes: dict[int, Outcome] = {}
    for start in range(0, len(joint), TOGETHER):
        some = joint[start : start + TOGETHER]
        if len(some) > 1 and watched(lambda some=some: _together(some)).status == RIGHT:  # type: ignore[misc]
            outcomes.update((seed, Outcome(RIGHT)) for seed in some)
    for seed in seeds:
        if seed not in outcomes:
            outcomes[seed] = watched(lambda seed=seed: check(case(seed)))  # type: ignore[misc]
    return [outcomes[seed] for seed in seeds]


def _together(seeds: Sequence[int]) -> Outcome:
    return examination.examine(generation.program(*seeds), seeds[0])
