// Custom calls that stand for ops become those ops; others stay.
// RUN: %shlo-opt %s --shlo-expand-custom-calls | FileCheck %s
// RUN: %shlo-opt %s --to=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: shlo.host_calls = []

// CHECK-LABEL: @largest
// CHECK: chlo.top_k(%arg0, k = 3) : tensor<2x9xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
// CHECK-NEXT: return
func.func @largest(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {
    mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64
  } : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// CHECK-LABEL: @smallest
// CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<9xi32>
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %[[I]]) <{dimension = 0 : i64, is_stable = true}>
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice %[[S]]#0 [0:3]
// CHECK: stablehlo.slice %[[S]]#1 [0:3]
func.func @smallest(%x: tensor<9xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = false}}
    : (tensor<9xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}

// CHECK-LABEL: @renamed
// CHECK: chlo.erf %arg0 : tensor<4xf32>
// CHECK: stablehlo.tan %{{.*}} : tensor<4xf32>
func.func @renamed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @mhlo.tan(%0) {mhlo.attributes = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The forms that JAX exports for symbolic sizes, when these have become numbers.
// CHECK-LABEL: @once_dynamic
// CHECK: chlo.top_k(%arg0, k = 2)
// CHECK: stablehlo.rng_bit_generator %arg1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
// CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{
// CHECK-SAME: base_dilations = array<i64: 1>, padding = dense<{{\[\[}}3, 0]]> : tensor<1x2xi64>,
// CHECK-SAME: window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>
// CHECK: func.call @sum(
func.func @once_dynamic(%x: tensor<4xf32>, %state: tensor<2xui64>)
    -> (tensor<2xf32>, tensor<3xui32>, tensor<4xf32>) {
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32}
    : (tensor<4xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  %shape = stablehlo.constant dense<3> : tensor<1xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {
    api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm DEFAULT>
  } : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<3xui32>)
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %window = stablehlo.constant dense<4> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %padding = stablehlo.constant dense<[[3, 0]]> : tensor<1x2xi32>
  %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(
      %x, %zero, %window, %one, %one, %one, %padding) {
    api_version = 2 : i32, called_computations = [@sum]
  } : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>,
       tensor<1x2xi32>) -> tensor<4xf32>
  return %0#0, %1#1, %2 : tensor<2xf32>, tensor<3xui32>, tensor<4xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// What is still dynamic stays.
// CHECK-LABEL: @dynamic
// CHECK: stablehlo.custom_call @stablehlo.dynamic_top_k
func.func private @dynamic(%x: tensor<?xf32>, %k: tensor<i32>) -> tensor<?xf32> {
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k)
    : (tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
  return %0#0 : tensor<?xf32>
}

// What only says where a value lives hands it on.
// CHECK-LABEL: func.func @annotated(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @annotated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Assertions of what holds go.
// CHECK-LABEL: func.func @asserted(
// CHECK-NOT: custom_call
// CHECK: return
func.func @asserted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<4> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%true, %c) {error_message = "not {0}", has_side_effect = true}
    : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<4xf32>
}
