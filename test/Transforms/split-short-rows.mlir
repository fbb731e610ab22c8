// RUN: tc-opt %s --tc-split-short-rows --split-input-file | FileCheck %s

// The rows of 8 channels of a group, one a pixel: the mean and then the sum of
// squares of the distances to it are folds of all pixels for each channel, and
// of the channels that are left.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  // CHECK-LABEL: func.func @mean_and_square
  // CHECK: %[[SUMS:.*]] = tc.kernel "norm" column_reduction
  // CHECK: tc.reduce_stage sum %{{.*}} over [1] : f32 -> f32
  // CHECK: %[[SUM:.*]] = tc.kernel "norm" row_reduction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 32>, #tc.dim<"k", reduced, 8>] ins(%{{.*}} = %[[SUMS]]
  // CHECK: %[[SQUARES:.*]] = tc.kernel "norm" column_reduction
  // CHECK-SAME: %[[SUM]]
  // CHECK: %[[SQUARE:.*]] = tc.kernel "norm" row_reduction
  // CHECK-SAME: %[[SQUARES]]
  // CHECK: tc.kernel "norm"
  // CHECK-SAME: %[[SUM]]
  // CHECK-SAME: %[[SQUARE]]
  // CHECK-NOT: tc.reduce_stage
  // CHECK: return
  func.func @mean_and_square(%x: tensor<16x1024x32x8xf32>) -> tensor<16x1024x32x8xf32> {
    %e = tc.empty : tensor<16x1024x32x8xf32>
    %0 = tc.kernel "norm" row_reduction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 1024>, #tc.dim<"k", parallel, 32>, #tc.dim<"l", parallel, 8>] ins(%a = %x : tensor<16x1024x32x8xf32>) outs(%r = %e : tensor<16x1024x32x8xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : tensor<16x1024x32x8xf32> -> f32
      %s = tc.reduce_stage sum %p over [3, 1] : f32 -> f32
      %n = tc.scalar 1.220703125e-4 : f32
      %m = tc.mul %s, %n : f32
      %d = tc.sub %p, %m : f32
      %q = tc.mul %d, %d : f32
      %t = tc.reduce_stage sum %q over [3, 1] : f32 -> f32
      %v = tc.add %d, %t : f32
      tc.write %v, %r[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : f32, tensor<16x1024x32x8xf32>
    }
    return %0 : tensor<16x1024x32x8xf32>
  }
}

// -----

// Rows that follow each other in memory are one long row, which threads share.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  // CHECK-LABEL: func.func @one_row
  // CHECK-COUNT-1: tc.kernel
  // CHECK-NOT: tc.kernel
  // CHECK: return
  func.func @one_row(%x: tensor<64x1024x8xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 1024>, #tc.dim<"k", reduced, 8>] ins(%a = %x : tensor<64x1024x8xf32>) outs(%r = %e : tensor<64xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<64x1024x8xf32> -> f32
      %s = tc.reduce_stage sum %p over [1, 2] : f32 -> f32
      tc.write %s, %r[affine_map<(d0, d1, d2) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// A CPU's task has whole rows.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
  // CHECK-LABEL: func.func @on_a_cpu
  // CHECK-COUNT-1: tc.kernel
  // CHECK-NOT: tc.kernel
  // CHECK: return
  func.func @on_a_cpu(%x: tensor<1024x64x8xf32>) -> tensor<64xf32> {
    %e = tc.empty : tensor<64xf32>
    %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 1024>, #tc.dim<"k", reduced, 8>] ins(%a = %x : tensor<1024x64x8xf32>) outs(%r = %e : tensor<64xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d1, d0, d2)>] : tensor<1024x64x8xf32> -> f32
      %s = tc.reduce_stage sum %p over [1, 2] : f32 -> f32
      tc.write %s, %r[affine_map<(d0, d1, d2) -> (d0)>] : f32, tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}
