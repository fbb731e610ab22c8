// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of kernels and of what bufferize makes.

// A row softmax: read, reductions and pointwise stages, write.
// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<4x8xf32>, %init: tensor<4x8xf32>) {
  // CHECK: tc.kernel "softmax" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : tensor<4x8xf32>) outs(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : tensor<4x8xf32>)
  %r = tc.kernel "softmax" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %init : tensor<4x8xf32>) {
  // CHECK: tc.read %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : tensor<4x8xf32> -> f32
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
  // CHECK: tc.reduce_stage max %{{[a-z0-9_#]+}} over [1] : f32 -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
  // CHECK: tc.sub %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : f32
    %s = tc.sub %v, %m : f32
  // CHECK: tc.exp %{{[a-z0-9_#]+}} : f32
    %e = tc.exp %s : f32
  // CHECK: tc.reduce_stage sum %{{[a-z0-9_#]+}} over [1] : f32 -> f32
    %t = tc.reduce_stage sum %e over [1] : f32 -> f32
  // CHECK: tc.div %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : f32
    %q = tc.div %e, %t : f32
  // CHECK: tc.write %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : f32, tensor<4x8xf32>
    tc.write %q, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// Contraction over a reduced dimension, on memrefs, with a schedule.
// CHECK-LABEL: func @matmul
func.func @matmul(%x: memref<4x8xbf16>, %y: memref<8x16xbf16>, %z: memref<4x16xf32>) {
  // CHECK: tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 4>, #tc.dim<"n", parallel, 16>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 8, block_rows = 4, block_lanes = 16>> ins(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : memref<4x8xbf16>, %{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : memref<8x16xbf16>) outs(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : memref<4x16xf32>)
  tc.kernel "matmul" contraction dims [#tc.dim<"m", parallel, 4>, #tc.dim<"n", parallel, 16>, #tc.dim<"k", reduced, 8>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 4, lanes = 16, reduced = 8, block_rows = 4, block_lanes = 16>> ins(%a = %x : memref<4x8xbf16>, %b = %y : memref<8x16xbf16>) outs(%o = %z : memref<4x16xf32>) {
  // CHECK: tc.read %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : memref<4x8xbf16> -> bf16
    %u = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : memref<4x8xbf16> -> bf16
  // CHECK: tc.read %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : memref<8x16xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : memref<8x16xbf16> -> bf16
  // CHECK: tc.contract_stage %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} over [2] : bf16, bf16 -> f32
    %c = tc.contract_stage %u, %v over [2] : bf16, bf16 -> f32
  // CHECK: tc.write %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : f32, memref<4x16xf32>
    tc.write %c, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<4x16xf32>
  }
  return
}

// Dynamic indices, a set, constants, scans, sorts, and a combining write.
// CHECK-LABEL: func @accesses
func.func @accesses(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %i: tensor<?xi64, #tc.sizes<[s0]>>, %init: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.kernel "accesses" scatter dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 8>] symbols [#tc.expr<s0>, #tc.expr<min(4, s0)>] ins(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : tensor<?xi64, #tc.sizes<[s0]>>) outs(%{{[a-z0-9_#]+}} = %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>)
  %r = tc.kernel "accesses" scatter dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 8>] symbols [#tc.expr<s0>, #tc.expr<min(4, s0)>] ins(%a = %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %b = %i : tensor<?xi64, #tc.sizes<[s0]>>) outs(%o = %init : tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.read %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] : tensor<?xi64, #tc.sizes<[s0]>> -> i64
    %k = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<?xi64, #tc.sizes<[s0]>> -> i64
  // CHECK: tc.read %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] at %{{[a-z0-9_#]+}} : i64 within #set{{[0-9]*}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> f32
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d2, d1)>] at %k : i64 within affine_set<(d0, d1) : (d1 - 1 >= 0)> : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> f32
  // CHECK: tc.scalar 2.000000e+00 : f32
    %c = tc.scalar 2.000000e+00 : f32
  // CHECK: tc.size_scalar <s0 * 4> : i64
    %n = tc.size_scalar <s0 * 4> : i64
  // CHECK: tc.index #map{{[0-9]*}} : i64
    %d = tc.index affine_map<(d0, d1) -> (d1 + 3)> : i64
  // CHECK: tc.within #set{{[0-9]*}} : i1
    %w = tc.within affine_set<(d0, d1) : (d0 - d1 >= 0)> : i1
  // CHECK: tc.scan_stage sum %{{[a-z0-9_#]+}} along 1 : f32
    %s = tc.scan_stage sum %v along 1 : f32
    %t, %p = tc.sort_stage %s along 1 : f32 -> f32, i64
    %f, %g = tc.reduce_stage argmax %v over [1] : f32 -> f32, i64
  // CHECK: tc.select %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : i1, f32
    %e = tc.select %w, %t, %c : i1, f32
  // CHECK: tc.write %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}[#map{{[0-9]*}}] at %{{[a-z0-9_#]+}} : i64 combine sum : f32, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
    tc.write %e, %o[affine_map<(d0, d1, d2) -> (d2, d1)>] at %k : i64 combine sum : f32, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  }
  return
}

