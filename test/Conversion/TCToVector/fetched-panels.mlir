// Tiles that fetch the next panel while they multiply one. Panels are packed
// ahead: [panels, points, lanes], or [panels, pairs, lanes, 2].
// RUN: tc-opt %s --convert-tc-to-vector="avx512=true bf16-dot=true" | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
#pairs = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2 floordiv 2, d1 mod 16, d2 mod 2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// A point of a panel is 128 bytes: two lines, or one of half as many for each of two parts.
// CHECK: tc.launch @whole_0
// CHECK: tc.launch @parts_1
// CHECK: tc.launch @none_2
// CHECK: tc.launch @pairs_3
func.func @fetch(%x: memref<16x64xf32>, %y: memref<4x64x32xf32>, %s: memref<16x64xbf16>, %t: memref<8x32x16x2xbf16>) {
  %o = tc.output_buffer 0 : memref<16x128xf32>
  tc.kernel "whole" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 128>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 32, reduced = 64, block_rows = 16, block_lanes = 32>, fetch_parts = 1> ins(%a = %x : memref<16x64xf32>, %b = %y : memref<4x64x32xf32>) outs(%c = %o : memref<16x128xf32>) {
    %v = tc.read %a[#rows] : memref<16x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<4x64x32xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<16x128xf32>
  }
  tc.kernel "parts" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 128>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 32, reduced = 64, block_rows = 16, block_lanes = 32>, fetch_parts = 2> ins(%a = %x : memref<16x64xf32>, %b = %y : memref<4x64x32xf32>) outs(%c = %o : memref<16x128xf32>) {
    %v = tc.read %a[#rows] : memref<16x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<4x64x32xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<16x128xf32>
  }
  tc.kernel "none" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 128>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 32, reduced = 64, block_rows = 16, block_lanes = 32>> ins(%a = %x : memref<16x64xf32>, %b = %y : memref<4x64x32xf32>) outs(%c = %o : memref<16x128xf32>) {
    %v = tc.read %a[#rows] : memref<16x64xf32> -> f32
    %w = tc.read %b[#panel] : memref<4x64x32xf32> -> f32
    %p = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %p, %c[#out] : f32, memref<16x128xf32>
  }
  tc.kernel "pairs" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 128>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 8, lanes = 16, reduced = 64, block_rows = 16, block_lanes = 16>, fetch_parts = 2> ins(%a = %s : memref<16x64xbf16>, %b = %t : memref<8x32x16x2xbf16>) outs(%c = %o : memref<16x128xf32>) {
    %v = tc.read %a[#rows] : memref<16x64xbf16> -> bf16
    %w = tc.read %b[#pairs] : memref<8x32x16x2xbf16> -> bf16
    %p = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %p, %c[#out] : f32, memref<16x128xf32>
  }
  return
}

// CHECK-LABEL: func.func private @whole_0
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: func.func private @parts_1
// CHECK-COUNT-1: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: func.func private @none_2
// CHECK-NOT: llvm.intr.prefetch
// CHECK-LABEL: func.func private @pairs_3
// CHECK-COUNT-1: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
