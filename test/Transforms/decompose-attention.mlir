// RUN: tc-opt %s --tc-assign-target=target=cpu --tc-decompose-attention | FileCheck %s
// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --tc-decompose-attention | FileCheck %s --check-prefix=GPU

// Which weights are kept is a function of positions, whose rows begin at multiples of 16 for each of the heads. With a GPU whose tensor cores compute tiles of bf16 the op stays.
// CHECK-LABEL: func @dropped
// CHECK: tc.contract "ABqd,ABkd->ABqk"
// CHECK: tc.exp
// CHECK: %[[STEP:.*]] = tc.full 32 : i64
// CHECK: tc.mul %{{.*}}, %[[STEP]]
// CHECK: %[[BITS:.*]] = tc.dropout_bits
// CHECK: %[[COUNT:.*]] = tc.full 58982 : i64
// CHECK: tc.lt %[[BITS]], %[[COUNT]]
// CHECK: tc.select
// CHECK: tc.contract "ABqk,ABkv->ABqv"
// CHECK-NOT: tc.attention
// GPU-LABEL: func @dropped
// GPU: tc.attention
func.func @dropped(%q: tensor<1x4x17x64xbf16>, %k: tensor<1x2x32x64xbf16>, %s: tensor<i64>) -> tensor<1x4x17x64xbf16> {
  %r = tc.attention %q, %k, %k dropout 0.1 seed %s offset %s : tensor<i64>, tensor<i64> scale 0.125 {causal} : tensor<1x4x17x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16> -> tensor<1x4x17x64xbf16>
  return %r : tensor<1x4x17x64xbf16>
}

// Without dropout it stays, whatever the target.
// CHECK-LABEL: func @whole
// CHECK: tc.attention
func.func @whole(%q: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %r = tc.attention %q, %q, %q scale 0.125 : tensor<4x16x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32> -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}
