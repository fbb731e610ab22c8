// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu | FileCheck %s

// Threads take neighbouring points along the contiguous dimension; sizes are arguments.
// CHECK-LABEL: func.func @add
// CHECK: tc.launch @add_0 count <((s0 * -1) floordiv 32) * -1> grain <1>(%{{.*}}) sizes [#tc.expr<s0>] {programmatic, threads = 256 : i64}
// CHECK: gpu.module @add_0 [#nvvm.target<chip = "sm_90a", features = "+ptx86">]
// CHECK: gpu.func @add_0(%[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr, %[[O:.*]]: !llvm.ptr, %[[S0:.*]]: i64, %{{.*}}: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[S0]] : i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[ROW:.*]] = arith.divui %[[I]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: arith.addf %{{.*}} : f32
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @add(%x: memref<?x8xbf16, #tc.sizes<[s0, 8]>>, %y: memref<8xbf16>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %o = tc.output_buffer 0 : memref<?x8xbf16, #tc.sizes<[s0, 8]>>
    tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 8>] schedule #tc.gpu_loop_schedule<vector_dim = 1, threads = 256> ins(%a = %x : memref<?x8xbf16, #tc.sizes<[s0, 8]>>, %b = %y : memref<8xbf16>) outs(%c = %o : memref<?x8xbf16, #tc.sizes<[s0, 8]>>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<?x8xbf16, #tc.sizes<[s0, 8]>> -> bf16
      %w = tc.read %b[affine_map<(d0, d1) -> (d1)>] : memref<8xbf16> -> bf16
      %s = tc.add %v, %w : bf16
      tc.write %s, %c[affine_map<(d0, d1) -> (d0, d1)>] : bf16, memref<?x8xbf16, #tc.sizes<[s0, 8]>>
    }
    return
  }
}

// -----

// A block computes a row: threads fold what they have, then warps by shuffles, then the block through shared memory.
// A value that has one element a row is written by one thread.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @center(%x: memref<4x1000xf32>) {
    // CHECK-LABEL: func.func @center
    // CHECK: tc.launch @center_0 count <4> grain <1>(%{{.*}}) {programmatic, threads = 128 : i64}
    // CHECK: gpu.module @center_0
    // CHECK: llvm.mlir.global internal @center_0_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x i8>
    // CHECK: %[[T:.*]] = gpu.thread_id
    // CHECK: %[[THREAD:.*]] = arith.index_cast %[[T]]
    // CHECK: scf.for %{{.*}} = %[[THREAD]] to %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
    // CHECK: arith.addf %[[ACC]], %{{.*}}
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.if
    // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
    // CHECK: gpu.barrier
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
    // CHECK-COUNT-2: gpu.shuffle xor
    // CHECK: %[[SUM:.*]] = arith.addf
    // CHECK: scf.for %{{.*}} = %[[THREAD]] to
    // CHECK: arith.subf %{{.*}}, %[[SUM]]
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]]
    // CHECK: scf.if %[[FIRST]]
    // CHECK: llvm.store %[[SUM]]
    %o = tc.output_buffer 0 : memref<4x1000xf32>
    %p = tc.output_buffer 1 : memref<4xf32>
    tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 1000>] schedule #tc.gpu_loop_schedule<vector_dim = 1, threads = 128> ins(%a = %x : memref<4x1000xf32>) outs(%b = %o : memref<4x1000xf32>, %c = %p : memref<4xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x1000xf32> -> f32
      %m = tc.reduce_stage sum %v over [1] : f32 -> f32
      %s = tc.sub %v, %m : f32
      tc.write %s, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x1000xf32>
      tc.write %m, %c[affine_map<(d0, d1) -> (d0)>] : f32, memref<4xf32>
    }
    return
  }
}

// -----

// A column sum is one thread's work a column, neighbours read neighbours; there is nothing to exchange.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @sum(%x: memref<16x512xf32>) {
    // CHECK-LABEL: func.func @sum
    // CHECK: tc.launch @sum_0 count <2> grain <1>(%{{.*}}) {programmatic, threads = 256 : i64}
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step
    // CHECK: scf.for %{{.*}} iter_args
    // CHECK: arith.addf
    %o = tc.output_buffer 0 : memref<512xf32>
    tc.kernel "sum" column_reduction dims [#tc.dim<"i", reduced, 16>, #tc.dim<"j", parallel, 512>] schedule #tc.gpu_loop_schedule<vector_dim = 1, threads = 256> ins(%a = %x : memref<16x512xf32>) outs(%b = %o : memref<512xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<16x512xf32> -> f32
      %s = tc.reduce_stage sum %v over [0] : f32 -> f32
      tc.write %s, %b[affine_map<(d0, d1) -> (d1)>] : f32, memref<512xf32>
    }
    return
  }
}

// -----

// A contraction is a chain of fused multiply-adds for each element of the result.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @matmul(%x: memref<32x8xf32>, %y: memref<8x64xf32>) {
    // CHECK-LABEL: func.func @matmul
    // CHECK: tc.launch @matmul_0 count <8> grain <1>(%{{.*}}) {programmatic, threads = 256 : i64}
    // CHECK: math.fma %{{.*}} : f32
    %o = tc.output_buffer 0 : memref<32x64xf32>
    tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 8>] schedule #tc.gpu_loop_schedule<vector_dim = 1, threads = 256> ins(%a = %x : memref<32x8xf32>, %b = %y : memref<8x64xf32>) outs(%c = %o : memref<32x64xf32>) {
      %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<32x8xf32> -> f32
      %w = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<8x64xf32> -> f32
      %q = tc.contract_stage %v, %w over [2] : f32, f32 -> f32
      tc.write %q, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<32x64xf32>
    }
    return
  }
}

// -----

// A module for a CPU is not this pass's.
// CHECK-LABEL: func.func @cpu
// CHECK: tc.kernel "neg"
func.func @cpu(%x: memref<8xf32>) {
  %o = tc.output_buffer 0 : memref<8xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : memref<8xf32>) outs(%b = %o : memref<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<8xf32>
  }
  return
}
