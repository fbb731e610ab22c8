// RUN: tc-opt %s --split-input-file --tc-fuse-contractions | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-fuse-contractions="always=true" | FileCheck %s --check-prefix=ALWAYS
// RUN: tc-opt %s --split-input-file --tc-fuse-contractions --tc-hoist-parameter-computations | FileCheck %s --check-prefix=HOISTED
// RUN: tc-opt %s --split-input-file --tc-fuse-contractions -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s --check-prefix=REMARK

// Contractions of one operand with several weights.

// The projections of an attention with few rows, where heads share keys.
// CHECK-LABEL: func @projections
// CHECK-DAG: %[[Q:.*]] = tc.parameter @q
// CHECK-DAG: %[[K:.*]] = tc.parameter @k
// CHECK-DAG: %[[V:.*]] = tc.parameter @v
// CHECK: %[[W:.*]] = tc.concat %[[Q]], %[[K]], %[[V]] dim 0 : tensor<2048x2048xbf16>, tensor<512x2048xbf16>, tensor<512x2048xbf16> -> tensor<3072x2048xbf16>
// CHECK-NEXT: %[[ALL:.*]] = tc.contract "mk,nk->mn" %arg0, %[[W]] : tensor<512x2048xbf16>, tensor<3072x2048xbf16> -> tensor<512x3072xbf16>
// CHECK-NEXT: %[[A:.*]] = tc.slice %[[ALL]] offsets <[0, 0]> strides [1, 1] : tensor<512x3072xbf16> -> tensor<512x2048xbf16>
// CHECK-NEXT: %[[B:.*]] = tc.slice %[[ALL]] offsets <[0, 2048]> strides [1, 1] : tensor<512x3072xbf16> -> tensor<512x512xbf16>
// CHECK-NEXT: %[[C:.*]] = tc.slice %[[ALL]] offsets <[0, 2560]> strides [1, 1] : tensor<512x3072xbf16> -> tensor<512x512xbf16>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
// HOISTED: func @tc.prepare() -> tensor<3072x2048xbf16>
// HOISTED: tc.concat
// HOISTED: func @projections
// HOISTED-NEXT: %[[READ:.*]] = tc.parameter @q.prepared : tensor<3072x2048xbf16>
// HOISTED-NEXT: tc.contract "mk,nk->mn" %arg0, %[[READ]]
// REMARK: one contraction for 3 of the same operand
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  tc.parameter_source @q : tensor<2048x2048xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @k : tensor<512x2048xbf16> {file = "m.pt2", offset = 8388608 : i64, role = "parameter"}
  tc.parameter_source @v : tensor<512x2048xbf16> {file = "m.pt2", offset = 10485760 : i64, role = "parameter"}
  func.func @projections(%x: tensor<512x2048xbf16>) -> (tensor<512x2048xbf16>, tensor<512x512xbf16>, tensor<512x512xbf16>) {
    %q = tc.parameter @q : tensor<2048x2048xbf16>
    %k = tc.parameter @k : tensor<512x2048xbf16>
    %v = tc.parameter @v : tensor<512x2048xbf16>
    %0 = tc.contract "mk,nk->mn" %x, %q : tensor<512x2048xbf16>, tensor<2048x2048xbf16> -> tensor<512x2048xbf16>
    %1 = tc.contract "mk,nk->mn" %x, %k : tensor<512x2048xbf16>, tensor<512x2048xbf16> -> tensor<512x512xbf16>
    %2 = tc.contract "mk,nk->mn" %x, %v : tensor<512x2048xbf16>, tensor<512x2048xbf16> -> tensor<512x512xbf16>
    return %0, %1, %2 : tensor<512x2048xbf16>, tensor<512x512xbf16>, tensor<512x512xbf16>
  }
}

// -----

