// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Integers are summed as i64.
// CHECK-LABEL: func.func @sum_integers(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xi32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xi32> to tensor<4x8xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce  sum %[[V0]] dims [0, 1] : tensor<4x8xi64> -> tensor<i64>
// CHECK-NEXT: return %[[V1]] : tensor<i64>
func.func @sum_integers(%x0: tensor<4x8xi32>) -> tensor<i64> {
  %r = tc.aten "aten.sum.default"(%x0) {self = #tc.operand<0>} : (tensor<4x8xi32>) -> tensor<i64>
  return %r : tensor<i64>
}

// keepdim is a reshape.
// CHECK-LABEL: func.func @sum_keepdim(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reduce  sum %[[ARG0]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[V0]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x1xf32>
func.func @sum_keepdim(%x0: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %r = tc.aten "aten.sum.dim_IntList"(%x0) {self = #tc.operand<0>, dim = [-1], keepdim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// A mean of bf16 is computed in f32.
// CHECK-LABEL: func.func @mean(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce  sum %[[V0]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 8.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.div %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.cast %[[V3]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V4]] : tensor<4xbf16>
func.func @mean(%x0: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %r = tc.aten "aten.mean.dim"(%x0) {self = #tc.operand<0>, dim = [1]} : (tensor<4x8xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// The count of a symbolic mean is a size.
// CHECK-LABEL: func.func @mean_symbolic(
// CHECK-SAME: %[[ARG0:.*]]: tensor<?x8xf32, #tc.sizes<[s0, 8]>>)
// CHECK-NEXT: %[[V0:.*]] = tc.reduce  sum %[[ARG0]] dims [0, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = tc.size_value <s0 * 8> : tensor<i64>
// CHECK-NEXT: %[[V2:.*]] = tc.cast %[[V1]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = tc.div %[[V0]], %[[V2]] : tensor<f32>
// CHECK-NEXT: return %[[V3]] : tensor<f32>
func.func @mean_symbolic(%x0: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<f32> {
  %r = tc.aten "aten.mean.default"(%x0) {self = #tc.operand<0>} : (tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<f32>
  return %r : tensor<f32>
}

// The indices are computed when they are used.
// CHECK-LABEL: func.func @max_dim(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.arg_reduce  argmax %[[ARG0]] dim 1 : tensor<4x8xf32> -> tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce  max %[[ARG0]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<4xf32>, tensor<4xi64>
func.func @max_dim(%x0: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %r:2 = tc.aten "aten.max.dim"(%x0) {self = #tc.operand<0>, dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi64>
}

// argmax without a dimension counts in the flattened tensor.
// CHECK-LABEL: func.func @argmax(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<4x8xf32> -> tensor<32xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.arg_reduce  argmax %[[V0]] dim 0 : tensor<32xf32> -> tensor<i64>
// CHECK-NEXT: return %[[V1]] : tensor<i64>
func.func @argmax(%x0: tensor<4x8xf32>) -> tensor<i64> {
  %r = tc.aten "aten.argmax.default"(%x0) {self = #tc.operand<0>} : (tensor<4x8xf32>) -> tensor<i64>
  return %r : tensor<i64>
}

// any of numbers is any of their truth values.
// CHECK-LABEL: func.func @any(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xi64> to tensor<4x8xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce  any %[[V0]] dims [0] : tensor<4x8xi1> -> tensor<8xi1>
// CHECK-NEXT: return %[[V1]] : tensor<8xi1>
func.func @any(%x0: tensor<4x8xi64>) -> tensor<8xi1> {
  %r = tc.aten "aten.any.dim"(%x0) {self = #tc.operand<0>, dim = 0 : i64} : (tensor<4x8xi64>) -> tensor<8xi1>
  return %r : tensor<8xi1>
}

// std is the root of the variance; the correction is 1 unless given.
// CHECK-LABEL: func.func @std(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.variance %[[ARG0]] dims [1] correction 1.000000e+00 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.sqrt %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @std(%x0: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.std.correction"(%x0) {self = #tc.operand<0>, dim = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The 2-norm is a root of a sum of squares.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.mul %[[ARG0]], %[[ARG0]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce  sum %[[V0]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.sqrt %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x1xf32>
func.func @norm(%x0: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %r = tc.aten "aten.linalg_vector_norm.default"(%x0) {self = #tc.operand<0>, dim = [1], keepdim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
