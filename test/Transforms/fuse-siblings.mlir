// RUN: tc-opt %s --tc-fuse-siblings | FileCheck %s

// Two functions of one tensor read it once.
// CHECK-LABEL: func @f
// CHECK: %{{.*}}:2 = tc.kernel "neg_exp"
// CHECK: tc.read
// CHECK-NOT: tc.read
// CHECK: tc.exp
func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.exp %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A kernel that needs what the other one defines a size from stays after it.
// CHECK-LABEL: func @defined_between
// CHECK: tc.kernel "neg"
// CHECK: tc.kernel "count"
// CHECK: tc.size_from "u0"
// CHECK: tc.kernel "add"
func.func @defined_between(%x: tensor<8xi64>) -> (tensor<8xi64>, tensor<8xi64>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  %e = tc.empty : tensor<8xi64>
  %z = tc.empty : tensor<i64>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xi64>) outs(%o = %e : tensor<8xi64>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
    %n = tc.sub %v, %v : i64
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : i64, tensor<8xi64>
  }
  %1 = tc.kernel "count" row_reduction dims [#tc.dim<"i", reduced, 8>] ins(%a = %0 : tensor<8xi64>) outs(%o = %z : tensor<i64>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
    %n = tc.reduce_stage sum %v over [0] : i64 -> i64
    tc.write %n, %o[affine_map<(d0) -> ()>] : i64, tensor<i64>
  }
  tc.size_from "u0" = %1 : tensor<i64>
  %2 = tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, 8>] symbols [#tc.expr<u0>] ins(%a = %x : tensor<8xi64>) outs(%o = %e : tensor<8xi64>) {
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0)>] : tensor<8xi64> -> i64
    %w = tc.size_scalar <u0> : i64
    %n = tc.add %v, %w : i64
    tc.write %n, %o[affine_map<(d0)[s0] -> (d0)>] : i64, tensor<8xi64>
  }
  return %0, %2 : tensor<8xi64>, tensor<8xi64>
}

// What nothing uses is left to others: merged, it would be no kernel.
// CHECK-LABEL: func @unused
// CHECK-COUNT-3: tc.kernel
func.func @unused(%x: tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.exp %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %2 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return
}
