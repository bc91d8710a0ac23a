// RUN: not %shlo-cache empty 2>&1 | FileCheck %s --check-prefix=ACTION
// RUN: not %shlo-cache clear --older-than=long 2>&1 | FileCheck %s --check-prefix=AGE
// RUN: not %shlo-cache verify --older-than=1d 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: not %shlo-cache list --kind=notes 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: rm -rf %t.open && mkdir -p %t.open/objects && chmod o+w %t.open/objects
// RUN: not %shlo-cache clear --folder=%t.open 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: %shlo-cache where --folder=%t.open | FileCheck %s --check-prefix=WHERE

// ACTION: error: {{.*}}'empty' is not one of
// AGE: error: {{.*}}'long' is no age: write 90s, 10m, 12h, 7d or 2w
// VERIFY: error: --older-than is for list and clear, not for verify
// KIND: error: {{.*}}'notes' is not one of
// OPEN: error: {{.*}} can be written by others, and what lies there would be run
// WHERE: not used: {{.*}} can be written by others
