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

// The index that is computed keeps its dimension of size 1, which it may be out of.
// CHECK-LABEL: func @computed_index
// CHECK: %[[R:.*]] = tc.reshape
// CHECK: tc.kernel "index" {{.*}} ins({{.*}}, %[[A:.*]] = %[[R]] : tensor<5x1xf32>)
// CHECK: tc.read %[[A]]{{.*}} at %{{.*}} : i64 : tensor<5x1xf32> -> f32
func.func @computed_index(%x: tensor<5xf32>, %i: tensor<3xi64>) -> tensor<5x3xf32> {
  %r = tc.reshape %x : tensor<5xf32> -> tensor<5x1xf32>
  %e = tc.empty : tensor<5x3xf32>
  %0 = tc.kernel "index" pointwise dims [#tc.dim<"i", parallel, 5>, #tc.dim<"j", parallel, 3>] ins(%a = %i : tensor<3xi64>, %b = %r : tensor<5x1xf32>) outs(%c = %e : tensor<5x3xf32>) {
    %1 = tc.read %a[affine_map<(d0, d1) -> (d1)>] : tensor<3xi64> -> i64
    %2 = tc.read %b[affine_map<(d0, d1, d2) -> (d0, d2)>] at %1 : i64 : tensor<5x1xf32> -> f32
    tc.write %2, %c[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<5x3xf32>
  }
  return %0 : tensor<5x3xf32>
}
