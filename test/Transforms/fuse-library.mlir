// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-reshapes --tc-fuse-elementwise --tc-fuse-epilogue --tc-fuse-prologue --remarks-filter=tc-fuse 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// A product that a library of the target computes takes what the library has as an epilogue, and nothing else.

// CHECK-LABEL: @has_epilogue
// CHECK: tc.kernel "contract_broadcast_add_relu" contraction
// CHECK-NOT: tc.kernel
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @has_epilogue(%x: tensor<128x96xf32>, %w: tensor<256x96xf32>, %b: tensor<256xf32>) -> tensor<128x256xf32> {
    %0 = tc.contract "mk,nk->mn" %x, %w : tensor<128x96xf32>, tensor<256x96xf32> -> tensor<128x256xf32>
    %1 = tc.broadcast %b dims [1] : tensor<256xf32> -> tensor<128x256xf32>
    %2 = tc.add %0, %1 : tensor<128x256xf32>
    %3 = tc.relu %2 : tensor<128x256xf32>
    return %3 : tensor<128x256xf32>
  }
}

// -----

// Two terms, of which one is no bias: both are a kernel of their own.
// CHECK-LABEL: @residual
// CHECK: tc.kernel "contract" contraction
// CHECK: tc.kernel "{{.*}}add{{.*}}" pointwise
// REMARK: did not fuse 'contract' into '{{.*}}add{{.*}}': a library computes the contraction, and has no such epilogue
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @residual(%x: tensor<128x96xf32>, %w: tensor<256x96xf32>, %b: tensor<256xf32>, %r: tensor<128x256xf32>) -> tensor<128x256xf32> {
    %0 = tc.contract "mk,nk->mn" %x, %w : tensor<128x96xf32>, tensor<256x96xf32> -> tensor<128x256xf32>
    %1 = tc.broadcast %b dims [1] : tensor<256xf32> -> tensor<128x256xf32>
    %2 = tc.add %0, %1 : tensor<128x256xf32>
    %3 = tc.add %2, %r : tensor<128x256xf32>
    return %3 : tensor<128x256xf32>
  }
}

// -----

// The library writes one result.
// CHECK-LABEL: @needed_as_well
// CHECK: tc.kernel "contract" contraction
// CHECK: tc.kernel "relu" pointwise
// REMARK: did not fuse 'contract' into 'relu': a library computes the contraction, whose result others need as well
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @needed_as_well(%x: tensor<128x96xf32>, %w: tensor<256x96xf32>) -> (tensor<128x256xf32>, tensor<128x256xf32>) {
    %0 = tc.contract "mk,nk->mn" %x, %w : tensor<128x96xf32>, tensor<256x96xf32> -> tensor<128x256xf32>
    %1 = tc.relu %0 : tensor<128x256xf32>
    return %0, %1 : tensor<128x256xf32>, tensor<128x256xf32>
  }
}

// -----

// Operands are read from memory, in another order as well.
// CHECK-LABEL: @prologue
// CHECK: tc.kernel "neg" pointwise
// CHECK: tc.kernel "transpose_contract" contraction
// CHECK-NOT: tc.kernel
// REMARK: did not fuse 'neg' into '{{.*}}contract': a library computes the contraction, and reads its operands from memory
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @prologue(%x: tensor<96x128xf32>, %w: tensor<256x96xf32>) -> tensor<128x256xf32> {
    %0 = tc.neg %w : tensor<256x96xf32>
    %1 = tc.transpose %x [1, 0] : tensor<96x128xf32> -> tensor<128x96xf32>
    %2 = tc.contract "mk,nk->mn" %1, %0 : tensor<128x96xf32>, tensor<256x96xf32> -> tensor<128x256xf32>
    return %2 : tensor<128x256xf32>
  }
}

// -----

// Without a library everything is one kernel.
// CHECK-LABEL: @own_code
// CHECK: tc.kernel "{{.*}}contract{{.*}}" contraction
// CHECK-NOT: tc.kernel
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @own_code(%x: tensor<128x96xf32>, %w: tensor<256x96xf32>, %r: tensor<128x256xf32>) -> tensor<128x256xf32> {
    %0 = tc.neg %w : tensor<256x96xf32>
    %1 = tc.contract "mk,nk->mn" %x, %0 : tensor<128x96xf32>, tensor<256x96xf32> -> tensor<128x256xf32>
    %2 = tc.add %1, %r : tensor<128x256xf32>
    return %2 : tensor<128x256xf32>
  }
}
