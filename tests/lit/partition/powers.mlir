// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Exponents that constants say: x ** 2 is a product, x ** (2 - 1) is x, x ** 0 is 1.

// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     power
// CHECK:         %[[SQUARE:.*]] = stablehlo.multiply %arg0, %arg0 : tensor<100xf32>
// CHECK:         stablehlo.add %[[SQUARE]], %arg0 : tensor<100xf32>
func.func @whole(%x: tensor<100xf32>) -> tensor<100xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %exponent = stablehlo.subtract %two, %one : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %1 = stablehlo.power %x, %0 : tensor<100xf32>
  %2 = stablehlo.broadcast_in_dim %exponent, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %3 = stablehlo.power %x, %2 : tensor<100xf32>
  %4 = stablehlo.add %1, %3 : tensor<100xf32>
  return %4 : tensor<100xf32>
}

// -----

// Half ones are roots, of 0.0 for -0.0, and what pow says of -inf.

// CHECK-LABEL: func.func @half(
// CHECK-NOT:     power
// CHECK:         %[[POSITIVE:.*]] = stablehlo.add %arg0,
// CHECK-NEXT:    %[[ROOT:.*]] = stablehlo.rsqrt %[[POSITIVE]]
// CHECK:         %[[IS:.*]] = stablehlo.compare EQ, %arg0,
// CHECK:         stablehlo.select %[[IS]], {{.*}}, %[[ROOT]]
func.func @half(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = stablehlo.constant dense<-0.5> : tensor<100xf32>
  %1 = stablehlo.power %x, %0 : tensor<100xf32>
  return %1 : tensor<100xf32>
}

// -----

// Others, and those of complex numbers, stay.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: stablehlo.power
func.func @others(%x: tensor<100xf32>, %y: tensor<100xf32>, %z: tensor<100xcomplex<f32>>)
    -> (tensor<100xf32>, tensor<100xf32>, tensor<100xcomplex<f32>>) {
  %0 = stablehlo.constant dense<0.2> : tensor<100xf32>
  %1 = stablehlo.power %x, %0 : tensor<100xf32>
  %2 = stablehlo.power %x, %y : tensor<100xf32>
  %3 = stablehlo.constant dense<(2.0, 0.0)> : tensor<100xcomplex<f32>>
  %4 = stablehlo.power %z, %3 : tensor<100xcomplex<f32>>
  return %1, %2, %4 : tensor<100xf32>, tensor<100xf32>, tensor<100xcomplex<f32>>
}

// -----

// As exporters of PyTorch write a square: a converted constant of another dialect. Cubes of narrow
// floats are rounded once.

// CHECK-LABEL: func.func @converted(
// CHECK-NOT:     power
// CHECK:         stablehlo.multiply %arg0, %arg0 : tensor<100xf32>
// CHECK:         %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<100xbf16>) -> tensor<100xf32>
// CHECK-NEXT:    %[[SQUARE:.*]] = stablehlo.multiply %[[WIDE]], %[[WIDE]] : tensor<100xf32>
// CHECK-NEXT:    stablehlo.multiply %[[SQUARE]], %[[WIDE]] : tensor<100xf32>
func.func @converted(%x: tensor<100xf32>, %y: tensor<100xbf16>) -> (tensor<100xf32>, tensor<100xbf16>) {
  %two = arith.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.convert %two : (tensor<1xi64>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<100xf32>
  %3 = stablehlo.power %x, %2 : tensor<100xf32>
  %three = stablehlo.constant dense<3.0> : tensor<100xbf16>
  %4 = stablehlo.power %y, %three : tensor<100xbf16>
  return %3, %4 : tensor<100xf32>, tensor<100xbf16>
}

// -----

// Fourth powers have twice the digits, which f64 has nowhere.

// CHECK-LABEL: func.func @fourth(
// CHECK:         %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<100xf32>) -> tensor<100xf64>
// CHECK-NEXT:    %[[SQUARE:.*]] = stablehlo.multiply %[[WIDE]], %[[WIDE]] : tensor<100xf64>
// CHECK-NEXT:    %[[FOURTH:.*]] = stablehlo.multiply %[[SQUARE]], %[[SQUARE]] : tensor<100xf64>
// CHECK-NEXT:    stablehlo.convert %[[FOURTH]] : (tensor<100xf64>) -> tensor<100xf32>
// CHECK:         stablehlo.power %arg0, {{.*}} : tensor<100xf64>
func.func @fourth(%x: tensor<100xf32>, %y: tensor<100xf64>) -> (tensor<100xf32>, tensor<100xf64>) {
  %0 = stablehlo.constant dense<4.0> : tensor<100xf32>
  %1 = stablehlo.power %x, %0 : tensor<100xf32>
  %2 = stablehlo.constant dense<4.0> : tensor<100xf64>
  %3 = stablehlo.power %y, %2 : tensor<100xf64>
  return %1, %3 : tensor<100xf32>, tensor<100xf64>
}
