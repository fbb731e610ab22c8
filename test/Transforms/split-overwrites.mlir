// RUN: tc-opt %s --split-input-file --tc-split-overwrites --tc-eliminate-dead-outputs | FileCheck %s

// A counter that each point is computed of: the next count goes over it when nothing reads it any more.
// CHECK-LABEL: func.func @counted(
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %[[N:.*]]: tensor<f32>)
// CHECK: %[[R:.*]] = tc.kernel "add_mul" pointwise dims [#tc.dim<"i", parallel, 8>]
// CHECK-COUNT-1: tc.write
// CHECK: %[[C:.*]] = tc.kernel "overwrite" pointwise dims [] ins(%[[A:.*]] = %[[N]] : tensor<f32>)
// CHECK-NEXT: %[[P:.*]] = tc.read %[[A]]
// CHECK-NEXT: %[[ONE:.*]] = tc.scalar 1.000000e+00
// CHECK-NEXT: %[[Q:.*]] = tc.add %[[P]], %[[ONE]]
// CHECK-NEXT: tc.write %[[Q]]
// CHECK: return %[[R]], %[[C]]
func.func @counted(%x: tensor<8xf32>, %n: tensor<f32>) -> (tensor<8xf32>, tensor<f32> {tc.may_overwrite = 1 : i64}) {
  %e = tc.empty : tensor<8xf32>
  %c = tc.empty : tensor<f32>
  %0:2 = tc.kernel "add_mul" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>, %b = %n : tensor<f32>) outs(%r = %e : tensor<8xf32>, %s = %c : tensor<f32>) {
    %p = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %one = tc.scalar 1.0 : f32
    %q = tc.add %p, %one : f32
    tc.write %q, %s[affine_map<(d0) -> ()>] : f32, tensor<f32>
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.mul %v, %q : f32
    tc.write %w, %r[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
}

// -----

// Without the permission, computed of another argument too, or folded: as it is.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: "overwrite"
func.func @kept(%x: tensor<8xf32>, %n: tensor<f32>, %m: tensor<f32>)
    -> (tensor<8xf32>, tensor<f32>, tensor<f32> {tc.may_overwrite = 1 : i64}, tensor<f32> {tc.may_overwrite = 2 : i64}) {
  %e = tc.empty : tensor<8xf32>
  %c = tc.empty : tensor<f32>
  %d = tc.empty : tensor<f32>
  %0:3 = tc.kernel "add_mul" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>, %b = %n : tensor<f32>, %f = %m : tensor<f32>) outs(%r = %e : tensor<8xf32>, %s = %c : tensor<f32>, %t = %d : tensor<f32>) {
    %p = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %o = tc.read %f[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %q = tc.add %p, %o : f32
    tc.write %p, %s[affine_map<(d0) -> ()>] : f32, tensor<f32>
    tc.write %q, %t[affine_map<(d0) -> ()>] : f32, tensor<f32>
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.mul %v, %q : f32
    tc.write %w, %r[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %z = tc.empty : tensor<f32>
  %1 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", reduced, 8>] ins(%a = %x : tensor<8xf32>, %b = %m : tensor<f32>) outs(%r = %z : tensor<f32>) {
    %p = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %q = tc.reduce_stage sum %p over [0] : f32 -> f32
    %o = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %s = tc.add %q, %o : f32
    tc.write %s, %r[affine_map<(d0) -> ()>] : f32, tensor<f32>
  }
  return %0#0, %0#1, %0#2, %1 : tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>
}
