// RUN: %shlo-opt %s --load-pass-plugin=%S/Inputs/plugin.py --list-passes | FileCheck %s --check-prefix=LIST
// RUN: not %shlo-opt %s --load-pass-plugin=%t.py 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: echo "1 / 0" > %t.broken.py
// RUN: not %shlo-opt %s --load-pass-plugin=%t.broken.py 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not %shlo-opt %s --load-pass-plugin=%s 2>&1 | FileCheck %s --check-prefix=KIND

// LIST: --test-remark {{ *}}Says something about each function.
// MISSING: error: no plug-in file '{{.*}}.py'
// BROKEN: error: plug-in '{{.*}}': ZeroDivisionError: division by zero
// BROKEN-NOT: Traceback
// KIND: is no Python file
func.func @main() {
  return
}
