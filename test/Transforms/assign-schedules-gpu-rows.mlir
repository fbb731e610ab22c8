// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_80 --function=long_rows --compile-to=fuse | FileCheck %s --check-prefix=OLDER
// Points in vectors of 16 bytes, one a thread, also where a size is no multiple of them.
// Points in vectors of 16 bytes, also where a size is no multiple of them; two a thread where one is read, one where two are.
// CHECK-LABEL: func.func @points
// CHECK: tc.kernel "neg" {{.*}} schedule #tc.gpu_loop_schedule<vector_dim = 0, vector_width = 4, threads = 256> ins
// CHECK: tc.kernel "add" {{.*}} schedule #tc.gpu_loop_schedule<vector_dim = 0, vector_width = 8, threads = 256> ins
// CHECK: tc.kernel "neg" {{.*}} schedule #tc.gpu_loop_schedule<vector_dim = 0, vector_width = 4, threads = 256> ins
func.func @points(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %z: tensor<4099xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4096xbf16>, tensor<4099xf32>) {
  %0 = tc.neg %x : tensor<4096x4096xf32>
  %3 = tc.add %y, %w : tensor<4096x4096xbf16>
  %4 = tc.neg %z : tensor<4099xf32>
  return %0, %3, %4 : tensor<4096x4096xf32>, tensor<4096x4096xbf16>, tensor<4099xf32>
}

// Rows in registers: several short ones a block, one a block, one a cluster; a row of unknown length by as many warps as it takes.
// CHECK-LABEL: func.func @rows
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, held = true, threads = 8, rows = 16> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 4, held = true, threads = 256> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 8, held = true, threads = 128, fits_threads = true> ins
func.func @rows(%x: tensor<100000x32xf32>, %y: tensor<8192x8192xbf16>, %z: tensor<100x?xf32, #tc.sizes<[100, s0]>>) -> (tensor<100000x32xf32>, tensor<8192x8192xbf16>, tensor<100x?xf32, #tc.sizes<[100, s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.softmax %x dim 1 : tensor<100000x32xf32>
  %1 = tc.softmax %y dim 1 : tensor<8192x8192xbf16>
  %2 = tc.softmax %z dim 1 : tensor<100x?xf32, #tc.sizes<[100, s0]>>
  return %0, %1, %2 : tensor<100000x32xf32>, tensor<8192x8192xbf16>, tensor<100x?xf32, #tc.sizes<[100, s0]>>
}

// Long rows are in the shared memory of a cluster. Without clusters, and where that has no room for them, each stage reads them again.
// CHECK-LABEL: func.func @long_rows
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 8, held = true, packed = true, threads = 256, cluster = 8, shared = true> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 13, held = true, packed = true, threads = 1024, cluster = 8, shared = true> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 2, threads = 1024> ins
// OLDER: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 2, threads = 1024> ins
func.func @long_rows(%x: tensor<64x131072xbf16>, %y: tensor<64x400000xf32>, %z: tensor<64x524288xf32>) -> (tensor<64x131072xbf16>, tensor<64x400000xf32>, tensor<64x524288xf32>) {
  %0 = tc.softmax %x dim 1 : tensor<64x131072xbf16>
  %1 = tc.softmax %y dim 1 : tensor<64x400000xf32>
  %2 = tc.softmax %z dim 1 : tensor<64x524288xf32>
  return %0, %1, %2 : tensor<64x131072xbf16>, tensor<64x400000xf32>, tensor<64x524288xf32>
}

// What threads cannot copy to shared memory they hold in registers: elements at a stride, as they were loaded.
// CHECK-LABEL: func.func @long_strided_rows
// CHECK: schedule #tc.gpu_row_schedule<{{.*}}held = true, packed = true, threads = 256, cluster = {{[248]}}> ins
func.func @long_strided_rows(%x: tensor<64x65536x2xbf16>) -> tensor<64x65536xbf16> {
  %0 = tc.slice %x offsets <[0, 0, 0]> strides [1, 1, 1] : tensor<64x65536x2xbf16> -> tensor<64x65536x1xbf16>
  %1 = tc.reshape %0 : tensor<64x65536x1xbf16> -> tensor<64x65536xbf16>
  %2 = tc.softmax %1 dim 1 : tensor<64x65536xbf16>
  return %2 : tensor<64x65536xbf16>
}

