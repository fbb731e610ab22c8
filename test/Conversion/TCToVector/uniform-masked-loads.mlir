// RUN: tc-opt %s --split-input-file --convert-tc-to-vector=target=cpu:x86-64-v4 | FileCheck %s

// One element that some of the lanes want is loaded once and kept in these.
// CHECK-LABEL: func.func private @repeated_0
// CHECK-NOT: gather
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %{{.*}} : vector<64xi64>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[INSIDE]] : vector<64xi1> into i1
// CHECK: %[[ELEMENT:.*]] = scf.if %[[ANY]] -> (i8) {
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[ALL:.*]] = vector.broadcast %[[ELEMENT]] : i8 to vector<64xi8>
// CHECK: arith.select %[[INSIDE]], %[[ALL]], %{{.*}} : vector<64xi1>, vector<64xi8>
// CHECK-NOT: gather
// CHECK: return
func.func @repeated(%x: memref<1xi8>) {
  %o = tc.output_buffer 0 : memref<128xi8>
  tc.kernel "repeated" pointwise dims [#tc.dim<"i", parallel, 128>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64> ins(%a = %x : memref<1xi8>) outs(%b = %o : memref<128xi8>) {
    %v = tc.read %a[affine_map<(d0) -> (0)>] within affine_set<(d0) : (d0 - 100 >= 0)> : memref<1xi8> -> i8
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : i8, memref<128xi8>
  }
  return
}

// -----

// No CPU gathers bytes: LLVM branches for each lane, of 16 lanes at a time, in
// the loop over whole vectors and in that over the rest.
// CHECK-LABEL: func.func private @sparse_0
// CHECK-COUNT-8: llvm.intr.masked.gather {{.*}} -> vector<16xi8>
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: return
func.func @sparse(%x: memref<640xi8>) {
  %o = tc.output_buffer 0 : memref<128xi8>
  tc.kernel "sparse" pointwise dims [#tc.dim<"i", parallel, 128>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 64> ins(%a = %x : memref<640xi8>) outs(%b = %o : memref<128xi8>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 5)>] within affine_set<(d0) : (d0 - 100 >= 0)> : memref<640xi8> -> i8
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : i8, memref<128xi8>
  }
  return
}
