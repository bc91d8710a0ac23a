// A host sees plain tensors: the integers of quantized ones, the parts of tuples, no tokens.

// RUN: %shlo-opt %s --shlo-instrument=operands=true | FileCheck %s

// CHECK: (%[[X:.*]]: tensor<4xf32>)
// CHECK: stablehlo.create_token
// CHECK-NOT: @shlo.probe
// CHECK: %[[Q:.*]] = stablehlo.uniform_quantize
// CHECK-NEXT: %[[BITS:.*]] = stablehlo.bitcast_convert %[[Q]] : {{.*}} -> tensor<4xi8>
// CHECK-NEXT: @shlo.probe(%[[X]], %[[BITS]])
// CHECK-SAME: types = ["tensor<4xf32>", "tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>"]
// CHECK: %[[T:.*]] = stablehlo.tuple
// CHECK: %[[PART:.*]] = stablehlo.get_tuple_element %[[T]][0]
// CHECK: %[[OTHER:.*]] = stablehlo.get_tuple_element %[[T]][2]
// CHECK-NEXT: %[[PARTBITS:.*]] = stablehlo.bitcast_convert %[[OTHER]]
// CHECK-NEXT: @shlo.probe(%[[X]], %{{.*}}, %[[PART]], %[[PARTBITS]])
// CHECK-SAME: operands = 2 : i64

// The program computes what it did.
// RUN: %shlo-opt %s --shlo-instrument=operands=true -o %t.mlir
// RUN: %shlo-run %t.mlir --backend=reference --input="[1,2,3,4]" | FileCheck %s --check-prefix=SAME
// SAME: result0: tensor<4xf32>
// SAME-NEXT: [1. 2. 3. 4.]

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %q = stablehlo.uniform_quantize %x
    : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %t = stablehlo.tuple %x, %token, %q
    : tuple<tensor<4xf32>, !stablehlo.token, tensor<4x!quant.uniform<i8:f32, 0.5:3>>>
  %p = stablehlo.get_tuple_element %t[2]
    : (tuple<tensor<4xf32>, !stablehlo.token, tensor<4x!quant.uniform<i8:f32, 0.5:3>>>)
    -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %d = stablehlo.uniform_dequantize %p
    : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
