// Tiles that read the operand with the lanes in place pack no panel.
// RUN: tc-opt %s --convert-tc-to-vector="avx512=true" | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// Sixteen registers of sums along the points are halved in number by shuffles, and become four rows of four results. Each of the
// two tiles of rows fetches two of the next four lanes. Accumulators are all that is in scratch memory.
// CHECK-LABEL: func.func private @points_0_tile
// CHECK: scf.for
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-COUNT-16: math.fma
// CHECK-NOT: scf.for
// CHECK-COUNT-30: vector.shuffle
// CHECK-COUNT-4: llvm.store {{.*}} : vector<4xf32>
// CHECK-LABEL: func.func private @points_0(
// CHECK-COUNT-1: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: func.call @points_0_tile
// CHECK-NOT: func.call
// CHECK: llvm.store {{.*}} : vector<32xf32>
func.func @points(%x: memref<8x64xf32>, %w: memref<64x64xf32>) {
  %e = tc.output_buffer 0 : memref<8x64xf32>
  tc.kernel "points" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 4, reduced = 64, block_rows = 8, block_lanes = 32, panel = points>, fetch_parts = 2> ins(%a = %x : memref<8x64xf32>, %b = %w : memref<64x64xf32>) outs(%o = %e : memref<8x64xf32>) {
    %u = tc.read %a[#rows] : memref<8x64xf32> -> f32
    %v = tc.read %b[#nk] : memref<64x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, memref<8x64xf32>
  }
  return
}

// The last of three lanes that do not exist is another one; the last points are loaded with a mask.
// CHECK-LABEL: func.func private @tails_1_tile
// CHECK-COUNT-2: arith.minsi
// CHECK-COUNT-9: math.fma
// CHECK: scf.for
// CHECK-COUNT-6: llvm.intr.masked.load
// CHECK-COUNT-3: math.fma
// CHECK-COUNT-3: llvm.store {{.*}} : vector<3xf32>
func.func @tails(%x: memref<3x19xf32>, %w: memref<7x19xf32>) {
  %e = tc.output_buffer 0 : memref<3x7xf32>
  tc.kernel "tails" contraction dims [#tc.dim<"m", parallel, 3>, #tc.dim<"n", parallel, 7>, #tc.dim<"k", reduced, 19>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 3, lanes = 3, reduced = 19, block_rows = 3, block_lanes = 9, panel = points>> ins(%a = %x : memref<3x19xf32>, %b = %w : memref<7x19xf32>) outs(%o = %e : memref<3x7xf32>) {
    %u = tc.read %a[#rows] : memref<3x19xf32> -> f32
    %v = tc.read %b[#nk] : memref<7x19xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, memref<3x7xf32>
  }
  return
}

// Of 40 lanes, the second tile of 32 begins at lane 8. Points are 40 elements apart, and fetched 16 ahead.
// CHECK-LABEL: func.func private @lanes_2_tile
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-COUNT-8: math.fma
// CHECK-LABEL: func.func private @lanes_2(
// CHECK-COUNT-1: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: arith.minsi %{{.*}}, %c8_i64
// CHECK: %c640_i64
// CHECK: func.call @lanes_2_tile
// CHECK: llvm.intr.masked.load {{.*}} : (!llvm.ptr, vector<32xi1>, vector<32xf32>)
func.func @lanes(%x: memref<8x64xf32>, %w: memref<64x40xf32>) {
  %e = tc.output_buffer 0 : memref<8x40xf32>
  tc.kernel "lanes" contraction dims [#tc.dim<"m", parallel, 8>, #tc.dim<"n", parallel, 40>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 32, reduced = 64, block_rows = 8, block_lanes = 64, panel = lanes>, fetch_points = 16> ins(%a = %x : memref<8x64xf32>, %b = %w : memref<64x40xf32>) outs(%o = %e : memref<8x40xf32>) {
    %u = tc.read %a[#rows] : memref<8x64xf32> -> f32
    %v = tc.read %b[#kn] : memref<64x40xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#out] : f32, memref<8x40xf32>
  }
  return
}
