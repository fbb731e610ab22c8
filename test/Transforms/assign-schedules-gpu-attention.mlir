// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_80 --libraries=none --compile-to=fuse | FileCheck %s --check-prefix=OLDER

// Attention on tensor cores: fewer rows of a tile where there are few tiles, more of them for heads of 64. Heads that share keys are batch points; those of
// few queries are rows of one tile. Blocks stay where not all tiles have one at the same time; those of a cluster share the keys of a tile where there are few tiles. On a GPU
// without products of warp groups warps multiply, each block has a tile, and attention of few rows has no tiles.
// OLDER-LABEL: func.func @heads_of_128
// OLDER: schedule #tc.gpu_attention_schedule<vector_dim = 3, rows = 128, keys = 64, stages = 2, warp_products = true>
// CHECK-LABEL: func.func @heads_of_128
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = 3, rows = 128, keys = 128, stages = 2, blocks = 132, async_store = true, query_stages = 2>
func.func @heads_of_128(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x4x4096x128xbf16>, %v: tensor<4x4x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<4x16x4096x128xbf16>, tensor<4x4x4096x128xbf16>, tensor<4x4x4096x128xbf16> -> tensor<4x16x4096x128xbf16>
  return %0 : tensor<4x16x4096x128xbf16>
}

// What is written of the rows alone changes nothing.
// CHECK-LABEL: func.func @log_sum_exp
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = 3, rows = 128, keys = 128, stages = 2, blocks = 132, async_store = true, query_stages = 2>
func.func @log_sum_exp(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x4x4096x128xbf16>, %v: tensor<4x4x4096x128xbf16>) -> (tensor<4x16x4096x128xbf16>, tensor<4x16x4096xf32>) {
  %0, %1 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<4x16x4096x128xbf16>, tensor<4x4x4096x128xbf16>, tensor<4x4x4096x128xbf16> -> tensor<4x16x4096x128xbf16>, tensor<4x16x4096xf32>
  return %0, %1 : tensor<4x16x4096x128xbf16>, tensor<4x16x4096xf32>
}

// CHECK-LABEL: func.func @heads_of_64
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[23]}}, rows = 192, keys = 128, stages = 2, blocks = 132, async_store = true>
func.func @heads_of_64(%q: tensor<4x16x4096x64xf16>, %k: tensor<4x16x4096x64xf16>, %v: tensor<4x16x4096x64xf16>) -> tensor<4x16x4096x64xf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<4x16x4096x64xf16>, tensor<4x16x4096x64xf16>, tensor<4x16x4096x64xf16> -> tensor<4x16x4096x64xf16>
  return %0 : tensor<4x16x4096x64xf16>
}

// CHECK-LABEL: func.func @few_tiles
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[23]}}, rows = 64, keys = {{64|128}}, stages = 2, async_store = true, resident = 2>
func.func @few_tiles(%q: tensor<1x12x1024x64xbf16>, %k: tensor<1x12x1024x64xbf16>, %v: tensor<1x12x1024x64xbf16>) -> tensor<1x12x1024x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x12x1024x64xbf16>, tensor<1x12x1024x64xbf16>, tensor<1x12x1024x64xbf16> -> tensor<1x12x1024x64xbf16>
  return %0 : tensor<1x12x1024x64xbf16>
}

// CHECK-LABEL: func.func @one_query
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = 64, keys = {{64|128}}, stages = 2, splits = 2, resident = 2>
func.func @one_query(%q: tensor<8x32x1x128xbf16>, %k: tensor<8x8x1000x128xbf16>, %v: tensor<8x8x1000x128xbf16>) -> tensor<8x32x1x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 : tensor<8x32x1x128xbf16>, tensor<8x8x1000x128xbf16>, tensor<8x8x1000x128xbf16> -> tensor<8x32x1x128xbf16>
  return %0 : tensor<8x32x1x128xbf16>
}

