"""Sines of far angles are computed in long double.

Before:
    %0 = math.cos %x : f64
After:
    %0 = func.call @shlo.cos(%x) : (f64) -> f64
    func.func private @shlo.cos(%x: f64) -> f64 {   // in this form for sin and tan, too
      cf.cond_br %near, ^bb1, ^bb2
    ^bb1: math.cos %x
    ^bb2: func.call @cosl of %x in f80, rounded to f64 }

The C library's functions of doubles take the remainder by pi / 2 of large angles to so many bits
that, where a result is next to nothing, its last three are wrong; the ones of long doubles have
bits to spare.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.library.maths.trigonometry import LONG_DOUBLE
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.registry import Pass

FUNCTIONS = ("cos", "sin", "tan")
_TEXT = """
func.func private @shlo.{name}(%x: f64) -> f64 {{
  %far = arith.constant 1.0e+08 : f64
  %size = math.absf %x : f64
  %near = arith.cmpf olt, %size, %far : f64
  cf.cond_br %near, ^near, ^far
^near:
  %0 = math.{name} %x : f64
  return %0 : f64
^far:
  %1 = arith.extf %x : f64 to {wide}
  %2 = func.call @{name}l(%1) : ({wide}) -> {wide}
  %3 = arith.truncf %2 : {wide} to f64
  return %3 : f64
}}
func.func private @{name}l({wide}) -> {wide}
"""


@dataclass(frozen=True)
class ReduceFarAngles(Pass):
    """Have sine, cosine and tangent of doubles keep their bits at any distance from 0."""

    name = "shlo-reduce-far-angles"

    def run(self, op: Operation) -> None:
        wide = LONG_DOUBLE.get(platform.machine())
        if wide is None:
            return
        calls: dict[str, list[Operation]] = {name: [] for name in FUNCTIONS}
        for inner in mlir.walk(op):
            dialect, _, name = inner.name.partition(".")
            if dialect == "math" and name in calls and str(inner.results[0].type) == "f64":
                calls[name].append(inner)
        for name, ops in calls.items():
            for inner in ops:
                _call(inner, name)
            if ops:
                _define(op, name, wide)


def _call(op: Operation, name: str) -> None:
    build = Build(mlir.before(op), op.location)
    results = build.call(f"shlo.{name}", list(op.operands), [op.results[0].type])
    ir.replace(op, list(results))


def _define(module: Operation, name: str, wide: str) -> None:
    block = module.regions[0].blocks[0]
    parsed = mlir.parse_module(_TEXT.format(name=name, wide=wide))  # owns what is cloned
    for func in ir.functions(parsed.operation):
        func.clone(mlir.at_end(block))
