// RUN: %shlo-opt %s --shlo-lower-manual-computations --split-input-file --verify-diagnostics

module attributes {shlo.meshes = {mesh = "<[\22x\22=2]>"}} {
  func.func @main(%a: tensor<5xf32>) -> tensor<5xf32> {
    // expected-error @+1 {{dimension 0 of size 5 is not cut into 2 equal parts}}
    %0 = stablehlo.custom_call @shlo.manual_computation(%a) {
      called_computations = [@body], shlo.in_shardings = "[<@mesh, [{\22x\22}]>]",
      shlo.out_shardings = "[<@mesh, [{}]>]", shlo.manual_axes = "{\22x\22}"}
      : (tensor<5xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @body(%a: tensor<5xf32>) -> tensor<5xf32> {
    return %a : tensor<5xf32>
  }
}

// -----

module attributes {shlo.meshes = {mesh = "<[\22x\22=2]>"}} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{operand 0 has parts tensor<2xf32>, not tensor<4xf32>}}
    %0 = stablehlo.custom_call @shlo.manual_computation(%a) {
      called_computations = [@body], shlo.in_shardings = "[<@mesh, [{\22x\22}]>]",
      shlo.out_shardings = "[<@mesh, [{}]>]", shlo.manual_axes = "{\22x\22}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @body(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{there is no mesh @mesh}}
    %0 = stablehlo.custom_call @shlo.manual_computation(%a) {
      called_computations = [@body], shlo.in_shardings = "[<@mesh, [{\22x\22}]>]",
      shlo.out_shardings = "[<@mesh, [{}]>]", shlo.manual_axes = "{\22x\22}"}
      : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @body(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{it calls no function of the module}}
  %0 = stablehlo.custom_call @shlo.manual_computation(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {shlo.meshes = {mesh = "<[\22x\22=2]>"}} {
  func.func @main(%a: tensor<?xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{operand 0 is tensor<?xf32>, without known sizes}}
    %0 = stablehlo.custom_call @shlo.manual_computation(%a) {
      called_computations = [@body], shlo.in_shardings = "[<@mesh, [{\22x\22}]>]",
      shlo.out_shardings = "[<@mesh, [{}]>]", shlo.manual_axes = "{\22x\22}"}
      : (tensor<?xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @body(%a: tensor<?xf32>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
