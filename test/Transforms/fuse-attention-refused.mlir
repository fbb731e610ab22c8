// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-epilogue --tc-fuse-attention -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s --check-prefix=REASON
// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-epilogue --tc-fuse-attention | FileCheck %s

// Each reason why attention that is written out is not one kernel; the kernels stay as they were.

// Head dimensions above 256 have no tile.
// REASON: did not fuse 'contract' into 'contract': the tensor cores cannot compute it as attention
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @large_heads(%q: tensor<70x320xbf16>, %k: tensor<90x320xbf16>, %v: tensor<90x64xbf16>) -> tensor<70x64xbf16> {
    %s = tc.contract "mk,nk->mn" %q, %k : tensor<70x320xbf16>, tensor<90x320xbf16> -> tensor<70x90xbf16>
    %p = tc.softmax %s dim 1 : tensor<70x90xbf16>
    %o = tc.contract "mk,kn->mn" %p, %v : tensor<70x90xbf16>, tensor<90x64xbf16> -> tensor<70x64xbf16>
    return %o : tensor<70x64xbf16>
  }
}
// CHECK-LABEL: func.func @large_heads
// CHECK: %[[S:.*]] = tc.kernel "contract" contraction
// CHECK: %[[P:.*]] = tc.kernel "softmax" row_reduction {{.*}} = %[[S]]
// CHECK: tc.kernel "contract" contraction {{.*}} = %[[P]]

// -----

// Weights that the caller wants are in memory, as they were; f32 is for no tensor core.
// REASON: did not fuse 'contract' into 'contract': the tensor cores cannot compute it as attention
// CHECK-LABEL: func.func @floats
// CHECK-COUNT-3: tc.kernel
// CHECK-LABEL: func.func @wanted
// CHECK-COUNT-3: tc.kernel
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @floats(%q: tensor<70x64xf32>, %k: tensor<90x64xf32>, %v: tensor<90x64xf32>) -> tensor<70x64xf32> {
    %s = tc.contract "mk,nk->mn" %q, %k : tensor<70x64xf32>, tensor<90x64xf32> -> tensor<70x90xf32>
    %p = tc.softmax %s dim 1 : tensor<70x90xf32>
    %o = tc.contract "mk,kn->mn" %p, %v : tensor<70x90xf32>, tensor<90x64xf32> -> tensor<70x64xf32>
    return %o : tensor<70x64xf32>
  }
  func.func @wanted(%q: tensor<70x64xbf16>, %k: tensor<90x64xbf16>, %v: tensor<90x64xbf16>) -> (tensor<70x64xbf16>, tensor<70x90xbf16>) {
    %s = tc.contract "mk,nk->mn" %q, %k : tensor<70x64xbf16>, tensor<90x64xbf16> -> tensor<70x90xbf16>
    %p = tc.softmax %s dim 1 : tensor<70x90xbf16>
    %o = tc.contract "mk,kn->mn" %p, %v : tensor<70x90xbf16>, tensor<90x64xbf16> -> tensor<70x64xbf16>
    return %o, %p : tensor<70x64xbf16>, tensor<70x90xbf16>
  }
}

// -----

// Another target has no products of warp groups.
// CHECK-LABEL: func.func @cpu
// CHECK-COUNT-3: tc.kernel
func.func @cpu(%q: tensor<70x64xbf16>, %k: tensor<90x64xbf16>, %v: tensor<90x64xbf16>) -> tensor<70x64xbf16> {
  %s = tc.contract "mk,nk->mn" %q, %k : tensor<70x64xbf16>, tensor<90x64xbf16> -> tensor<70x90xbf16>
  %p = tc.softmax %s dim 1 : tensor<70x90xbf16>
  %o = tc.contract "mk,kn->mn" %p, %v : tensor<70x90xbf16>, tensor<90x64xbf16> -> tensor<70x64xbf16>
  return %o : tensor<70x64xbf16>
}
