// What stages were compiled to, as files; it takes no values.

// RUN: %shlo-run %s --dump-kernels=%t.kernels | FileCheck %s
// RUN: FileCheck %s --check-prefix=INDEX --input-file=%t.kernels/index.csv
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.kernels/stage.0.ll
// RUN: %shlo-run %t.kernels/stage.0.stablehlo.mlir --input=64xf32=0 | FileCheck %s --check-prefix=STAGE
// CHECK: stages are listed in {{.*}}index.csv
// INDEX: stage,kind,calls,place,ops,jobs,files,missing
// INDEX: stage.0,map,1,{{.*}}:8,tanh,stage.0,stablehlo.mlir llvm.mlir ll
// LLVM: define internal void @stage.0(ptr {{.*}}, i64 {{.*}}, ptr {{.*}})
// STAGE: result0: tensor<64xf32>

// RUN: not %shlo-run %s --dump-kernels=%s/kernels 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write to '{{.*}}kernels'

// RUN: not %shlo-run %s --dump-kernels=%t.kernels --check-nans 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --dump-kernels tells of native code without probes and checks

func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.tanh %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
