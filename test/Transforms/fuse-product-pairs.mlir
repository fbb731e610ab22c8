// RUN: tc-opt %s --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-epilogue | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s --check-prefix=SCHEDULE

// The gate of an MLP and what it gates, as one kernel: what both read is read once, and the gate is not stored.
// CHECK-LABEL: func @gated
// CHECK: tc.kernel "contract_contract_silu_mul" contraction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", parallel, 8192>, #tc.dim<"k", reduced, 2048>] ins(%[[A:.*]] = %arg0 : tensor<512x2048xbf16>, %[[B:.*]] = %arg{{[12]}} : tensor<8192x2048xbf16>, %[[C:.*]] = %arg{{[12]}} : tensor<8192x2048xbf16>)
// CHECK-NEXT: %[[X:.*]] = tc.read %[[A]]
// CHECK-NEXT: %[[Y:.*]] = tc.read %[[B]]
// CHECK-NEXT: %[[P:.*]] = tc.contract_stage %[[X]], %[[Y]] over [2]
// CHECK-NEXT: %[[Z:.*]] = tc.read %[[C]]
// CHECK-NEXT: %[[Q:.*]] = tc.contract_stage %[[X]], %[[Z]] over [2]
// CHECK: tc.mul
// CHECK: tc.write
// CHECK-NOT: tc.kernel
// Tiles have half of their lanes of each. What a thread computes of its results is long, so that it does so in two parts.
// SCHEDULE-LABEL: func.func @gated
// SCHEDULE: schedule #tc.gpu_contraction_schedule<vector_dim = 1, rows = 128, lanes = 256, stages = 4, blocks = 132, group = 16, async_store = true, epilogue_parts = 2> ins
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @gated(%x: tensor<512x2048xbf16>, %g: tensor<8192x2048xbf16>, %u: tensor<8192x2048xbf16>) -> tensor<512x8192xbf16> {
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %1 = tc.silu %0 : tensor<512x8192xbf16>
    %2 = tc.contract "mk,nk->mn" %x, %u : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %3 = tc.mul %1, %2 : tensor<512x8192xbf16>
    return %3 : tensor<512x8192xbf16>
  }
}
