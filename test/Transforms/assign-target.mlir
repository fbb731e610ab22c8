// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cpu:x86-64-v4" | FileCheck %s
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cuda:sm_90a" | FileCheck %s --check-prefix=GPU
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cpu:host:-avx512f" | FileCheck %s --check-prefix=HOST
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cuda:sm_90a libraries=cublaslt" | FileCheck %s --check-prefix=LIBRARIES
// RUN: tc-opt %s --split-input-file "--tc-assign-target=target=cuda:sm_90a libraries=none" | FileCheck %s --check-prefix=NONE
// RUN: env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-opt %s --split-input-file "--tc-assign-target=target=cuda:sm_90a libraries=host" | FileCheck %s --check-prefix=HERE
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

// -----

// A target has the libraries that the option names; those of this machine are looked for where there are products.
// LIBRARIES-LABEL: module @product attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda"
// NONE-LABEL: module @product attributes {tc.target = #tc.target<"cuda"
// HERE-LABEL: module @plain attributes {tc.target
// HERE-LABEL: module @product attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda"
module @product {
  func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %0 = tc.contract "mk,kn->mn" %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// Those that the module lists stay, unless there are to be none; a CPU has none of them.
// CHECK-LABEL: module @has_libraries attributes {tc.libraries = ["cublaslt"],
// GPU-LABEL: module @has_libraries attributes {tc.libraries = ["cublaslt"],
// NONE-LABEL: module @has_libraries attributes {tc.target =
module @has_libraries attributes {tc.libraries = ["cublaslt"]} {}
