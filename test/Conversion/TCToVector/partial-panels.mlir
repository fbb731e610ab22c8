// Lanes of a packed panel that are beyond the last are zeros: the multiply-adds that compute them with the others take a hundred times as long
// where they find denormal numbers in memory that nothing has written.
// RUN: tc-opt %s --convert-tc-to-vector="avx512=true" | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// One dimension: all 64 lanes of a point at once, of which 49 are read.
// CHECK-LABEL: func.func private @one_0(
// CHECK: %[[PART:.*]] = llvm.intr.masked.load {{.*}} -> vector<64xf32>
// CHECK-NOT: llvm.intr.masked.store
// CHECK: llvm.store %[[PART]], {{.*}} : vector<64xf32>
func.func @one_dimension(%x: memref<96x160xf32>, %w: memref<160x49xf32>) {
  %e = tc.output_buffer 0 : memref<96x49xf32>
  tc.kernel "one" contraction dims [#tc.dim<"m", parallel, 96>, #tc.dim<"n", parallel, 49>, #tc.dim<"k", reduced, 160>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 160, block_rows = 96, block_lanes = 64>> ins(%a = %x : memref<96x160xf32>, %b = %w : memref<160x49xf32>) outs(%o = %e : memref<96x49xf32>) {
    %0 = tc.read %a[#rows] : memref<96x160xf32> -> f32
    %1 = tc.read %b[#kn] : memref<160x49xf32> -> f32
    %3 = tc.contract_stage %0, %1 over [2] : f32, f32 -> f32
    tc.write %3, %o[#out] : f32, memref<96x49xf32>
  }
  return
}

#rows4 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#strided = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2 * 2)>
#out4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// Two dimensions, whose rows are stored one after the other: a panel of fewer than 64 lanes is zeroed first.
// CHECK-LABEL: func.func private @rows_1(
// CHECK: %[[PARTIAL:.*]] = arith.cmpi slt, %{{.*}}, %c64_i64
// CHECK-NEXT: %[[POINTS:.*]] = arith.select %[[PARTIAL]], %c160_i64, %c0_i64
// CHECK-NEXT: scf.for %{{.*}} = %c0_i64 to %[[POINTS]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64xf32>
// CHECK: llvm.store %[[ZERO]]
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xf32>
// CHECK: func.call @rows_1_tile
func.func @two_dimensions(%x: memref<96x160xf32>, %w: memref<160x7x14xf32>) {
  %e = tc.output_buffer 0 : memref<96x7x7xf32>
  tc.kernel "rows" contraction dims [#tc.dim<"m", parallel, 96>, #tc.dim<"y", parallel, 7>, #tc.dim<"x", parallel, 7>, #tc.dim<"k", reduced, 160>] schedule #tc.contraction_schedule<vector_dim = 2, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 160, block_rows = 96, block_lanes = 64>> ins(%a = %x : memref<96x160xf32>, %b = %w : memref<160x7x14xf32>) outs(%o = %e : memref<96x7x7xf32>) {
    %0 = tc.read %a[#rows4] : memref<96x160xf32> -> f32
    %1 = tc.read %b[#strided] : memref<160x7x14xf32> -> f32
    %2 = tc.contract_stage %0, %1 over [3] : f32, f32 -> f32
    tc.write %2, %o[#out4] : f32, memref<96x7x7xf32>
  }
  return
}

// Whole panels alone: nothing is zeroed.
// CHECK-LABEL: func.func private @whole_2(
// CHECK-NOT: dense<0.000000e+00> : vector<64xf32>
// CHECK: func.call @whole_2_tile
func.func @whole(%x: memref<96x160xf32>, %w: memref<160x8x32xf32>) {
  %e = tc.output_buffer 0 : memref<96x8x16xf32>
  tc.kernel "whole" contraction dims [#tc.dim<"m", parallel, 96>, #tc.dim<"y", parallel, 8>, #tc.dim<"x", parallel, 16>, #tc.dim<"k", reduced, 160>] schedule #tc.contraction_schedule<vector_dim = 2, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 160, block_rows = 96, block_lanes = 64>> ins(%a = %x : memref<96x160xf32>, %b = %w : memref<160x8x32xf32>) outs(%o = %e : memref<96x8x16xf32>) {
    %0 = tc.read %a[#rows4] : memref<96x160xf32> -> f32
    %1 = tc.read %b[#strided] : memref<160x8x32xf32> -> f32
    %2 = tc.contract_stage %0, %1 over [3] : f32, f32 -> f32
    tc.write %2, %o[#out4] : f32, memref<96x8x16xf32>
  }
  return
}
