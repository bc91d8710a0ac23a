// Values are printed as MLIR writes their elements, with the name that MLIR gives them.
// RUN: %shlo-run %s | FileCheck %s --strict-whitespace
// RUN: %shlo-run %s --backend=reference | FileCheck %s --strict-whitespace

// CHECK: {{^}}%cst = tensor<1x2xf32> {
// CHECK-NEXT: {{^}}  [
// CHECK-NEXT: {{^}}    [1.000000e-01, 0x7FC00000]
// CHECK-NEXT: {{^}}  ]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}%c = tensor<i64> {-7}
// CHECK-NEXT: {{^}}%c_0 = tensor<2xi1> {
// CHECK-NEXT: {{^}}  [true, false]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}%cst_1 = tensor<3xcomplex<f32>> {
// CHECK-NEXT: {{^}}  [[1.000000e+00, -2.000000e+00], [1.000000e+00, -2.000000e+00], [1.000000e+00, -2.000000e+00]]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}%c_2 = tensor<2x0xui8> {
// CHECK-NEXT: {{^}}  [
// CHECK-NEXT: {{^}}    [],
// CHECK-NEXT: {{^}}    []
// CHECK-NEXT: {{^}}  ]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: ok {{.*}}@prints
func.func @prints() {
  %0 = stablehlo.constant dense<[[0.1, 0x7FC00000]]> : tensor<1x2xf32>
  interpreter.print %0 : tensor<1x2xf32>
  %1 = stablehlo.constant dense<-7> : tensor<i64>
  "interpreter.print"(%1) : (tensor<i64>) -> ()
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  interpreter.print %2 : tensor<2xi1>
  %3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>
  interpreter.print %3 : tensor<3xcomplex<f32>>
  %4 = stablehlo.constant dense<> : tensor<2x0xui8>
  interpreter.print %4 : tensor<2x0xui8>
  func.return
}
