// RUN: tc-opt %s --tc-phase-specialize --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-specialize.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-specialize=target=cpu:skylake schedules=Inputs/schedules.mlir" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-specialize-target.txt -
// RUN: tc-opt %s --tc-phase-specialize | FileCheck %s

// The passes of the phase, with default and other options; the phase is written down.
// CHECK: module attributes {{.*}}tc.phase = "specialize"
module attributes {tc.phase = "import"} {}
