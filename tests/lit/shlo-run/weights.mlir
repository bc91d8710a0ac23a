// Parameters beside unknown sizes, as PyTorch exports them.
// RUN: %shlo-run %s "--input=[[1,2],[3,4]]" | FileCheck %s
// RUN: %shlo-run %s "--input=[[1,2],[3,4]]" --backend=reference | FileCheck %s
// RUN: %shlo-run %s "--input=[[1,2],[3,4]]" --check-nans | FileCheck %s
// RUN: %shlo-run %s "--input=[[1,2],[3,4]]" --compare=reference | FileCheck %s --check-prefix=SAME
// CHECK: {{\[\[}}2. 4.]
// CHECK-NEXT: [4. 6.]]
// SAME: values of {{[0-9]+}} ops were compared
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %b = stablehlo.constant dense_resource<bias> : tensor<2xf32>
  %s = shape.shape_of %x : tensor<?x2xf32> -> tensor<2xindex>
  %d = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1]
    : (tensor<2xf32>, tensor<2xindex>) -> tensor<?x2xf32>
  %r = stablehlo.add %x, %d : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
{-#
  dialect_resources: { builtin: { bias: "0x040000000000803F00000040" } }
#-}
