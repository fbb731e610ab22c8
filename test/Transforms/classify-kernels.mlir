// RUN: tc-opt %s --tc-classify-kernels | FileCheck %s

// The folded dimension goes last.
// CHECK-LABEL: func @f
// CHECK: tc.kernel "sum" column_reduction dims [#tc.dim<"j", parallel, 4>, #tc.dim<"i", reduced, 8>]
// CHECK: tc.reduce_stage sum %{{.*}} over [1]
func.func @f(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %e = tc.empty : tensor<4xf32>
  %0 = tc.kernel "sum" pointwise dims [#tc.dim<"i", reduced, 8>, #tc.dim<"j", parallel, 4>] ins(%a = %x : tensor<8x4xf32>) outs(%o = %e : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x4xf32> -> f32
    %w = tc.reduce_stage sum %v over [0] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d1)>] : f32, tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
