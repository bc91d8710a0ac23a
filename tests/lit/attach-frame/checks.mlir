// A check of two sizes keeps them in the frame for its message, then is an assertion.

// RUN: %shlo-opt --shlo-attach-frame %s | FileCheck %s

// CHECK-NOT: @shlo.check
// CHECK: func.func @main(%{{.*}}: !llvm.ptr, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[A]], %[[B]]
// CHECK: %[[W0:.*]] = arith.index_cast %[[A]]
// CHECK: llvm.store %[[W0]]
// CHECK: %[[W1:.*]] = arith.index_cast %[[B]]
// CHECK: llvm.store %[[W1]]
// CHECK: cf.assert %[[OK]], "{0} is not {1}" {shlo.sizes}
func.func private @shlo.check(i1, index, index)
func.func @main(%a: index, %b: index) {
  %ok = arith.cmpi eq, %a, %b : index
  func.call @shlo.check(%ok, %a, %b) {shlo.message = "{0} is not {1}"} : (i1, index, index) -> ()
  return
}
