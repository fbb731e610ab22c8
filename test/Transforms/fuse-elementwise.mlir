// RUN: tc-opt %s --tc-fuse-elementwise | FileCheck %s

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
