// Rows in place that are far apart in memory are read in long runs: a panel has several blocks, in a part of the rows' own memory and of
// the core's cache.
// RUN: tc-run %s --function=far_rows --target=cpu:x86-64-v4 --compile-to=fuse | FileCheck %s --check-prefix=FAR
// RUN: tc-run %s --function=packed_rows --target=cpu:x86-64-v4 --compile-to=fuse | FileCheck %s --check-prefix=PACKED
// RUN: tc-run %s --function=far_rows --target=cpu:x86-64-v4 --compile-to=generate | FileCheck %s --check-prefix=CODE

module attributes {tc.core_cache_bytes = 1048576 : i64, tc.cores = 2 : i64, tc.shared_cache_bytes = 33554432 : i64} {

// A row has 18 KiB. Five blocks of 192 points by 64 lanes take a quarter of the cache at most, and each core has half of the rows.
// FAR: tile = <rows = 6, lanes = 64, reduced = 192, block_rows = 258, block_lanes = 64, panel_blocks = 5>
// CODE: llvm.alloca %c60480_i64 x f32
// CODE: llvm.alloca %c16512_i64 x f32
func.func @far_rows(%x: tensor<1x512x7x7xf32>, %w: tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32> -> tensor<1x512x7x7xf32>
  return %0 : tensor<1x512x7x7xf32>
}

// Rows of bf16 are widened, and so packed: blocks share nothing but the rows' accumulators.
// PACKED-LABEL: func.func @packed_rows(
// PACKED: tc.kernel {{.*}} contraction
// PACKED-NOT: panel_blocks
func.func @packed_rows(%x: tensor<1x512x7x7xbf16>, %w: tensor<512x512x3x3xbf16>) -> tensor<1x512x7x7xbf16> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<1x512x7x7xbf16>, tensor<512x512x3x3xbf16> -> tensor<1x512x7x7xbf16>
  return %0 : tensor<1x512x7x7xbf16>
}
}
