// RUN: tc-opt %s --split-input-file --convert-tc-to-vector="avx512=true bf16-dot=true bf16-tiles=true" | FileCheck %s
// RUN: not tc-opt %s --split-input-file --convert-tc-to-vector="avx512=true bf16-dot=true" 2>&1 | FileCheck %s --check-prefix=PAIRS --implicit-check-not=llvm.x86.t
// Accumulators that fill AMX tile registers do not fit vector registers.
// PAIRS: error: 'tc.kernel' op 'product' has the schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 32, lanes = 32, reduced = 64, block_rows = 64, block_lanes = 64>>, whose tiles the target cannot compute; expected accumulators in at most 32 vector registers, packed operands of at most 1048576 bytes, rows that share a panel, and lanes or points of the panel operand that are contiguous where tiles read them in place
// PAIRS: func.func private @blocks_0
// PAIRS: x86.avx512bf16.dpbf16ps

// Two by two tiles of accumulators, 32 points at a time.
// CHECK-LABEL: func.func private @product_0
// CHECK: %[[CONFIGURATION:.*]] = llvm.alloca %{{.*}} x i64 {alignment = 64 : i64}
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[CONFIGURATION]])
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-NOT: llvm.x86.tilezero
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c32_i64
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK: %[[PANEL:.*]] = arith.constant 6 : i8
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"(%[[PANEL]],
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%{{.*}}, %{{.*}}, %[[PANEL]])
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK: }
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"()
func.func @product(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>) {
  %o = tc.output_buffer 0 : memref<64x64xf32>
  tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 64>, #tc.dim<"k", reduced, 64>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 32, lanes = 32, reduced = 64, block_rows = 64, block_lanes = 64>> ins(%a = %x : memref<64x64xbf16>, %b = %y : memref<64x64xbf16>) outs(%c = %o : memref<64x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<64x64xbf16> -> bf16
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<64x64xbf16> -> bf16
    %p = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %p, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<64x64xf32>
  }
  return
}

// -----

// Later blocks of points continue with the accumulators of earlier ones.
// CHECK-LABEL: func.func private @blocks_0
// CHECK: scf.if
// CHECK-NEXT: arith.constant 0 : i8
// CHECK: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: } else {
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"
func.func @blocks(%x: memref<16x128xbf16>, %y: memref<128x16xbf16>) {
  %o = tc.output_buffer 0 : memref<16x16xf32>
  tc.kernel "blocks" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 128>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 16, lanes = 16, reduced = 64, block_rows = 16, block_lanes = 16>> ins(%a = %x : memref<16x128xbf16>, %b = %y : memref<128x16xbf16>) outs(%c = %o : memref<16x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<16x128xbf16> -> bf16
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<128x16xbf16> -> bf16
    %p = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %p, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<16x16xf32>
  }
  return
}

// -----

// Points that are no whole tiles are multiplied in pairs.
// CHECK-LABEL: func.func private @rest_0
// CHECK-NOT: llvm.x86.t
// CHECK: llvm.x86.avx512bf16.dpbf16ps.512
func.func @rest(%x: memref<16x50xbf16>, %y: memref<50x16xbf16>) {
  %o = tc.output_buffer 0 : memref<16x16xf32>
  tc.kernel "rest" contraction dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 50>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 16, lanes = 16, reduced = 64, block_rows = 16, block_lanes = 16>> ins(%a = %x : memref<16x50xbf16>, %b = %y : memref<50x16xbf16>) outs(%c = %o : memref<16x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<16x50xbf16> -> bf16
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<50x16xbf16> -> bf16
    %p = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %p, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<16x16xf32>
  }
  return
}
