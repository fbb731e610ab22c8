// RUN: tc-opt %s --tc-assign-schedules | FileCheck %s

// Lanes along the only dimension.
// CHECK-LABEL: func @f
// CHECK: schedule #tc.schedule<vector_dim = 0, vector_width = 8, unroll = 4>
func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
  %e = tc.empty : tensor<8192xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8192>] ins(%a = %x : tensor<8192xf32>) outs(%o = %e : tensor<8192xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8192xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8192xf32>
  }
  return %0 : tensor<8192xf32>
}
