// Values are equal element by element; of floats, bit by bit. Custom and generic form are one op.
// RUN: %shlo-run %s | FileCheck %s
// RUN: %shlo-run %s --backend=reference | FileCheck %s

// CHECK: ok @integers
func.func @integers() {
  %a = stablehlo.constant dense<[[1, -2], [3, -4]]> : tensor<2x2xi32>
  %b = stablehlo.negate %a : tensor<2x2xi32>
  %c = stablehlo.negate %b : tensor<2x2xi32>
  check.expect_eq %a, %c : tensor<2x2xi32>
  "check.expect_eq"(%a, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
  func.return
}

// CHECK-NEXT: ok @nan_is_the_same_nan
func.func @nan_is_the_same_nan() {
  %a = stablehlo.constant dense<[0x7FC00000, 0x7F800000, 0x80000000]> : tensor<3xf32>
  %b = stablehlo.reverse %a, dims = [0] : tensor<3xf32>
  %c = stablehlo.reverse %b, dims = [0] : tensor<3xf32>
  check.expect_eq %a, %c : tensor<3xf32>
  func.return
}

// CHECK-NEXT: ok @complex_numbers
func.func @complex_numbers() {
  %a = stablehlo.constant dense<[(1.0, 2.0), (0x7FC00000, -0.0)]> : tensor<2xcomplex<f32>>
  %b = stablehlo.reshape %a : (tensor<2xcomplex<f32>>) -> tensor<1x2xcomplex<f32>>
  %c = stablehlo.reshape %b : (tensor<1x2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq %a, %c : tensor<2xcomplex<f32>>
  func.return
}

// CHECK-NEXT: ok @empty
func.func @empty() {
  %a = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_eq %a, %a : tensor<0x3xf32>
  func.return
}

// CHECK-NEXT: ok @quantized
func.func @quantized() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  check.expect_eq %q, %q : tensor<2x!quant.uniform<i8:f32, 0.5>>
  "check.expect_eq_const"(%q) {value = dense<[2, 4]> : tensor<2xi8>}
    : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> ()
  func.return
}
// CHECK-NEXT: 5 functions: 5 passed, 0 failed
