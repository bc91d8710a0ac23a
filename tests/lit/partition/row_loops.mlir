// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Rows of a recurrence do not depend on each other: threads run it for a block of them each.
// CHECK-LABEL: func.func public @main
// CHECK: %[[rows:.*]]:2 = call @stage.0() : () -> (tensor<i32>, tensor<i32>)
// CHECK-NEXT: %[[first:.*]] = call @rows.0(%[[rows]]#0, %arg0, %arg1) : {{.*}} -> tensor<8x128xf32>
// CHECK-NEXT: %[[second:.*]] = call @rows.0(%[[rows]]#1, %arg0, %arg1) : {{.*}} -> tensor<8x128xf32>
// CHECK-NEXT: %[[all:.*]] = call @stage.1(%[[first]], %[[second]]) : {{.*}} -> tensor<16x128xf32>
// CHECK-NEXT: return %[[all]]
// CHECK: func.func private @rows.0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<16x128xf32>, %{{.*}}: tensor<128x128xf32>) -> tensor<8x128xf32> attributes {shlo.block}
// CHECK: stablehlo.while(%[[i:.*]] = %{{.*}}, %[[h:.*]] = %{{.*}}) : tensor<i32>, tensor<8x128xf32> attributes {shlo.rounds = 256 : i64}
// Nothing is compared, and the number that was counted stays as it is.
// CHECK-NEXT: cond {
// CHECK-NEXT: %[[true:.*]] = stablehlo.constant dense<true>
// CHECK-NEXT: stablehlo.return %[[true]]
// CHECK: %[[next:.*]] = func.call @stage.{{.*}}(%[[h]], %{{.*}})
// CHECK-NEXT: stablehlo.return %[[i]], %[[next]]
// CHECK: stablehlo.dot_general {{.*}} : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
func.func public @main(%x: tensor<16x128xf32>, %w: tensor<128x128xf32>) -> tensor<16x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<16x128xf32>
  cond {
    %n = stablehlo.constant dense<256> : tensor<i32>
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
      : (tensor<16x128xf32>, tensor<128x128xf32>) -> tensor<16x128xf32>
    %2 = stablehlo.tanh %1 : tensor<16x128xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<16x128xf32>
  }
  return %0#1 : tensor<16x128xf32>
}

// -----

// Where a row needs others, the loop stays whole.
// CHECK-LABEL: func.func public @across
// CHECK-NOT: @rows
// CHECK: stablehlo.while
// CHECK-NOT: @rows
func.func public @across(%x: tensor<16x128xf32>, %w: tensor<128x128xf32>) -> tensor<16x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<16x128xf32>
  cond {
    %n = stablehlo.constant dense<256> : tensor<i32>
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
      : (tensor<16x128xf32>, tensor<128x128xf32>) -> tensor<16x128xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<16x128xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<16x128xf32>
  }
  return %0#1 : tensor<16x128xf32>
}
