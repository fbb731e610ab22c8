// RUN: tc-opt %s --split-input-file --convert-tc-to-gpu | FileCheck %s

// Tiles in shared memory, rounds of merges of runs of 64, 128 and 256 elements, then what is written. The number of the launch is an argument.
// CHECK-LABEL: func.func @sort
// CHECK: tc.launch @sort_0 count <14> grain <1>(%{{.*}}) sizes [#tc.expr<0>] {programmatic, threads = 32 : i64}
// CHECK-COUNT-3: tc.launch @sort_0 count <25> grain <1>
// CHECK-NEXT: tc.launch @sort_0 count <25> grain <1>(%{{.*}}) sizes [#tc.expr<4>] {programmatic, threads = 32 : i64}
// CHECK: gpu.func @sort_0(%[[X:.*]]: !llvm.ptr, %[[O:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr, %[[STEP:.*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK: %[[TILES:.*]] = arith.cmpi eq, %[[STEP]]
// CHECK: scf.if %[[TILES]]
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: scf.while
// CHECK: llvm.getelementptr %[[O]]
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @sort(%x: memref<2x400xf32>) {
    %o = tc.output_buffer 0 : memref<2x400xf32>
    %w = tc.arena <25600> : memref<25600xi8>
    tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 400>] schedule #tc.gpu_sort_schedule<threads = 32, tile = 64> ins(%a = %x : memref<2x400xf32>) outs(%b = %o : memref<2x400xf32>) workspace(%p = %w : memref<25600xi8>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<2x400xf32> -> f32
      %s, %i = tc.sort_stage %v along 1 : f32 -> f32, i64
      tc.write %s, %b[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<2x400xf32>
    }
    return
  }
}

// -----

// Of a size that is not known, a round of merges has no blocks where the row is one run already; a row that fits into a tile has no rounds.
// CHECK-LABEL: func.func @rows
// CHECK: tc.launch @rows_0 count <((s0 * -1) floordiv 64) * -3> grain <1>(%{{.*}}) sizes [#tc.expr<s0>, #tc.expr<0>]
// CHECK-NEXT: tc.launch @rows_0 count <((s0 * -3) floordiv 32) * min((s0 + 63) floordiv 64 - 1, 1) * -1> grain <1>(%{{.*}}) sizes [#tc.expr<s0>, #tc.expr<1>]
// CHECK-NEXT: tc.launch @rows_0 count <((s0 * -3) floordiv 32) * -1> grain <1>(%{{.*}}) sizes [#tc.expr<s0>, #tc.expr<2>]
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @rows(%x: memref<3x?xi32, #tc.sizes<[3, s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 128>]} {
    %o = tc.output_buffer 0 : memref<3x?xi64, #tc.sizes<[3, s0]>>
    %w = tc.arena <s0 * 96> : memref<?xi8, #tc.sizes<[s0 * 96]>>
    tc.kernel "rows" custom dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, s0>] schedule #tc.gpu_sort_schedule<threads = 32, tile = 64> ins(%a = %x : memref<3x?xi32, #tc.sizes<[3, s0]>>) outs(%b = %o : memref<3x?xi64, #tc.sizes<[3, s0]>>) workspace(%p = %w : memref<?xi8, #tc.sizes<[s0 * 96]>>) {
      %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<3x?xi32, #tc.sizes<[3, s0]>> -> i32
      %s, %i = tc.sort_stage %v along 1 {descending} : i32 -> i32, i64
      tc.write %i, %b[affine_map<(d0, d1) -> (d0, d1)>] : i64, memref<3x?xi64, #tc.sizes<[3, s0]>>
    }
    return
  }
}
