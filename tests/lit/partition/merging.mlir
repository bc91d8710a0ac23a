// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// Both branches of a sum are computed where it is.

// CHECK-LABEL: func.func @branches(
// CHECK-NEXT:    %[[SUM:.*]] = call @stage.0({{.*}})
// CHECK-NEXT:    return %[[SUM]]
// CHECK:       func.func private @stage.0({{.*}}) -> tensor<8x4xf32> attributes {shlo.stage = "map"}
// CHECK:         stablehlo.concatenate
// CHECK:         stablehlo.tanh
// CHECK:         stablehlo.add
func.func @branches(%x: tensor<8x4xf32>, %y: tensor<8x2xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.concatenate %y, %y, dim = 1 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  %2 = stablehlo.tanh %x : tensor<8x4xf32>
  %3 = stablehlo.tanh %2 : tensor<8x4xf32>
  %4 = stablehlo.add %1, %3 : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// -----

// What is added to a product is computed with its rows.

// CHECK-LABEL: func.func @product(
// CHECK-NEXT:    %[[BOTH:.*]]:2 = call @stage.0(%arg0, %arg1, %arg2)
// CHECK-NEXT:    return %[[BOTH]]#0, %[[BOTH]]#1
// CHECK:         shlo.stage = "contraction"
func.func @product(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.tanh %z : tensor<64x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Two stages that read the same value for a third one, and not each other, pass it once.

// CHECK-LABEL: func.func @siblings(
// CHECK-NEXT:    %[[BOTH:.*]]:2 = call @stage.0(%arg0)
// CHECK-NEXT:    %[[SORTED:.*]]:2 = call @stage.1(%[[BOTH]]#0, %[[BOTH]]#1)
// CHECK-NEXT:    return %[[SORTED]]#0, %[[SORTED]]#1
func.func @siblings(%x: tensor<256x3xf32>) -> (tensor<256x1xf32>, tensor<256x1xf32>) {
  %0 = stablehlo.slice %x [0:256, 0:1] : (tensor<256x3xf32>) -> tensor<256x1xf32>
  %1 = stablehlo.tanh %0 : tensor<256x1xf32>
  %2 = stablehlo.slice %x [0:256, 1:2] : (tensor<256x3xf32>) -> tensor<256x1xf32>
  %3 = stablehlo.logistic %2 : tensor<256x1xf32>
  %4:2 = "stablehlo.sort"(%1, %3) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %5 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<256x1xf32>, tensor<256x1xf32>) -> (tensor<256x1xf32>, tensor<256x1xf32>)
  return %4#0, %4#1 : tensor<256x1xf32>, tensor<256x1xf32>
}

// -----

// So do two whose values are results: the caller reads both.

// CHECK-LABEL: func.func @results(
// CHECK-NEXT:    %[[BOTH:.*]]:2 = call @stage.0(%arg0)
// CHECK-NEXT:    return %[[BOTH]]#0, %[[BOTH]]#1
func.func @results(%arg0: tensor<64x8xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
  %square = stablehlo.multiply %arg0, %arg0 : tensor<64x8xf32>
  %squares = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
  return %sum, %squares : tensor<64xf32>, tensor<64xf32>
}

// -----

// Where they do the same of other parts, one stage is called twice.

// CHECK-LABEL: func.func @equal_siblings(
// CHECK:         %[[A:.*]] = call @stage.0(
// CHECK:         %[[B:.*]] = call @stage.0(
// CHECK:         call @stage.1(%[[A]], %[[B]])
func.func @equal_siblings(%x: tensor<4x300xf32>) -> (tensor<1x300xf32>, tensor<1x300xf32>) {
  %0 = stablehlo.slice %x [0:1, 0:300] : (tensor<4x300xf32>) -> tensor<1x300xf32>
  %1 = stablehlo.tanh %0 : tensor<1x300xf32>
  %2 = stablehlo.slice %x [2:3, 0:300] : (tensor<4x300xf32>) -> tensor<1x300xf32>
  %3 = stablehlo.tanh %2 : tensor<1x300xf32>
  %4:2 = "stablehlo.sort"(%1, %3) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %5 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<1x300xf32>, tensor<1x300xf32>) -> (tensor<1x300xf32>, tensor<1x300xf32>)
  return %4#0, %4#1 : tensor<1x300xf32>, tensor<1x300xf32>
}

