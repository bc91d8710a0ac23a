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
// CHECK: "stablehlo.collective_permute"(%arg0) {{.*}}shlo.zeros = array<i64: 3>{{.*}} : (tensor<2xi8>) -> tensor<2xi8>
func.func @collective_permute(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// What operands are converted by is done before the op begins.
// CHECK-LABEL: @async
// CHECK: %[[W:.*]] = stablehlo.convert %{{.*}} : (tensor<2xf32>) -> tensor<2xi16>
// CHECK: "stablehlo.async_start"(%[[W]]) ({
// CHECK-NEXT: ^bb0(%[[V:.*]]: tensor<2xi16>):
// CHECK-NEXT: "stablehlo.all_reduce"(%[[V]])
func.func @async(%x: tensor<2x!q>) -> tensor<2x!w> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%v: tensor<2x!q>):
    %0 = "stablehlo.all_reduce"(%v) ({
    ^bb0(%a: tensor<!w>, %b: tensor<!w>):
      %s = stablehlo.add %a, %b : tensor<!w>
      stablehlo.return %s : tensor<!w>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!q>) -> tensor<2x!w>
    stablehlo.return %0 : tensor<2x!w>
  }) : (tensor<2x!q>) -> !stablehlo.future<tensor<2x!w>>
  %1 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2x!w>>) -> tensor<2x!w>
  return %1 : tensor<2x!w>
}
