// RUN: tc-opt %s --split-input-file --tc-fuse-elementwise | FileCheck %s

// A chain becomes one kernel.
// CHECK-LABEL: func @f
// CHECK: tc.kernel "exp_neg"
// CHECK: tc.exp
// CHECK: tc.neg
// CHECK-NOT: tc.kernel
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.exp %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.neg %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// Arithmetic that may become an epilogue of the sum stays separate from the pad of it, which may not.
// CHECK-LABEL: func @padded
// CHECK: tc.kernel "sum"
// CHECK: tc.kernel "relu" pointwise
// CHECK: tc.kernel "pad" pointwise
func.func @padded(%x: tensor<8x4xf32>) -> tensor<10xf32> {
  %d = tc.empty : tensor<8xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 4>] ins(%a = %x : tensor<8x4xf32>) outs(%o = %d : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x4xf32> -> f32
    %w = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "relu" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %d : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.relu %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %e = tc.empty : tensor<10xf32>
  %2 = tc.kernel "pad" pointwise dims [#tc.dim<"i", parallel, 10>] ins(%a = %1 : tensor<8xf32>) outs(%o = %e : tensor<10xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 - 1)>] within affine_set<(d0) : (d0 - 1 >= 0, -d0 + 8 >= 0)> : tensor<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<10xf32>
  }
  return %2 : tensor<10xf32>
}
