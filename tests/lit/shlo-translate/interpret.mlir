// Results are printed as StableHLO's interpreter prints them: types, then rows.
// RUN: stablehlo-opt -inline %s | stablehlo-translate --interpret | FileCheck %s --strict-whitespace
// CHECK: {{^}}tensor<2x2xi8> {
// CHECK-NEXT: {{^}}  [
// CHECK-NEXT: {{^}}    [1, 2],
// CHECK-NEXT: {{^}}    [3, -4]
// CHECK-NEXT: {{^}}  ]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}tensor<ui8> {1}
// CHECK-NEXT: {{^}}tensor<3xf32> {
// CHECK-NEXT: {{^}}  [1.500000e+00, 0x7F800000, 0x7FC00000]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}tensor<1xcomplex<f32>> {
// CHECK-NEXT: {{^}}  [
// CHECK-SAME: {{\[}}1.000000e+00, -2.000000e+00]]
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}tensor<0x2xi1> {
// CHECK-NEXT: {{^}}  []
// CHECK-NEXT: {{^}}}
// CHECK-NEXT: {{^}}!stablehlo.token

// RUN: stablehlo-translate --interpret --interpreter-print-dense %s | FileCheck %s --check-prefix=DENSE
// DENSE{LITERAL}: dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
// DENSE: dense<1> : tensor<ui8>
// DENSE: dense<[1.500000e+00, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
func.func @main() -> (tensor<2x2xi8>, tensor<ui8>, tensor<3xf32>, tensor<1xcomplex<f32>>, tensor<0x2xi1>, !stablehlo.token) {
  %0 = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %1 = stablehlo.constant dense<1> : tensor<ui8>
  %2 = stablehlo.constant dense<[1.5, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %3 = stablehlo.constant dense<[(1.0, -2.0)]> : tensor<1xcomplex<f32>>
  %4 = stablehlo.constant dense<> : tensor<0x2xi1>
  %5 = stablehlo.after_all : !stablehlo.token
  return %0, %1, %2, %3, %4, %5 : tensor<2x2xi8>, tensor<ui8>, tensor<3xf32>, tensor<1xcomplex<f32>>, tensor<0x2xi1>, !stablehlo.token
}
