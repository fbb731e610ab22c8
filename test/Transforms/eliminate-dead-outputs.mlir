// RUN: tc-opt %s --tc-eliminate-dead-outputs | FileCheck %s

// The negation goes with its result.
// CHECK-LABEL: func @f
// CHECK: %{{.*}} = tc.kernel "neg_exp"
// CHECK-NOT: tc.neg
// CHECK: tc.exp
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0:2 = tc.kernel "neg_exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>, %p = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    %w = tc.exp %v : f32
    tc.write %w, %p[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
