// RUN: %shlo-opt %s --shlo-legalize-to-linalg | FileCheck %s
// RUN: %shlo-opt %s --to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: not %shlo-run %s --function=fails 2>&1 | FileCheck %s --check-prefix=FAILS

// LLVM: llvm.func @shlo.entry.computation(

// Layouts and aliases do not matter; the attributes go to the function.
// CHECK-LABEL: @factorize(
// CHECK-SAME: %[[A:.*]]: tensor<4x4xf32>)
// CHECK: %[[L:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK: %[[I:.*]] = tensor.empty() : tensor<i32>
// CHECK: %[[R:.*]]:2 = call @[[POTRF:shlo.host.[0-9]+]](%[[L]], %[[I]], %[[A]])
// CHECK: return %[[R]]#0, %[[R]]#1
// LLVM-LABEL: llvm.func {{.*}}@shlo.host.0(
// LLVM: llvm.call @scipy_LAPACKE_spotrf
func.func @factorize(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
    mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<
      output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<i32>
}

// What only says where values live is gone.
// CHECK-LABEL: @annotated(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @annotated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Tokens are no values, tuples are their members; effects are calls in their order.
// CHECK-LABEL: @effects(
// CHECK: call @[[SAY:shlo.host.[0-9]+]](%{{.*}}) :
// CHECK: call @[[PAIR:shlo.host.[0-9]+]](
// CHECK: call @[[SAY]](
func.func @effects(%x: tensor<2xi8>) -> tensor<i8> {
  %t = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.custom_call @say(%x, %t) {has_side_effect = true}
    : (tensor<2xi8>, !stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.custom_call @pair(%x, %1)
    : (tensor<2xi8>, !stablehlo.token) -> tuple<tensor<i8>, tensor<i8>>
  %3 = stablehlo.custom_call @say(%x, %1) {has_side_effect = true}
    : (tensor<2xi8>, !stablehlo.token) -> !stablehlo.token
  %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<i8>, tensor<i8>>) -> tensor<i8>
  return %4 : tensor<i8>
}

// What an op says goes to its function; the computations that it names can be called from there.
// CHECK-LABEL: func.func @computes(
// CHECK: call @[[APPLY:shlo.host.[0-9]+]](
// CHECK: func.func public @computation(
func.func @computes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @apply(%x) {
    api_version = 2 : i32, called_computations = [@computation]
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @computation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// FAILS: custom_call.mlir:{{[0-9]+}}:3: warning: custom_call target 'nobody' is not registered
// FAILS: custom_call.mlir:{{[0-9]+}}:3: error: custom_call target 'nobody' is not registered
func.func @fails() {
  stablehlo.custom_call @nobody() {has_side_effect = true} : () -> ()
  return
}

// CHECK: func.func private @[[POTRF]]
// CHECK-SAME: config = {uplo = 76 : ui8}
// CHECK-SAME: kind = "host"
// CHECK-SAME: target = "lapack_spotrf_ffi"
// CHECK: func.func private @[[APPLY]]
// CHECK-SAME: called = [@computation]
// CHECK-SAME: op = {api_version = 2 : i32
// CHECK-SAME: types = (tensor<4xf32>) -> tensor<4xf32>
