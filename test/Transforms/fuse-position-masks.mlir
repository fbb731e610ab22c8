// RUN: tc-opt %s --tc-fuse-elementwise --tc-fuse-prologue | FileCheck %s

// A mask of positions is a set of points of the kernel that reads it: differences of indices are one, comparisons of
// them are `tc.within`, and so are their conjunctions and complements. No mask is in memory.
// CHECK-DAG: #[[WINDOW:.*]] = affine_set<(d0, d1) : (d0 - d1 >= 0, -(d0 - d1) + 15 >= 0)>
// CHECK-DAG: #[[FUTURE:.*]] = affine_set<(d0, d1) : (-(d0 - d1) - 1 >= 0)>
// CHECK-LABEL: func.func @window
// CHECK-NOT: tc.kernel "mask"
// CHECK: tc.kernel {{.*}} row_reduction
// CHECK: %[[IN:.*]] = tc.within #[[WINDOW]]
// CHECK: tc.select %[[IN]]
// CHECK-LABEL: func.func @future
// CHECK-NOT: tc.kernel "mask"
// CHECK: tc.within #[[FUTURE]]
// Numbers that may wrap are compared as they are.
// CHECK-LABEL: func.func @hash
// CHECK-NOT: tc.within
// CHECK: tc.lt
func.func @window(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %e = tc.empty : tensor<64x64xi1>
  %m = tc.kernel "mask" pointwise dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 64>] ins() outs(%o = %e : tensor<64x64xi1>) {
    %i = tc.index affine_map<(d0, d1) -> (d0)> : i64
    %j = tc.index affine_map<(d0, d1) -> (d1)> : i64
    %zero = tc.scalar 0 : i64
    %size = tc.scalar 16 : i64
    %d = tc.sub %i, %j : i64
    %a = tc.ge %d, %zero : i64
    %b = tc.lt %d, %size : i64
    %c = tc.bitwise_and %a, %b : i1
    tc.write %c, %o[affine_map<(d0, d1) -> (d0, d1)>] : i1, tensor<64x64xi1>
  }
  %f = tc.empty : tensor<64xf32>
  %s = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 64>] ins(%a = %x : tensor<64x64xf32>, %b = %m : tensor<64x64xi1>) outs(%o = %f : tensor<64xf32>) {
    %zero = tc.scalar 0.0 : f32
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x64xf32> -> f32
    %c = tc.read %b[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x64xi1> -> i1
    %t = tc.select %c, %v, %zero : i1, f32
    %r = tc.reduce_stage sum %t over [1] : f32 -> f32
    tc.write %r, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
  }
  return %s : tensor<64xf32>
}
func.func @future(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %e = tc.empty : tensor<64x64xi1>
  %m = tc.kernel "mask" pointwise dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 64>] ins() outs(%o = %e : tensor<64x64xi1>) {
    %i = tc.index affine_map<(d0, d1) -> (d0)> : i64
    %j = tc.index affine_map<(d0, d1) -> (d1)> : i64
    %a = tc.ge %i, %j : i64
    %c = tc.bitwise_not %a : i1
    tc.write %c, %o[affine_map<(d0, d1) -> (d0, d1)>] : i1, tensor<64x64xi1>
  }
  %f = tc.empty : tensor<64xf32>
  %s = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", reduced, 64>] ins(%a = %x : tensor<64x64xf32>, %b = %m : tensor<64x64xi1>) outs(%o = %f : tensor<64xf32>) {
    %zero = tc.scalar 0.0 : f32
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x64xf32> -> f32
    %c = tc.read %b[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x64xi1> -> i1
    %t = tc.select %c, %v, %zero : i1, f32
    %r = tc.reduce_stage sum %t over [1] : f32 -> f32
    tc.write %r, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
  }
  return %s : tensor<64xf32>
}
func.func @hash(%x: tensor<64xf32>) -> tensor<64xf32> {
  %f = tc.empty : tensor<64xf32>
  %s = tc.kernel "drop" pointwise dims [#tc.dim<"i", parallel, 64>] ins(%a = %x : tensor<64xf32>) outs(%o = %f : tensor<64xf32>) {
    %zero = tc.scalar 0.0 : f32
    %none = tc.scalar 0 : i64
    %factor = tc.scalar 6364136223846793005 : i64
    %i = tc.index affine_map<(d0) -> (d0)> : i64
    %h = tc.mul %i, %factor : i64
    %c = tc.lt %h, %none : i64
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<64xf32> -> f32
    %t = tc.select %c, %v, %zero : i1, f32
    tc.write %t, %o[affine_map<(d0) -> (d0)>] : f32, tensor<64xf32>
  }
  %e = tc.empty : tensor<64xf32>
  %r = tc.kernel "double" pointwise dims [#tc.dim<"i", parallel, 64>] ins(%a = %s : tensor<64xf32>) outs(%o = %e : tensor<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<64xf32> -> f32
    %t = tc.add %v, %v : f32
    tc.write %t, %o[affine_map<(d0) -> (d0)>] : f32, tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
