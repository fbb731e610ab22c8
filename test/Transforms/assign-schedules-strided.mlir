// RUN: tc-opt %s --tc-assign-target=target=cpu:x86-64-v4 --tc-assign-schedules | FileCheck %s

// Elements next to each other: 256 lanes. Every second one is put into its lane
// by code of its own: 128.
// CHECK-LABEL: func.func @slices
// CHECK: tc.kernel "whole" {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64, unroll = 4, grain = 2>
// CHECK: tc.kernel "half" {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64, unroll = 2, grain = 2>
func.func @slices(%x: tensor<8192xi8>) -> (tensor<4096xi8>, tensor<4096xi8>) {
  %e = tc.empty : tensor<4096xi8>
  %0 = tc.kernel "whole" pointwise dims [#tc.dim<"i", parallel, 4096>] ins(%a = %x : tensor<8192xi8>) outs(%o = %e : tensor<4096xi8>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 + 1)>] : tensor<8192xi8> -> i8
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : i8, tensor<4096xi8>
  }
  %1 = tc.kernel "half" pointwise dims [#tc.dim<"i", parallel, 4096>] ins(%a = %x : tensor<8192xi8>) outs(%o = %e : tensor<4096xi8>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 2)>] : tensor<8192xi8> -> i8
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : i8, tensor<4096xi8>
  }
  return %0, %1 : tensor<4096xi8>, tensor<4096xi8>
}
