"""Constants from the file beside the program back into it.

  shlo-opt model.mlir --shlo-internalize-constants="file=model.safetensors"

  %w = stablehlo.constant {shlo.weight = "constant_0"} dense_resource<constant_0>
    : tensor<784x512xf32>
becomes
  %w = stablehlo.constant dense<"0x..."> : tensor<784x512xf32>
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import program
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class InternalizeConstants(Pass):
    """Put constants that are in a safetensors file back into the module.

    Attributes:
        file: where they are; by default what the module says.
    """

    name = "shlo-internalize-constants"
    file: str = ""

    def run(self, op: Operation) -> None:
        program.internalize(op, self.file or None)
