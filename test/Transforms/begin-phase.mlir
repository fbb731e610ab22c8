// RUN: tc-opt %s --split-input-file --tc-begin-phase=phase=fuse | FileCheck %s

// A module at the phase before is accepted as it is.
// CHECK-LABEL: module @simplified attributes {tc.phase = "simplify"} {
module @simplified attributes {tc.phase = "simplify"} {}

// -----

// A module without a phase starts wherever its author says.
// CHECK-LABEL: module @written {
module @written {}
