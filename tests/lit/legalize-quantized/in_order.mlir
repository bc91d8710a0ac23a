// Integers order as their numbers do: choosing between them needs no floats.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!other = !quant.uniform<i8:f32, 0.25>
!narrow = !quant.uniform<i8<-10:10>:f32, 0.5>
!rough = !quant.uniform<i8:bf16, 0.5>
!long = !quant.uniform<i32:f32, 0.5>
!huge = !quant.uniform<i8:f32, 3.0e38>

// CHECK-LABEL: @integers
// CHECK-NEXT: stablehlo.maximum %arg0, %arg1 : tensor<2xi8>
// CHECK-NEXT: stablehlo.clamp
// CHECK-NEXT: stablehlo.select
// CHECK-NEXT: stablehlo.compare LT, {{[^,]*}}, {{[^,]*}} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
// CHECK-NEXT: return
func.func @integers(%x: tensor<2x!q>, %y: tensor<2x!q>, %p: tensor<2xi1>) -> (tensor<2x!q>, tensor<2xi1>) {
  %0 = stablehlo.maximum %x, %y : tensor<2x!q>
  %1 = stablehlo.clamp %x, %0, %y : tensor<2x!q>
  %2 = stablehlo.select %p, %1, %y : tensor<2xi1>, tensor<2x!q>
  %3 = stablehlo.compare LT, %2, %y, FLOAT : (tensor<2x!q>, tensor<2x!q>) -> tensor<2xi1>
  return %2, %3 : tensor<2x!q>, tensor<2xi1>
}

// CHECK-LABEL: @different_scales
// CHECK: stablehlo.compare LT, {{[^,]*}}, {{[^,]*}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
func.func @different_scales(%x: tensor<2x!q>, %y: tensor<2x!other>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<2x!q>, tensor<2x!other>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// What is passed may lie outside of the storage range: quantizing clamps it.
// CHECK-LABEL: @narrow_storage
// CHECK: stablehlo.maximum {{.*}} : tensor<2xf32>
// CHECK: stablehlo.clamp
func.func @narrow_storage(%x: tensor<2x!narrow>) -> tensor<2x!narrow> {
  %0 = stablehlo.maximum %x, %x : tensor<2x!narrow>
  return %0 : tensor<2x!narrow>
}

// Numbers of few bits do not give every integer back.
// CHECK-LABEL: @rough_numbers
// CHECK: stablehlo.maximum {{.*}} : tensor<2xbf16>
func.func @rough_numbers(%x: tensor<2x!rough>) -> tensor<2x!rough> {
  %0 = stablehlo.maximum %x, %x : tensor<2x!rough>
  return %0 : tensor<2x!rough>
}

// CHECK-LABEL: @long_integers
// CHECK: stablehlo.maximum {{.*}} : tensor<2xf32>
func.func @long_integers(%x: tensor<2x!long>) -> tensor<2x!long> {
  %0 = stablehlo.maximum %x, %x : tensor<2x!long>
  return %0 : tensor<2x!long>
}

// Products with it overflow.
// CHECK-LABEL: @huge_scale
// CHECK: stablehlo.maximum {{.*}} : tensor<2xf32>
func.func @huge_scale(%x: tensor<2x!huge>) -> tensor<2x!huge> {
  %0 = stablehlo.maximum %x, %x : tensor<2x!huge>
  return %0 : tensor<2x!huge>
}
