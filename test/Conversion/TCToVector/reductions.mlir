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
  tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16> ins(%a = %x : memref<4x64xf32>) outs(%b = %o : memref<4x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x64xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %s = tc.sub %v, %m : f32
    %e = tc.exp %s : f32
    tc.write %e, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x64xf32>
  }
  return
}

// -----

// Lanes of a contraction are packed on the stack, rows are read in place; a tile of two rows by two vectors is a chain of fused multiply-adds, in a function of its own; finished accumulators are written from the stack.
// CHECK-LABEL: func.func private @matmul_0_tile
// CHECK-SAME: attributes {no_inline}
// CHECK: iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[ROW:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK: math.fma %[[ROW]], %[[B]], %{{.*}} : vector<16xf32>
// CHECK-LABEL: func.func private @matmul_0(
// CHECK-COUNT-2: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: llvm.store %{{.*}} : vector<32xf32>, !llvm.ptr
// CHECK: call @matmul_0_tile
func.func @matmul(%x: memref<32x8xf32>, %y: memref<8x64xf32>) {
  %o = tc.output_buffer 0 : memref<32x64xf32>
  tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 2, lanes = 32, reduced = 8, block_rows = 32, block_lanes = 64>> ins(%a = %x : memref<32x8xf32>, %b = %y : memref<8x64xf32>) outs(%c = %o : memref<32x64xf32>) {
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
  tc.kernel "pairs" contraction dims [#tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 2, lanes = 16, reduced = 8, block_rows = 32, block_lanes = 64>> ins(%a = %x : memref<32x8xbf16>, %b = %y : memref<8x64xbf16>) outs(%c = %o : memref<32x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<32x8xbf16> -> bf16
    %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<8x64xbf16> -> bf16
    %q = tc.contract_stage %v, %w over [2] : bf16, bf16 -> f32
    tc.write %q, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<32x64xf32>
  }
  return
}

// A value has as many ways to its operands as two to the number of ops; each op is looked at once.
// CHECK-LABEL: func.func private @doublings
func.func @doublings_host(%x: memref<8x64xf32>, %y: memref<8xf32>) attributes {tc.result_types = []} {
  tc.kernel "doublings" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", reduced, 64>] ins(%a = %x : memref<8x64xf32>) outs(%o = %y : memref<8xf32>) {
    %v0 = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x64xf32> -> f32
    %v1 = tc.add %v0, %v0 : f32
    %v2 = tc.add %v1, %v1 : f32
    %v3 = tc.add %v2, %v2 : f32
    %v4 = tc.add %v3, %v3 : f32
    %v5 = tc.add %v4, %v4 : f32
    %v6 = tc.add %v5, %v5 : f32
    %v7 = tc.add %v6, %v6 : f32
    %v8 = tc.add %v7, %v7 : f32
    %v9 = tc.add %v8, %v8 : f32
    %v10 = tc.add %v9, %v9 : f32
    %v11 = tc.add %v10, %v10 : f32
    %v12 = tc.add %v11, %v11 : f32
    %v13 = tc.add %v12, %v12 : f32
    %v14 = tc.add %v13, %v13 : f32
    %v15 = tc.add %v14, %v14 : f32
    %v16 = tc.add %v15, %v15 : f32
    %v17 = tc.add %v16, %v16 : f32
    %v18 = tc.add %v17, %v17 : f32
    %v19 = tc.add %v18, %v18 : f32
    %v20 = tc.add %v19, %v19 : f32
    %v21 = tc.add %v20, %v20 : f32
    %v22 = tc.add %v21, %v21 : f32
    %v23 = tc.add %v22, %v22 : f32
    %v24 = tc.add %v23, %v23 : f32
    %v25 = tc.add %v24, %v24 : f32
    %v26 = tc.add %v25, %v25 : f32
    %v27 = tc.add %v26, %v26 : f32
    %v28 = tc.add %v27, %v27 : f32
    %v29 = tc.add %v28, %v28 : f32
    %v30 = tc.add %v29, %v29 : f32
    %v31 = tc.add %v30, %v30 : f32
    %v32 = tc.add %v31, %v31 : f32
    %v33 = tc.add %v32, %v32 : f32
    %v34 = tc.add %v33, %v33 : f32
    %v35 = tc.add %v34, %v34 : f32
    %v36 = tc.add %v35, %v35 : f32
    %v37 = tc.add %v36, %v36 : f32
    %v38 = tc.add %v37, %v37 : f32
    %v39 = tc.add %v38, %v38 : f32
    %v40 = tc.add %v39, %v39 : f32
    %v41 = tc.add %v40, %v40 : f32
    %v42 = tc.add %v41, %v41 : f32
    %v43 = tc.add %v42, %v42 : f32
    %v44 = tc.add %v43, %v43 : f32
    %v45 = tc.add %v44, %v44 : f32
    %v46 = tc.add %v45, %v45 : f32
    %v47 = tc.add %v46, %v46 : f32
    %v48 = tc.add %v47, %v47 : f32
    %s = tc.reduce_stage sum %v48 over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, memref<8xf32>
  }
  return
}
