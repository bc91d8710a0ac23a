// One branch runs: both stay in their regions and use values from outside.
// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: arith.select
// CHECK: %[[PRED:.*]] = tensor.extract %arg0[] : tensor<i1>
// CHECK-NEXT: %[[R:.*]]:2 = scf.if %[[PRED]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: scf.yield %{{.*}}, %arg1
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg1, %arg1
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %1, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
