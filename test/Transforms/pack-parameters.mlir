// RUN: tc-opt %s --tc-pack-parameters=min-bytes=64 --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-pack-parameters | FileCheck %s --check-prefix=SMALL

// RUN: tc-opt %s --tc-pack-parameters="min-bytes=64 max-layouts=1" --mlir-print-local-scope | FileCheck %s --check-prefix=ONE

// SMALL-NOT: tc.prepared @w.packed

module attributes {tc.target = #tc.target<"cpu", chip = "znver5", features = "">} {

tc.parameter_source @w : tensor<6x4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
tc.parameter_source @half : tensor<32x5xbf16> {file = "m.pt2", offset = 128 : i64, role = "parameter"}
tc.parameter_source @heads : tensor<2x3x8xf32> {file = "m.pt2", offset = 512 : i64, role = "parameter"}
tc.parameter_source @image : tensor<8x3x2xf32> {file = "m.pt2", offset = 1024 : i64, role = "parameter"}

// CHECK: tc.prepared @w.packed : tensor<2x4x4xf32> {result = 0 : i64}
// CHECK: tc.prepared @half.packed : tensor<2x3x16x2xbf16> {result = 1 : i64}
// CHECK: tc.prepared @heads.packed : tensor<3x8x4xf32> {result = 2 : i64}
// CHECK: tc.prepared @image.packed : tensor<2x6x4xf32> {result = 3 : i64}

// CHECK: func.func @tc.prepare()

// Zeros after the last lane.
// CHECK: %[[W:.*]] = tc.parameter @w
// CHECK: tc.kernel "pack" transpose dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", parallel, 4>] ins(%{{.*}} = %[[W]] :
// CHECK-NEXT: tc.read %{{.*}}[affine_map<(d0, d1, d2) -> (d0 * 4 + d2, d1)>] within affine_set<(d0, d1, d2) : (-(d0 * 4 + d2) + 5 >= 0)>

// Pairs of points, and a zero after the last.
// CHECK: %[[HALF:.*]] = tc.parameter @half
// CHECK: tc.kernel "pack" {{.*}} dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 3>, #tc.dim<"k", parallel, 16>, #tc.dim<"l", parallel, 2>] ins(%{{.*}} = %[[HALF]] :
// CHECK-NEXT: tc.read %{{.*}}[affine_map<(d0, d1, d2, d3) -> (d0 * 16 + d2, d1 * 2 + d3)>] within affine_set<(d0, d1, d2, d3) : (-(d1 * 2 + d3) + 4 >= 0)>

// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<2x4xf32>) -> tensor<2x6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %e = tc.empty : tensor<2x6xf32>
  // CHECK: %[[P:.*]] = tc.parameter @w.packed : tensor<2x4x4xf32>
  // CHECK: tc.kernel "contract" {{.*}} ins(%{{.*}} = %{{.*}} : tensor<2x4xf32>, %[[B:.*]] = %[[P]] : tensor<2x4x4xf32>)
  // CHECK: tc.read %[[B]][affine_map<(d0, d1, d2) -> (d1 floordiv 4, d2, d1 mod 4)>] : tensor<2x4x4xf32> -> f32
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<2x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<2x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x6xf32>
  }
  return %0 : tensor<2x6xf32>
}

// The same weight is packed once; where something reads it as it is, both stay.
// CHECK-LABEL: func.func @tied
func.func @tied(%x: tensor<3x4xf32>) -> (tensor<3x6xf32>, tensor<6x4xf32>) {
  // CHECK: %[[W:.*]] = tc.parameter @w : tensor<6x4xf32>
  %w = tc.parameter @w : tensor<6x4xf32>
  %e = tc.empty : tensor<3x6xf32>
  // CHECK: tc.parameter @w.packed : tensor<2x4x4xf32>
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 3>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 3, lanes = 4, reduced = 32, block_rows = 3, block_lanes = 8>> ins(%a = %x : tensor<3x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<3x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<3x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<3x6xf32>
  }
  // CHECK: return %{{.*}}, %[[W]]
  return %0, %w : tensor<3x6xf32>, tensor<6x4xf32>
}

// An input that the epilogue reads too stays an input of the kernel.
// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<6x4xf32>) -> tensor<6x6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %e = tc.empty : tensor<6x6xf32>
  // CHECK: ins(%{{.*}} = %{{.*}} : tensor<6x4xf32>, %{{.*}} = %{{.*}} : tensor<6x4xf32>, %[[B:.*]] = %{{.*}} : tensor<2x4x4xf32>)
  // CHECK: tc.read %[[B]]
  %0 = tc.kernel "contract_add" contraction dims [#tc.dim<"m", parallel, 6>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<6x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<6x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<6x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    %d = tc.read %b[affine_map<(d0, d1, d2) -> (d0, d1 floordiv 2)>] : tensor<6x4xf32> -> f32
    %s = tc.add %c, %d : f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<6x6xf32>
  }
  return %0 : tensor<6x6xf32>
}

