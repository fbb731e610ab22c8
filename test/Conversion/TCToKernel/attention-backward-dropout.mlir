// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --convert-tc-to-kernel | FileCheck %s

// The heads of a group that shares keys have rows of random bits of their own.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ((d0 * 6 + d1 * 3 + d2) * 32 + d3)>
// CHECK-LABEL: func.func @shared
// CHECK: tc.index #[[ROW]]
// CHECK: %[[BITS:.*]] = tc.dropout_bits
// CHECK: %[[COUNT:.*]] = tc.scalar 58982 : i64
// CHECK: %[[KEPT:.*]] = tc.lt %[[BITS]], %[[COUNT]] : i64
// CHECK: tc.attention_backward_stage %{{.*}} kept %[[KEPT]] dropout 1.000000e-01 dims [2, 3, 4, 5, 6] scale 1.250000e-01 : bf16
func.func @shared(%g: tensor<2x6x17x64xbf16>, %k: tensor<2x2x32x64xbf16>, %l: tensor<2x6x17xf32>, %s: tensor<i64>) -> (tensor<2x6x17x64xf32>, tensor<2x2x32x64xbf16>, tensor<2x2x32x64xbf16>) {
  %gq, %gk, %gv = tc.attention_backward %g, %g, %k, %k, %l, %l dropout 0.1 seed %s offset %s : tensor<i64>, tensor<i64> scale 0.125 : tensor<2x6x17x64xbf16>, tensor<2x6x17x64xbf16>, tensor<2x2x32x64xbf16>, tensor<2x2x32x64xbf16>, tensor<2x6x17xf32>, tensor<2x6x17xf32> -> tensor<2x6x17x64xf32>
  return %gq, %gk, %gv : tensor<2x6x17x64xf32>, tensor<2x2x32x64xbf16>, tensor<2x2x32x64xbf16>
}
