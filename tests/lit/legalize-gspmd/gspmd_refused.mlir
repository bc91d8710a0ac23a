// RUN: %shlo-opt %s --shlo-legalize-gspmd --split-input-file --verify-diagnostics

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{SPMDFullToShardShape: nothing says how the array is cut}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"}
      : (tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<3xf32> {
    // expected-error @+1 {{makes parts tensor<2xf32> of tensor<4xf32>, not tensor<3xf32>}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"}
      : (tensor<4xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<5xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<3xf32> {
    // expected-error @+1 {{dimension 0 of size 5 is not cut into 2 equal parts}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"}
      : (tensor<5xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is not for the 1 devices of the program}}
  %0 = stablehlo.custom_call @SPMDShardToFullShape(%a) {mhlo.sharding = "{devices=[2]<=[2]}"}
    : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{{maximal device=0} says no parts of an array}}
    %0 = stablehlo.custom_call @SPMDShardToFullShape(%a) {mhlo.sharding = "{maximal device=0}"}
      : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{Sharding: it returns its operand, tensor<2xf32>, not tensor<4xf32>}}
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"}
      : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