// Columns are shared by threads of a block, tiles transposed in its shared memory.
// CHECK-LABEL: func.func @columns
// CHECK: schedule #tc.gpu_column_schedule<vector_dim = {{[01]}}, vector_width = 4, units = 8, column_threads = 8, row_threads = 64> ins
// CHECK: schedule #tc.gpu_transpose_schedule<vector_dim = 1, vector_width = 4, tile = 64, rows = 64, threads = 512> ins
func.func @columns(%x: tensor<4096x16384xf32>, %y: tensor<4096x16384xf32>) -> (tensor<16384xf32>, tensor<16384x4096xf32>) {
  %0 = tc.reduce sum %x dims [0] : tensor<4096x16384xf32> -> tensor<16384xf32>
  %1 = tc.transpose %y [1, 0] : tensor<4096x16384xf32> -> tensor<16384x4096xf32>
  %2 = tc.neg %1 : tensor<16384x4096xf32>
  return %0, %2 : tensor<16384xf32>, tensor<16384x4096xf32>
}

// Few columns, and a row that is all of the input, are shared by blocks.
// CHECK-LABEL: func.func @shared
// CHECK: schedule #tc.gpu_column_schedule<vector_dim = {{[01]}}, vector_width = 4, units = 4, column_threads = 16, row_threads = 32, blocks = 264> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 0, vector_width = 4, units = 8, threads = 512, blocks = 264> ins
// CHECK: schedule #tc.gpu_column_schedule<vector_dim = {{[01]}}, vector_width = 4, units = 4, column_threads = 16, row_threads = 32, blocks = 264> ins
func.func @shared(%x: tensor<131072x64xbf16>, %y: tensor<4726x127xf32>, %z: tensor<?x100xf32, #tc.sizes<[s0, 100]>>) -> (tensor<64xbf16>, tensor<f32>, tensor<100xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1000000>]} {
  %0 = tc.reduce sum %x dims [0] : tensor<131072x64xbf16> -> tensor<64xbf16>
  %1 = tc.reduce max %y dims [0, 1] : tensor<4726x127xf32> -> tensor<f32>
  %2 = tc.reduce sum %z dims [0] : tensor<?x100xf32, #tc.sizes<[s0, 100]>> -> tensor<100xf32>
  return %0, %1, %2 : tensor<64xbf16>, tensor<f32>, tensor<100xf32>
}

