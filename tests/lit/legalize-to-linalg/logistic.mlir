// exp is taken of -|x|, which cannot overflow; bf16 is rounded at the end only.
// RUN: %shlo-opt %s --to=linalg | FileCheck %s

// CHECK-LABEL: @real
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[ABS:.*]] = math.absf %[[X]] : f32
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[ABS]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[NEG]] : f32
// CHECK-NOT: math.exp
// CHECK: arith.select %{{.*}}, %[[EXP]], %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[EXP]] : f32
// CHECK: arith.divf
func.func @real(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.logistic %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @narrow
// CHECK: arith.extf
// CHECK-NOT: arith.{{extf|truncf}}
// CHECK: arith.divf {{.*}} : f32
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: linalg.yield
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = stablehlo.logistic %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @complex
// CHECK: complex.neg
// CHECK: complex.exp
// CHECK: complex.add
// CHECK: complex.div
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.logistic %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
