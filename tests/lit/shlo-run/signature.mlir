// Without values for its arguments, a program's signature is printed; names come from locations.

// RUN: %shlo-run %s | FileCheck %s
// CHECK: @main: 2 arguments, 1 result
// CHECK-NEXT: arg0: tensor<8x16xf32> images
// CHECK-NEXT: arg1: tensor<8xi32> labels
// CHECK-NEXT: result0: tensor<8x16xf32> loss['total']
// CHECK-NEXT: run it, for example, with
// CHECK-NEXT: shlo-run {{.*}}signature.mlir --input=random:0
// CHECK-NEXT: shlo-run {{.*}}signature.mlir --input=@arg0.npy --input=@arg1.npy

// Open sizes get one to try, no larger than their bound.
// RUN: %shlo-run %s --function=open | FileCheck %s --check-prefix=OPEN
// OPEN: shlo-run {{.*}}signature.mlir --function=open --input=8x3xf32=random:0 --input=random:0 --input=5xi32=random:0
// RUN: %shlo-run %s --function=open --input=8x3xf32=random:0 --input=random:0 --input=5xi32=random:0 \
// RUN:   | FileCheck %s --check-prefix=RESULT
// RESULT: result0: tensor<?x3xf32>

// RUN: %shlo-run -h | FileCheck %s --check-prefix=HELP
// HELP: Usage: shlo-run [OPTIONS] [MODEL]

// RUN: %shlo-run %s --list-functions | FileCheck %s --check-prefix=LIST
// LIST: @main(tensor<8x16xf32>, tensor<8xi32>) -> (tensor<8x16xf32>)
// LIST-NEXT: @twice(tensor<i8>) -> (tensor<i8>) private
// LIST-NEXT: @open(
// LIST-NEXT: @outside() -> (tensor<i8>) private (a declaration without a body)

// RUN: %shlo-run %s --function=twice --input=21 | FileCheck %s --check-prefix=TWICE
// TWICE: result0: tensor<i8>
// TWICE-NEXT: 42

// RUN: not %shlo-run %s --function=twcie --input=21 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: there is no function @twcie
// NONE-NEXT: hint: did you mean 'twice'?

// RUN: not %shlo-run %s --function=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: @outside is a declaration without a body

func.func @main(%images: tensor<8x16xf32> loc("images"), %labels: tensor<8xi32> loc("labels"))
    -> (tensor<8x16xf32> {jax.result_info = "loss['total']"}) {
  return %images : tensor<8x16xf32>
}
func.func private @twice(%x: tensor<i8>) -> tensor<i8> {
  %0 = stablehlo.add %x, %x : tensor<i8>
  return %0 : tensor<i8>
}
func.func private @open(%x: tensor<?x3xf32>, %y: tensor<2xf32>,
    %z: tensor<?xi32, #stablehlo.bounds<5>>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}
func.func private @outside() -> tensor<i8>
