// RUN: tc-opt %s --tc-collapse-dimensions | FileCheck %s

// Two dimensions are one long loop.
// CHECK-LABEL: func @f
// CHECK: tc.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
// CHECK: dims [#tc.dim<"i", parallel, 32>]
// CHECK: tc.reshape %{{.*}} : tensor<32xf32> -> tensor<4x8xf32>
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tc.empty : tensor<4x8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Nothing is left of the batch of one; inputs stand as they are read.
// CHECK-LABEL: func @g
// CHECK: %[[X:.*]] = tc.reshape %arg0 : tensor<1x8xf32> -> tensor<8xf32>
// CHECK: %[[FIRST:.*]] = tc.kernel "first" {{.*}}ins(%{{.*}} = %[[X]] : tensor<8xf32>, %{{.*}} = %arg1 : tensor<8xf32>)
// CHECK: tc.reshape %[[FIRST]] : tensor<8xf32> -> tensor<1x8xf32>
// CHECK: tc.kernel "second" {{.*}}ins(%[[A:.*]] = %arg1 : tensor<8xf32>, %[[B:.*]] = %arg1 : tensor<8xf32>)
// CHECK-NEXT: tc.read %[[A]]
// CHECK-NEXT: tc.read %[[B]]
func.func @g(%x: tensor<1x8xf32>, %y: tensor<8xf32>) -> (tensor<1x8xf32>, tensor<8xf32>) {
  %e = tc.empty : tensor<1x8xf32>
  %0 = tc.kernel "first" pointwise dims [#tc.dim<"b", parallel, 1>, #tc.dim<"i", parallel, 8>] ins(%a = %y : tensor<8xf32>, %b = %x : tensor<1x8xf32>) outs(%o = %e : tensor<1x8xf32>) {
    %v = tc.read %b[affine_map<(d0, d1) -> (d0, d1)>] : tensor<1x8xf32> -> f32
    %w = tc.read %a[affine_map<(d0, d1) -> (d1)>] : tensor<8xf32> -> f32
    %n = tc.sub %v, %w : f32
    tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<1x8xf32>
  }
  %f = tc.empty : tensor<8xf32>
  %1 = tc.kernel "second" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %y : tensor<8xf32>, %b = %y : tensor<8xf32>) outs(%o = %f : tensor<8xf32>) {
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.read %a[affine_map<(d0) -> (7 - d0)>] : tensor<8xf32> -> f32
    %n = tc.sub %v, %w : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0, %1 : tensor<1x8xf32>, tensor<8xf32>
}

// An index that is computed stays, whatever the size.
// CHECK-LABEL: func @h
// CHECK: tc.kernel "gather" {{.*}} : tensor<1x8xf32>
func.func @h(%x: tensor<1x8xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "gather" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<1x8xf32>, %b = %i : tensor<8xi64>) outs(%o = %e : tensor<8xf32>) {
    %j = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
    %z = tc.scalar 0 : i64
    %k = tc.mul %j, %z : i64
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] at %k : i64 : tensor<1x8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
