// RUN: env -u TC_TARGET tc-opt %s --tc-phase-simplify --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-simplify.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-simplify=target=cpu:skylake libraries=none schedules=Inputs/schedules.mlir specialize=main:s0=8" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-simplify-target.txt -
// RUN: tc-opt %s --tc-phase-simplify | FileCheck %s

// The passes of the phase, with default and other options; the phase is written down.
// CHECK: module attributes {{.*}}tc.phase = "simplify"
module attributes {tc.phase = "specialize"} {}
