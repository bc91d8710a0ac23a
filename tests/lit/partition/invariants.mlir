// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// What no iteration changes is computed in front of the loop, of an argument that it hands on.
// CHECK-LABEL: func.func public @main
// CHECK-NEXT: %[[turned:.*]] = call @stage.0(%arg0)
// CHECK-NEXT: %[[scaled:.*]] = call @stage.1(%[[turned]], %arg1)
// CHECK-NEXT: stablehlo.while
// CHECK: func.call @stage.3(%[[scaled]], %{{.*}}, %arg1)
// CHECK: func.func private @stage.0
// CHECK: stablehlo.transpose
// CHECK: func.func private @stage.1
// CHECK: stablehlo.exponential
// CHECK: func.func private @stage.3
// CHECK-NOT: stablehlo.exponential
func.func public @main(%a: tensor<64x64xf32>, %s: tensor<f32>, %x: tensor<64x64xf32>, %go: tensor<64x64xi1>) -> tensor<64x64xf32> {
  %0:3 = stablehlo.while(%b = %a, %y = %x, %more = %go) : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xi1>
  cond {
    %1 = stablehlo.slice %more [0:1, 0:1] : (tensor<64x64xi1>) -> tensor<1x1xi1>
    %2 = stablehlo.reshape %1 : (tensor<1x1xi1>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<64x64xf32>
    %4 = stablehlo.exponential %3 : tensor<64x64xf32>
    %5 = stablehlo.add %4, %y : tensor<64x64xf32>
    %6 = stablehlo.compare LT, %5, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
    stablehlo.return %b, %5, %6 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xi1>
  }
  return %0#1 : tensor<64x64xf32>
}

// -----

// It stays where it is larger than what it is made of, where that is little, and where a product
// reads it in place.
// CHECK-LABEL: func.func public @stays
// CHECK-NEXT: stablehlo.while
func.func public @stays(%a: tensor<64xf32>, %s: tensor<4096xf32>, %x: tensor<64x4096xf32>, %go: tensor<i1>) -> (tensor<64x4096xf32>, tensor<64x64xf32>) {
  %0:3 = stablehlo.while(%more = %go, %y = %x, %z = %x) : tensor<i1>, tensor<64x4096xf32>, tensor<64x4096xf32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %1 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<64xf32>) -> tensor<64x4096xf32>
    %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4096xf32>) -> tensor<64x4096xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<64x4096xf32>
    %4 = stablehlo.add %3, %y : tensor<64x4096xf32>
    %5 = stablehlo.exponential %a : tensor<64xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<64xf32>) -> tensor<64x4096xf32>
    %7 = stablehlo.subtract %4, %6 : tensor<64x4096xf32>
    %8 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x4096xf32>) -> tensor<4096x64xf32>
    %9 = stablehlo.dot_general %z, %8, contracting_dims = [1] x [0] : (tensor<64x4096xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
    %10 = stablehlo.dot_general %9, %z, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
    %false = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %false, %7, %10 : tensor<i1>, tensor<64x4096xf32>, tensor<64x4096xf32>
  }
  %1 = stablehlo.slice %0#2 [0:64, 0:64] : (tensor<64x4096xf32>) -> tensor<64x64xf32>
  return %0#1, %1 : tensor<64x4096xf32>, tensor<64x64xf32>
}

// -----

// It leaves all loops that do not change it.
// CHECK-LABEL: func.func public @nested
// CHECK-NEXT: call @stage.0(%arg0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.while
func.func public @nested(%a: tensor<64x64xf32>, %x: tensor<64x64xf32>, %go: tensor<i1>) -> tensor<64x64xf32> {
  %0:2 = stablehlo.while(%more = %go, %y = %x) : tensor<i1>, tensor<64x64xf32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%again = %more, %z = %y) : tensor<i1>, tensor<64x64xf32>
    cond {
      stablehlo.return %again : tensor<i1>
    } do {
      %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %3 = stablehlo.add %2, %z : tensor<64x64xf32>
      %false = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %false, %3 : tensor<i1>, tensor<64x64xf32>
    }
    stablehlo.return %1#0, %1#1 : tensor<i1>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}
