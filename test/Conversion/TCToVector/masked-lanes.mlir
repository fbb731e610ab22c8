// RUN: tc-opt %s --convert-tc-to-vector=target=cpu:x86-64-v2 | FileCheck %s
// RUN: tc-opt %s --convert-tc-to-vector=target=cpu:x86-64-v4 | FileCheck %s --check-prefix=MASKS

// The last of 37 elements, under a mask. LLVM branches for each lane where the
// CPU has no masks: 16 lanes at a time, of which the load is joined.
// CHECK-LABEL: func.func private @neg_0(
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK-NOT: llvm.intr.masked.load
// CHECK: vector.shuffle
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.store {{.*}} : vector<16xf32>
// CHECK-NOT: llvm.intr.masked.store
// MASKS: llvm.intr.masked.load {{.*}} -> vector<32xf32>
// MASKS-NOT: llvm.intr.masked.load
// MASKS: llvm.intr.masked.store {{.*}} : vector<32xf32>
func.func @main(%x: memref<37xf32>, %y: memref<37xf32>) {
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 37>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, unroll = 4> ins(%a = %x : memref<37xf32>) outs(%o = %y : memref<37xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<37xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, memref<37xf32>
  }
  return
}