// Buffers of one function in one arena, and a launch.
// CHECK-LABEL: func @bufferized
func.func @bufferized(%x: memref<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.arena <s0 * 4096> : memref<?xi8>
  %a = tc.arena <s0 * 4096> : memref<?xi8>
  // CHECK: tc.arena_view %{{[a-z0-9_#]+}} offset <s0 * 1024> : memref<?xi8> -> memref<?x8xf32, #tc.sizes<[s0, 8]>>
  %b = tc.arena_view %a offset <s0 * 1024> : memref<?xi8> -> memref<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.buffer_reshape %{{[a-z0-9_#]+}} : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> memref<?xf32, #tc.sizes<[s0 * 8]>>
  %c = tc.buffer_reshape %b : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> memref<?xf32, #tc.sizes<[s0 * 8]>>
  // CHECK: tc.launch @softmax count <s0> grain <8>(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}) sizes [#tc.expr<s0>] : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.launch @softmax count <s0> grain <8>(%x, %b) sizes [#tc.expr<s0>] : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<?x8xf32, #tc.sizes<[s0, 8]>>
  return
}

// A launch whose kernel copies boxes of a row-major view, and of one with strides.
// CHECK-LABEL: func @tensor_maps
func.func @tensor_maps(%x: memref<?x64xbf16, #tc.sizes<[s0, 64]>>, %y: memref<4x128x8x64xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.launch @copy count <s0> grain <1>(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [128, 64], swizzle = 128>, #tc.tensor_map<buffer = 1, sizes = <[4, 8, 128, 64]>, strides = <[65536, 64, 512, 1]>, box = [1, 1, 128, 16]>] {shared_bytes = 24576 : i64, threads = 128 : i64} : memref<?x64xbf16, #tc.sizes<[s0, 64]>>, memref<4x128x8x64xf32>
  tc.launch @copy count <s0> grain <1>(%x, %y) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [128, 64], swizzle = 128>, #tc.tensor_map<buffer = 1, sizes = <[4, 8, 128, 64]>, strides = <[65536, 64, 512, 1]>, box = [1, 1, 128, 16], swizzle = 0>] {shared_bytes = 24576 : i64, threads = 128 : i64} : memref<?x64xbf16, #tc.sizes<[s0, 64]>>, memref<4x128x8x64xf32>
  return
}

// The workspace of a sort.
// CHECK-LABEL: func @workspace
func.func @workspace(%x: memref<8x10xf32>, %y: memref<8x10xf32>, %w: memref<640xi8>) {
  // CHECK: tc.kernel "sort" custom dims [{{.*}}] schedule #tc.task_schedule<tasks = 2, task_points = 100> ins(%{{.*}} = %{{.*}} : memref<8x10xf32>) outs(%{{.*}} = %{{.*}} : memref<8x10xf32>) workspace(%{{.*}} = %{{.*}} : memref<640xi8>) {
  tc.kernel "sort" custom dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 10>] schedule #tc.task_schedule<tasks = 2, task_points = 100> ins(%a = %x : memref<8x10xf32>) outs(%o = %y : memref<8x10xf32>) workspace(%b = %w : memref<640xi8>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<8x10xf32> -> f32
    %s, %p = tc.sort_stage %v along 1 : f32 -> f32, i64
    tc.write %s, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<8x10xf32>
  }
  return
}
