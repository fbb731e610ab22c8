// RUN: tc-opt %s --tc-fuse-reshapes | FileCheck %s

// The kernel reads the flat tensor.
// CHECK-LABEL: func @f
// CHECK-NOT: tc.reshape
// CHECK: tc.kernel "neg"
// CHECK: tc.read %{{.*}} : tensor<32xf32> -> f32
func.func @f(%x: tensor<32xf32>) -> tensor<4x8xf32> {
  %r = tc.reshape %x : tensor<32xf32> -> tensor<4x8xf32>
  %e = tc.empty : tensor<4x8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %r : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