// CHECK-LABEL: func.func @one_query_of_few_heads
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = 64, keys = {{64|128}}, stages = 2, splits = 2, resident = 2>
func.func @one_query_of_few_heads(%q: tensor<1x32x1x64xbf16>, %k: tensor<1x32x1024x64xbf16>, %v: tensor<1x32x1024x64xbf16>) -> tensor<1x32x1x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<1x32x1x64xbf16>, tensor<1x32x1024x64xbf16>, tensor<1x32x1024x64xbf16> -> tensor<1x32x1x64xbf16>
  return %0 : tensor<1x32x1x64xbf16>
}

// Eight queries of eight heads fill a tile of 64 rows: as many tiles as there are heads with keys, and blocks that share them.
// CHECK-LABEL: func.func @few_queries
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = 64, keys = {{64|128}}, stages = 2, splits = 8, resident = 2>
func.func @few_queries(%q: tensor<1x64x8x128xbf16>, %k: tensor<1x8x4096x128xbf16>, %v: tensor<1x8x4096x128xbf16>) -> tensor<1x64x8x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 : tensor<1x64x8x128xbf16>, tensor<1x8x4096x128xbf16>, tensor<1x8x4096x128xbf16> -> tensor<1x64x8x128xbf16>
  return %0 : tensor<1x64x8x128xbf16>
}

// Stages of 256 columns leave room for tiles of 64 rows, or for blocks of 64 keys.
// CHECK-LABEL: func.func @few_tiles_of_256
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = {{64|128}}, keys = 64, stages = 2,
func.func @few_tiles_of_256(%q: tensor<1x8x512x256xbf16>, %k: tensor<1x8x512x256xbf16>, %v: tensor<1x8x512x256xbf16>) -> tensor<1x8x512x256xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.0625 {causal} : tensor<1x8x512x256xbf16>, tensor<1x8x512x256xbf16>, tensor<1x8x512x256xbf16> -> tensor<1x8x512x256xbf16>
  return %0 : tensor<1x8x512x256xbf16>
}

// What is added to scores takes registers: tiles of 192 rows leave too few.
// CHECK-LABEL: func.func @bias
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = 128, keys = 128, stages = 2, blocks = 132, async_store = true, query_stages = 2>
func.func @bias(%q: tensor<4x16x4096x64xbf16>, %k: tensor<4x16x4096x64xbf16>, %v: tensor<4x16x4096x64xbf16>, %m: tensor<1x16x4096x4096xbf16>) -> tensor<4x16x4096x64xbf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<1x16x4096x4096xbf16> scale 0.125 : tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16>, tensor<4x16x4096x64xbf16> -> tensor<4x16x4096x64xbf16>
  return %0 : tensor<4x16x4096x64xbf16>
}

// Heads of any size: the launch makes copies of rows that are no multiples of 16 bytes apart, and threads store results of such columns.
// CHECK-LABEL: func.func @heads_of_100
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = 2, rows = 128, keys = 128, stages = 2, blocks = 132, query_stages = 2>
func.func @heads_of_100(%q: tensor<4x16x1000x100xbf16>, %k: tensor<4x16x1000x100xbf16>, %v: tensor<4x16x1000x100xbf16>) -> tensor<4x16x1000x100xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.1 {causal} : tensor<4x16x1000x100xbf16>, tensor<4x16x1000x100xbf16>, tensor<4x16x1000x100xbf16> -> tensor<4x16x1000x100xbf16>
  return %0 : tensor<4x16x1000x100xbf16>
}

