// RUN: tc-run %s --target=cuda:sm_90a --function=causal --compile-to=generate | FileCheck %s --check-prefix=CAUSAL
// RUN: tc-run %s --target=cuda:sm_90a --function=fewer_keys --compile-to=generate | FileCheck %s --check-prefix=FEWER
// RUN: tc-run %s --target=cuda:sm_90a --function=bias --compile-to=generate | FileCheck %s --check-prefix=BIAS
// RUN: tc-run %s --target=cuda:sm_90a --function=decode --compile-to=generate | FileCheck %s --check-prefix=DECODE
// RUN: tc-run %s --target=cuda:sm_90a --function=odd --compile-to=generate | FileCheck %s --check-prefix=ODD
// RUN: tc-run %s --target=cuda:sm_90a --function=drafts --compile-to=generate | FileCheck %s --check-prefix=DRAFTS

// Attention on tensor cores: one thread copies queries and keys, another values, from the last block of keys down. Scores of a block and the weighted values of
// the one before are multiplied at the same time, and so are those of two tiles: blocks stay for tiles that the first thread draws from a counter, and the copy
// engine stores the results. Of causal attention only the first block has keys that do not count: each warp group begins with the half of it at the diagonal,
// the second one goes on with the other half, and the step behind that multiplies 64 weights. The loop has no comparison.
// CAUSAL: tc.launch @attention_0 count <132>
// CAUSAL-SAME: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[4, 16, 4096, 128]>, strides = <[8388608, 524288, 128, 1]>, box = [1, 1, 128, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[4, 4, 4096, 128]>,
// CAUSAL-SAME: box = [1, 1, 16, 64], swizzle = 128, realigns = true, written = true>]
// CAUSAL-SAME: uses_counters
// CAUSAL: block.pipeline at 0 consumers 8 : <2, 32768>
// CAUSAL: block.pipeline at {{[0-9]+}} consumers 8 : <2, 32768>
// CAUSAL: block.pipeline at {{[0-9]+}} consumers 8 : <2, 32768>
// CAUSAL: block.pipeline at 65568 consumers 9 : <1, 16>
// CAUSAL: block.role registers = 24
// CAUSAL: scf.while
// CAUSAL: block.acquire
// CAUSAL-COUNT-2: block.copy_in %arg0[
// CAUSAL: scf.for
// CAUSAL-COUNT-2: block.copy_in %arg1[
// CAUSAL: llvm.atomicrmw uinc_wrap
// CAUSAL: block.put_words
// CAUSAL: scf.while
// CAUSAL: scf.for
// CAUSAL-COUNT-2: block.copy_in %arg2[
// CAUSAL: block.take_words
// CAUSAL: block.release
// CAUSAL: } else {
// CAUSAL: block.role registers = 240 more
// CAUSAL-COUNT-2: block.mma {{.*}} shift {{.*}} depth 64 type bf16
// CAUSAL: block.mma_wait {{.*}} <64> -> vector<32xf32>
// CAUSAL: arith.cmpi
// CAUSAL: scf.while
// CAUSAL: scf.if
// CAUSAL: block.mma_words {{.*}} b 8192 box_rows 128
// CAUSAL-NOT: arith.cmpi
// CAUSAL: } else {
// CAUSAL: scf.if
// CAUSAL: block.mma_words {{.*}} b 0 box_rows 128
// CAUSAL: } else {
// CAUSAL: scf.for
// CAUSAL: block.mma {{.*}} depth 64 type bf16 :
// CAUSAL: block.mma {{.*}} accumulate
// CAUSAL: block.mma_words {{.*}} b 0 type bf16
// CAUSAL: block.mma_wait {{.*}} earlier
// CAUSAL-NOT: arith.cmpi
// CAUSAL: ex2.approx.ftz.f32
// CAUSAL: block.mma_wait {{.*}} kept
// CAUSAL: block.accumulator
// CAUSAL: scf.yield
// CAUSAL-NOT: scf.for
// CAUSAL: block.take_words
// CAUSAL-COUNT-2: block.mma {{.*}} shift
// CAUSAL: block.mma_words {{.*}} b 0 type bf16
// CAUSAL: arith.divf
// CAUSAL: arith.divf
// CAUSAL-NOT: arith.divf
// CAUSAL-COUNT-2: block.copy_out
// CAUSAL: block.copy_out_wait
func.func @causal(%q: tensor<4x16x4096x128xbf16>, %k: tensor<4x4x4096x128xbf16>, %v: tensor<4x4x4096x128xbf16>) -> tensor<4x16x4096x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<4x16x4096x128xbf16>, tensor<4x4x4096x128xbf16>, tensor<4x4x4096x128xbf16> -> tensor<4x16x4096x128xbf16>
  return %0 : tensor<4x16x4096x128xbf16>
}

