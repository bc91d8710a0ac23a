// RUN: not %shlo-reduce %s --test='true {}' 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not %shlo-reduce %s --test='exit 1' 2>&1 | FileCheck %s --check-prefix=NOWHERE

// PASSES: error: the test succeeds on the program as it is: there is no failure to keep
// PASSES: hint: a command that should succeed on what is kept: --test='! command {}'
// NOWHERE: error: --test='exit 1' does not say where the program goes

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
