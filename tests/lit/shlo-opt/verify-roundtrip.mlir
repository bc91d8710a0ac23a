// What is written reads as the same program: with resources, locations and unknown ops.
// RUN: %shlo-opt %s --verify-roundtrip --allow-unregistered-dialect | FileCheck %s
// RUN: %shlo-opt %s --verify-roundtrip --allow-unregistered-dialect --no-implicit-module \
// RUN:   | FileCheck %s
// CHECK: stablehlo.add
module {
  func.func @main() -> tensor<4xi32> {
    %c = stablehlo.constant dense_resource<blob> : tensor<4xi32>
    %0 = stablehlo.add %c, %c : tensor<4xi32> loc("sum"("m.py":3:4))
    "some.op"() {of = "another"} : () -> () loc(unknown)
    %1 = stablehlo.constant dense<0> : tensor<i32>
    // The short form leaves out the place of the op in the body.
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.add %a, %b : tensor<i32> loc("inner")
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    return %0 : tensor<4xi32>
  }
}
{-# dialect_resources: { builtin: { blob: "0x0400000000000000010000000200000003000000" } } #-}
