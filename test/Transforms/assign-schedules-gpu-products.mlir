// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s

// Pairs of blocks share the loads of the lanes' operand where its rows in memory do not begin at multiples of 32 bytes. Tiles of 224 lanes have as many
// waves there as tiles of 256.
// CHECK-LABEL: func.func @pitches
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 256, stages = 4, blocks = 132, group = 16, async_store = true> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 224, stages = 4, blocks = 132, group = 16, async_store = true, cluster = 2> ins
func.func @pitches(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<5000x5000xbf16>, %d: tensor<5000x5000xbf16>) -> (tensor<4096x4096xbf16>, tensor<5000x5000xbf16>) {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = tc.contract "mk,nk->mn" %c, %d : tensor<5000x5000xbf16>, tensor<5000x5000xbf16> -> tensor<5000x5000xbf16>
  return %0, %1 : tensor<4096x4096xbf16>, tensor<5000x5000xbf16>
}

// Where few tiles have long sums, blocks of a cluster share a tile; short sums are not worth the exchange. Nor are tiles split into nearly as many blocks as
// there are multiprocessors: narrower tiles of 64 rows are as many.
// CHECK-LABEL: func.func @few_tiles
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = {{[01]}}, rows = {{64|128}}, lanes = {{[0-9]+}}, stages = {{[0-9]+}}, blocks = 132, group = 4, splits = {{[248]}}> ins
// CHECK-NOT: splits
func.func @few_tiles(%a: tensor<100x4096xbf16>, %b: tensor<1024x4096xbf16>, %c: tensor<64x128xbf16>, %d: tensor<4096x128xbf16>, %e: tensor<64x4096xbf16>, %f: tensor<4096x4096xbf16>) -> (tensor<100x1024xbf16>, tensor<64x4096xbf16>, tensor<64x4096xbf16>) {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<100x4096xbf16>, tensor<1024x4096xbf16> -> tensor<100x1024xbf16>
  %1 = tc.contract "mk,nk->mn" %c, %d : tensor<64x128xbf16>, tensor<4096x128xbf16> -> tensor<64x4096xbf16>
  %2 = tc.contract "mk,kn->mn" %e, %f : tensor<64x4096xbf16>, tensor<4096x4096xbf16> -> tensor<64x4096xbf16>
  return %0, %1, %2 : tensor<100x1024xbf16>, tensor<64x4096xbf16>, tensor<64x4096xbf16>
}

// Blocks share 64 tiles, two equal parts of each, whose sums go through memory. Parts are not equal where there are 79 steps, and tiles of nearly a whole
// wave are not shared.
// CHECK-LABEL: func.func @shared_tiles
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = {{[0-9]+}}, blocks = 132, group = 4, async_store = true, tail_blocks = 128> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 64, lanes = 64, stages = {{[0-9]+}}, blocks = 132, group = 4, async_store = true, tail_blocks = 128> ins
// CHECK-NOT: tail_blocks
func.func @shared_tiles(%a: tensor<512x11008xf16>, %b: tensor<11008x512xf16>, %c: tensor<256x4096xbf16>, %d: tensor<1024x4096xbf16>, %e: tensor<512x5056xf16>, %f: tensor<5056x512xf16>, %g: tensor<197x8192xbf16>, %h: tensor<8192x8192xbf16>) -> (tensor<512x512xf16>, tensor<256x1024xbf16>, tensor<512x512xf16>, tensor<197x8192xbf16>) {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<512x11008xf16>, tensor<11008x512xf16> -> tensor<512x512xf16>
  %1 = tc.contract "mk,nk->mn" %c, %d : tensor<256x4096xbf16>, tensor<1024x4096xbf16> -> tensor<256x1024xbf16>
  %2 = tc.contract "mk,kn->mn" %e, %f : tensor<512x5056xf16>, tensor<5056x512xf16> -> tensor<512x512xf16>
  %3 = tc.contract "mk,nk->mn" %g, %h : tensor<197x8192xbf16>, tensor<8192x8192xbf16> -> tensor<197x8192xbf16>
  return %0, %1, %2, %3 : tensor<512x512xf16>, tensor<256x1024xbf16>, tensor<512x512xf16>, tensor<197x8192xbf16>
}

