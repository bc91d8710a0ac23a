// Bits, comparisons, choices and parts of complex numbers.
// RUN: %shlo-opt %s --shlo-simplify | FileCheck %s

// CHECK-LABEL: @bits
// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<4xi8>
// CHECK-DAG: %[[ONES:.*]] = stablehlo.constant dense<-1> : tensor<4xi8>
// CHECK-DAG: %[[NOT:.*]] = stablehlo.not %arg0 : tensor<4xi8>
// CHECK: return %arg0, %arg0, %arg0, %{{.*}}, %{{.*}}, %arg0, %[[NOT]]
func.func @bits(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>,
    tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %ones = stablehlo.constant dense<-1> : tensor<4xi8>
  %not = stablehlo.not %x : tensor<4xi8>
  %0 = stablehlo.and %ones, %x : tensor<4xi8>
  %1 = stablehlo.or %x, %x : tensor<4xi8>
  %2 = stablehlo.not %not : tensor<4xi8>
  %3 = stablehlo.and %not, %x : tensor<4xi8>
  %4 = stablehlo.or %x, %not : tensor<4xi8>
  %zero = stablehlo.xor %x, %x : tensor<4xi8>
  %5 = stablehlo.xor %x, %zero : tensor<4xi8>
  %6 = stablehlo.xor %x, %ones : tensor<4xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>,
    tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: @constant_right
// CHECK: stablehlo.compare GT, %arg0, %{{.*}}, SIGNED
// CHECK: stablehlo.compare LE, %arg0
func.func @constant_right(%x: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %c = stablehlo.constant dense<5> : tensor<4xi32>
  %0 = stablehlo.compare LT, %c, %x, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %1 = stablehlo.compare GE, %c, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// NaN is not equal to itself, but in the total order; nothing is less than itself.
// CHECK-LABEL: @with_itself
// CHECK-DAG: %[[EQ:.*]] = stablehlo.compare EQ, %arg1, %arg1, FLOAT
// CHECK-DAG: %[[NE:.*]] = stablehlo.compare NE, %arg1, %arg1, FLOAT
// CHECK: return %[[T:.*]], %[[EQ]], %[[NE]], %[[F:.*]], %[[U:.*]] :
func.func @with_itself(%x: tensor<i32>, %y: tensor<f32>)
    -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %0 = stablehlo.compare EQ, %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.compare EQ, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = stablehlo.compare LT, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = stablehlo.compare GE, %y, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1, %2, %3, %4 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: @booleans
// CHECK-NEXT: %[[NOT:.*]] = stablehlo.not %arg0
// CHECK-NEXT: %[[OTHER:.*]] = stablehlo.not %arg0
// CHECK-NEXT: return %arg0, %[[NOT]], %arg0, %[[OTHER]]
func.func @booleans(%p: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %true = stablehlo.constant dense<true> : tensor<4xi1>
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.compare EQ, %p, %true : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = stablehlo.compare NE, %true, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %i = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  %2 = stablehlo.compare NE, %i, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = stablehlo.compare EQ, %i, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// In the total order 0 is not -0.
// CHECK-LABEL: @total_order_of_zeros
// CHECK: stablehlo.compare NE, {{.*}}, TOTALORDER
func.func @total_order_of_zeros(%p: tensor<4xi1>) -> tensor<4xi1> {
  %zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %f = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xf32>
  %0 = stablehlo.compare NE, %f, %zero, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @beyond_all
// CHECK-NEXT: %[[T:.*]] = stablehlo.constant dense<true>
// CHECK-NEXT: %[[F:.*]] = stablehlo.constant dense<false>
// CHECK-NEXT: return %[[T]], %[[F]]
func.func @beyond_all(%x: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xi1>) {
  %least = stablehlo.constant dense<0> : tensor<4xui8>
  %most = stablehlo.constant dense<255> : tensor<4xui8>
  %0 = stablehlo.compare GE, %x, %least : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  %1 = stablehlo.compare GT, %x, %most : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// not(x < y) is no x >= y where x is NaN.
// CHECK-LABEL: @not_compared
// CHECK: stablehlo.compare GE, %arg0, %arg0, SIGNED
// CHECK: %[[LT:.*]] = stablehlo.compare LT, %arg1, %arg2
// CHECK: stablehlo.not %[[LT]]
// CHECK: stablehlo.compare NE, %arg1, %arg2
func.func @not_compared(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2xf32>, %z: tensor<2xf32>)
    -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %0 = stablehlo.compare GE, %x, %x, SIGNED : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xi1>
  %lt = stablehlo.compare LT, %y, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.not %lt : tensor<2xi1>
  %eq = stablehlo.compare EQ, %y, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.not %eq : tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: @choices
// CHECK-NEXT: %[[TURNED:.*]] = stablehlo.select %arg0, %arg2, %arg1 : tensor<4xi1>
// CHECK-NEXT: %[[INNER:.*]] = stablehlo.select %arg0, %arg1, %arg2
// CHECK-NEXT: return %arg1, %arg1, %[[TURNED]], %[[INNER]], %arg0
func.func @choices(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %yes = stablehlo.constant dense<true> : tensor<4xi1>
  %no = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.select %true, %x, %y : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  %not = stablehlo.not %p : tensor<4xi1>
  %2 = stablehlo.select %not, %x, %y : tensor<4xi1>, tensor<4xf32>
  %inner = stablehlo.select %p, %x, %1 : tensor<4xi1>, tensor<4xf32>
  %3 = stablehlo.select %p, %inner, %y : tensor<4xi1>, tensor<4xf32>
  %4 = stablehlo.select %p, %yes, %no : tensor<4xi1>, tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: @below_a_broadcast
// CHECK-NEXT: %[[P:.*]] = stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT: stablehlo.select %[[P]], %arg2, %arg1
func.func @below_a_broadcast(%p: tensor<2xi1>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %not = stablehlo.not %p : tensor<2xi1>
  %wide = stablehlo.broadcast_in_dim %not, dims = [0] : (tensor<2xi1>) -> tensor<2x3xi1>
  %0 = stablehlo.select %wide, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @complex_parts
// CHECK-NEXT: return %arg0, %arg1, %arg2, %arg0
func.func @complex_parts(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<complex<f32>>)
    -> (tensor<f32>, tensor<f32>, tensor<complex<f32>>, tensor<f32>) {
  %c = stablehlo.complex %x, %y : tensor<complex<f32>>
  %0 = stablehlo.real %c : (tensor<complex<f32>>) -> tensor<f32>
  %1 = stablehlo.imag %c : (tensor<complex<f32>>) -> tensor<f32>
  %re = stablehlo.real %z : (tensor<complex<f32>>) -> tensor<f32>
  %im = stablehlo.imag %z : (tensor<complex<f32>>) -> tensor<f32>
  %2 = stablehlo.complex %re, %im : tensor<complex<f32>>
  %3 = stablehlo.real %x : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<complex<f32>>, tensor<f32>
}
