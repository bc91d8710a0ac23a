"""Random pipelines of our passes and MLIR's over random programs.

What runs leaves a valid module. Where all passes keep StableHLO and its meaning, the reference
gives the same results for what comes out.
"""

from __future__ import annotations

import random

import shlo_tools
from shlo_tools import mlir
from shlo_tools.pipeline import registry
from shlo_tools.tools.campaign.outcome import RIGHT, WRONG, Case, Outcome
from shlo_tools.tools.campaign.programs import examination, generation

# What comes out of these is StableHLO that computes the same.
KEEPING = (
    *("canonicalize", "cse", "inline", "symbol-dce", "func.func(cse)", "func.func(canonicalize)"),
    *("shlo-simplify", "shlo-fold", "shlo-refine-shapes", "shlo-canonicalize-dynamism"),
    *("shlo-legalize-chlo", "shlo-legalize-deprecated", "shlo-expand-composites"),
)


def case(seed: int) -> Case:
    """Mostly passes that keep the meaning; else any, some of them nested in functions."""
    chance = random.Random(seed)
    ours = [name for name in registry.names() if registry.find_pass(name) is not None]
    known = [name for name in KEEPING if "(" in name or name in ours or mlir.is_native_pass(name)]
    if chance.random() < 0.6:
        passes = [chance.choice(known) for _ in range(chance.randint(1, 5))]
    else:
        every = [*ours, *mlir.native_pass_names()]
        some = [chance.choice((chance.choice(ours), chance.choice(every))) for _ in range(4)]
        nested = [f"func.func({name})" if chance.random() < 0.3 else name for name in some]
        passes = nested[: chance.randint(1, 4)]
    return Case("pipelines", seed, passes, {"text": generation.program(seed)})


def check(case: Case) -> Outcome:
    module = shlo_tools.load(case.rest["text"])
    shlo_tools.Pipeline(f"builtin.module({','.join(case.parts)})").run(module)
    with mlir.library_context():
        module.operation.verify()
        module.operation.get_asm()
    if not all(name in KEEPING for name in case.parts):
        return Outcome(RIGHT)
    types = examination.argument_types(shlo_tools.load(case.rest["text"]))
    arguments = examination.arguments(types, random.Random(case.seed), True)
    before = shlo_tools.interpret(case.rest["text"], *arguments)
    after = shlo_tools.interpret(module, *arguments)
    differs = examination.differs_for(case.rest["text"])
    for number, (one, other) in enumerate(
        zip(examination.listed(after), examination.listed(before), strict=True)
    ):
        difference = differs(one, other)
        if difference:
            return Outcome(WRONG, f"the pipeline changes results: result{number} {difference}")
    return Outcome(RIGHT)