// Nor are sums of a number of rows that is not known shared: there may be many tiles.
// CHECK-LABEL: func.func @any_rows
// CHECK: schedule #tc.gpu_contraction_schedule<
// CHECK-NOT: {{splits|tail_blocks}}
func.func @any_rows(%a: tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, %b: tensor<1024x4096xbf16>) -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 100000>]} {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, tensor<1024x4096xbf16> -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  return %0 : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
}

// Threads multiply two rows of a small matrix. More are for the tensor cores: the operands are swapped, so that tiles have no more lanes than there are
// rows.
// CHECK-LABEL: func.func @few_rows
// CHECK: schedule #tc.gpu_row_schedule<
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 0, rows = 64, lanes = {{8|16}}, stages = {{[0-9]+}}, blocks = 132, group = 4{{.*}}> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 0, rows = {{64|128}}, lanes = {{8|16|32}},
func.func @few_rows(%a: tensor<2x1024xbf16>, %b: tensor<2x8192xbf16>, %c: tensor<4x8192xbf16>, %small: tensor<1024x1024xbf16>, %large: tensor<8192x8192xbf16>) -> (tensor<2x1024xbf16>, tensor<2x8192xbf16>, tensor<4x8192xbf16>) {
  %0 = tc.contract "mk,nk->mn" %a, %small : tensor<2x1024xbf16>, tensor<1024x1024xbf16> -> tensor<2x1024xbf16>
  %1 = tc.contract "mk,nk->mn" %b, %large : tensor<2x8192xbf16>, tensor<8192x8192xbf16> -> tensor<2x8192xbf16>
  %2 = tc.contract "mk,nk->mn" %c, %large : tensor<4x8192xbf16>, tensor<8192x8192xbf16> -> tensor<4x8192xbf16>
  return %0, %1, %2 : tensor<2x1024xbf16>, tensor<2x8192xbf16>, tensor<4x8192xbf16>
}

// Rows that are odd lanes of swapped tiles: of 5000 by 1024 results, 264 tiles of 128 by 152 are two for each multiprocessor.
// CHECK-LABEL: func.func @full_waves
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 0, rows = 128, lanes = 152,
func.func @full_waves(%a: tensor<5000x4096xbf16>, %b: tensor<1024x4096xbf16>) -> tensor<5000x1024xbf16> {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<5000x4096xbf16>, tensor<1024x4096xbf16> -> tensor<5000x1024xbf16>
  return %0 : tensor<5000x1024xbf16>
}

// A tile ends within a box of 64 lanes along which the operand is contiguous.
// CHECK-LABEL: func.func @part_of_box
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 224, stages = 4, blocks = 132, group = 16, async_store = true, cluster = 2> ins
func.func @part_of_box(%a: tensor<5000x5000xbf16>, %b: tensor<5000x5000xbf16>) -> tensor<5000x5000xbf16> {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<5000x5000xbf16>, tensor<5000x5000xbf16> -> tensor<5000x5000xbf16>
  return %0 : tensor<5000x5000xbf16>
}

// Rows of 5001 elements begin anywhere, so threads load them; the copy engine copies the other operand. Whoever loads needs registers, which tiles of up to
// 192 lanes leave.
// CHECK-LABEL: func.func @odd_pitch
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = {{64|128|192}}, stages = {{[0-9]}}, blocks = 132, group = 16, async_store = true, {{(cluster = 2, )?}}producer_registers = 104> ins
func.func @odd_pitch(%a: tensor<8192x5001xbf16>, %b: tensor<5001x8192xbf16>) -> tensor<8192x8192xbf16> {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<8192x5001xbf16>, tensor<5001x8192xbf16> -> tensor<8192x8192xbf16>
  return %0 : tensor<8192x8192xbf16>
}

