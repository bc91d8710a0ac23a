// RUN: %shlo-opt %s --shlo-partition --split-input-file | FileCheck %s

// What is written twice is computed once: constants, and what is made of the same operands.
// CHECK-LABEL: func.func private @stage.0
// CHECK-NEXT: %[[e:.*]] = stablehlo.exponential
// CHECK-NEXT: %[[one:.*]] = stablehlo.constant
// CHECK-NEXT: stablehlo.add %[[e]], %[[one]]
// CHECK-NEXT: stablehlo.subtract %[[e]], %[[one]]
// CHECK-NEXT: stablehlo.divide
// CHECK-NEXT: return
func.func public @main(%x: tensor<70x50xf32>) -> tensor<70x50xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<70x50xf32>
  %0 = stablehlo.exponential %x : tensor<70x50xf32>
  %1 = stablehlo.add %0, %one : tensor<70x50xf32>
  %again = stablehlo.constant dense<1.0> : tensor<70x50xf32>
  %2 = stablehlo.exponential %x : tensor<70x50xf32>
  %3 = stablehlo.subtract %2, %again : tensor<70x50xf32>
  %4 = stablehlo.divide %1, %3 : tensor<70x50xf32>
  return %4 : tensor<70x50xf32>
}

// -----

// Two draws of random numbers are two.
// CHECK-LABEL: func.func public @random
// CHECK-NEXT: call @stage.0
// CHECK-NEXT: call @stage.1
// CHECK-NEXT: return
func.func public @random(%low: tensor<f32>, %high: tensor<f32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %shape = stablehlo.constant dense<2048> : tensor<1xi64>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2048xf32>
  %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2048xf32>
  return %0, %1 : tensor<2048xf32>, tensor<2048xf32>
}

// -----

// Calls that only compute, and ops of several results.
// CHECK-LABEL: func.func public @several
// CHECK-COUNT-2: call @
// CHECK-NEXT: return
func.func public @several(%x: tensor<8x6xf32>, %k: tensor<64xi32>) -> (tensor<6xf32>, tensor<6x6xf32>, tensor<64xi32>, tensor<64xi32>) {
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<6x6xf32>, tensor<i32>)
  %1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>, tensor<6x6xf32>, tensor<i32>)
  %2:2 = "stablehlo.sort"(%k, %k) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
  %3:2 = "stablehlo.sort"(%k, %k) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
  return %0#1, %1#3, %2#0, %3#1 : tensor<6xf32>, tensor<6x6xf32>, tensor<64xi32>, tensor<64xi32>
}

// -----

// A call that does more than compute is not left out.
// CHECK-LABEL: func.func public @effects
// CHECK-COUNT-2: call @
// CHECK-NEXT: return
func.func public @effects(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @user.prints(%x) {has_side_effect = true, api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @user.prints(%x) {has_side_effect = true, api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
