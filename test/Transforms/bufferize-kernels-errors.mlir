// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-bufferize-kernels

// An op that fuse should have made a kernel.
func.func @unfused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tc.neg' op cannot be put on buffers; tc-bufferize-kernels expects tc.kernel, tc.reshape, tc.input_storage, tc.if, tc.while, tc.parameter and tc.constant, which phase fuse leaves}}
  %r = tc.neg %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Also in a branch.
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.if %c : tensor<i1> -> tensor<4xf32> {
    tc.yield %x : tensor<4xf32>
  } else {
    // expected-error @+1 {{'tc.exp' op cannot be put on buffers}}
    %e = tc.exp %x : tensor<4xf32>
    tc.yield %e : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{function @scalar has a value of type 'i64'; tc-bufferize-kernels expects ranked tensors}}
func.func @scalar(%x: i64) {
  return
}

// -----

// expected-error @+1 {{function @blocks has a body of several blocks; tc-bufferize-kernels expects one}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
