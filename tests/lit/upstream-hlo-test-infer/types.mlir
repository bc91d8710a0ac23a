// RUN: stablehlo-opt %s --hlo-test-infer --split-input-file --allow-unregistered-dialect | FileCheck %s

// Types come from operands and attributes, not from what the op says its results are.
// CHECK-LABEL: func.func @types
// CHECK: "hlo_test_infer.return_types"(%{{.+}}) {types0 = tensor<2x?xi1>} : (tensor<2x3xi1>) -> tensor<2x3xi1>
// CHECK: "hlo_test_infer.return_types"(%{{.+}}) {kept = 1 : i64, types0 = tensor<3x2xf32>} : (tensor<3x2xf32>) -> index
// CHECK: "hlo_test_infer.return_types"(%{{.+}}) {types0 = tensor<2xf32>, types1 = tensor<2xi32>}
func.func @types(%d: tensor<2x?xf32>, %s: tensor<2x3xf32>, %i: tensor<2x3xi32>, %f0: tensor<f32>, %i0: tensor<i32>) {
  %0 = "stablehlo.compare"(%d, %d) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x3xi1>
  %1 = "hlo_test_infer.get_return_types"(%0) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %2 = stablehlo.transpose %s, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = "hlo_test_infer.get_return_types"(%2) {kept = 1} : (tensor<3x2xf32>) -> index
  %4:2 = stablehlo.reduce(%s init: %f0), (%i init: %i0) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %e: tensor<i32>) {
      stablehlo.return %a, %c : tensor<f32>, tensor<i32>
    }
  %5 = "hlo_test_infer.get_return_types"(%4#1) : (tensor<2xi32>) -> index
  return
}

// -----

// An op that infers nothing, and an argument, leave the marker as it is.
// CHECK-LABEL: func.func @nothing
// CHECK: "hlo_test_infer.get_return_types"(%arg0)
// CHECK: "hlo_test_infer.get_return_types"(%{{.+}}) : (tensor<4xi32>)
// CHECK: "hlo_test_infer.get_return_type_components"(%{{.+}}) : (tensor<4xi32>)
func.func @nothing(%x: tensor<4xi32>) {
  %0 = "hlo_test_infer.get_return_types"(%x) : (tensor<4xi32>) -> index
  %1 = stablehlo.iota dim = 0 : tensor<4xi32>
  %2 = "hlo_test_infer.get_return_types"(%1) : (tensor<4xi32>) -> index
  %3 = "hlo_test_infer.get_return_type_components"(%1) : (tensor<4xi32>) -> index
  return
}

// -----

// CHECK-LABEL: func.func @components
// CHECK: "hlo_test_infer.return_type_components"(%{{.+}}) {types0 = tensor<2x?xf32>}
// CHECK: "hlo_test_infer.return_type_components"(%{{.+}}) {types0 = tensor<2x?xindex>}
func.func @components(%d: tensor<2x?xf32>) {
  %0 = stablehlo.add %d, %d : tensor<2x?xf32>
  %1 = "hlo_test_infer.get_return_type_components"(%0) : (tensor<2x?xf32>) -> index
  %2 = stablehlo.convert %d : (tensor<2x?xf32>) -> tensor<2x?xi32>
  %3 = "hlo_test_infer.get_return_type_components"(%2) : (tensor<2x?xi32>) -> index
  return
}
