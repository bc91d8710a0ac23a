// A grid of processes: a row of functions per replica, in it one per partition.
// RUN: %shlo-run %s | FileCheck %s
// RUN: %shlo-run %s --backend=reference | FileCheck %s

// Processes that do not communicate.
// CHECK: ok @apart
func.func @apart() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %0:3 = "interpreter.run_parallel"(%a, %b) {
    programs = [[@double, @negate]]
  } : (tensor<2xi64>, tensor<f32>) -> (tensor<2xi64>, tensor<f32>, tensor<f32>)
  check.expect_eq_const %0#0, dense<[2, 4]> : tensor<2xi64>
  check.expect_eq_const %0#1, dense<-3.0> : tensor<f32>
  check.expect_eq_const %0#2, dense<3.0> : tensor<f32>
  func.return
}
func.func @double(%a: tensor<2xi64>) -> tensor<2xi64> {
  %0 = stablehlo.add %a, %a : tensor<2xi64>
  return %0 : tensor<2xi64>
}
func.func @negate(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.negate %a : tensor<f32>
  return %0, %a : tensor<f32>, tensor<f32>
}

// Each process knows which one it is, in the functions that it calls, too.
// CHECK-NEXT: ok @ids
func.func @ids() {
  %0:6 = "interpreter.run_parallel"() {
    programs = [[@id, @id, @id], [@id, @id, @id]]
  } : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %0#0, dense<0> : tensor<ui32>
  check.expect_eq_const %0#1, dense<1> : tensor<ui32>
  check.expect_eq_const %0#2, dense<2> : tensor<ui32>
  check.expect_eq_const %0#3, dense<10> : tensor<ui32>
  check.expect_eq_const %0#5, dense<12> : tensor<ui32>
  // This process is the first one of a grid of its own.
  %1 = func.call @id() : () -> tensor<ui32>
  func.return
}
func.func @id() -> tensor<ui32> {
  %0 = stablehlo.constant dense<10> : tensor<ui32>
  %1 = func.call @replica() : () -> tensor<ui32>
  %2 = stablehlo.multiply %0, %1 : tensor<ui32>
  %3 = stablehlo.partition_id : tensor<ui32>
  %4 = stablehlo.add %2, %3 : tensor<ui32>
  return %4 : tensor<ui32>
}
func.func private @replica() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// CHECK-NEXT: ok @collective
func.func @collective() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<[10, 20]> : tensor<2xi64>
  %0:2 = "interpreter.run_parallel"(%a, %b) {
    programs = [[@sum], [@sum]]
  } : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %0#0, dense<[11, 22]> : tensor<2xi64>
  check.expect_eq_const %0#1, dense<[11, 22]> : tensor<2xi64>
  func.return
}
func.func @sum(%a: tensor<2xi64>) -> tensor<2xi64> {
  %0 = "stablehlo.all_reduce"(%a) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %1 = stablehlo.add %x, %y : tensor<i64>
      stablehlo.return %1 : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// The functions of the infeed are called in order, whichever process reads.
// CHECK-NEXT: ok @infeed
func.func @infeed() {
  %0:2 = "interpreter.run_parallel"() {
    infeed = [@first, @second],
    programs = [[@read]]
  } : () -> (tensor<2xi64>, tensor<f32>)
  check.expect_eq_const %0#0, dense<[1, 2]> : tensor<2xi64>
  check.expect_eq_const %0#1, dense<3.0> : tensor<f32>
  func.return
}
func.func @first() -> tensor<2xi64> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  return %0 : tensor<2xi64>
}
func.func @second() -> tensor<f32> {
  %0 = stablehlo.constant dense<3.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @read() -> (tensor<2xi64>, tensor<f32>) {
  %token = stablehlo.after_all : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  %1:2 = "stablehlo.infeed"(%0#1) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return %0#0, %1#0 : tensor<2xi64>, tensor<f32>
}

// CHECK-NEXT: 4 functions: 4 passed, 0 failed
