// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cpu:x86-64-v4" | FileCheck %s
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cuda:sm_90a" | FileCheck %s --check-prefix=GPU
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cpu:host:-avx512f" | FileCheck %s --check-prefix=HOST
// RUN: env -u TC_TARGET tc-opt %s --split-input-file --tc-assign-target | FileCheck %s --check-prefix=HOST

// The module gets the target; cores and caches only when it is this machine.
// CHECK-LABEL: module @plain attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v4", features = "">
// GPU-LABEL: module @plain attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "
// HOST-LABEL: module @plain
// HOST-SAME: tc.cores = {{[1-9][0-9]*}} : i64
// HOST-SAME: tc.target = #tc.target<"cpu", chip = "
module @plain {}

// -----

// A target that is there stays.
// CHECK-LABEL: module @has_target attributes {tc.target = #tc.target<"cpu", chip = "znver5", features = "">} {
// GPU-LABEL: module @has_target attributes {tc.target = #tc.target<"cpu", chip = "znver5", features = "">} {
// HOST-LABEL: module @has_target attributes {tc.target = #tc.target<"cpu", chip = "znver5", features = "">} {
module @has_target attributes {tc.target = #tc.target<"cpu", chip = "znver5", features = "">} {}

// -----

// Cores and caches that the module names stay, too.
// HOST-LABEL: module @has_machine attributes {tc.core_cache_bytes = 262144 : i64, tc.cores = 3 : i64, tc.shared_cache_bytes = 1048576 : i64,
module @has_machine attributes {tc.cores = 3 : i64, tc.core_cache_bytes = 262144 : i64, tc.shared_cache_bytes = 1048576 : i64} {}
