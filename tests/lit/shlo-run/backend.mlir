// Both backends take the same arguments and say the same of wrong ones; the reference also runs
// what native code cannot yet.

// RUN: %shlo-run %s --input=1,4,9 | FileCheck %s
// RUN: %shlo-run %s --input=1,4,9 --backend=reference | FileCheck %s
// RUN: %shlo-run %s --input=1,4,9 --backend=native --expected-output=1,2,3
// RUN: %shlo-run %s --input=1,4,9 --backend=reference --output=%t.npz
// RUN: %shlo-run %s --input=1,4,9 --backend=reference --expected-output=@%t.npz
// CHECK: result0: tensor<3xf32>
// CHECK-NEXT: [1. 2. 3.]

// RUN: not %shlo-run %s --input=3xf64=1 --backend=reference 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: --input=3xf64=1: argument 0 is a tensor<3xf32>; float64 given

// RUN: not %shlo-run %s --input=1,4,9 --expected-output=1,2,4 --backend=reference 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF
// OFF: error: result0 differs: 1 of 3 elements

// RUN: %shlo-run %s --function=dynamic --input=1,4 --backend=reference \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: result0: tensor<?xf32>
// DYNAMIC-NEXT: [1. 2.]

// RUN: not %shlo-run %s --function=token --backend=reference 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOKEN
// TOKEN: error: a value of type !stablehlo.token cannot be passed in or out

// RUN: not %shlo-run %s --backend=tpu 2>&1 | FileCheck %s --check-prefix=XLA
// XLA: error: Invalid value for '--backend': 'tpu' is not one of 'native', 'reference', 'xla'
// RUN: not %shlo-run %s --backend=gpu 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: Invalid value for '--backend': 'gpu' is not one of 'native', 'reference'

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sqrt %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.sqrt %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @token() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}
