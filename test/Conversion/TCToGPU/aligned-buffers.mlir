// RUN: tc-run %s --function=product --target=cuda:sm_90a --libraries=none --compile-to=generate | FileCheck %s --check-prefix=PRODUCT
// RUN: tc-run %s --function=product --target=cuda:sm_90a --libraries=none --print-assembly | FileCheck %s --check-prefix=CODE
// RUN: tc-run %s --function=sum --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=SUM
// RUN: tc-run %s --function=sum --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=BOTH

// Launches of products say that their buffers begin at multiples of 16 bytes, and threads have no code for others: an
// addend of bf16 is read in pairs alone.
// PRODUCT: tc.launch @{{.*}} {aligned_buffers, programmatic
// CODE-LABEL: .visible .entry contract_mul
// CODE-NOT: ld.global.b16
// CODE: ld.global.b32
// CODE-NOT: ld.global.b16
// CODE: .visible .entry add
func.func @product(%x: tensor<4096x1024xbf16>, %w: tensor<1024x4096xbf16>, %y: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<4096x1024xbf16>, tensor<1024x4096xbf16> -> tensor<4096x4096xbf16>
  %1 = tc.mul %0, %y : tensor<4096x4096xbf16>
  return %1 : tensor<4096x4096xbf16>
}

// What memory bounds runs on buffers that begin anywhere.
// SUM: func.func @sum
// SUM-NOT: aligned_buffers
// SUM: tc.launch @add{{.*}} {programmatic
// SUM-NOT: aligned_buffers
// SUM: return
// BOTH-LABEL: .visible .entry add
// BOTH: ld.global.v4.b32
// BOTH: ld.global.b16
func.func @sum(%x: tensor<4096x4096xbf16>, %y: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = tc.add %x, %y : tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
