// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s
// RUN: tc-opt %s --split-input-file --convert-tc-to-vector=avx512=true | FileCheck %s --check-prefix=AVX512
// RUN: tc-opt %s --split-input-file --convert-tc-to-vector=target=cpu:x86-64-v4 | FileCheck %s --check-prefix=AVX512

// A kernel becomes a function of its own and a launch; whole vectors in the loop, then a masked rest.
// CHECK-LABEL: func.func @neg
// CHECK: %[[OUT:.*]] = tc.output_buffer 0
// CHECK: tc.launch @neg_0 count <{{.*}}> grain {{.*}}(%{{.*}}, %[[OUT]]) : memref<67xf32>, memref<67xf32>
// CHECK-NOT: tc.kernel
// CHECK-LABEL: func.func private @neg_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[WHOLE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: arith.negf %[[WHOLE]] : vector<8xf32>
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: scf.for
// CHECK: %[[REST:.*]] = llvm.intr.masked.load
// CHECK: arith.negf %[[REST]] : vector<8xf32>
// CHECK: llvm.intr.masked.store
func.func @neg(%x: memref<67xf32>) {
  %o = tc.output_buffer 0 : memref<67xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 67>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8> ins(%a = %x : memref<67xf32>) outs(%b = %o : memref<67xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<67xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<67xf32>
  }
  return
}

// -----

// Kernels that are equal but for their operands, names and names of dimensions
// share one function.
// CHECK-LABEL: func.func @twice
// CHECK: tc.launch @first_0
// CHECK: tc.launch @first_0
// CHECK: func.func private @first_0
// CHECK-NOT: func.func private @second
func.func @twice(%x: memref<8xf32>, %y: memref<8xf32>) {
  %o = tc.output_buffer 0 : memref<8xf32>
  %p = tc.output_buffer 1 : memref<8xf32>
  tc.kernel "first" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  tc.kernel "second" pointwise dims [#tc.dim<"j", parallel, 8>] ins(%a = %y : memref<8xf32>) outs(%b = %p : memref<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  return
}

// -----

// An elementwise function uses the instructions of AVX-512 when it may.
// CHECK-LABEL: func.func private @exp_0
// CHECK-NOT: avx512
// AVX512-LABEL: func.func private @exp_0
// AVX512: avx512.mask.scalef
func.func @exp(%x: memref<64xf32>) {
  %o = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16> ins(%a = %x : memref<64xf32>) outs(%b = %o : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<64xf32> -> f32
    %n = tc.exp %v : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<64xf32>
  }
  return
}

// -----

// Kernels that read slices of one intermediate get views of these, and are equal.
// CHECK-LABEL: func.func @slices
// CHECK: %[[FIRST:.*]] = tc.arena_view %{{.*}} offset <64> : memref<256xi8> -> memref<16xf32>
// CHECK: tc.launch @first_0 {{.*}}(%[[FIRST]], %{{.*}})
// CHECK: %[[SECOND:.*]] = tc.arena_view %{{.*}} offset <192> : memref<256xi8> -> memref<16xf32>
// CHECK: tc.launch @first_0 {{.*}}(%[[SECOND]], %{{.*}})
// CHECK-NOT: func.func private @second
func.func @slices() {
  %o = tc.output_buffer 0 : memref<16xf32>
  %p = tc.output_buffer 1 : memref<16xf32>
  %arena = tc.arena <256> : memref<256xi8>
  %x = tc.arena_view %arena offset <64> : memref<256xi8> -> memref<3x16xf32>
  tc.kernel "first" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<3x16xf32>) outs(%b = %o : memref<16xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (0, d0)>] : memref<3x16xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  tc.kernel "second" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<3x16xf32>) outs(%b = %p : memref<16xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (2, d0)>] : memref<3x16xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// A view begins at a multiple of 64 bytes; two slices are none.
// CHECK-LABEL: func.func @whole
// CHECK: tc.launch @short_0 {{.*}} : memref<3x15xf32>
// CHECK: tc.launch @several_1 {{.*}} : memref<3x16xf32>
func.func @whole() {
  %o = tc.output_buffer 0 : memref<15xf32>
  %p = tc.output_buffer 1 : memref<16xf32>
  %arena = tc.arena <512> : memref<512xi8>
  %x = tc.arena_view %arena offset <0> : memref<512xi8> -> memref<3x15xf32>
  %y = tc.arena_view %arena offset <256> : memref<512xi8> -> memref<3x16xf32>
  tc.kernel "short" pointwise dims [#tc.dim<"i", parallel, 15>] ins(%a = %x : memref<3x15xf32>) outs(%b = %o : memref<15xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (1, d0)>] : memref<3x15xf32> -> f32
    tc.write %v, %b[affine_map<(d0) -> (d0)>] : f32, memref<15xf32>
  }
  tc.kernel "several" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %y : memref<3x16xf32>) outs(%b = %p : memref<16xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (0, d0)>] : memref<3x16xf32> -> f32
    %w = tc.read %a[affine_map<(d0) -> (1, d0)>] : memref<3x16xf32> -> f32
    %n = tc.add %v, %w : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}
