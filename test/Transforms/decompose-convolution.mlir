// RUN: tc-opt %s --tc-decompose-convolution=min-multiplications=0 | FileCheck %s
// RUN: tc-opt %s --tc-decompose-convolution | FileCheck %s --check-prefix=SMALL
// RUN: tc-opt %s --tc-decompose-convolution="min-multiplications=0 max-growth=5" | FileCheck %s --check-prefix=SMALL

// CHECK-DAG: #[[PLACES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 3, d1 + d2 mod 3 - 1)>
// CHECK-DAG: #[[INSIDE:.*]] = affine_set<(d0, d1, d2) : (d1 + d2 mod 3 - 1 >= 0, -d1 - d2 mod 3 + 6 >= 0, -d2 + 8 >= 0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[LANES:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[RUNS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 - 1, d2 * 6 + d4 - 3)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_set<(d0, d1, d2, d3, d4) : (d1 + d3 - 1 >= 0, -d1 - d3 + 6 >= 0, d2 * 6 + d4 - 3 >= 0, d2 * -6 - d4 + 32 >= 0, -d4 + 8 >= 0)>

// A convolution of three channels reads a matrix: 9 elements for each place of the window and 7 zeros. So are its
// filters, in @tc.prepare, as they are of a parameter.
#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
tc.parameter_source @w : tensor<16x3x3xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
// CHECK-LABEL: func.func @three_channels
// CHECK: %[[M:.*]] = tc.kernel "unfold"
// CHECK-SAME: outs(%{{.*}} = %{{.*}} : tensor<2x6x16xbf16>)
// CHECK: tc.read %{{.*}}[#[[PLACES]]] within #[[INSIDE]]
// CHECK: %[[W:.*]] = tc.parameter @w.unfolded : tensor<16x16xbf16>
// CHECK: tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 6>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 16>] ins(%[[A:.*]] = %[[M]] : tensor<2x6x16xbf16>, %[[B:.*]] = %[[W]] : tensor<16x16xbf16>)
// CHECK: tc.read %[[A]][#[[ROWS]]]
// CHECK: tc.read %[[B]][#[[LANES]]]
// CHECK: tc.contract_stage %{{.*}}, %{{.*}} over [3]
// SMALL-LABEL: func.func @three_channels
// SMALL-NOT: "unfold"
// SMALL: tc.kernel "conv"
func.func @three_channels(%x: tensor<2x3x6xbf16>) -> tensor<2x6x16xbf16> {
  %u = tc.parameter @w : tensor<16x3x3xbf16>
  %e = tc.empty : tensor<2x6x16xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 6>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x3x6xbf16>, %b = %u : tensor<16x3x3xbf16>) outs(%o = %e : tensor<2x6x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1 + d4 - 1)>] within affine_set<(d0, d1, d2, d3, d4) : (d1 + d4 - 1 >= 0, -d1 - d4 + 6 >= 0)> : tensor<2x3x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<16x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x6x16xbf16>
  }
  return %0 : tensor<2x6x16xbf16>
}
// Images with their channels last: the columns of a row of the window, and their channels, are next to each other in memory.
// Each of the three rows has nine elements and seven zeros behind them, and columns outside the image are tested with their
// channels.
// CHECK-LABEL: func.func @channels_last
// CHECK: %[[X:.*]] = tc.reshape %{{.*}} : tensor<2x6x10x3xbf16> -> tensor<2x6x30xbf16>
// CHECK: %[[M:.*]] = tc.kernel "unfold" {{.*}} ins(%[[S:.*]] = %[[X]] : {{.*}}) outs(%{{.*}} = %{{.*}} : tensor<2x6x5x3x16xbf16>)
// CHECK-NEXT: tc.read %[[S]][#[[RUNS]]] within #[[COLUMNS]]
// CHECK: tc.reshape %[[M]] : tensor<2x6x5x3x16xbf16> -> tensor<2x6x5x48xbf16>
// CHECK: tc.contract_stage
func.func @channels_last(%x: tensor<2x6x10x3xbf16>, %u: tensor<16x3x3x3xbf16>) -> tensor<2x6x5x16xbf16> {
  %e = tc.empty : tensor<2x6x5x16xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 5>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 3>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x6x10x3xbf16>, %b = %u : tensor<16x3x3x3xbf16>) outs(%o = %e : tensor<2x6x5x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5 - 1, d2 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d1 + d5 - 1 >= 0, -d1 - d5 + 6 >= 0, d2 * 2 + d6 - 1 >= 0, d2 * -2 - d6 + 10 >= 0)> : tensor<2x6x10x3xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>] : tensor<16x3x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x6x5x16xbf16>
  }
  return %0 : tensor<2x6x5x16xbf16>
}

// Columns of a number that is known at run time alone are no run: a row is one dimension.
// CHECK-LABEL: func.func @columns_by_name
// CHECK-NOT: tc.reshape
// CHECK: tc.kernel "unfold" {{.*}} outs(%{{.*}} = %{{.*}} : tensor<2x4x?x32xbf16, #tc.sizes<[2, 4, s0 - 2, 32]>>)
// CHECK: return
func.func @columns_by_name(%x: tensor<2x6x?x3xbf16, #tc.sizes<[2, 6, s0, 3]>>, %u: tensor<16x3x3x3xbf16>) -> tensor<2x4x?x16xbf16, #tc.sizes<[2, 4, s0 - 2, 16]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 3, max = 64>]} {
  %e = tc.empty : tensor<2x4x?x16xbf16, #tc.sizes<[2, 4, s0 - 2, 16]>>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 4>, #tc.dim<"w", parallel, s0 - 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 3>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x6x?x3xbf16, #tc.sizes<[2, 6, s0, 3]>>, %b = %u : tensor<16x3x3x3xbf16>) outs(%o = %e : tensor<2x4x?x16xbf16, #tc.sizes<[2, 4, s0 - 2, 16]>>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d4)>] : tensor<2x6x?x3xbf16, #tc.sizes<[2, 6, s0, 3]>> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>] : tensor<16x3x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x4x?x16xbf16, #tc.sizes<[2, 4, s0 - 2, 16]>>
  }
  return %0 : tensor<2x4x?x16xbf16, #tc.sizes<[2, 4, s0 - 2, 16]>>
}

// Eight channels are units of 16 bytes.
// CHECK-LABEL: func.func @eight_channels
// CHECK-NOT: "unfold"
// CHECK: tc.kernel "conv"
func.func @eight_channels(%x: tensor<2x6x8xbf16>, %u: tensor<16x3x8xbf16>) -> tensor<2x6x16xbf16> {
  %e = tc.empty : tensor<2x6x16xbf16>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"s", reduced, 3>, #tc.dim<"c", reduced, 8>] ins(%a = %x : tensor<2x6x8xbf16>, %b = %u : tensor<16x3x8xbf16>) outs(%o = %e : tensor<2x6x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>] : tensor<2x6x8xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<16x3x8xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x6x16xbf16>
  }
  return %0 : tensor<2x6x16xbf16>
}
}
