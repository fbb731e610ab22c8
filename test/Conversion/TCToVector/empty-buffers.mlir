// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s

// An index out of range counts as 0, and a dimension that may be empty may have
// no element 0: nothing is read or written there.
// CHECK-LABEL: func.func private @picked_0
// CHECK: %[[EXISTS:.*]] = arith.cmpi ne, %{{.*}}, %c0{{.*}} : i64
// CHECK: scf.if %[[EXISTS]] -> (vector<4xf32>) {
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
func.func @picked(%x: memref<?x64xf32, #tc.sizes<[s0, 64]>>, %i: memref<i64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "picked" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<?x64xf32, #tc.sizes<[s0, 64]>>, %n = %i : memref<i64>) outs(%b = %o : memref<64xf32>) {
    %k = tc.read %n[affine_map<(d0) -> ()>] : memref<i64> -> i64
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] at %k : i64 : memref<?x64xf32, #tc.sizes<[s0, 64]>> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// A size that is known is no question.
// CHECK-LABEL: func.func private @known_0
// CHECK-NOT: arith.cmpi ne
// CHECK-NOT: scf.if %{{.*}} -> (vector<4xf32>)
// CHECK: return
func.func @known(%x: memref<8x64xf32>, %i: memref<i64>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "known" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<8x64xf32>, %n = %i : memref<i64>) outs(%b = %o : memref<64xf32>) {
    %k = tc.read %n[affine_map<(d0) -> ()>] : memref<i64> -> i64
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] at %k : i64 : memref<8x64xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// In a buffer without elements the lanes' places are 0 elements apart, and yet
// each lane has its own.
// CHECK-LABEL: func.func private @put_0
// CHECK: scf.if
// CHECK: llvm.intr.masked.gather %{{.*}} -> vector<4xi8>
// CHECK-NEXT: %[[MOST:.*]] = arith.maxui %{{.*}} : vector<4xi8>
// CHECK: llvm.intr.masked.scatter %[[MOST]], %{{.*}} : vector<4xi8>
// CHECK-NOT: llvm.store %{{.*}} : vector<4xi8>
func.func @put(%x: memref<64xui8>, %i: memref<i64>) {
  %o = tc.output_buffer 0 : memref<64x0xui8>
  tc.kernel "put" scatter dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4> ins(%a = %x : memref<64xui8>, %n = %i : memref<i64>) outs(%b = %o : memref<64x0xui8>) {
    %k = tc.read %n[affine_map<(d0) -> ()>] : memref<i64> -> i64
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<64xui8> -> ui8
    tc.write %v, %b[affine_map<(d0, d1) -> (d0, d1)>] at %k : i64 combine max : ui8, memref<64x0xui8>
  }
  return
}
