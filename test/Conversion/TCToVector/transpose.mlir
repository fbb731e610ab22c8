// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s

// Blocks of four by four are read by rows, transposed by two steps of shuffles, and written by columns.
// CHECK-LABEL: func.func private @transpose_0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK-NOT: llvm.store
func.func @whole(%x: memref<64x32xf32>) {
  %o = tc.output_buffer 0 : memref<32x64xf32>
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 32>, #tc.dim<"j", parallel, 64>] schedule #tc.transpose_schedule<vector_dim = 1, vector_width = 4, tile_rows = 16, tile_lanes = 16> ins(%a = %x : memref<64x32xf32>) outs(%b = %o : memref<32x64xf32>) {
    %v = tc.read %a[affine_map<(i, j) -> (j, i)>] : memref<64x32xf32> -> f32
    tc.write %v, %b[affine_map<(i, j) -> (i, j)>] : f32, memref<32x64xf32>
  }
  return
}

// -----

// Where sizes are no multiples of a block, the last blocks are masked.
// CHECK-LABEL: func.func private @transpose_0
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK: else
// CHECK: arith.cmpi slt, %{{.*}} : vector<4xi64>
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
func.func @parts(%x: memref<61x33xf32>) {
  %o = tc.output_buffer 0 : memref<33x61xf32>
  tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 33>, #tc.dim<"j", parallel, 61>] schedule #tc.transpose_schedule<vector_dim = 1, vector_width = 4, tile_rows = 16, tile_lanes = 16> ins(%a = %x : memref<61x33xf32>) outs(%b = %o : memref<33x61xf32>) {
    %v = tc.read %a[affine_map<(i, j) -> (j, i)>] : memref<61x33xf32> -> f32
    tc.write %v, %b[affine_map<(i, j) -> (i, j)>] : f32, memref<33x61xf32>
  }
  return
}

// -----

// Pairs of 16 bits that stay next to each other are transposed as elements of 32.
// CHECK-LABEL: func.func private @pack_0
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xi32>
// CHECK-COUNT-8: vector.shuffle {{.*}} : vector<4xi32>, vector<4xi32>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 2 : i64} : vector<4xi32>, !llvm.ptr
// CHECK-NOT: llvm.store
func.func @pairs(%x: memref<64x64xbf16>) {
  %o = tc.output_buffer 0 : memref<32x64x2xbf16>
  tc.kernel "pack" pointwise dims [#tc.dim<"i", parallel, 32>, #tc.dim<"j", parallel, 64>, #tc.dim<"l", parallel, 2>] schedule #tc.transpose_schedule<vector_dim = 2, vector_width = 4, tile_rows = 64, tile_lanes = 64> ins(%a = %x : memref<64x64xbf16>) outs(%b = %o : memref<32x64x2xbf16>) {
    %v = tc.read %a[affine_map<(i, j, l) -> (j, i * 2 + l)>] : memref<64x64xbf16> -> bf16
    tc.write %v, %b[affine_map<(i, j, l) -> (i, j, l)>] : bf16, memref<32x64x2xbf16>
  }
  return
}
