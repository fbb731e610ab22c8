// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Positions of the windows are indices; the window comes last.
// CHECK-LABEL: func.func @unfold(
// CHECK: %[[W:.*]] = tc.index_tensors %{{.*}}[%{{.*}}] dims [0] : tensor<9x2xf32>, tensor<4x3xi64> -> tensor<4x3x2xf32>
// CHECK: %[[T:.*]] = tc.transpose %[[W]] [0, 2, 1]
// CHECK: return %[[T]] : tensor<4x2x3xf32>
func.func @unfold(%x: tensor<9x2xf32>) -> tensor<4x2x3xf32> {
  %r = tc.aten "aten.unfold.default"(%x) {self = #tc.operand<0>, dimension = 0 : i64, size = 3 : i64, step = 2 : i64} : (tensor<9x2xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @im2col(
// CHECK: tc.pad constant %{{.*}} low [0, 0, 1, 1] high [0, 0, 1, 1]
// CHECK: tc.index_tensors %{{.*}} dims [2] : tensor<1x2x6x6xf32>, tensor<4x3xi64> -> tensor<1x2x4x3x6xf32>
// CHECK: tc.index_tensors %{{.*}} dims [4] : tensor<1x2x4x3x6xf32>, tensor<4x3xi64> -> tensor<1x2x4x3x4x3xf32>
// CHECK: tc.reshape %{{.*}} -> tensor<1x18x16xf32>
func.func @im2col(%x: tensor<1x2x4x4xf32>) -> tensor<1x18x16xf32> {
  %r = tc.aten "aten.im2col.default"(%x) {self = #tc.operand<0>, kernel_size = [3, 3], dilation = [1, 1], padding = [1, 1], stride = [1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x18x16xf32>
  return %r : tensor<1x18x16xf32>
}

// CHECK-LABEL: func.func @col2im(
// CHECK: tc.index_put sum
// CHECK: tc.slice %{{.*}} -> tensor<1x2x4x4xf32>
func.func @col2im(%x: tensor<1x18x16xf32>) -> tensor<1x2x4x4xf32> {
  %r = tc.aten "aten.col2im.default"(%x) {self = #tc.operand<0>, output_size = [4, 4], kernel_size = [3, 3], dilation = [1, 1], padding = [1, 1], stride = [1, 1]} : (tensor<1x18x16xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}
