// RUN: tc-opt %s --tc-split-dimensions | FileCheck %s

// The flat index is split as the input is.
// CHECK-LABEL: func @f
// CHECK: dims [#tc.dim<"i", parallel, 4>, #tc.dim<"i0", parallel, 8>]
func.func @f(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = tc.empty : tensor<32xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<32xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 floordiv 8, d0 mod 8)>] : tensor<4x8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
