// RUN: tc-opt %s --split-input-file --tc-pack-filters | FileCheck %s

// CHECK-DAG: #[[IMAGES:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
// CHECK-DAG: #[[FILTERS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>

// The sums go over the window and then over the channels, as the images are in memory, and the filters are stored in
// that order: once for parameters, by a kernel before the convolution for others.
#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
tc.parameter_source @w : tensor<16x8x3xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
// CHECK: tc.prepared @w.reordered : tensor<16x3x8xbf16> {result = 0 : i64}
// CHECK: func.func @tc.prepare() -> tensor<16x3x8xbf16>
// CHECK-LABEL: func.func @of_parameter
// CHECK: %[[W:.*]] = tc.parameter @w.reordered : tensor<16x3x8xbf16>
// CHECK: tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"s", reduced, 3>, #tc.dim<"c", reduced, 8>]
// CHECK-SAME: ins(%[[X:.*]] = %{{.*}} : tensor<2x6x8xbf16>, %[[F:.*]] = %[[W]] : tensor<16x3x8xbf16>)
// CHECK: tc.read %[[X]][#[[IMAGES]]]
// CHECK: tc.read %[[F]][#[[FILTERS]]]
// CHECK-LABEL: func.func @of_argument
// CHECK: %[[O:.*]] = tc.kernel "reorder" transpose
// CHECK-SAME: outs(%{{.*}} = %{{.*}} : tensor<16x3x8xbf16>)
// CHECK: tc.kernel "conv"
// CHECK-SAME: = %[[O]] : tensor<16x3x8xbf16>
func.func @of_parameter(%x: tensor<2x6x8xbf16>) -> tensor<2x4x16xbf16> {
  %u = tc.parameter @w : tensor<16x8x3xbf16>
  %e = tc.empty : tensor<2x4x16xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x6x8xbf16>, %b = %u : tensor<16x8x3xbf16>) outs(%o = %e : tensor<2x4x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d3)>] : tensor<2x6x8xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x4x16xbf16>
  }
  return %0 : tensor<2x4x16xbf16>
}
func.func @of_argument(%x: tensor<2x6x8xbf16>, %u: tensor<16x8x3xbf16>) -> tensor<2x4x16xbf16> {
  %e = tc.empty : tensor<2x4x16xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x6x8xbf16>, %b = %u : tensor<16x8x3xbf16>) outs(%o = %e : tensor<2x4x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d3)>] : tensor<2x6x8xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x4x16xbf16>
  }
  return %0 : tensor<2x4x16xbf16>
}
}

// -----

// Images whose channels are not last keep the order of their sums.
#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// CHECK-LABEL: func.func @planes
// CHECK-NOT: "reorder"
// CHECK: #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>]
func.func @planes(%x: tensor<2x8x6xbf16>, %u: tensor<16x8x3xbf16>) -> tensor<2x16x4xbf16> {
  %e = tc.empty : tensor<2x16x4xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6xbf16>, %b = %u : tensor<16x8x3xbf16>) outs(%o = %e : tensor<2x16x4xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>] : tensor<2x8x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x16x4xbf16>
  }
  return %0 : tensor<2x16x4xbf16>
}
}
