// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-elementwise --tc-fuse-siblings -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why two kernels that read the same are not merged.

// A loop over 16 buffers has no registers left.
// CHECK: did not fuse 'concat' into 'concat': together they have too many buffers
func.func @buffers(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<56xf32>, tensor<56xf32>) {
  %0 = tc.concat %a, %b, %c, %d, %e, %f, %g dim 0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<56xf32>
  %1 = tc.concat %g, %b, %c, %d, %e, %f, %a dim 0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<56xf32>
  return %0, %1 : tensor<56xf32>, tensor<56xf32>
}

// -----

// A row of 8 elements next to 512 others.
// CHECK: did not fuse 'exp' into 'broadcast_add': they share less than a quarter of what they read
func.func @little(%x: tensor<8xf32>, %y: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8x64xf32>) {
  %0 = tc.exp %x : tensor<8xf32>
  %1 = tc.broadcast %x dims [0] : tensor<8xf32> -> tensor<8x64xf32>
  %2 = tc.add %1, %y : tensor<8x64xf32>
  return %0, %2 : tensor<8xf32>, tensor<8x64xf32>
}

// -----

// The sum of a scan of what the first computes.
// CHECK: did not fuse 'exp' into 'add': an op between them needs one and feeds the other
func.func @between(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tc.exp %x : tensor<64xf32>
  %1 = tc.scan sum %0 dim 0 : tensor<64xf32>
  %2 = tc.add %x, %1 : tensor<64xf32>
  return %0, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The second result would be made before the scan, which needs memory too.
// CHECK: did not fuse 'exp' into 'neg': its result would wait in memory for the kernels between
func.func @waits(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = tc.exp %x : tensor<64xf32>
  %1 = tc.scan sum %y dim 0 : tensor<64xf32>
  %2 = tc.neg %x : tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Sums of rows and of columns.
// CHECK: did not fuse 'sum' into 'sum': they fold different dimensions
func.func @folds(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tc.reduce sum %x dims [1] : tensor<64x64xf32> -> tensor<64xf32>
  %1 = tc.reduce sum %x dims [0] : tensor<64x64xf32> -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The matrix and its first half.
// CHECK: did not fuse 'neg' into 'slice_exp': the kernels have different domains
func.func @domains(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %0 = tc.neg %x : tensor<8x8xf32>
  %1 = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  %2 = tc.exp %1 : tensor<4x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<4x8xf32>
}

// -----

// No tile serves results along both dimensions of what two transposes share.
// CHECK: did not fuse 'transpose_neg' into 'transpose_mul': they are transposed in tiles and written along different dimensions
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @both(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = tc.transpose %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %1 = tc.neg %0 : tensor<64x64xf32>
    %2 = tc.transpose %y [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %3 = tc.mul %2, %x : tensor<64x64xf32>
    return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// On a GPU a transpose goes through tiles of shared memory, which a sum of columns has none of.
// CHECK: did not fuse 'sum' into 'transpose': one of them is transposed in tiles of shared memory
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @tiles(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
    %0 = tc.reduce sum %x dims [0] : tensor<64x64xf32> -> tensor<64xf32>
    %1 = tc.transpose %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    return %0, %1 : tensor<64xf32>, tensor<64x64xf32>
  }
}

// -----

// Blocks of a GPU share the folds of few columns, but not where the points that these fold are written as well.
// CHECK: did not fuse 'exp' into 'sum': blocks would not share the folds of few columns
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @few_columns(%x: tensor<8192x768xf32>) -> (tensor<8192x768xf32>, tensor<768xf32>) {
    %0 = tc.exp %x : tensor<8192x768xf32>
    %1 = tc.reduce sum %x dims [0] : tensor<8192x768xf32> -> tensor<768xf32>
    return %0, %1 : tensor<8192x768xf32>, tensor<768xf32>
  }
}
