// RUN: stablehlo-opt --interpreter-instrument-with-probe --split-input-file %s | FileCheck %s
// RUN: stablehlo-opt --interpreter-instrument-with-probe="useDebugInfo=true" --split-input-file %s | FileCheck %s --check-prefix=NAMED

// Ids count probed results, inner ops first; those of one op stand in reverse.
// CHECK-LABEL: func.func @program
// CHECK-SAME: %[[X:.+]]: tensor<2xf32>
// CHECK: %[[C:.+]] = stablehlo.constant
// CHECK-NEXT: %[[SUM:.+]] = stablehlo.add %[[X]], %[[C]]
// CHECK-NEXT: %[[P1:.+]] = interpreter.probe %[[SUM]], probe_id = "probe1" : tensor<2xf32>
// CHECK-NEXT: %[[PAIR:.+]]:2 = stablehlo.optimization_barrier %[[P1]], %[[X]]
// CHECK-NEXT: %[[P3:.+]] = interpreter.probe %[[PAIR]]#1, probe_id = "probe3"
// CHECK-NEXT: %[[P2:.+]] = interpreter.probe %[[PAIR]]#0, probe_id = "probe2"
// CHECK: "stablehlo.if"
// CHECK-NEXT: %[[INNER:.+]] = stablehlo.multiply %[[P2]], %[[P3]]
// CHECK-NEXT: %[[P4:.+]] = interpreter.probe %[[INNER]], probe_id = "probe4"
// CHECK-NEXT: stablehlo.return %[[P4]]
// CHECK: interpreter.probe %{{.+}}, probe_id = "probe5"
// NAMED-LABEL: func.func @program
// NAMED: probe_id = "sum.1"
// NAMED: probe_id = "probe3"
// NAMED: probe_id = "probe2"
// NAMED: probe_id = "product.4"
func.func @program(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %c : tensor<2xf32> loc("sum@model.py")
  %1:2 = stablehlo.optimization_barrier %0, %x : tensor<2xf32>, tensor<2xf32>
  %2 = "stablehlo.if"(%p) ({
    %3 = stablehlo.multiply %1#0, %1#1 : tensor<2xf32> loc("product"("model.py":3:4))
    stablehlo.return %3 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// Unknown sizes, quantized values, indices, tokens and tuples are not probed; complex numbers are.
// CHECK-LABEL: func.func @types
// CHECK-COUNT-1: interpreter.probe
// CHECK-NOT: interpreter.probe
func.func @types(%d: tensor<?xf32>, %q: tensor<2x!quant.uniform<i8:f32, 1.0>>, %z: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = stablehlo.add %d, %d : tensor<?xf32>
  %1 = stablehlo.add %q, %q : tensor<2x!quant.uniform<i8:f32, 1.0>>
  %2 = stablehlo.create_token : !stablehlo.token
  %3 = shape.shape_of %d : tensor<?xf32> -> tensor<1xindex>
  %4 = stablehlo.tuple %d : tuple<tensor<?xf32>>
  %5 = stablehlo.add %z, %z : tensor<complex<f32>>
  return %5 : tensor<complex<f32>>
}