// A thread that loads an operand once for its rows has more of them; what more than four vectors take of tiles is copied by cp.async. Transposes that share an input and are written along different dimensions of it stay two kernels.
// CHECK-LABEL: func.func @transposes_with_others
// CHECK: schedule #tc.gpu_transpose_schedule<vector_dim = 1, vector_width = 8, tile = 128, rows = 128, threads = 256, async_copy = true> ins
// CHECK: schedule #tc.gpu_transpose_schedule<vector_dim = 1, vector_width = 8, tile = 128, rows = 128, threads = 512> ins
func.func @transposes_with_others(%x: tensor<8192x8192xbf16>, %y: tensor<8192x1xbf16>, %z: tensor<8192x8192xbf16>) -> (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) {
  %0 = tc.broadcast %y dims [0, 1] : tensor<8192x1xbf16> -> tensor<8192x8192xbf16>
  %1 = tc.add %x, %0 : tensor<8192x8192xbf16>
  %2 = tc.transpose %1 [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  %3 = tc.transpose %z [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  %4 = tc.mul %3, %x : tensor<8192x8192xbf16>
  return %2, %4 : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>
}

// What is folded of every second element is a row of those, of which one access of 16 bytes spans a vector, in one piece where rows follow each other; of a step that a call gives, of single points.
// CHECK-LABEL: func.func @stepped
// CHECK: dims [#tc.dim<"i", reduced, 8388608>] schedule #tc.gpu_row_schedule<vector_dim = 0, vector_width = 4, units = 8, threads = 512, blocks = 264> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, units = 32, held = true, threads = 512, fits_threads = true> ins
func.func @stepped(%x: tensor<8192x1024xbf16> {tc.strides = [#tc.expr<2048>, #tc.expr<2>]}, %y: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<s1 * p>, #tc.expr<p>]}) -> (tensor<bf16>, tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 1000000>, #tc.symbol<"s1", min = 2, max = 1000000>, #tc.symbol<"p", min = 1, max = 64>]} {
  %0 = tc.reduce max %x dims [0, 1] : tensor<8192x1024xbf16> -> tensor<bf16>
  %1 = tc.reduce sum %y dims [1] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?xf32, #tc.sizes<[s0]>>
  return %0, %1 : tensor<bf16>, tensor<?xf32, #tc.sizes<[s0]>>
}

// A vector of a concatenation is loaded from one of its parts: two vectors a thread have two loads.
// CHECK-LABEL: func.func @parts
// CHECK: schedule #tc.gpu_loop_schedule<vector_dim = 1, vector_width = 8, units = 2, threads = 256> ins
func.func @parts(%x: tensor<4096x4096xbf16>, %y: tensor<4096x4096xbf16>) -> tensor<4096x8192xbf16> {
  %0 = tc.concat %x, %y dim 1 : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x8192xbf16>
  return %0 : tensor<4096x8192xbf16>
}

// A whole tensor of short rows, of which each has a factor, is folded as one row.
// CHECK-LABEL: func.func @short_rows
// CHECK: dims [#tc.dim<"i", reduced, 100000>, #tc.dim<"j", reduced, 128>] schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 4, units = 8, threads = 512, blocks = 264> ins
func.func @short_rows(%x: tensor<100000x128xf32>, %y: tensor<100000x1xf32>) -> tensor<f32> {
  %0 = tc.broadcast %y dims [0, 1] : tensor<100000x1xf32> -> tensor<100000x128xf32>
  %1 = tc.mul %x, %0 : tensor<100000x128xf32>
  %2 = tc.reduce sum %1 dims [0, 1] : tensor<100000x128xf32> -> tensor<f32>
  return %2 : tensor<f32>
}

// Rows that begin anywhere, or have elements at a stride, are copied to shared memory: short ones by few threads each, what the example says of a length included.
// CHECK-LABEL: func.func @anywhere
// CHECK: schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, units = 17, held = true, threads = 2, rows = 64, bytes = 16928> ins
// CHECK: schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, units = 4, threads = 16, rows = 8, bytes = 16320> ins
// CHECK: schedule #tc.gpu_shared_memory_row_schedule<vector_dim = 1, units = 10, held = true, threads = 512, bytes = 20016> ins
func.func @anywhere(%x: tensor<100000x33xf32>, %y: tensor<100000x?xf32, #tc.sizes<[100000, s0]>>, %z: tensor<100000x5000xbf16> {tc.strides = [#tc.expr<10000>, #tc.expr<2>]}) -> (tensor<100000x33xf32>, tensor<100000x?xf32, #tc.sizes<[100000, s0]>>, tensor<100000xbf16>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 100000, likely = 127>]} {
  %0 = tc.softmax %x dim 1 : tensor<100000x33xf32>
  %1 = tc.softmax %y dim 1 : tensor<100000x?xf32, #tc.sizes<[100000, s0]>>
  %2 = tc.reduce max %z dims [1] : tensor<100000x5000xbf16> -> tensor<100000xbf16>
  return %0, %1, %2 : tensor<100000x33xf32>, tensor<100000x?xf32, #tc.sizes<[100000, s0]>>, tensor<100000xbf16>
}

// What is read stays in the cache longer than results where the cache keeps no large part of these; rows of 8192^2 bf16 write 128 MiB.
// CHECK-LABEL: func.func @large_results
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 4, held = true, threads = 128, evict_last = true> ins
// CHECK: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, units = 4, held = true, threads = 256> ins
func.func @large_results(%x: tensor<32768x4096xbf16>, %y: tensor<8192x8192xbf16>) -> (tensor<32768x4096xbf16>, tensor<8192x8192xbf16>) {
  %0 = tc.rms_norm %x rank 1 eps 1.0e-05 : tensor<32768x4096xbf16>
  %1 = tc.softmax %y dim 1 : tensor<8192x8192xbf16>
  return %0, %1 : tensor<32768x4096xbf16>, tensor<8192x8192xbf16>
}