// Biases are joined; what has none has one of -0.0.
// CHECK-LABEL: func @biases
// CHECK: tc.concat {{.*}} dim 0 : tensor<768x768xbf16>, tensor<768x768xbf16> -> tensor<1536x768xbf16>
// CHECK-NEXT: %[[SUM:.*]] = tc.contract
// CHECK: %[[NONE:.*]] = tc.full -0.000000e+00 : bf16 -> tensor<768xbf16>
// CHECK-NEXT: %[[BIAS:.*]] = tc.concat %{{.*}}, %[[NONE]] dim 0
// CHECK-NEXT: %[[ROWS:.*]] = tc.broadcast %[[BIAS]] dims [1] : tensor<1536xbf16> -> tensor<1024x1536xbf16>
// CHECK-NEXT: %[[ALL:.*]] = tc.add %[[SUM]], %[[ROWS]]
// CHECK-NEXT: %[[A:.*]] = tc.slice %[[ALL]] offsets <[0, 0]>
// CHECK-NEXT: %[[B:.*]] = tc.slice %[[ALL]] offsets <[0, 768]>
// CHECK-NEXT: return %[[A]], %[[B]]
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  tc.parameter_source @q : tensor<768x768xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @k : tensor<768x768xbf16> {file = "m.pt2", offset = 1179648 : i64, role = "parameter"}
  tc.parameter_source @b : tensor<768xbf16> {file = "m.pt2", offset = 2359296 : i64, role = "parameter"}
  func.func @biases(%x: tensor<1024x768xbf16>) -> (tensor<1024x768xbf16>, tensor<1024x768xbf16>) {
    %q = tc.parameter @q : tensor<768x768xbf16>
    %0 = tc.contract "mk,nk->mn" %x, %q : tensor<1024x768xbf16>, tensor<768x768xbf16> -> tensor<1024x768xbf16>
    %b = tc.parameter @b : tensor<768xbf16>
    %1 = tc.broadcast %b dims [1] : tensor<768xbf16> -> tensor<1024x768xbf16>
    %2 = tc.add %0, %1 : tensor<1024x768xbf16>
    %k = tc.parameter @k : tensor<768x768xbf16>
    %3 = tc.contract "mk,nk->mn" %x, %k : tensor<1024x768xbf16>, tensor<768x768xbf16> -> tensor<1024x768xbf16>
    return %2, %3 : tensor<1024x768xbf16>, tensor<1024x768xbf16>
  }
}

// -----

// An elementwise op stays the epilogue of its contraction; a square that is
// summed up is none, nor is what is scaled by such a sum.
// CHECK-LABEL: func @epilogues
// CHECK: tc.contract {{.*}} -> tensor<512x64xbf16>
// CHECK: tc.silu
// CHECK: tc.contract {{.*}} -> tensor<512x128xbf16>
// CHECK-NOT: tc.contract
// REMARK: stays on its own, as an elementwise op is its epilogue
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  tc.parameter_source @g : tensor<64x64xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @q : tensor<64x64xbf16> {file = "m.pt2", offset = 8192 : i64, role = "parameter"}
  tc.parameter_source @v : tensor<64x64xbf16> {file = "m.pt2", offset = 16384 : i64, role = "parameter"}
  func.func @epilogues(%x: tensor<512x64xbf16>) -> (tensor<512x64xbf16>, tensor<512x64xf32>, tensor<512x64xbf16>) {
    %g = tc.parameter @g : tensor<64x64xbf16>
    %q = tc.parameter @q : tensor<64x64xbf16>
    %v = tc.parameter @v : tensor<64x64xbf16>
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<512x64xbf16>, tensor<64x64xbf16> -> tensor<512x64xbf16>
    %1 = tc.silu %0 : tensor<512x64xbf16>
    %2 = tc.contract "mk,nk->mn" %x, %q : tensor<512x64xbf16>, tensor<64x64xbf16> -> tensor<512x64xbf16>
    %3 = tc.cast %2 : tensor<512x64xbf16> to tensor<512x64xf32>
    %4 = tc.mul %3, %3 : tensor<512x64xf32>
    %5 = tc.reduce sum %4 dims [1] : tensor<512x64xf32> -> tensor<512xf32>
    %6 = tc.broadcast %5 dims [0] : tensor<512xf32> -> tensor<512x64xf32>
    %7 = tc.mul %3, %6 : tensor<512x64xf32>
    %8 = tc.contract "mk,nk->mn" %x, %v : tensor<512x64xbf16>, tensor<64x64xbf16> -> tensor<512x64xbf16>
    return %1, %7, %8 : tensor<512x64xbf16>, tensor<512x64xf32>, tensor<512x64xbf16>
  }
}

