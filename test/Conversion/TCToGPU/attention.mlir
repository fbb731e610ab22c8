// RUN: tc-run %s --target=cuda:sm_90a --function=causal --compile-to=generate | FileCheck %s --check-prefix=CAUSAL
// RUN: tc-run %s --target=cuda:sm_90a --function=bias --compile-to=generate | FileCheck %s --check-prefix=BIAS

// Attention on tensor cores: one thread copies queries and keys, another values, from the last block of keys down. Scores of a block and the weighted values of
// the one before are multiplied at the same time. Of causal attention only the first block has keys that do not count: the loop has no comparison.
// CAUSAL: tc.launch @attention_0 count <2048>
// CAUSAL-SAME: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[4, 16, 4096, 128]>, strides = <[8388608, 524288, 128, 1]>, box = [1, 1, 128, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[4, 4, 4096, 128]>,
// CAUSAL: block.pipeline at 0 consumers 8 : <1, 32768>
// CAUSAL: block.pipeline at {{[0-9]+}} consumers 8 : <2, 32768>
// CAUSAL: block.pipeline at {{[0-9]+}} consumers 8 : <2, 32768>
// CAUSAL: block.role registers = 24
// CAUSAL: block.acquire
// CAUSAL-COUNT-2: block.copy_in %arg0[
// CAUSAL: scf.for
// CAUSAL-COUNT-2: block.copy_in %arg1[
// CAUSAL: scf.for
// CAUSAL-COUNT-2: block.copy_in %arg2[
// CAUSAL: } else {
// CAUSAL: block.role registers = 240 more
// CAUSAL-COUNT-2: block.mma {{.*}} depth 64 type bf16
// CAUSAL: block.mma_wait %
// CAUSAL: arith.cmpi
// CAUSAL: scf.for
// CAUSAL: block.mma {{.*}} depth 64 type bf16 :
// CAUSAL: block.mma {{.*}} accumulate
// CAUSAL: block.mma_words
// CAUSAL: block.mma_wait {{.*}} earlier
// CAUSAL-NOT: arith.cmpi
// CAUSAL: ex2.approx.ftz.f32
// CAUSAL: block.mma_wait {{.*}} kept
// CAUSAL: block.accumulator
// CAUSAL: scf.yield
// CAUSAL-NOT: scf.for
// CAUSAL: block.mma_words
// CAUSAL: llvm.store
func.func @causal(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x4x4096x128xbf16>, %v: tensor<4x4x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<4x16x4096x128xbf16>, tensor<4x4x4096x128xbf16>, tensor<4x4x4096x128xbf16> -> tensor<4x16x4096x128xbf16>
  return %0 : tensor<4x16x4096x128xbf16>
}

// What is added to the scores is read where they are; heads of 80 are boxes of 64 and of 16.
// BIAS: block.mma {{.*}} depth 64 type f16
// BIAS: block.mma {{.*}} depth 16 type f16
// BIAS: scf.for
// BIAS: block.mma_words
// BIAS: llvm.load
// BIAS: scf.yield
func.func @bias(%q: tensor<8x16x1000x80xf16>, %k: tensor<8x16x1000x80xf16>, %v: tensor<8x16x1000x80xf16>, %m: tensor<8x1x1000x1000xf16>) -> tensor<8x16x1000x80xf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<8x1x1000x1000xf16> scale 0.11 : tensor<8x16x1000x80xf16>, tensor<8x16x1000x80xf16>, tensor<8x16x1000x80xf16> -> tensor<8x16x1000x80xf16>
  return %0 : tensor<8x16x1000x80xf16>
}
