// RUN: env -u TC_TARGET tc-opt %s --tc-phase-fuse --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-fuse.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-fuse=target=cpu:skylake libraries=none schedules=Inputs/schedules.mlir specialize=main:s0=8" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-fuse-target.txt -
// RUN: tc-opt %s --tc-phase-fuse | FileCheck %s

// The passes of the phase, with default and other options; the phase is written down.
// CHECK: module attributes {{.*}}tc.phase = "fuse"
module attributes {tc.phase = "simplify"} {}
