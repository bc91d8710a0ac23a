// Values of ops go to .npy files, and index.csv says which is which: in loops one per round.

// RUN: rm -rf %t && %shlo-run %s --input=2 --input=1,2 --probe='scaled|compare' --probe-dir=%t/native \
// RUN:   | FileCheck %s --check-prefix=SAYS
// RUN: FileCheck %s < %t/native/index.csv
// SAYS: 5 probed values are in {{.*}}index.csv
// SAYS: result0: tensor<2xf32>

// CHECK: sequence,file,op,name,location,function,result,type,iteration
// CHECK-NEXT: 0,000000-stablehlo.compare-0.npy,stablehlo.compare,,{{.*}}probe.mlir:[[#]]:11,main,0,tensor<i1>,0
// CHECK-NEXT: 1,000001-stablehlo.multiply-0.npy,stablehlo.multiply,scaled,model.py:3:4,scale,0,tensor<2xf32>,0
// CHECK-NEXT: 2,000002-stablehlo.compare-0.npy,stablehlo.compare,,{{.*}},main,0,tensor<i1>,1
// CHECK-NEXT: 3,000003-stablehlo.multiply-0.npy,stablehlo.multiply,scaled,model.py:3:4,scale,0,tensor<2xf32>,1
// CHECK-NEXT: 4,000004-stablehlo.compare-0.npy,stablehlo.compare,,{{.*}},main,0,tensor<i1>,2
// CHECK-NOT: {{.}}

// Both backends see the same (the last RUN line), and nothing but whole files is left.
// RUN: %shlo-run %s --input=2 --input=1,2 --probe='scaled|compare' --probe-dir=%t/reference \
// RUN:   --backend=reference
// RUN: ls -A %t/native | FileCheck %s --check-prefix=FILES
// FILES: 000000-stablehlo.compare-0.npy
// FILES-NEXT: 000001-stablehlo.multiply-0.npy
// FILES-NEXT: 000002
// FILES-NEXT: 000003
// FILES-NEXT: 000004
// FILES-NEXT: index.csv
// FILES-NOT: {{.}}

// A file is an argument: the second round doubled [2, 4].
// RUN: %shlo-run %s --function=scale --input=@%t/native/000001-stablehlo.multiply-0.npy \
// RUN:   --expected-output=@%t/native/000003-stablehlo.multiply-0.npy

// RUN: %shlo-run %s --input=5 --input=1,2 --probe=scaled --probe-dir=%t/few --probe-limit=2 \
// RUN:   | FileCheck %s --check-prefix=LIMIT
// LIMIT: 2 probed values are in
// LIMIT-NEXT: stablehlo.multiply at model.py:3:4: 3 more were not written, see --probe-limit

// RUN: not %shlo-run %s --input=1 --input=1,2 --probe=nothing --probe-dir=%t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: no op matches 'nothing'
// NONE-NEXT: hint: there are func.call, stablehlo.compare, stablehlo.multiply, stablehlo.subtract, stablehlo.while
// RUN: not %shlo-run %s --input=1 --input=1,2 --probe=scaled 2>&1 | FileCheck %s --check-prefix=WHERE
// WHERE: error: --probe needs a folder: --probe-dir=DIR
// RUN: not %shlo-run %s --input=1 --input=1,2 --probe='(' --probe-dir=%t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD
// BAD: error: '(' is no regular expression

// (Last, since lit's own diff changes PYTHONPATH for what follows.)
// RUN: diff -r %t/native %t/reference

func.func private @scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %0 = stablehlo.multiply %x, %two : tensor<2xf32> loc("scaled"("model.py":3:4))
  return %0 : tensor<2xf32>
}
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %scaled = func.call @scale(%y) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %next, %scaled : tensor<i32>, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}
