// Which ops get probes: by a pattern found in the op's name, a name of its location, or its place;
// by floats.

// RUN: %shlo-opt %s --pass-pipeline='builtin.module(shlo-instrument{ops="loss|constant$"})' \
// RUN:   | FileCheck %s --check-prefix=OPS
// OPS: stablehlo.constant
// OPS-NEXT: @shlo.probe{{.*}}op = "stablehlo.constant"{{.*}}site = 0
// OPS: stablehlo.multiply
// OPS-NEXT: @shlo.probe{{.*}}name = "jit(f)/loss"{{.*}}op = "stablehlo.multiply"{{.*}}site = 1
// OPS-NOT: @shlo.probe

// RUN: %shlo-opt %s --shlo-instrument='ops="model.py:7:"' | FileCheck %s --check-prefix=PLACE
// PLACE-NOT: @shlo.probe
// PLACE: stablehlo.convert
// PLACE-NEXT: @shlo.probe
// PLACE-NOT: @shlo.probe

// RUN: %shlo-opt %s --shlo-instrument=floats=true | FileCheck %s --check-prefix=FLOATS
// FLOATS: stablehlo.multiply
// FLOATS-NEXT: @shlo.probe
// FLOATS-NOT: @shlo.probe
// FLOATS: stablehlo.log
// FLOATS-NEXT: @shlo.probe{{.*}}types = ["tensor<?xf32>"]
// FLOATS-NOT: @shlo.probe

// RUN: not %shlo-opt %s --shlo-instrument=ops="x[" 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: 'x[' is no regular expression: unterminated character set

func.func @main(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<4xi32>, tensor<?xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4xf32> loc("jit(f)/loss"("model.py":5:1))
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xi32> loc("model.py":7:2)
  %2 = stablehlo.log %y : tensor<?xf32>
  return %1, %2 : tensor<4xi32>, tensor<?xf32>
}
