// What the processor computes exactly is no call of libm; other functions are left for libm.
// RUN: %shlo-opt %s --shlo-lower-intrinsics | FileCheck %s

// CHECK-LABEL: @floats
// CHECK: llvm.intr.copysign(%arg0, %arg0) : (f32, f32) -> f32
// CHECK-NEXT: llvm.intr.fabs(%arg0)
// CHECK-NEXT: llvm.intr.roundeven(%arg0)
// CHECK-NEXT: llvm.intr.round(%arg0)
// CHECK-NEXT: llvm.intr.sqrt(%arg0)
// CHECK-NEXT: math.log1p %arg0
func.func @floats(%x: f32) {
  %0 = math.copysign %x, %x : f32
  %1 = math.absf %x : f32
  %2 = math.roundeven %x : f32
  %3 = math.round %x : f32
  %4 = math.sqrt %x : f32
  %5 = math.log1p %x : f32
  return
}

// Zero has as many leading zeros as bits: it is no poison.
// CHECK-LABEL: @bits
// CHECK: "llvm.intr.ctlz"(%arg0) <{is_zero_poison = false}>
// CHECK-NEXT: llvm.intr.ctpop(%arg0)
func.func @bits(%x: i8) {
  %0 = math.ctlz %x : i8
  %1 = math.ctpop %x : i8
  return
}

// CHECK-LABEL: @reciprocal_root
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK-DAG: %[[ROOT:.*]] = llvm.intr.sqrt(%arg0)
// CHECK: arith.divf %[[ONE]], %[[ROOT]] : f64
func.func @reciprocal_root(%x: f64) -> f64 {
  %0 = math.rsqrt %x : f64
  return %0 : f64
}
