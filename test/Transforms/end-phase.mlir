// RUN: tc-opt %s --split-input-file --tc-end-phase=phase=fuse | FileCheck %s

// The phase is written down.
// CHECK-LABEL: module @new attributes {tc.phase = "fuse"} {
module @new {}

// -----

// The phase before is replaced, other attributes stay.
// CHECK-LABEL: module @old attributes {gpu.container_module, tc.phase = "fuse"} {
module @old attributes {gpu.container_module, tc.phase = "simplify"} {}
