// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s

// The kernel exists twice: addresses that are multiples of a cache line are written past the caches, and a fence orders those stores.
// CHECK-LABEL: func.func private @neg_0
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %c63_i64
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0_i64
// CHECK: scf.if %[[ALIGNED]]
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK: llvm.fence seq_cst
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<16xf32>
func.func @rows(%x: memref<8x32xf32>) {
  %o = tc.output_buffer 0 : memref<8x32xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 32>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, nontemporal = true> ins(%a = %x : memref<8x32xf32>) outs(%b = %o : memref<8x32xf32>) {
    %v = tc.read %a[affine_map<(i, j) -> (i, j)>] : memref<8x32xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(i, j) -> (i, j)>] : f32, memref<8x32xf32>
  }
  return
}

// -----

// Rows of 33 elements begin anywhere in a line: ordinary stores alone.
// CHECK-LABEL: func.func private @neg_0
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
func.func @unaligned(%x: memref<8x33xf32>) {
  %o = tc.output_buffer 0 : memref<8x33xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 33>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, nontemporal = true> ins(%a = %x : memref<8x33xf32>) outs(%b = %o : memref<8x33xf32>) {
    %v = tc.read %a[affine_map<(i, j) -> (i, j)>] : memref<8x33xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(i, j) -> (i, j)>] : f32, memref<8x33xf32>
  }
  return
}