// -----

// What is sorted in between has to be stored before.

// CHECK-LABEL: func.func @between(
// CHECK-NEXT:    %[[X:.*]] = call @stage.0(%arg0)
// CHECK-NEXT:    %[[SORTED:.*]] = call @stage.1(%[[X]])
// CHECK-NEXT:    %[[SUM:.*]] = call @stage.2({{.*}})
// CHECK-NEXT:    return %[[SUM]]
func.func @between(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.tanh %x : tensor<1000xf32>
  %1 = "stablehlo.sort"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<1000xf32>) -> tensor<1000xf32>
  %2 = stablehlo.add %0, %1 : tensor<1000xf32>
  return %2 : tensor<1000xf32>
}

// -----

// A stage moves behind what the one that joins it reads, too.

// CHECK-LABEL: func.func @behind(
// CHECK-NEXT:    %[[SORTED:.*]] = call @stage.0(%arg1)
// CHECK-NEXT:    %[[BOTH:.*]] = call @stage.1({{.*}}%[[SORTED]]{{.*}})
// CHECK-NEXT:    return %[[BOTH]]
func.func @behind(%x: tensor<999xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [1], high = [0], interior = [0]
    : (tensor<999xf32>, tensor<f32>) -> tensor<1000xf32>
  %1 = "stablehlo.sort"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<1000xf32>) -> tensor<1000xf32>
  %2 = stablehlo.pad %x, %zero, low = [0], high = [1], interior = [0]
    : (tensor<999xf32>, tensor<f32>) -> tensor<1000xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<1000xf32>
  %4 = stablehlo.add %0, %3 : tensor<1000xf32>
  return %4 : tensor<1000xf32>
}

// -----

// Equal calls are made once, and parts without elements are joined to nothing.

// CHECK-LABEL: func.func @equal(
// CHECK-NEXT:    %[[RESULT:.*]] = call @stage.0(%arg0)
// CHECK-NEXT:    return %[[RESULT]], %[[RESULT]], %arg0
func.func @equal(%x: tensor<4x512xf32>)
    -> (tensor<4x1024xf32>, tensor<4x1024xf32>, tensor<4x512xf32>) {
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x1024xf32>
  %1 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x1024xf32>
  %2 = stablehlo.slice %x [0:0, 0:512] : (tensor<4x512xf32>) -> tensor<0x512xf32>
  %3 = stablehlo.concatenate %x, %2, dim = 0 : (tensor<4x512xf32>, tensor<0x512xf32>) -> tensor<4x512xf32>
  return %0, %1, %3 : tensor<4x1024xf32>, tensor<4x1024xf32>, tensor<4x512xf32>
}

// -----

// A stage of several results passes elements of its own, even where there are as many.

// CHECK-LABEL: func.func @several(
// CHECK-NEXT:    %[[BOTH:.*]]:2 = call @stage.0(%arg0)
// CHECK-NEXT:    %[[EMPTY:.*]] = call @stage.1(%[[BOTH]]#0)
// CHECK-NEXT:    return %[[BOTH]]#1, %[[EMPTY]]
func.func @several(%x: tensor<30x30xi8>) -> (tensor<30x30xi8>, tensor<0x32xi8>) {
  %one = stablehlo.constant dense<1> : tensor<i8>
  %0:2 = stablehlo.reduce(%x init: %one), (%x init: %one) across dimensions = []
    : (tensor<30x30xi8>, tensor<30x30xi8>, tensor<i8>, tensor<i8>) -> (tensor<30x30xi8>, tensor<30x30xi8>)
    reducer(%a: tensor<i8>, %c: tensor<i8>) (%b: tensor<i8>, %d: tensor<i8>) {
    stablehlo.return %a, %d : tensor<i8>, tensor<i8>
  }
  %1 = stablehlo.slice %0#0 [0:0, 0:30] : (tensor<30x30xi8>) -> tensor<0x30xi8>
  %2 = stablehlo.pad %1, %one, low = [0, 1], high = [0, 1], interior = [0, 0]
    : (tensor<0x30xi8>, tensor<i8>) -> tensor<0x32xi8>
  return %0#1, %2 : tensor<30x30xi8>, tensor<0x32xi8>
}