// -----

// Weights on the left, with rows of memory along the lanes; the second one is
// computed after the first contraction. Slices would begin anywhere.
// CHECK-LABEL: func @left
// CHECK-COUNT-2: tc.contract
// ALWAYS-LABEL: func @left
// ALWAYS: %[[P:.*]] = tc.parameter @p
// ALWAYS: %[[R:.*]] = tc.parameter @r
// ALWAYS: %[[N:.*]] = tc.neg %[[R]]
// ALWAYS: %[[W:.*]] = tc.concat %[[P]], %[[N]] dim 1 : tensor<64x3xbf16>, tensor<64x5xbf16> -> tensor<64x8xbf16>
// ALWAYS-NEXT: %[[ALL:.*]] = tc.contract "kn,mk->nm" %[[W]], %arg0 : tensor<64x8xbf16>, tensor<16x64xbf16> -> tensor<8x16xbf16>
// ALWAYS-NEXT: tc.slice %[[ALL]] offsets <[0, 0]> strides [1, 1] : tensor<8x16xbf16> -> tensor<3x16xbf16>
// ALWAYS-NEXT: tc.slice %[[ALL]] offsets <[3, 0]> strides [1, 1] : tensor<8x16xbf16> -> tensor<5x16xbf16>
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  tc.parameter_source @p : tensor<64x3xbf16> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @r : tensor<64x5xbf16> {file = "m.pt2", offset = 384 : i64, role = "parameter"}
  func.func @left(%x: tensor<16x64xbf16>) -> (tensor<3x16xbf16>, tensor<5x16xbf16>) {
    %p = tc.parameter @p : tensor<64x3xbf16>
    %0 = tc.contract "kn,mk->nm" %p, %x : tensor<64x3xbf16>, tensor<16x64xbf16> -> tensor<3x16xbf16>
    %r = tc.parameter @r : tensor<64x5xbf16>
    %n = tc.neg %r : tensor<64x5xbf16>
    %1 = tc.contract "kn,mk->nm" %n, %x : tensor<64x5xbf16>, tensor<16x64xbf16> -> tensor<5x16xbf16>
    return %0, %1 : tensor<3x16xbf16>, tensor<5x16xbf16>
  }
}

// -----

// Other operands, labels, sizes and types; a weight that is no parameter.
// ALWAYS-LABEL: func @apart
// ALWAYS-COUNT-6: tc.contract
module {
  tc.parameter_source @a : tensor<8x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @c : tensor<2x8x8xf32> {file = "m.pt2", offset = 256 : i64, role = "parameter"}
  func.func @apart(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x2x8xf32>) {
    %a = tc.parameter @a : tensor<8x8xf32>
    %c = tc.parameter @c : tensor<2x8x8xf32>
    %0 = tc.contract "mk,nk->mn" %x, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %1 = tc.contract "mk,nk->mn" %y, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %2 = tc.contract "mk,kn->mn" %x, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %3 = tc.contract "mk,nk->nm" %x, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<8x4xf32>
    %4 = tc.contract "mk,nk->mn" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %5 = tc.contract "mk,hnk->mhn" %x, %c : tensor<4x8xf32>, tensor<2x8x8xf32> -> tensor<4x2x8xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x2x8xf32>
  }
}