// Floats of 8 bits have a thread's sums twice, but where they may be fast; those of integers have lanes that instructions have.
// CHECK-LABEL: func.func @floats_of_8_bits
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = {{128|160}}, stages = {{[0-9]}}, blocks = 132, group = 16, async_store = true, {{(cluster = 2, )?}}promotion = 1> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = {{224|256}}, stages = 4, blocks = 132, group = 16, async_store = true> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = {{192|224|256}}, stages = {{[0-9]}}, blocks = 132, group = 16{{(, cluster = 2)?}}> ins
func.func @floats_of_8_bits(%a: tensor<8192x8192xf8E4M3FN>, %b: tensor<8192x8192xf8E5M2>, %c: tensor<8192x8192xi8>, %d: tensor<8192x8192xi8>) -> (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>, tensor<8192x8192xi32>) {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<8192x8192xf8E4M3FN>, tensor<8192x8192xf8E5M2> -> tensor<8192x8192xf32>
  %1 = tc.cast %0 : tensor<8192x8192xf32> to tensor<8192x8192xbf16>
  %2 = tc.contract "mk,nk->mn" %a, %b fast : tensor<8192x8192xf8E4M3FN>, tensor<8192x8192xf8E5M2> -> tensor<8192x8192xf32>
  %3 = tc.cast %2 : tensor<8192x8192xf32> to tensor<8192x8192xbf16>
  %4 = tc.cast %c : tensor<8192x8192xi8> to tensor<8192x8192xi32>
  %5 = tc.cast %d : tensor<8192x8192xi8> to tensor<8192x8192xi32>
  %6 = tc.contract "mk,nk->mn" %4, %5 : tensor<8192x8192xi32>, tensor<8192x8192xi32> -> tensor<8192x8192xi32>
  return %1, %3, %6 : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>, tensor<8192x8192xi32>
}

// Threads multiply f32: in tiles, as tensor cores would, and a few rows as they read the matrix.
// CHECK-LABEL: func.func @of_f32
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = {{[01]}}, rows = {{[0-9]+}}, lanes = {{[0-9]+}}, stages = {{[0-9]+}}, blocks = 132, group = 8, promotion = {{[24]}}, warp_products = true> ins
// CHECK: schedule #tc.gpu_row_schedule
func.func @of_f32(%a: tensor<512x768xf32>, %b: tensor<3072x768xf32>, %c: tensor<4x4096xf32>, %d: tensor<4096x4096xf32>) -> (tensor<512x3072xf32>, tensor<4x4096xf32>) {
  %0 = tc.contract "mk,nk->mn" %a, %b : tensor<512x768xf32>, tensor<3072x768xf32> -> tensor<512x3072xf32>
  %1 = tc.contract "mk,nk->mn" %c, %d : tensor<4x4096xf32>, tensor<4096x4096xf32> -> tensor<4x4096xf32>
  return %0, %1 : tensor<512x3072xf32>, tensor<4x4096xf32>
}

// Both operands of the gradient of a weight are contiguous across what is summed over: lanes are halves of boxes.
// CHECK-LABEL: func.func @gradients_of_weights
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 160, stages = 4, blocks = 132, group = 4, async_store = true> ins
// CHECK: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 128, stages = 6, blocks = 132, group = 4, async_store = true> ins
func.func @gradients_of_weights(%a: tensor<8192x3072xbf16>, %b: tensor<8192x768xbf16>, %c: tensor<8192x2304xbf16>) -> (tensor<3072x768xbf16>, tensor<2304x768xbf16>) {
  %0 = tc.contract "km,kn->mn" %a, %b : tensor<8192x3072xbf16>, tensor<8192x768xbf16> -> tensor<3072x768xbf16>
  %1 = tc.contract "km,kn->mn" %c, %b : tensor<8192x2304xbf16>, tensor<8192x768xbf16> -> tensor<2304x768xbf16>
  return %0, %1 : tensor<3072x768xbf16>, tensor<2304x768xbf16>
}
