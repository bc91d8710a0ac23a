// What the machine can do, of all threads together first.
// RUN: %shlo-bench --limits | FileCheck %s

// CHECK: | threads | f32 GFLOP/s | f64 GFLOP/s | read GB/s | copy GB/s | triad GB/s |
// CHECK: | {{[1-9][0-9]*}} | {{[1-9][0-9.]*}} | {{[1-9][0-9.]*}} | {{[0-9]+\.[0-9]}} | {{[0-9]+\.[0-9]}} | {{[0-9]+\.[0-9]}} |
// CHECK: MiB
