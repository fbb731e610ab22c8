// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-epilogue -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why two products of the same rows are not one kernel.

// Threads multiply two rows as fast as the matrices are read.
// CHECK: did not fuse 'contract' into 'contract_silu_mul': the consumer is a contraction, which threads multiply
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @few_rows(%x: tensor<2x2048xbf16>, %g: tensor<8192x2048xbf16>, %u: tensor<8192x2048xbf16>) -> tensor<2x8192xbf16> {
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<2x2048xbf16>, tensor<8192x2048xbf16> -> tensor<2x8192xbf16>
    %1 = tc.silu %0 : tensor<2x8192xbf16>
    %2 = tc.contract "mk,nk->mn" %x, %u : tensor<2x2048xbf16>, tensor<8192x2048xbf16> -> tensor<2x8192xbf16>
    %3 = tc.mul %1, %2 : tensor<2x8192xbf16>
    return %3 : tensor<2x8192xbf16>
  }
}

// -----

// Another activation.
// CHECK: did not fuse 'contract' into 'contract_mul': the consumer is a contraction of other rows
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @other_rows(%x: tensor<512x2048xbf16>, %y: tensor<512x2048xbf16>, %g: tensor<8192x2048xbf16>, %u: tensor<8192x2048xbf16>) -> tensor<512x8192xbf16> {
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %1 = tc.contract "mk,nk->mn" %y, %u : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %2 = tc.mul %0, %1 : tensor<512x8192xbf16>
    return %2 : tensor<512x8192xbf16>
  }
}

// -----

// A gate that is a result.
// CHECK: did not fuse 'contract' into 'contract_mul': others need the result of a contraction of the same rows
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @stored(%x: tensor<512x2048xbf16>, %g: tensor<8192x2048xbf16>, %u: tensor<8192x2048xbf16>) -> (tensor<512x8192xbf16>, tensor<512x8192xbf16>) {
    %0 = tc.contract "mk,nk->mn" %x, %u : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %1 = tc.contract "mk,nk->mn" %x, %g : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %2 = tc.mul %0, %1 : tensor<512x8192xbf16>
    return %1, %2 : tensor<512x8192xbf16>, tensor<512x8192xbf16>
  }
}

// -----

// Rows that begin within sectors are loaded by pairs of blocks, which a pair of products has not.
// CHECK: did not fuse 'contract' into 'contract_mul': tiles of both products would take longer
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @halves_of_sectors(%x: tensor<5000x5000xbf16>, %g: tensor<5000x5000xbf16>, %u: tensor<5000x5000xbf16>) -> tensor<5000x5000xbf16> {
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<5000x5000xbf16>, tensor<5000x5000xbf16> -> tensor<5000x5000xbf16>
    %1 = tc.contract "mk,nk->mn" %x, %u : tensor<5000x5000xbf16>, tensor<5000x5000xbf16> -> tensor<5000x5000xbf16>
    %2 = tc.mul %0, %1 : tensor<5000x5000xbf16>
    return %2 : tensor<5000x5000xbf16>
  }
}

// -----

// A GPU without products of warp groups.
// CHECK: did not fuse 'contract' into 'contract_mul': the consumer is a contraction
module attributes {tc.target = #tc.target<"cuda", chip = "sm_80", features = "+ptx86">} {
  func.func @older(%x: tensor<512x2048xbf16>, %g: tensor<8192x2048xbf16>, %u: tensor<8192x2048xbf16>) -> tensor<512x8192xbf16> {
    %0 = tc.contract "mk,nk->mn" %x, %g : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %1 = tc.contract "mk,nk->mn" %x, %u : tensor<512x2048xbf16>, tensor<8192x2048xbf16> -> tensor<512x8192xbf16>
    %2 = tc.mul %0, %1 : tensor<512x8192xbf16>
    return %2 : tensor<512x8192xbf16>
  }
}
