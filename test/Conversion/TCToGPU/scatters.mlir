// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu | FileCheck %s

// Threads find out the elements of a chunk of points; of 32 points each warp gathers which are its own, and its first thread writes these in order.
// CHECK-LABEL: func.func @strips
// CHECK: tc.launch @strips_0 count <4> grain <1>(%{{.*}}) {may_fail, programmatic, threads = 64 : i64}
// CHECK: llvm.mlir.global internal @strips_0_shared_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i64
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i64
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: llvm.store %[[NEW]]
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @strips(%x: memref<1000xf32>, %i: memref<1000xi64>) {
    %o = tc.output_buffer 0 : memref<40xf32>
    tc.kernel "strips" scatter dims [#tc.dim<"i", parallel, 1000>] schedule #tc.gpu_scatter_schedule<threads = 64, strips = 4> ins(%a = %x : memref<1000xf32>, %n = %i : memref<1000xi64>) outs(%b = %o : memref<40xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<1000xf32> -> f32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<1000xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 combine sum : f32, memref<40xf32>
    }
    return
  }
}

// -----

// Threads that have a column each find out together which points go to the strip, list these in order, and write them: of eight points the values are loaded first.
// CHECK-LABEL: func.func @columns
// CHECK: tc.launch @columns_0 count <16> grain <1>(%{{.*}}) {may_fail, programmatic, threads = 64 : i64}
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<3>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-3: llvm.intr.ctpop
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK: llvm.store %[[NEW]]
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @columns(%x: memref<1000x200xf32>, %i: memref<1000xi64>) {
    %o = tc.output_buffer 0 : memref<40x200xf32>
    tc.kernel "columns" scatter dims [#tc.dim<"j", parallel, 200>, #tc.dim<"i", parallel, 1000>] schedule #tc.gpu_scatter_schedule<vector_dim = 0, threads = 64, strips = 4> ins(%a = %x : memref<1000x200xf32>, %n = %i : memref<1000xi64>) outs(%b = %o : memref<40x200xf32>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : memref<1000x200xf32> -> f32
      %p = tc.read %n[affine_map<(d0, d1) -> (d1)>] : memref<1000xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1, d2) -> (d2, d0)>] at %p : i64 combine sum : f32, memref<40x200xf32>
    }
    return
  }
}

// -----

// Where the schedule says so, every thread combines its own point in one operation.
// CHECK-LABEL: func.func @atomic
// CHECK: tc.launch @atomic_0 count <16> grain <1>(%{{.*}}) {may_fail, programmatic, threads = 64 : i64}
// CHECK-NOT: gpu.barrier
// CHECK: llvm.atomicrmw umax %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr, i32
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @atomic(%x: memref<1000xui32>, %i: memref<1000xi64>) {
    %o = tc.output_buffer 0 : memref<40xui32>
    tc.kernel "atomic" scatter dims [#tc.dim<"i", parallel, 1000>] schedule #tc.gpu_scatter_schedule<threads = 64, strips = 1, atomic = true> ins(%a = %x : memref<1000xui32>, %n = %i : memref<1000xi64>) outs(%b = %o : memref<40xui32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<1000xui32> -> ui32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<1000xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 combine max : ui32, memref<40xui32>
    }
    return
  }
}

// -----

// Where points replace, a launch fills the numbers of the last points with -1, a second one takes their maxima, and a third one writes the last points.
// CHECK-LABEL: func.func @replace
// CHECK: tc.launch @replace_0 count <1> grain <1>(%{{.*}}) sizes [#tc.expr<0>] {may_fail, programmatic, threads = 64 : i64}
// CHECK-NEXT: tc.launch @replace_0 count <16> grain <1>(%{{.*}}) sizes [#tc.expr<1>] {may_fail, programmatic, threads = 64 : i64}
// CHECK-NEXT: tc.launch @replace_0 count <16> grain <1>(%{{.*}}) sizes [#tc.expr<2>] {may_fail, programmatic, threads = 64 : i64}
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.atomicrmw max %{{.*}}, %[[POINT:.*]] syncscope("device") monotonic : !llvm.ptr, i64
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %{{[0-9]+}} : i64
// CHECK-NEXT: scf.if %[[IS_LAST]]
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @replace(%x: memref<1000xf32>, %i: memref<1000xi64>) {
    %o = tc.output_buffer 0 : memref<40xf32>
    %w = tc.arena <320> : memref<320xi8>
    tc.kernel "replace" scatter dims [#tc.dim<"i", parallel, 1000>] schedule #tc.gpu_scatter_schedule<threads = 64, strips = 1, atomic = true> ins(%a = %x : memref<1000xf32>, %n = %i : memref<1000xi64>) outs(%b = %o : memref<40xf32>) workspace(%q = %w : memref<320xi8>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<1000xf32> -> f32
      %p = tc.read %n[affine_map<(d0) -> (d0)>] : memref<1000xi64> -> i64
      tc.write %v, %b[affine_map<(d0, d1) -> (d1)>] at %p : i64 : f32, memref<40xf32>
    }
    return
  }
}
