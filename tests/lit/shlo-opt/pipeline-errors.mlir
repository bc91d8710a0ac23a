// A malformed pipeline is shown with a caret under its first mistake.
// RUN: not %shlo-opt %s --pass-pipeline="builtin.module(cse" 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not %shlo-opt %s --pass-pipeline="builtin.module(cse,)" 2>&1 | FileCheck %s --check-prefix=COMMA
// RUN: not %shlo-opt %s --pass-pipeline="builtin.module(shlo-to-linalgs)" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: not %shlo-opt %s --pass-pipeline="cse" 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not %shlo-opt %s --pass-pipeline="builtin.module(cse,canonicalize{iterations=3})" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: not %shlo-opt %s --canonicalize="max-iterations=many" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --test-sleep="seconds=long" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PYVALUE
// RUN: not %shlo-opt %s --pass-pipeline="builtin.module(chlo-legalize-to-stablehlo)" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEST

// OPEN: <pipeline>:1:15: error: missing ')' for this '('
// OPEN-NEXT: {{^}}  builtin.module(cse{{$}}
// OPEN-NEXT: {{^}}                ^{{$}}

// COMMA: <pipeline>:1:20: error: expected a pass or op name

// NAME: <pipeline>:1:16: error: there is no pass 'shlo-to-linalgs'
// NAME: hint: did you mean 'shlo-to-linalg'?

// ANCHOR: error: expected pass pipeline to be wrapped with the anchor operation type
// ANCHOR: hint: builtin.module(cse)

// OPTION: <pipeline>:1:20: error: {{.*}}no such option iterations

// VALUE: error: failed to add `canonicalize` with options `max-iterations=many`

// PYVALUE: error: option 'seconds' of pass 'test-sleep': 'long' is no number

// NEST: <pipeline>:1:16: error: {{.*}} restricted to 'func.func'
// NEST: hint: nest it: func.func(chlo-legalize-to-stablehlo)
func.func @main() {
  return
}
