// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu | FileCheck %s

// A block scans a row in chunks of one element a thread. Each step of the tree reads what is `offset` threads before in one copy and writes the other.
// CHECK-LABEL: func.func @rows
// CHECK: tc.launch @rows_0 count <4> grain <1>(%{{.*}}) {programmatic, threads = 64 : i64}
// CHECK: llvm.mlir.global internal @rows_0_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
// CHECK: %[[T:.*]] = gpu.thread_id
// CHECK: %[[THREAD:.*]] = arith.index_cast %[[T]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[BASE:.*]] = %{{.*}} to %[[N:.*]] step %{{.*}} iter_args(%[[CARRY:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[INDEX:.*]] = arith.addi %[[BASE]], %[[THREAD]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[INDEX]]
// CHECK: arith.select %[[INSIDE]], %[[INDEX]]
// CHECK: arith.select %[[INSIDE]], %{{.*}} : f32
// CHECK-COUNT-8: gpu.barrier
// CHECK: arith.addf %[[CARRY]], %{{.*}} : f32
// CHECK: scf.if %[[INSIDE]]
// CHECK: llvm.store
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @rows(%x: memref<4x1000xf32>) {
    %o = tc.output_buffer 0 : memref<4x1000xf32>
    tc.kernel "rows" scan dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 1000>] schedule #tc.gpu_scan_schedule<threads = 64> ins(%a = %x : memref<4x1000xf32>) outs(%b = %o : memref<4x1000xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<4x1000xf32> -> f32
      %s = tc.scan_stage sum %v along 1 : f32
      tc.write %s, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<4x1000xf32>
    }
    return
  }
}

// -----

// Segments take two launches of one kernel: the folds of the segments, then the scans from what is before them.
// CHECK-LABEL: func.func @segments
// CHECK: tc.launch @segments_0 count <8> grain <1>(%{{.*}}) sizes [#tc.expr<0>] {programmatic, threads = 32 : i64}
// CHECK-NEXT: tc.launch @segments_0 count <8> grain <1>(%{{.*}}) sizes [#tc.expr<1>] {programmatic, threads = 32 : i64}
// CHECK: gpu.func @segments_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[WORKSPACE:.*]]: !llvm.ptr, %[[STEP:.*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[STEP]]
// CHECK: %[[SECOND:.*]] = arith.cmpi ne, %[[STEP]]
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.getelementptr %[[WORKSPACE]]
// CHECK: llvm.store
// CHECK: scf.if %[[SECOND]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.getelementptr %[[WORKSPACE]]
// CHECK: llvm.load
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @segments(%x: memref<1000xi64>) {
    %o = tc.output_buffer 0 : memref<1000xi64>
    %w = tc.arena <64> : memref<64xi8>
    tc.kernel "segments" scan dims [#tc.dim<"i", parallel, 1000>] schedule #tc.gpu_scan_schedule<threads = 32, segments = 8> ins(%a = %x : memref<1000xi64>) outs(%b = %o : memref<1000xi64>) workspace(%p = %w : memref<64xi8>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<1000xi64> -> i64
      %s = tc.scan_stage max %v along 0 : i64
      tc.write %s, %b[affine_map<(d0) -> (d0)>] : i64, memref<1000xi64>
    }
    return
  }
}
