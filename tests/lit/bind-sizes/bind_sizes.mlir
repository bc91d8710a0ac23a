// RUN: %shlo-opt %s --shlo-bind-sizes --split-input-file --verify-diagnostics | FileCheck %s

// Types, and sizes that are operands, become numbers; the names go.
// CHECK-NOT: shlo.numbers
// CHECK-LABEL: func.func private @stage.0(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) -> tensor<6x8xf32>
// CHECK-SAME: attributes {shlo.rows = array<i64: 6, 8>, shlo.stage = "map"}
// CHECK: %[[shape:.*]] = stablehlo.constant dense<[6, 8]> : tensor<2xi32>
// CHECK: stablehlo.dynamic_broadcast_in_dim %arg1, %[[shape]], dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<6x8xf32>
module attributes {shlo.numbers = array<i64: 2, 4>} {
  func.func private @stage.0(%x: tensor<?x8xf32>, %y: tensor<f32>) -> tensor<?x8xf32>
      attributes {shlo.rows = "s0 + e1; 8", shlo.shapes = ["s0; 8", ""], shlo.stage = "map"} {
    %shape = tensor.empty() {shlo.elements = "s0 + e1; 8"} : tensor<2xi32>
    %0 = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [] {shlo.shapes = ["s0 + e1; 8"]} : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}

// -----

// A loop's regions carry what it carries.
// CHECK-LABEL: func.func @loop(%arg0: tensor<3xf32>, %arg1: tensor<i1>) -> tensor<3xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i1>, tensor<3xf32>
// CHECK-NOT: ?
module attributes {shlo.numbers = array<i64: 3>} {
  func.func @loop(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> attributes {shlo.shapes = ["s0", ""], shlo.symbols = array<i64: 0, 0>, shlo.size_checks = []} {
    %0:2 = stablehlo.while(%q = %p, %y = %x) : tensor<i1>, tensor<?xf32> attributes {shlo.shapes = ["", "s0"]}
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      %no = stablehlo.not %q : tensor<i1>
      %z = stablehlo.tanh %y {shlo.shapes = ["s0"]} : tensor<?xf32>
      stablehlo.return %no, %z : tensor<i1>, tensor<?xf32>
    }
    return %0#1 : tensor<?xf32>
  }
}

// -----

// expected-error @unknown {{the module has no shlo.numbers: they say what sizes are}}
module {
}
