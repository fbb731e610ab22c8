// RUN: tc-run %s --function=heads --compile-to=bufferize | FileCheck %s
// RUN: tc-run %s --function=heads --random-inputs=1 --size=s0=3 --check --threads=2
// RUN: tc-run %s --function=heads --random-inputs=2 --size=s0=1 --check
// RUN: tc-run %s --function=causal --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=shared_keys --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=heads --random-inputs=1 --size=s0=2 --output=@%t.npy
// RUN: tc-run %s --function=heads --compile-to=bufferize > %t.mlir
// RUN: tc-run %t.mlir --function=heads --random-inputs=1 --size=s0=2 --device=reference --expected_output=@%t.npy

// The result overwrites the queries: rows of several tiles, heads on two threads.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[Y:.*]] = tc.output_buffer 0
// CHECK: %[[Q:.*]] = tc.buffer_reshape %[[Y]]
// CHECK: tc.kernel {{.*}} attention {{.*}} = %[[Q]] : {{.*}}) outs(%{{.*}} = %[[Y]] :
func.func @heads(%x: tensor<?x24xf32, #tc.sizes<[s0 * 29, 24]>>, %w: tensor<24x24xf32>, %kv: tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>>) -> tensor<?x29x3x8xf32, #tc.sizes<[s0, 29, 3, 8]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x24xf32, #tc.sizes<[s0 * 29, 24]>>, tensor<24x24xf32> -> tensor<?x24xf32, #tc.sizes<[s0 * 29, 24]>>
  %1 = tc.reshape %0 : tensor<?x24xf32, #tc.sizes<[s0 * 29, 24]>> -> tensor<?x29x3x8xf32, #tc.sizes<[s0, 29, 3, 8]>>
  %2 = tc.transpose %1 [0, 2, 1, 3] : tensor<?x29x3x8xf32, #tc.sizes<[s0, 29, 3, 8]>> -> tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>>
  %3 = tc.attention %2, %kv, %kv scale 0.35 : tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>>, tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>>, tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>> -> tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>>
  %4 = tc.transpose %3 [0, 2, 1, 3] : tensor<?x3x29x8xf32, #tc.sizes<[s0, 3, 29, 8]>> -> tensor<?x29x3x8xf32, #tc.sizes<[s0, 29, 3, 8]>>
  return %4 : tensor<?x29x3x8xf32, #tc.sizes<[s0, 29, 3, 8]>>
}

// Blocks of rows of few heads, up to the diagonal alone; two tiles of columns.
func.func @causal(%x: tensor<2x130x80xf32>, %k: tensor<2x130x80xf32>, %v: tensor<2x130x80xf32>) -> tensor<2x130x80xf32> {
  %0 = tc.scan sum %x dim 2 : tensor<2x130x80xf32>
  %1 = tc.attention %0, %k, %v scale 0.1 {causal} : tensor<2x130x80xf32>, tensor<2x130x80xf32>, tensor<2x130x80xf32> -> tensor<2x130x80xf32>
  return %1 : tensor<2x130x80xf32>
}

// Two heads of queries for one of keys, in bf16.
func.func @shared_keys(%x: tensor<2x4x13x16xbf16>, %w: tensor<16x16xbf16>, %kv: tensor<2x2x9x16xbf16>) -> tensor<2x4x13x16xbf16> {
  %0 = tc.contract "bhtk,nk->bhtn" %x, %w : tensor<2x4x13x16xbf16>, tensor<16x16xbf16> -> tensor<2x4x13x16xbf16>
  %1 = tc.attention %0, %kv, %kv scale 0.25 : tensor<2x4x13x16xbf16>, tensor<2x2x9x16xbf16>, tensor<2x2x9x16xbf16> -> tensor<2x4x13x16xbf16>
  return %1 : tensor<2x4x13x16xbf16>
}
