// RUN: tc-run %s --input=39x48xf32=1 --input=1xi64=5 --check
// RUN: tc-run %s --input=39x48xf32=1 --input=1xi64=-1 --output=- | FileCheck %s

// The halves of a row that an index picks, exchanged: each half is read where
// it is wanted alone, and an index counts as out of range only there.
// CHECK: 8x39xf32=[-1 -1
func.func @main(%x: tensor<39x48xf32>, %i: tensor<1xi64>) -> tensor<8x39xf32> {
  %rows = tc.reshape %x : tensor<39x48xf32> -> tensor<39x6x8xf32>
  %picked = tc.index_tensors %rows[%i] dims [1] : tensor<39x6x8xf32>, tensor<1xi64> -> tensor<39x1x8xf32>
  %first = tc.slice %picked offsets <[0, 0, 0]> strides [1, 1, 1] : tensor<39x1x8xf32> -> tensor<39x1x4xf32>
  %second = tc.slice %picked offsets <[0, 0, 4]> strides [1, 1, 1] : tensor<39x1x8xf32> -> tensor<39x1x4xf32>
  %negated = tc.neg %second : tensor<39x1x4xf32>
  %joined = tc.concat %negated, %first dim 2 : tensor<39x1x4xf32>, tensor<39x1x4xf32> -> tensor<39x1x8xf32>
  %flat = tc.reshape %joined : tensor<39x1x8xf32> -> tensor<39x8xf32>
  %turned = tc.transpose %flat [1, 0] : tensor<39x8xf32> -> tensor<8x39xf32>
  return %turned : tensor<8x39xf32>
}
