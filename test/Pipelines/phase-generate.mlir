// RUN: env -u TC_TARGET tc-opt %s --tc-phase-generate --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-generate.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-generate=target=cpu:skylake libraries=none schedules=Inputs/schedules.mlir specialize=main:s0=8" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-generate-target.txt -
// RUN: tc-opt %s --tc-phase-generate | FileCheck %s

// The passes of the phase, with default and other options; the phase is written down.
// CHECK: module attributes {{.*}}tc.phase = "generate"
module attributes {tc.phase = "bufferize"} {}
