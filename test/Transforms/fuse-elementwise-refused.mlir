// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-elementwise -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why a pointwise producer is not fused into pointwise consumers.

// A kernel in a branch stays there.
// CHECK: did not fuse 'exp' into 'neg': it is in another region
func.func @region(%x: tensor<64xf32>, %c: tensor<i1>) -> tensor<64xf32> {
  %a = tc.exp %x : tensor<64xf32>
  %r = tc.if %c : tensor<i1> -> tensor<64xf32> {
    %b = tc.neg %a : tensor<64xf32>
    tc.yield %b : tensor<64xf32>
  } else {
    tc.yield %x : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}


// -----

// A product that is a result as well is read, not computed again.
// CHECK: did not fuse 'mul' into 'neg': its result is needed elsewhere and reading it costs less than computing it again
func.func @needed(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = tc.mul %x, %y : tensor<64xf32>
  %b = tc.neg %a : tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}


// -----

// The exponential of a sum can be its epilogue; the zeros of the pad around it cannot.
// CHECK: did not fuse 'exp' into 'pad': it may be an epilogue, which what reads partly outside is not
func.func @outside(%x: tensor<64x32xf32>) -> tensor<66xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<64x32xf32> -> tensor<64xf32>
  %1 = tc.exp %0 : tensor<64xf32>
  %2 = tc.pad constant %1 low [1] high [1] value 0.0 : f32 : tensor<64xf32> -> tensor<66xf32>
  return %2 : tensor<66xf32>
}


// -----

// A row that is repeated 16 times has no index for an index of 16 to be checked against.
// CHECK: did not fuse 'broadcast' into 'index': no read of the producer checks the range of a computed index
func.func @unchecked(%x: tensor<1x64xf32>, %i: tensor<8xi64>) -> tensor<8x64xf32> {
  %1 = tc.broadcast %x dims [0, 1] : tensor<1x64xf32> -> tensor<16x64xf32>
  %2 = tc.index_tensors %1[%i] dims [0] : tensor<16x64xf32>, tensor<8xi64> -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}


// -----

// Where the zeros of a pad begin would depend on an index that is read.
// CHECK: did not fuse 'pad_add' into 'index': a bound of the producer depends on a computed index
func.func @bound(%a: tensor<16xf32>, %x: tensor<14xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %1 = tc.pad constant %x low [1] high [1] value 0.0 : f32 : tensor<14xf32> -> tensor<16xf32>
  %s = tc.add %a, %1 : tensor<16xf32>
  %2 = tc.index_tensors %s[%i] dims [0] : tensor<16xf32>, tensor<8xi64> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The code of a kernel has a limit.
// CHECK: did not fuse 'lgamma' into 'lgamma': one kernel would have more than 1024 operations in its loops
func.func @long(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a0 = tc.lgamma %x : tensor<8xf32>
  %a1 = tc.lgamma %a0 : tensor<8xf32>
  %a2 = tc.lgamma %a1 : tensor<8xf32>
  %a3 = tc.lgamma %a2 : tensor<8xf32>
  %a4 = tc.lgamma %a3 : tensor<8xf32>
  %a5 = tc.lgamma %a4 : tensor<8xf32>
  %a6 = tc.lgamma %a5 : tensor<8xf32>
  %a7 = tc.lgamma %a6 : tensor<8xf32>
  %a8 = tc.lgamma %a7 : tensor<8xf32>
  %a9 = tc.lgamma %a8 : tensor<8xf32>
  %a10 = tc.lgamma %a9 : tensor<8xf32>
  %a11 = tc.lgamma %a10 : tensor<8xf32>
  %a12 = tc.lgamma %a11 : tensor<8xf32>
  %a13 = tc.lgamma %a12 : tensor<8xf32>
  %a14 = tc.lgamma %a13 : tensor<8xf32>
  %a15 = tc.lgamma %a14 : tensor<8xf32>
  %a16 = tc.lgamma %a15 : tensor<8xf32>
  %a17 = tc.lgamma %a16 : tensor<8xf32>
  %a18 = tc.lgamma %a17 : tensor<8xf32>
  %a19 = tc.lgamma %a18 : tensor<8xf32>
  %a20 = tc.lgamma %a19 : tensor<8xf32>
  %a21 = tc.lgamma %a20 : tensor<8xf32>
  %a22 = tc.lgamma %a21 : tensor<8xf32>
  %a23 = tc.lgamma %a22 : tensor<8xf32>
  %a24 = tc.lgamma %a23 : tensor<8xf32>
  %a25 = tc.lgamma %a24 : tensor<8xf32>
  %a26 = tc.lgamma %a25 : tensor<8xf32>
  %a27 = tc.lgamma %a26 : tensor<8xf32>
  %a28 = tc.lgamma %a27 : tensor<8xf32>
  %a29 = tc.lgamma %a28 : tensor<8xf32>
  %a30 = tc.lgamma %a29 : tensor<8xf32>
  %a31 = tc.lgamma %a30 : tensor<8xf32>
  %a32 = tc.lgamma %a31 : tensor<8xf32>
  %a33 = tc.lgamma %a32 : tensor<8xf32>
  %a34 = tc.lgamma %a33 : tensor<8xf32>
  %a35 = tc.lgamma %a34 : tensor<8xf32>
  %a36 = tc.lgamma %a35 : tensor<8xf32>
  %a37 = tc.lgamma %a36 : tensor<8xf32>
  %a38 = tc.lgamma %a37 : tensor<8xf32>
  %a39 = tc.lgamma %a38 : tensor<8xf32>
  %a40 = tc.lgamma %a39 : tensor<8xf32>
  %a41 = tc.lgamma %a40 : tensor<8xf32>
  %a42 = tc.lgamma %a41 : tensor<8xf32>
  %a43 = tc.lgamma %a42 : tensor<8xf32>
  %a44 = tc.lgamma %a43 : tensor<8xf32>
  %a45 = tc.lgamma %a44 : tensor<8xf32>
  %a46 = tc.lgamma %a45 : tensor<8xf32>
  %a47 = tc.lgamma %a46 : tensor<8xf32>
  %a48 = tc.lgamma %a47 : tensor<8xf32>
  %a49 = tc.lgamma %a48 : tensor<8xf32>
  %a50 = tc.lgamma %a49 : tensor<8xf32>
  %a51 = tc.lgamma %a50 : tensor<8xf32>
  %a52 = tc.lgamma %a51 : tensor<8xf32>
  %a53 = tc.lgamma %a52 : tensor<8xf32>
  %a54 = tc.lgamma %a53 : tensor<8xf32>
  %a55 = tc.lgamma %a54 : tensor<8xf32>
  %a56 = tc.lgamma %a55 : tensor<8xf32>
  %a57 = tc.lgamma %a56 : tensor<8xf32>
  %a58 = tc.lgamma %a57 : tensor<8xf32>
  %a59 = tc.lgamma %a58 : tensor<8xf32>
  return %a59 : tensor<8xf32>
}
