// RUN: tc-run %s --target=cuda:sm_90a --function=forward --compile-to=generate | FileCheck %s --check-prefix=FORWARD
// RUN: tc-run %s --target=cuda:sm_90a --function=backward --compile-to=generate | FileCheck %s --check-prefix=BACKWARD

// No mask is read: behind the sums of a block of 128 keys, whose weights of a thread are 64, there are eight blocks of random words, of 20 products each.
// FORWARD: tc.launch
// FORWARD: block.role
// FORWARD: llvm.inline_asm {{.*}}"ex2.approx.ftz.f32
// FORWARD-COUNT-160: "{ .reg .b64 product; mul.wide.u32
// FORWARD: arith.select
// FORWARD: block.mma_words
func.func @forward(%q: tensor<2x256x64xbf16>, %k: tensor<2x128x64xbf16>) -> tensor<2x256x64xbf16> {
  %s = tc.full 7 : i64 -> tensor<i64>
  %r = tc.attention %q, %k, %k dropout 0.1 seed %s offset %s : tensor<i64>, tensor<i64> scale 0.125 : tensor<2x256x64xbf16>, tensor<2x128x64xbf16>, tensor<2x128x64xbf16> -> tensor<2x256x64xbf16>
  return %r : tensor<2x256x64xbf16>
}

// Weights that are not kept are negated: none of them is in the gradients of the values.
// BACKWARD: "{ .reg .b64 product; mul.wide.u32
// BACKWARD: %[[NEGATED:.*]] = arith.negf
// BACKWARD: arith.select %{{.*}}, %{{.*}}, %[[NEGATED]]
// BACKWARD: arith.maximumf
// BACKWARD: block.mma_words
func.func @backward(%g: tensor<2x128x128xbf16>, %k: tensor<2x128x128xbf16>, %l: tensor<2x128xf32>, %s: tensor<i64>) -> (tensor<2x128x128xf32>, tensor<2x128x128xbf16>, tensor<2x128x128xbf16>) {
  %gq, %gk, %gv = tc.attention_backward %g, %g, %k, %k, %l, %l dropout 0.1 seed %s offset %s : tensor<i64>, tensor<i64> scale 0.125 : tensor<2x128x128xbf16>, tensor<2x128x128xbf16>, tensor<2x128x128xbf16>, tensor<2x128x128xbf16>, tensor<2x128xf32>, tensor<2x128xf32> -> tensor<2x128x128xf32>
  return %gq, %gk, %gv : tensor<2x128x128xf32>, tensor<2x128x128xbf16>, tensor<2x128x128xbf16>
}
