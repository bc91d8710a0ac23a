// Functions of reals: in f32 or f64 themselves, narrow floats in f32, the harder ones of f32 in f64.
// RUN: %shlo-opt %s --shlo-legalize-chlo | FileCheck %s

// CHECK-LABEL: @simple
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: stablehlo.atan2 %arg0, %[[ONE]] : tensor<4xf32>
// CHECK-NEXT: stablehlo.tan %arg0 : tensor<4xf32>
// CHECK-NEXT: stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
// CHECK-NEXT: return %arg0
func.func @simple(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: @in_f32
// CHECK-NOT: stablehlo.convert
// CHECK-NOT: chlo.
// CHECK: return
func.func @in_f32(%x: tensor<4xf32>) {
  %0 = chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  %4 = chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  %6 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  %7 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %8 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// Each goes to f64 and back once.
// CHECK-LABEL: @in_f64
// CHECK-COUNT-4: stablehlo.convert %{{.*}} : (tensor<4xf64>) -> tensor<4xf32>
// CHECK-NOT: chlo.
// CHECK: return
func.func @in_f64(%x: tensor<4xf32>) {
  %0 = chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: @narrow
// CHECK: %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: stablehlo.convert %arg1 : (tensor<4xf8E5M2>) -> tensor<4xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf8E5M2>
func.func @narrow(%x: tensor<4xbf16>, %y: tensor<4xf8E5M2>) {
  %0 = chlo.erf %x : tensor<4xbf16> -> tensor<4xbf16>
  %1 = chlo.square %y : tensor<4xf8E5M2> -> tensor<4xf8E5M2>
  return
}

// Zeta at negative numbers takes two more sums: a loop over one body.
// CHECK-LABEL: @zeta
// CHECK: stablehlo.while
// CHECK: stablehlo.power
// CHECK: stablehlo.while
// CHECK-NOT: chlo.
// CHECK: return
func.func @zeta(%x: tensor<4xf32>, %q: tensor<4xf32>) {
  %0 = chlo.zeta %x, %q : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.polygamma %x, %q : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// Inside the computation of another op, too.
// CHECK-LABEL: @in_a_region
// CHECK: stablehlo.reduce
// CHECK: stablehlo.atan2 %{{.*}} : tensor<f32>
// CHECK-NOT: chlo.
// CHECK: return
func.func @in_a_region(%x: tensor<4xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %t = chlo.atan %b : tensor<f32> -> tensor<f32>
      %s = stablehlo.add %a, %t : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %0 : tensor<f32>
}