// What is added to the scores is read where they are, for two keys at once where it is aligned, while the products are under way; heads of 80 are boxes of 64 and
// of 16. 80 columns are no whole boxes of results: threads store them.
// BIAS: block.mma {{.*}} depth 64 type f16
// BIAS: block.mma {{.*}} depth 16 type f16
// BIAS: scf.for
// BIAS: block.mma_words
// BIAS-NOT: mma_wait
// BIAS: llvm.load {{.*}} -> vector<2xf16>
// BIAS: block.mma_wait {{.*}} earlier
// BIAS: scf.yield
// BIAS: llvm.store
// BIAS: } else {
// BIAS: scf.for
// BIAS: block.mma_words
// BIAS-NOT: llvm.load {{.*}} -> vector<2xf16>
// BIAS: block.mma_wait {{.*}} earlier
func.func @bias(%q: tensor<8x16x1000x80xf16>, %k: tensor<8x16x1000x80xf16>, %v: tensor<8x16x1000x80xf16>, %m: tensor<8x1x1000x1000xf16>) -> tensor<8x16x1000x80xf16> {
  %0 = tc.attention %q, %k, %v mask %m : tensor<8x1x1000x1000xf16> scale 0.11 : tensor<8x16x1000x80xf16>, tensor<8x16x1000x80xf16>, tensor<8x16x1000x80xf16> -> tensor<8x16x1000x80xf16>
  return %0 : tensor<8x16x1000x80xf16>
}

// One query of a head with many keys: blocks of a cluster have a range of them each, tell each other the largest scores and sums, and add up their parts of the results.
// DECODE: tc.launch @attention_2 count <64>
// DECODE-SAME: cluster = 2
// DECODE-COUNT-2: block.meet
// DECODE: } else {
// DECODE: block.mma_words
// DECODE: block.put_sums %{{.*}} threads 128 : vector<4xf32>
// DECODE-NEXT: block.meet
// DECODE-NEXT: block.peer_sums {{.*}} block 0 : vector<4xf32>
// DECODE: block.peer_sums {{.*}} block 1 : vector<4xf32>
// DECODE: block.put_sums %{{.*}} threads 128 : vector<32xf32>
// DECODE-NEXT: block.meet
// DECODE-NEXT: block.take_sums {{.*}} of 2 : vector<16xf32>
// DECODE: llvm.store
// DECODE: block.meet
func.func @decode(%q: tensor<1x32x1x64xbf16>, %k: tensor<1x32x1024x64xbf16>, %v: tensor<1x32x1024x64xbf16>) -> tensor<1x32x1x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.125 : tensor<1x32x1x64xbf16>, tensor<1x32x1024x64xbf16>, tensor<1x32x1024x64xbf16> -> tensor<1x32x1x64xbf16>
  return %0 : tensor<1x32x1x64xbf16>
}

// Heads of 33: tensor maps have their strides, of which the launch makes multiples of 16 bytes by copies. 40 columns are multiplied, and what is behind 33 of them is
// left out: the last pair of a row has one column at most.
// ODD: strides = <[33000, 33, 1]>, box = [1, 192, 64], swizzle = 128, realigns = true>
// ODD: block.mma {{.*}} depth 48 type bf16
// ODD: block.mma_words {{.*}}, <40>
// ODD: llvm.store
// ODD: arith.constant 33 : i32
func.func @odd(%q: tensor<4x16x1000x33xbf16>, %k: tensor<4x16x1000x33xbf16>, %v: tensor<4x16x1000x33xbf16>) -> tensor<4x16x1000x33xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.17 : tensor<4x16x1000x33xbf16>, tensor<4x16x1000x33xbf16>, tensor<4x16x1000x33xbf16> -> tensor<4x16x1000x33xbf16>
  return %0 : tensor<4x16x1000x33xbf16>
}

// Five queries of twelve heads, of which six share keys: a tile has 8 rows of each of 8 heads, four tiles are all. Rows behind the queries and behind the
// heads that share are not stored. The keys that count are those of the last query.
// DRAFTS: tc.launch @attention_4 count <{{[0-9]+}}>
// DRAFTS-SAME: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[2, 12, 5, 64]>, strides = <[3840, 320, 64, 1]>, box = [1, 8, 8, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[2, 2, 200, 64]>, strides = <[25600, 12800, 64, 1]>, box = [1, 1, {{64|128}}, 64],
// DRAFTS-LABEL: gpu.func @attention_4
// DRAFTS: %[[GROUPS:.*]] = arith.trunci %c2_i64 : i64 to i32
// DRAFTS-NEXT: arith.remui %{{.*}}, %[[GROUPS]] : i32
// DRAFTS: block.copy_in %arg0[%{{[0-9]+}}, %{{[0-9]+}}, %c0_i32{{[_0-9]*}}, %
// DRAFTS: block.copy_in %arg1[
// DRAFTS: block.copy_in %arg2[
// DRAFTS: } else {
// DRAFTS: arith.trunci %c48_i64
// DRAFTS: arith.trunci %c5_i64
// DRAFTS: block.mma
func.func @drafts(%q: tensor<2x12x5x64xbf16>, %k: tensor<2x2x200x64xbf16>, %v: tensor<2x2x200x64xbf16>) -> tensor<2x12x5x64xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.5 {causal} : tensor<2x12x5x64xbf16>, tensor<2x2x200x64xbf16>, tensor<2x2x200x64xbf16> -> tensor<2x12x5x64xbf16>
  return %0 : tensor<2x12x5x64xbf16>
}

// Where queries have no keys at the diagonal, the first block of a tile is whole.
// FEWER-LABEL: gpu.func @attention_5(
// FEWER-NOT: shift
// FEWER-NOT: box_rows
func.func @fewer_keys(%q: tensor<64x4096x128xbf16>, %k: tensor<64x2048x128xbf16>, %v: tensor<64x2048x128xbf16>) -> tensor<64x4096x128xbf16> {
  %0 = tc.attention %q, %k, %v scale 0.088 {causal} : tensor<64x4096x128xbf16>, tensor<64x2048x128xbf16>, tensor<64x2048x128xbf16> -> tensor<64x4096x128xbf16>
  return %0 : tensor<64x4096x128xbf16>
}
