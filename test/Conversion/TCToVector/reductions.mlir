// RUN: tc-opt %s --split-input-file --convert-tc-to-vector | FileCheck %s
// RUN: tc-opt %s --split-input-file --convert-tc-to-vector=bf16-dot=true | FileCheck %s --check-prefixes=CHECK,BF16

// A reduction accumulates in vector lanes and combines them after the loop; the value is used by the next stage.
// CHECK-LABEL: func.func private @center_0
// CHECK: %[[LANES:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[NEXT:.*]] = arith.maximumf %[[V]], %[[ACC]] fastmath<nsz> : vector<16xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: vector.extract_strided_slice %[[LANES]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK: %[[MAX:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: scf.for
// CHECK: %[[ALL:.*]] = vector.broadcast %[[MAX]] : f32 to vector<16xf32>
// CHECK: arith.subf %{{.*}}, %[[ALL]] : vector<16xf32>
// CHECK: llvm.store
func.func @center(%x: memref<4x64xf32>) {
  %o = tc.output_buffer 0 : memref<4x64xf32>
  tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 64>] schedule #tc.schedule<vector_dim = 1, vector_width = 16> ins(%a = %x : memref<4x64xf32>) outs(%b = %o : memref<4x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x64xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %s = tc.sub %v, %m : f32
    tc.write %s, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x64xf32>
  }
  return
}

// -----

// Rows and lanes of a contraction are staged on the stack; a tile of two rows by two vectors is a chain of fused multiply-adds; finished sums are written from the stack.
// CHECK-LABEL: func.func private @matmul_0
// CHECK-DAG: llvm.alloca
// CHECK: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
// CHECK: llvm.store %{{.*}} : vector<32xf32>, !llvm.ptr
// CHECK: iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[ROW:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK: math.fma %[[ROW]], %[[B]], %{{.*}} : vector<16xf32>
func.func @matmul(%x: memref<32x8xf32>, %y: memref<8x64xf32>) {
  %o = tc.output_buffer 0 : memref<32x64xf32>
  tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.schedule<vector_dim = 1, vector_width = 16, tile = [2, 32, 8, 32, 64]> ins(%a = %x : memref<32x8xf32>, %b = %y : memref<8x64xf32>) outs(%c = %o : memref<32x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<32x8xf32> -> f32
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<8x64xf32> -> f32
    %q = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
    tc.write %q, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<32x64xf32>
  }
  return
}

// -----

// Pairs of bf16 of a row and of the lanes are multiplied together where the target can.
// CHECK-LABEL: func.func private @pairs_0
// BF16: iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>)
// BF16: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<32xbf16>
// BF16: %[[PAIR:.*]] = vector.broadcast %{{.*}} : i32 to vector<16xi32>
// BF16: %[[A:.*]] = vector.bitcast %[[PAIR]] : vector<16xi32> to vector<32xbf16>
// BF16: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[A]], %[[B]])
func.func @pairs(%x: memref<32x8xbf16>, %y: memref<8x64xbf16>) {
  %o = tc.output_buffer 0 : memref<32x64xf32>
  tc.kernel "pairs" contraction dims [#tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.schedule<vector_dim = 1, vector_width = 16, tile = [2, 16, 8, 32, 64]> ins(%a = %x : memref<32x8xbf16>, %b = %y : memref<8x64xbf16>) outs(%c = %o : memref<32x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<32x8xbf16> -> bf16
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<8x64xbf16> -> bf16
    %q = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %q, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<32x64xf32>
  }
  return
}
