// What locations say, in the forms that mlir-opt has.
// RUN: %shlo-opt %s --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES
// NAMES: @main(%image: tensor<4xf32>)
// NAMES-NEXT: %sum = stablehlo.add %image, %image

// RUN: %shlo-opt %s --mlir-print-debuginfo --mlir-print-local-scope --mlir-pretty-debuginfo \
// RUN:   | FileCheck %s --check-prefix=PRETTY
// PRETTY: stablehlo.add {{.*}} : tensor<4xf32> "sum"(m.py:3:4)

// RUN: %shlo-opt %s --mlir-pretty-debuginfo | FileCheck %s
// CHECK: %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>{{$}}
func.func @main(%x: tensor<4xf32> loc("image")) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32> loc("sum"("m.py":3:4))
  return %0 : tensor<4xf32>
}
