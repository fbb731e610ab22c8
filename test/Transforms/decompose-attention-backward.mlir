// RUN: tc-opt %s --tc-assign-target=target=cpu --tc-decompose-attention-backward | FileCheck %s
// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --tc-decompose-attention-backward | FileCheck %s --check-prefix=GPU

// Two heads share keys: their gradients are added up. With a GPU whose tensor cores compute tiles of bf16 the op stays.
// CHECK-LABEL: func @shared
// CHECK: tc.contract "ABqd,ABkd->ABqk"
// CHECK: tc.ge
// CHECK: tc.exp
// CHECK: tc.contract "ABqv,ABkv->ABqk"
// CHECK: tc.contract "ABqk,ABkd->ABqd"
// CHECK: tc.contract "ABqk,ABqd->ABkd"
// CHECK: tc.reduce sum %{{.*}} dims [2]
// CHECK: tc.contract "ABqk,ABqv->ABkv"
// CHECK: tc.reduce sum %{{.*}} dims [2]
// CHECK-NOT: tc.attention_backward
// GPU-LABEL: func @shared
// GPU: tc.attention_backward
func.func @shared(%g: tensor<1x4x16x64xbf16>, %q: tensor<1x4x16x64xbf16>, %k: tensor<1x2x32x64xbf16>, %v: tensor<1x2x32x64xbf16>, %l: tensor<1x4x16xf32>, %p: tensor<1x4x16xf32>) -> (tensor<1x4x16x64xf32>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>) {
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x4x16x64xbf16>, tensor<1x4x16x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x4x16xf32>, tensor<1x4x16xf32> -> tensor<1x4x16x64xf32>
  return %gq, %gk, %gv : tensor<1x4x16x64xf32>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>
}

// -inf is not subtracted from itself; tiles have masks as well.
// CHECK-LABEL: func @masked
// CHECK: tc.select
// CHECK: tc.eq
// CHECK-NOT: tc.attention_backward
// GPU-LABEL: func @masked
// GPU: tc.attention_backward {{.*}} mask
func.func @masked(%g: tensor<16x64xbf16>, %q: tensor<16x64xbf16>, %k: tensor<32x64xbf16>, %v: tensor<32x64xbf16>, %l: tensor<16xf32>, %p: tensor<16xf32>, %m: tensor<16x32xi1>) -> tensor<16x64xf32> {
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<16x32xi1> scale 0.125 : tensor<16x64xbf16>, tensor<16x64xbf16>, tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<16xf32>, tensor<16xf32> -> tensor<16x64xf32>
  return %gq : tensor<16x64xf32>
}
