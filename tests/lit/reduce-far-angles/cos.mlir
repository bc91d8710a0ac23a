// Doubles go through a function that computes far angles in long double; other types do not.
// RUN: %shlo-opt %s --shlo-reduce-far-angles | FileCheck %s

// CHECK-LABEL: @main
// CHECK: call @shlo.cos(%arg0) : (f64) -> f64
// CHECK: call @shlo.cos(%arg1) : (f64) -> f64
// CHECK: math.cos %arg2 : f32
// CHECK: func.func private @shlo.cos(%[[X:.*]]: f64) -> f64
// CHECK: cf.cond_br
// CHECK: math.cos %[[X]] : f64
// CHECK: call @cosl(
// CHECK-NOT: func.func private @shlo.
func.func @main(%x: f64, %y: f64, %z: f32) -> (f64, f64, f32) {
  %0 = math.cos %x : f64
  %1 = math.cos %y : f64
  %2 = math.cos %z : f32
  return %0, %1, %2 : f64, f64, f32
}
