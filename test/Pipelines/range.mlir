// RUN: env -u TC_TARGET tc-opt %s --tc-pipeline --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/range.txt -
// RUN: cd %S && tc-opt %s "--tc-pipeline=from=simplify to=fuse target=cpu:skylake schedules=Inputs/schedules.mlir specialize=main:s0=8" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/range-options.txt -
// RUN: tc-opt %s "--tc-pipeline=from=import to=fuse" | FileCheck %s

// A range of phases is the phases in order; without options it is all of them.
// CHECK: module attributes {{.*}}tc.phase = "fuse"
module {}
