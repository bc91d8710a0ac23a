"""Large constants into a file beside the program.

    shlo-opt model.mlir --shlo-externalize-constants="file=model.safetensors min-bytes=4096"

    %w = stablehlo.constant dense<"0x..."> : tensor<784x512xf32>
  becomes, with ``shlo.weights = "model.safetensors"`` on the module,
    %w = stablehlo.constant {shlo.weight = "constant_0"} dense_resource<constant_0>
      : tensor<784x512xf32>

What is compiled reads the file by memory map. Equal constants share an array; those of one
repeated value stay.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import program
from shlo_tools.errors import PassError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass
from shlo_tools.program.external_constants import MIN_BYTES


@dataclass(frozen=True)
class ExternalizeConstants(Pass):
    """Write large constants to a safetensors file, and leave references to them.

    Attributes:
        file: the file to write.
        min_bytes: smaller constants stay.
    """

    name = "shlo-externalize-constants"
    file: str = ""
    min_bytes: int = MIN_BYTES

    def run(self, op: Operation) -> None:
        if not self.file:
            raise PassError(f"{self.name}: the option file is missing")
        program.externalize(op, self.file, min_bytes=self.min_bytes)