// So are rows that are as far apart as the call says.
// CHECK-LABEL: func.func @any_pitch
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = 2, rows = {{[0-9]+}}, keys = {{[0-9]+}}, stages = 2,
func.func @any_pitch(%q: tensor<2x8x1000x64xbf16>, %k: tensor<2x8x1000x64xbf16> {tc.strides = [#tc.expr<s0 * 8000>, #tc.expr<s0 * 1000>, #tc.expr<s0>, #tc.expr<1>]}, %v: tensor<2x8x1000x64xbf16>) -> tensor<2x8x1000x64xbf16> attributes {tc.symbols = [#tc.symbol<"s0", min = 64, max = 100000>]} {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16> -> tensor<2x8x1000x64xbf16>
  return %0 : tensor<2x8x1000x64xbf16>
}

// Of keys that begin behind others at no multiple of 16 bytes the copy would have these as well.
// CHECK-LABEL: func.func @any_begin
// CHECK-NOT: gpu_attention_schedule
// CHECK: return
func.func @any_begin(%q: tensor<2x1000x100xbf16>, %k: tensor<2x1001x100xbf16>, %v: tensor<2x1000x100xbf16>) -> tensor<2x1000x100xbf16> {
  %s = tc.slice %k offsets <[0, 1, 0]> strides [1, 1, 1] : tensor<2x1001x100xbf16> -> tensor<2x1000x100xbf16>
  %0 = tc.attention %q, %s, %v scale 0.1 : tensor<2x1000x100xbf16>, tensor<2x1000x100xbf16>, tensor<2x1000x100xbf16> -> tensor<2x1000x100xbf16>
  return %0 : tensor<2x1000x100xbf16>
}

// Not what tensor cores multiply.
// CHECK-LABEL: func.func @heads_of_f32
// CHECK-NOT: gpu_attention_schedule
// CHECK: return
func.func @heads_of_f32(%q: tensor<1x12x1024x64xf32>, %k: tensor<1x12x1024x64xf32>, %v: tensor<1x12x1024x64xf32>) -> tensor<1x12x1024x64xf32> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32> -> tensor<1x12x1024x64xf32>
  return %0 : tensor<1x12x1024x64xf32>
}

// One kernel computes all gradients of attention, also where one is used alone.
// CHECK-LABEL: func.func @gradients_of_queries
// CHECK: tc.kernel "attention_backward" {{.*}} schedule #tc.gpu_attention_backward_schedule<
func.func @gradients_of_queries(%g: tensor<1x2x256x64xbf16>, %q: tensor<1x2x256x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>, %l: tensor<1x2x256xf32>, %p: tensor<1x2x256xf32>) -> tensor<1x2x256x64xf32> {
  %s, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256xf32>, tensor<1x2x256xf32> -> tensor<1x2x256x64xf32>
  return %s : tensor<1x2x256x64xf32>
}

// Blocks that add to the same gradients in turn are near each other where all begin at once: 128 tiles of keys, 8 batch points at a time. More tiles of
// different lengths begin with the longest of all.
// CHECK-LABEL: func.func @gradients_of_one_wave
// CHECK: schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 8, blocks = 132>
// CHECK: schedule #tc.gpu_attention_backward_schedule<queries = 64, stages = 2, group = 64, blocks = 132>
func.func @gradients_of_one_wave(%g: tensor<2x16x512x128xbf16>, %l: tensor<2x16x512xf32>, %h: tensor<4x16x512x128xbf16>, %m: tensor<4x16x512xf32>) -> (tensor<2x16x512x128xf32>, tensor<4x16x512x128xf32>) {
  %s, %gk, %gv = tc.attention_backward %g, %g, %g, %g, %l, %l scale 0.088 {causal} : tensor<2x16x512x128xbf16>, tensor<2x16x512x128xbf16>, tensor<2x16x512x128xbf16>, tensor<2x16x512x128xbf16>, tensor<2x16x512xf32>, tensor<2x16x512xf32> -> tensor<2x16x512x128xf32>
  %t, %hk, %hv = tc.attention_backward %h, %h, %h, %h, %m, %m scale 0.088 {causal} : tensor<4x16x512x128xbf16>, tensor<4x16x512x128xbf16>, tensor<4x16x512x128xbf16>, tensor<4x16x512x128xbf16>, tensor<4x16x512xf32>, tensor<4x16x512xf32> -> tensor<4x16x512x128xf32>
  return %s, %t : tensor<2x16x512x128xf32>, tensor<4x16x512x128xf32>
}
