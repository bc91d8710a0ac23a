// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Dot products of many short vectors are sums of rows.

// CHECK-LABEL: func.func @vectors(
// CHECK:         shlo.rows = array<i64: 300, 3>, shlo.stage = "row"
// CHECK-NOT:     dot_general
// CHECK:         %[[PRODUCTS:.*]] = stablehlo.multiply %arg0, %arg1 : tensor<300x3xf32>
// CHECK:         stablehlo.reduce(%[[PRODUCTS]] init: {{.*}}) applies stablehlo.add across dimensions = [1]
func.func @vectors(%x: tensor<300x3xf32>, %y: tensor<300x3xf32>) -> tensor<300xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<300x3xf32>, tensor<300x3xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}

// -----

// Sums of narrow floats are kept in f32, and rounded once; loops go as the larger side has them.

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     dot_general
// CHECK-DAG:     stablehlo.convert {{.*}} : (tensor<300x7x3xbf16>) -> tensor<300x7x3xf32>
// CHECK-DAG:     stablehlo.convert {{.*}} : (tensor<7x3xbf16>) -> tensor<7x3xf32>
// CHECK:         stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [2] : (tensor<300x7x3xf32>, tensor<f32>) -> tensor<300x7xf32>
// CHECK:         stablehlo.convert {{.*}} : (tensor<300x7xf32>) -> tensor<300x7xbf16>
// CHECK:         stablehlo.transpose {{.*}} -> tensor<7x300xbf16>
func.func @narrow(%x: tensor<300x7x3xbf16>, %y: tensor<7x3xbf16>) -> tensor<7x300xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [2] x [1]
    : (tensor<300x7x3xbf16>, tensor<7x3xbf16>) -> tensor<7x300xbf16>
  return %0 : tensor<7x300xbf16>
}

// -----

// Outer products are added where they are made; sums of one product start from zero, too.

// CHECK-LABEL: func.func @outer(
// CHECK:         shlo.stage = "map"
// CHECK-NOT:     dot_general
// CHECK:         %[[PRODUCT:.*]] = stablehlo.multiply {{.*}} : tensor<8x64x32xf32>
// CHECK:         %[[POSITIVE:.*]] = stablehlo.add %[[PRODUCT]], {{.*}}
// CHECK:         stablehlo.add {{.*}}%[[POSITIVE]]
func.func @outer(%x: tensor<8x1x64xf32>, %y: tensor<8x1x32xf32>, %sum: tensor<8x64x32xf32>)
    -> tensor<8x64x32xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<8x1x64xf32>, tensor<8x1x32xf32>) -> tensor<8x64x32xf32>
  %1 = stablehlo.add %sum, %0 : tensor<8x64x32xf32>
  return %1 : tensor<8x64x32xf32>
}

// -----

// Matrices are multiplied as such, and so is what asks for an algorithm, or is of a few numbers.

// CHECK-LABEL: func.func @matrices(
// CHECK-COUNT-3: stablehlo.dot_general
func.func @matrices(%x: tensor<40x3x3xf32>, %y: tensor<300x3xf32>, %z: tensor<3xf32>)
    -> (tensor<40x3x3xf32>, tensor<300xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<40x3x3xf32>, tensor<40x3x3xf32>) -> tensor<40x3x3xf32>
  %1 = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1],
    algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false>
    : (tensor<300x3xf32>, tensor<300x3xf32>) -> tensor<300xf32>
  %2 = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0]
    : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<40x3x3xf32>, tensor<300xf32>, tensor<f32>
}

// -----

// Numbers narrower than 32 bits are read once, by rows, where one side is a vector.

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.convert {{.*}} : (tensor<300x70xbf16>) -> tensor<300x70xf32>
// CHECK:         stablehlo.reduce({{.*}} applies stablehlo.add across dimensions = [1]
// CHECK:         stablehlo.dot_general
func.func @narrow(%x: tensor<1x70xbf16>, %y: tensor<300x70xbf16>, %z: tensor<2x70xbf16>)
    -> (tensor<1x300xbf16>, tensor<2x300xbf16>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1]
    : (tensor<1x70xbf16>, tensor<300x70xbf16>) -> tensor<1x300xbf16>
  %1 = stablehlo.dot_general %z, %y, contracting_dims = [1] x [1]
    : (tensor<2x70xbf16>, tensor<300x70xbf16>) -> tensor<2x300xbf16>
  return %0, %1 : tensor<1x300xbf16>, tensor<2x300xbf16>
}

// -----

// Short sums of two matrices are added up one by one, in the order in which they are read, where
// neighbours of one side stay neighbours.

// CHECK-LABEL: func.func @gate(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.multiply {{.*}} : tensor<4x2x64xf32>
// CHECK:         stablehlo.add {{.*}} : tensor<4x2x64xf32>
// CHECK:         stablehlo.multiply {{.*}} : tensor<4x2x64xf32>
// CHECK:         %[[SUM:.*]] = stablehlo.add {{.*}} : tensor<4x2x64xf32>
// CHECK-NEXT:    return %[[SUM]] : tensor<4x2x64xf32>
func.func @gate(%x: tensor<4x2x64xf32>, %gate: tensor<2x2xf32>) -> tensor<4x2x64xf32> {
  %0 = stablehlo.dot_general %x, %gate, contracting_dims = [1] x [1]
    : (tensor<4x2x64xf32>, tensor<2x2xf32>) -> tensor<4x64x2xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<4x64x2xf32>) -> tensor<4x2x64xf32>
  return %1 : tensor<4x2x64xf32>
}

// -----

// Where nothing turns them, the side whose elements are neighbours goes last, and the sums are turned.

// CHECK-LABEL: func.func @turned(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.multiply {{.*}} : tensor<2x64xf32>
// CHECK:         stablehlo.transpose {{.*}} dims = [1, 0]
func.func @turned(%x: tensor<2x64xf32>, %y: tensor<2x2xf32>) -> tensor<64x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1]
    : (tensor<2x64xf32>, tensor<2x2xf32>) -> tensor<64x2xf32>
  return %0 : tensor<64x2xf32>
}
