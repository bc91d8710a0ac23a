"""The program of an executable at each step of its way, as text: ``exe.ir(stage)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError, did_you_mean
from shlo_tools.pipeline import runner

# What kernels do not know is taken out, and sizes that constants tell are numbers.
STATIC = "shlo-normalize-for-kernels,shlo-canonicalize-dynamism{exact},shlo-canonicalize-gathers"
_NORMALIZED = f"{STATIC},shlo-name-sizes"

# What makes each of them of the program as it was read.
PIPELINES = {
    "stablehlo": "",
    "normalized": _NORMALIZED,
    "stages": f"{_NORMALIZED},shlo-partition",
    "kernels": f"{_NORMALIZED},shlo-partition,shlo-lower-stages",
    "linalg": "shlo-to-linalg",
    "llvm": "shlo-to-llvm",
}


@dataclass(frozen=True)
class StageTexts:
    """Prints a program as it was read, or after passes, which run when it is asked for.

    Attributes:
        module: as it was read; nobody else changes it.
        stages: those that there are.
    """

    module: mlir.Module
    stages: Sequence[str] = tuple(PIPELINES)

    def __call__(self, stage: str) -> str:
        """The program at a stage; raises ShloError where there is none of that name."""
        if stage not in self.stages:
            hint = did_you_mean(str(stage), self.stages)
            listed = f"stages: {', '.join(self.stages)}"
            raise ShloError(f"there is no stage {stage!r}", hint=f"{hint} {listed}".strip())
        with mlir.library_context():
            module = program.clone(self.module)
            if PIPELINES[stage]:
                runner.run(f"builtin.module({PIPELINES[stage]})", module)
            return ir.printed(module.operation)
