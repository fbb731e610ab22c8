// Lanes of a packed panel that are beyond the last are zeros: the multiply-adds that compute them with the others take a hundred times as long
// where they find denormal numbers in memory that nothing has written.
// RUN: tc-opt %s --convert-tc-to-vector="avx512=true" | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// One dimension: all 64 lanes of a point at once, of which 49 are read.
// CHECK-LABEL: func.func private @k_0(
// CHECK: %[[PART:.*]] = llvm.intr.masked.load {{.*}} -> vector<64xf32>
// CHECK-NOT: llvm.intr.masked.store
// CHECK: llvm.store %[[PART]], {{.*}} : vector<64xf32>
func.func @one_dimension(%x: memref<96x160xf32>, %w: memref<160x49xf32>) {
  %e = tc.output_buffer 0 : memref<96x49xf32>
  tc.kernel "k" contraction dims [#tc.dim<"m", parallel, 96>, #tc.dim<"n", parallel, 49>, #tc.dim<"k", reduced, 160>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 160, block_rows = 96, block_lanes = 64>> ins(%a = %x : memref<96x160xf32>, %b = %w : memref<160x49xf32>) outs(%o = %e : memref<96x49xf32>) {
    %0 = tc.read %a[#rows] : memref<96x160xf32> -> f32
    %1 = tc.read %b[#kn] : memref<160x49xf32> -> f32
    %3 = tc.contract_stage %0, %1 over [2] : f32, f32 -> f32
    tc.write %3, %o[#out] : f32, memref<96x49xf32>
  }
  return
}
