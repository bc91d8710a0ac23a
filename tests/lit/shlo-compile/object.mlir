// An object and its header; the runtime that the object needs, or in it.

// RUN: rm -rf %t.out && mkdir -p %t.out
// RUN: %shlo-compile %s -o %t.out/net.o --emit-header %t.out/net.h
// RUN: FileCheck %s --check-prefix=HEADER < %t.out/net.h
// RUN: %shlo-compile --runtime %t.out/net.o -o %t.out/shlo_rt.o
// RUN: cat %s | %shlo-compile - -o - --name=net --function=first --standalone --emit-header %t.out/one.h > %t.out/one.o
// RUN: FileCheck %s --check-prefix=ONE < %t.out/one.h
// RUN: not %shlo-compile --runtime %t.out/one.o -o %t.out/no.o 2>&1 | FileCheck %s --check-prefix=STANDALONE
// RUN: not %shlo-compile --runtime --target=baseline %t.out/net.o -o %t.out/no.o 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: sh -c 'ls %t.out' | FileCheck %s --check-prefix=FILES

// HEADER: struct shlo_context *shlo_rt_open(int threads);
// HEADER: @first
// HEADER-NEXT: argument0: tensor<2x3xf32>, float, 24 bytes
// HEADER-NEXT: result0: tensor<2x3xf32>, float, 24 bytes */
// HEADER: int net_first(struct shlo_context *context, const void *const *arguments, void *const *results);
// HEADER: @second
// HEADER-NEXT: argument0: tensor<4xcomplex<f64>>, double, real and imaginary parts in turn, 64 bytes
// HEADER-NEXT: argument1: tensor<4xi1>, uint8_t, 4 bytes
// HEADER: static inline int net_second_call(struct shlo_context *context,
// HEADER-NEXT: const double *argument0,
// HEADER-NEXT: const uint8_t *argument1,
// HEADER-NEXT: double *result0) {

// ONE: struct shlo_context *net_open(int threads);
// ONE: int net_first(
// ONE-NOT: net_second

// STANDALONE: error: '{{.*}}one.o' needs no runtime
// TARGET: error: '{{.*}}net.o' is of frame and target {{.*}}, and this runtime would be of {{[0-9]+}}_baseline

// FILES: net.h
// FILES-NEXT: net.o
// FILES-NEXT: one.h
// FILES-NEXT: one.o
// FILES-NEXT: shlo_rt.o
// FILES-NOT: {{.}}

func.func @first(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.tanh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @second(%x: tensor<4xcomplex<f64>>, %p: tensor<4xi1>) -> tensor<4xcomplex<f64>> {
  %0 = stablehlo.add %x, %x : tensor<4xcomplex<f64>>
  %1 = stablehlo.select %p, %x, %0 : tensor<4xi1>, tensor<4xcomplex<f64>>
  return %1 : tensor<4xcomplex<f64>>
}
