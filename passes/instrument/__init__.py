"""Probes: calls of the host that are told what ops computed.

Before:
    %0 = stablehlo.add %a, %b : tensor<2xf32>
After:
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.custom_call @shlo.probe(%0) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {site = 0, op = "stablehlo.add", location = "model.py:12:3", ...}}
      : (tensor<2xf32>) -> ()

``sites`` chooses the ops, ``values`` says what of their values a host can be given, and ``hits``
is the host's side: whoever listens while the program runs, natively or by the reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation
from shlo_tools.passes.instrument import sites
from shlo_tools.passes.instrument.sites import TARGET, Found
from shlo_tools.passes.instrument.values import Leaf, leaves
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class Instrument(Pass):
    """Put a probe after ops: a custom call that tells the host their values.

    Regions of ``while``, ``if`` and ``case`` and functions get probes as well; computations of
    scalars, such as the regions of ``reduce``, do not. Quantized values are seen as their
    integers, tuples as their parts; tokens are not seen.

    Attributes:
        ops: a regular expression; probes ops in whose name, or a name or file:line:column of
            whose location, it is found. Without it all ops but constants are probed.
        operands: tell the operands as well, before the results.
        floats: only ops with a result of floats or complex numbers.
    """

    name = "shlo-instrument"

    ops: str = ""
    operands: bool = False
    floats: bool = False

    def run(self, op: Operation) -> None:
        for site in self.sites(op):
            self._probe(site)

    def sites(self, module: Operation) -> list[Found]:
        """The ops that get probes, in program order, with their numbers."""
        return sites.find(module, self.ops, floats=self.floats)

    def _probe(self, site: Found) -> None:
        build = Build(mlir.after(site.op), site.op.location)
        operands = site.operands if self.operands else []
        operand_leaves = self._leaves(build, operands)
        results = self._leaves(build, list(site.op.results))
        if not results:
            return
        attributes = {
            "call_target_name": mlir.string_attr(TARGET),
            "has_side_effect": mlir.bool_attr(True),
            "api_version": mlir.integer_attr(4, mlir.integer_type(32)),
            "backend_config": sites.describe(site, operand_leaves, results),
        }
        values = [leaf.value for leaf in (*operand_leaves, *results)]
        build.op("stablehlo.custom_call", values, (), attributes)

    def _leaves(self, build: Build, values: list[mlir.Value]) -> list[Leaf]:
        return [leaf for value in values for leaf in leaves(build, value)]
