// RUN: tc-opt %s --split-input-file --tc-assign-target=target=cuda:sm_90a --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-epilogue | FileCheck %s

// The gradients of queries, keys and values are one matrix, which a product needs, and its columns are summed. Blocks share
// columns where a kernel does nothing else, so that the sum reads the matrix again, as bf16.
// CHECK-LABEL: func.func @kept_and_summed(
// CHECK: %[[ALL:.*]] = tc.kernel "concat" pointwise
// CHECK-NOT: reduce_stage
// CHECK: tc.kernel "cast_sum" column_reduction {{.*}} ins(%{{.*}} = %[[ALL]] : tensor<8192x1536xbf16>)
func.func @kept_and_summed(%x: tensor<8192x768xbf16>, %y: tensor<8192x768xbf16>) -> (tensor<8192x1536xbf16>, tensor<1536xf32>) {
  %0 = tc.concat %x, %y dim 1 : tensor<8192x768xbf16>, tensor<8192x768xbf16> -> tensor<8192x1536xbf16>
  %1 = tc.cast %0 : tensor<8192x1536xbf16> to tensor<8192x1536xf32>
  %2 = tc.reduce sum %1 dims [0] : tensor<8192x1536xf32> -> tensor<1536xf32>
  return %0, %2 : tensor<8192x1536xbf16>, tensor<1536xf32>
}

// -----

// Nothing but the sum needs the matrix: one kernel.
// CHECK-LABEL: func.func @summed(
// CHECK: tc.kernel "mul_cast_sum" column_reduction
// CHECK-NOT: tc.kernel
func.func @summed(%x: tensor<8192x768xbf16>, %y: tensor<8192x768xbf16>) -> tensor<768xf32> {
  %0 = tc.mul %x, %y : tensor<8192x768xbf16>
  %1 = tc.cast %0 : tensor<8192x768xbf16> to tensor<8192x768xf32>
  %2 = tc.reduce sum %1 dims [0] : tensor<8192x768xf32> -> tensor<768xf32>
  return %2 : tensor<768xf32>
}