// -----

// Rows that several sums are taken of, for what is made of all of these, are passed once.

// CHECK-LABEL: func.func @similarity(
// CHECK-NEXT:    %[[ONE:.*]] = call @stage.0(%arg0, %arg1)
// CHECK-NEXT:    return %[[ONE]]
// CHECK:         shlo.rows = array<i64: 64, 32>, shlo.stage = "row"
// CHECK-COUNT-3: stablehlo.reduce
func.func @similarity(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<64x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.sqrt %1 : tensor<64xf32>
  %3 = stablehlo.multiply %y, %y : tensor<64x32xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.sqrt %4 : tensor<64xf32>
  %6 = stablehlo.multiply %2, %5 : tensor<64xf32>
  %7 = stablehlo.multiply %x, %y : tensor<64x32xf32>
  %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %9 = stablehlo.divide %8, %6 : tensor<64xf32>
  return %9 : tensor<64xf32>
}

// -----

// As many elements, but in other rows: differences along both dimensions stay apart.
// CHECK-LABEL: func.func public @main
// CHECK: call @stage.0(%arg0) : (tensor<40x40xf32>) -> tensor<40x39xf32>
// CHECK: call @stage.1(%arg0) : (tensor<40x40xf32>) -> tensor<39x40xf32>
func.func public @main(%x: tensor<40x40xf32>) -> (tensor<40x39xf32>, tensor<39x40xf32>) {
  %a = stablehlo.slice %x [0:40, 1:40] : (tensor<40x40xf32>) -> tensor<40x39xf32>
  %b = stablehlo.slice %x [0:40, 0:39] : (tensor<40x40xf32>) -> tensor<40x39xf32>
  %c = stablehlo.slice %x [1:40, 0:40] : (tensor<40x40xf32>) -> tensor<39x40xf32>
  %d = stablehlo.slice %x [0:39, 0:40] : (tensor<40x40xf32>) -> tensor<39x40xf32>
  %0 = stablehlo.subtract %a, %b : tensor<40x39xf32>
  %1 = stablehlo.multiply %c, %d : tensor<39x40xf32>
  return %0, %1 : tensor<40x39xf32>, tensor<39x40xf32>
}

// -----

// Rows that are turned round are read where they lie.

// CHECK-LABEL: func.func @rotation(
// CHECK-NEXT:    %[[SUM:.*]] = call @stage.0(%arg0)
// CHECK-NEXT:    return %[[SUM]]
// CHECK:         shlo.stage = "map"
// CHECK:         stablehlo.concatenate
// CHECK:         stablehlo.transpose
// CHECK:         stablehlo.add
func.func @rotation(%x: tensor<8x8x32xf32>) -> tensor<8x8x32xf32> {
  %0 = stablehlo.slice %x [2:8, 0:8, 0:32] : (tensor<8x8x32xf32>) -> tensor<6x8x32xf32>
  %1 = stablehlo.slice %x [0:2, 0:8, 0:32] : (tensor<8x8x32xf32>) -> tensor<2x8x32xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0
    : (tensor<6x8x32xf32>, tensor<2x8x32xf32>) -> tensor<8x8x32xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<8x8x32xf32>) -> tensor<8x8x32xf32>
  %4 = stablehlo.add %3, %x : tensor<8x8x32xf32>
  return %4 : tensor<8x8x32xf32>
}

// -----

// Other ops get them in order.

// CHECK-LABEL: func.func @sorted_rotation(
// CHECK-NEXT:    %[[JOINED:.*]] = call @stage.0(%arg0)
// CHECK-NEXT:    %[[SORTED:.*]] = call @stage.1(%[[JOINED]])
// CHECK-NEXT:    return %[[SORTED]]
func.func @sorted_rotation(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.slice %x [2:8, 0:32] : (tensor<8x32xf32>) -> tensor<6x32xf32>
  %1 = stablehlo.slice %x [0:2, 0:32] : (tensor<8x32xf32>) -> tensor<2x32xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0
    : (tensor<6x32xf32>, tensor<2x32xf32>) -> tensor<8x32xf32>
  %3 = "stablehlo.sort"(%2) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}
