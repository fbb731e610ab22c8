// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_80 --libraries=none --compile-to=fuse | FileCheck %s --check-prefix=OLDER

// Attention on tensor cores: fewer rows of a tile where there are few tiles, more of them for heads of 64. Heads that share keys are batch points, and so are
// heads of one query. A GPU without products of warp groups computes it point by point.
// OLDER-NOT: gpu_attention_schedule
// CHECK-LABEL: func.func @heads_of_128
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = 3, rows = 128, keys = 128, stages = 2>
func.func @heads_of_128(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x4x4096x128xbf16>, %v: tensor<4x4x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<4x16x4096x128xbf16>, tensor<4x4x4096x128xbf16>, tensor<4x4x4096x128xbf16> -> tensor<4x16x4096x128xbf16>
  return %0 : tensor<4x16x4096x128xbf16>
}

// CHECK-LABEL: func.func @heads_of_64
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[23]}}, rows = 192, keys = 128, stages = 2>
func.func @heads_of_64(%q: tensor<4x16x4096x64xf16>, %k: tensor<4x16x4096x64xf16>, %v: tensor<4x16x4096x64xf16>) -> tensor<4x16x4096x64xf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<4x16x4096x64xf16>, tensor<4x16x4096x64xf16>, tensor<4x16x4096x64xf16> -> tensor<4x16x4096x64xf16>
  return %0 : tensor<4x16x4096x64xf16>
}

// CHECK-LABEL: func.func @few_tiles
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[23]}}, rows = 64, keys = 64, stages = 2>
func.func @few_tiles(%q: tensor<1x12x1024x64xbf16>, %k: tensor<1x12x1024x64xbf16>, %v: tensor<1x12x1024x64xbf16>) -> tensor<1x12x1024x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<1x12x1024x64xbf16>, tensor<1x12x1024x64xbf16>, tensor<1x12x1024x64xbf16> -> tensor<1x12x1024x64xbf16>
  return %0 : tensor<1x12x1024x64xbf16>
}

// CHECK-LABEL: func.func @one_query
// CHECK: schedule #tc.gpu_attention_schedule<vector_dim = {{[0-9]}}, rows = {{64|128}}, keys = {{64|128}}, stages = 2>
func.func @one_query(%q: tensor<8x32x1x128xbf16>, %k: tensor<8x8x1000x128xbf16>, %v: tensor<8x8x1000x128xbf16>) -> tensor<8x32x1x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 : tensor<8x32x1x128xbf16>, tensor<8x8x1000x128xbf16>, tensor<8x8x1000x128xbf16> -> tensor<8x32x1x128xbf16>
  return %0 : tensor<8x32x1x128xbf16>
}

// Not what tensor cores multiply.
// CHECK-LABEL: func.func @heads_of_f32
// CHECK-NOT: gpu_attention_schedule
// CHECK: return
func.func @heads_of_f32(%q: tensor<1x12x1024x64xf32>, %k: tensor<1x12x1024x64xf32>, %v: tensor<1x12x1024x64xf32>) -> tensor<1x12x1024x64xf32> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32> -> tensor<1x12x1024x64xf32>
  return %0 : tensor<1x12x1024x64xf32>
}
