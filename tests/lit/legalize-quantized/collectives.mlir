// Integers are exchanged; who gets nothing gets the integer that stands for 0.
// RUN: %shlo-opt %s --shlo-legalize-quantized | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!w = !quant.uniform<i16:f32, 0.5:3>

// CHECK-LABEL: @all_gather
// CHECK: "stablehlo.all_gather"(%arg0) {{.*}} : (tensor<2xi8>) -> tensor<4xi8>
func.func @all_gather(%x: tensor<2x!q>) -> tensor<4x!q> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<4x!q>
  return %0 : tensor<4x!q>
}

// Elements become those of the wider type that the computation takes.
// CHECK-LABEL: @all_reduce
// CHECK: %[[W:.*]] = stablehlo.convert %{{.*}} : (tensor<2xf32>) -> tensor<2xi16>
// CHECK: "stablehlo.all_reduce"(%[[W]])
// CHECK: ^bb0(%{{.*}}: tensor<i16>, %{{.*}}: tensor<i16>):
// CHECK: (tensor<2xi16>) -> tensor<2xi16>
func.func @all_reduce(%x: tensor<2x!q>) -> tensor<2x!w> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<!w>, %b: tensor<!w>):
    %s = stablehlo.add %a, %b : tensor<!w>
    stablehlo.return %s : tensor<!w>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<2x!w>
  return %0 : tensor<2x!w>
}

// CHECK-LABEL: @collective_permute
// CHECK: %[[D:.*]] = stablehlo.subtract %arg0, %{{.*}} : tensor<2xi8>
// CHECK: %[[M:.*]] = "stablehlo.collective_permute"(%[[D]])
// CHECK: stablehlo.add %[[M]], %{{.*}} : tensor<2xi8>
func.func @collective_permute(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}