// bf16 on a target that multiplies pairs.
// CHECK-LABEL: func.func @pairs
func.func @pairs(%x: tensor<2x5xbf16>) -> tensor<2x32xf32> {
  %w = tc.parameter @half : tensor<32x5xbf16>
  %e = tc.empty : tensor<2x32xf32>
  // CHECK: tc.read %{{.*}}[affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2 floordiv 2, d1 mod 16, d2 mod 2)>] : tensor<2x3x16x2xbf16> -> bf16
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 32>, #tc.dim<"k", reduced, 5>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 2, lanes = 16, reduced = 32, block_rows = 2, block_lanes = 32>> ins(%a = %x : tensor<2x5xbf16>, %b = %w : tensor<32x5xbf16>) outs(%o = %e : tensor<2x32xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x5xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<32x5xbf16> -> bf16
    %c = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x32xf32>
  }
  return %0 : tensor<2x32xf32>
}

// Lanes of two dimensions, and a reshape before the kernel.
// CHECK-LABEL: func.func @two_lane_dims
func.func @two_lane_dims(%x: tensor<5x8xf32>) -> tensor<5x2x3x2xf32> {
  %h = tc.parameter @heads : tensor<2x3x8xf32>
  %w = tc.reshape %h : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %e = tc.empty : tensor<5x2x3x2xf32>
  // CHECK: tc.read %{{.*}}[affine_map<(d0, d1, d2, d3, d4) -> (((d1 * 3 + d2) * 2 + d3) floordiv 4, d4, ((d1 * 3 + d2) * 2 + d3) mod 4)>]
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 5>, #tc.dim<"h", parallel, 2>, #tc.dim<"n", parallel, 3>, #tc.dim<"r", parallel, 2>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 3, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<5x8xf32>, %b = %w : tensor<6x8xf32>) outs(%o = %e : tensor<5x2x3x2xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d4)>] : tensor<5x8xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d1 * 3 + d2, (d3 + d4) mod 8)>] : tensor<6x8xf32> -> f32
    %c = tc.contract_stage %u, %v over [4] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>] : f32, tensor<5x2x3x2xf32>
  }
  return %0 : tensor<5x2x3x2xf32>
}

// Reduced points of two dimensions, as a convolution has them.
// CHECK-LABEL: func.func @two_point_dims
func.func @two_point_dims(%x: tensor<5x3x2xf32>) -> tensor<5x8xf32> {
  %w = tc.parameter @image : tensor<8x3x2xf32>
  %e = tc.empty : tensor<5x8xf32>
  // CHECK: tc.read %{{.*}}[affine_map<(d0, d1, d2, d3) -> (d1 floordiv 4, d2 * 2 + d3, d1 mod 4)>]
  %0 = tc.kernel "convolution" contraction dims [#tc.dim<"m", parallel, 5>, #tc.dim<"n", parallel, 8>, #tc.dim<"c", reduced, 3>, #tc.dim<"k", reduced, 2>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<5x3x2xf32>, %b = %w : tensor<8x3x2xf32>) outs(%o = %e : tensor<5x8xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>] : tensor<5x3x2xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>] : tensor<8x3x2xf32> -> f32
    %c = tc.contract_stage %u, %v over [2, 3] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, tensor<5x8xf32>
  }
  return %0 : tensor<5x8xf32>
}

// Another tile wants other panels; memory bounds how many layouts there are.
// CHECK-LABEL: func.func @other_tile
// ONE-LABEL: func.func @other_tile
func.func @other_tile(%x: tensor<2x4xf32>) -> tensor<2x6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %e = tc.empty : tensor<2x6xf32>
  // CHECK: tc.parameter @w.packed_0 : tensor<1x4x8xf32>
  // ONE: tc.parameter @w : tensor<6x4xf32>
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 8, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<2x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<2x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x6xf32>
  }
  return %0 : tensor<2x6xf32>
}

// An operand that is no parameter, and one that has a prologue.
// CHECK-LABEL: func.func @not_packed
// CHECK-NOT: floordiv
func.func @not_packed(%x: tensor<2x4xf32>, %y: tensor<6x4xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
  %w = tc.parameter @w : tensor<6x4xf32>
  %e = tc.empty : tensor<2x6xf32>
  %0 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<2x4xf32>, %b = %y : tensor<6x4xf32>) outs(%o = %e : tensor<2x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %c = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x6xf32>
  }
  %1 = tc.kernel "contract" contraction dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 6>, #tc.dim<"k", reduced, 4>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 4, reduced = 32, block_rows = 2, block_lanes = 8>> ins(%a = %x : tensor<2x4xf32>, %b = %w : tensor<6x4xf32>) outs(%o = %e : tensor<2x6xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x4xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<6x4xf32> -> f32
    %p = tc.exp %v : f32
    %c = tc.contract_stage %u, %p over [2] : f32, f32 -> f32
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x6xf32>
  }
  return %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
}

}
