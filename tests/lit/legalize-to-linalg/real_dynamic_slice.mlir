// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s

// A stride of 0 divides nothing; it fails the check.
// CHECK-LABEL: @main
// CHECK: %[[STEP:.*]] = arith.maxsi %[[STRIDE:.*]], %c1
// CHECK: arith.ceildivsi %{{.*}}, %[[STEP]]
// CHECK: scf.if
// CHECK-NEXT: func.call @shlo.host.0(%arg1, %arg2, %arg3)
// CHECK: linalg.generic
// CHECK: %[[MOVED:.*]] = arith.muli %{{.*}}, %[[STRIDE]]
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[MOVED]]
// CHECK: tensor.extract %arg0[%[[AT]]]
func.func @main(%a: tensor<9xf32>, %start: tensor<1xi32>, %limit: tensor<1xi32>,
                %stride: tensor<1xi32>) -> tensor<3xf32> {
  %0 = stablehlo.real_dynamic_slice %a, %start, %limit, %stride
    : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Known places are those of slice; the limit alone is checked.
// CHECK-LABEL: @constant
// CHECK: scf.if
// CHECK: tensor.extract_slice %arg0[2] [3] [2]
func.func @constant(%a: tensor<9xf32>, %limit: tensor<1xi32>) -> tensor<3xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %two, %limit, %two
    : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
