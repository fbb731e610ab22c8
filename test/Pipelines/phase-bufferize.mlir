// RUN: env -u TC_TARGET tc-opt %s --tc-phase-bufferize --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-bufferize.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-bufferize=target=cpu:skylake libraries=none schedules=Inputs/schedules.mlir specialize=main:s0=8" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-bufferize-target.txt -
// RUN: tc-opt %s --tc-phase-bufferize | FileCheck %s

// The passes of the phase, with default and other options; the phase is written down.
// CHECK: module attributes {{.*}}tc.phase = "bufferize"
module attributes {tc.phase = "fuse"} {}
