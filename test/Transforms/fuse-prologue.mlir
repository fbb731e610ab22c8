// RUN: tc-opt %s --tc-fuse-prologue | FileCheck %s

// The operand of a sum is computed inside its loop.
// CHECK-LABEL: func @f
// CHECK: tc.kernel "neg_sum" row_reduction
// CHECK: tc.neg
// CHECK: tc.reduce_stage sum
func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %e = tc.empty : tensor<4x8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.neg %v : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  %d = tc.empty : tensor<4xf32>
  %1 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %0 : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
