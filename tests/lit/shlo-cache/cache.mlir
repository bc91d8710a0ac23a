// What a run keeps is listed, checked and forgotten.

// RUN: rm -rf %t.cache
// RUN: %shlo-cache where --folder=%t.cache | FileCheck %s --check-prefix=WHERE
// RUN: %shlo-cache list --folder=%t.cache | FileCheck %s --check-prefix=NONE
// RUN: %shlo-run %s --input=2 --cache=%t.cache | FileCheck %s --check-prefix=RESULT
// RUN: %shlo-run %s --input=2 --cache=%t.cache | FileCheck %s --check-prefix=RESULT
// RUN: %shlo-cache list --folder=%t.cache | FileCheck %s --check-prefix=LIST
// RUN: %shlo-cache list --folder=%t.cache --kind=program --json | FileCheck %s --check-prefix=JSON
// RUN: %shlo-cache verify --folder=%t.cache | FileCheck %s --check-prefix=WHOLE
// RUN: sh -c 'for file in %t.cache/objects/program-*; do echo x >> $file; done'
// RUN: not %shlo-cache verify --folder=%t.cache | FileCheck %s --check-prefix=DAMAGED
// RUN: %shlo-run %s --input=2 --cache=%t.cache | FileCheck %s --check-prefix=RESULT
// RUN: %shlo-cache clear --folder=%t.cache --kind=kernel | FileCheck %s --check-prefix=CLEAR
// RUN: %shlo-cache list --folder=%t.cache | FileCheck %s --check-prefix=LEFT

// WHERE: .cache{{/}}objects
// WHERE-NEXT: 0 entries, 0 B, of 256.0 MB at most
// NONE: 0 entries, 0 B
// RESULT: [4. 4. 4.]
// LIST-DAG: kernel {{.*}} kernel-
// LIST-DAG: program {{.*}} program-
// LIST: 2 entries, {{.*}} (1 kernel, 1 program)
// JSON: [{"kind": "program", "bytes": {{[0-9]+}}, "age": {{[0-9]+}}, "name": "program-
// WHOLE: 2 entries, {{.*}}: 0 damaged
// DAMAGED: damaged, and forgotten: program-
// DAMAGED: 2 entries, {{.*}}: 1 damaged
// CLEAR: forgotten: 1 entry
// LEFT: 1 entry, {{.*}} (1 program)

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
