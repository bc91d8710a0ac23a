// RUN: %shlo-opt %s --shlo-lower-stages --split-input-file | FileCheck %s

// Values are vectors of 4, 8, 16, ... lanes; what moves elements picks lanes, and a result of odd
// length is stored in two parts. The kernel is an entry point: its job has -1 chunks.
// CHECK-LABEL: func.func private @vectors
// CHECK-SAME: \22vectors\22, 0, -1, null
// CHECK: llvm.func internal @vectors(%[[frame:.*]]: !llvm.ptr, %[[context:.*]]: !llvm.ptr)
// CHECK: %[[x:.*]] = llvm.shufflevector {{.*}} [0, 1, 3, 3] : vector<2xf32>
// CHECK: %[[y:.*]] = llvm.fadd %[[x]], %[[x]] : vector<4xf32>
// CHECK: llvm.shufflevector %[[y]], %[[y]] [2, 1, 0
// CHECK: llvm.store {{.*}} : vector<2xf32>
// CHECK: llvm.store {{.*}} : vector<2xf32>
func.func private @vectors(%x: tensor<3xf32>) -> tensor<3xf32> attributes {shlo.stage = "tiny"} {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<3xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// A loop carries scalars in registers, and asks in each iteration whether the call goes on.
// CHECK-LABEL: func.func private @loop
// CHECK: llvm.func internal @loop
// CHECK: llvm.br ^[[head:.*]](%{{.*}} : f32)
// CHECK: ^[[head]](%[[x:.*]]: f32)
// CHECK: llvm.load volatile
// CHECK: llvm.cond_br {{.*}} weights([1, 1000])
// CHECK: llvm.fcmp "olt" %[[x]]
// CHECK: %[[y:.*]] = llvm.fadd %[[x]], %[[x]] : f32
// CHECK: llvm.br ^[[head]](%[[y]] : f32)
func.func private @loop(%x: tensor<f32>) -> tensor<f32> attributes {shlo.stage = "tiny"} {
  %limit = stablehlo.constant dense<100.0> : tensor<f32>
  %0 = stablehlo.while(%i = %x) : tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %i : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
  return %0 : tensor<f32>
}

// -----

// A row at a computed place of a large tensor is read from where it lies.
// CHECK-LABEL: func.func private @row
// CHECK: llvm.func internal @row
// CHECK: llvm.intr.smax
// CHECK: llvm.intr.smin
// CHECK: %[[a:.*]] = llvm.getelementptr {{.*}} f32
// CHECK: %[[r:.*]] = llvm.load %[[a]] {{.*}} -> vector<4xf32>
// CHECK: llvm.fneg %[[r]]
func.func private @row(%x: tensor<100x4xf32>, %i: tensor<i32>) -> tensor<1x4xf32> attributes {shlo.stage = "tiny"} {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 4] : (tensor<100x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %1 = stablehlo.negate %0 : tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// Three sines that need none of each other are one call; the cosine of their sum is another.
// CHECK-LABEL: func.func private @calls
// CHECK: llvm.func internal @calls
// CHECK: llvm.call @shlo_rt_sin_f64x4
// CHECK-NOT: llvm.call @shlo_rt_sin
// CHECK: llvm.call @shlo_rt_cos_f64x4
// CHECK-NOT: llvm.call @shlo_rt_cos
// CHECK: llvm.return
func.func private @calls(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> attributes {shlo.stage = "tiny"} {
  %0 = stablehlo.sine %x : tensor<f64>
  %1 = stablehlo.add %x, %y : tensor<f64>
  %2 = stablehlo.sine %1 : tensor<f64>
  %3 = stablehlo.add %0, %2 : tensor<f64>
  %4 = stablehlo.sine %y : tensor<f64>
  %5 = stablehlo.add %3, %4 : tensor<f64>
  %6 = stablehlo.cosine %5 : tensor<f64>
  return %6 : tensor<f64>
}
