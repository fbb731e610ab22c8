// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// A view is a reshape to the captured sizes.
// CHECK-LABEL: func.func @view(
// CHECK-SAME: %[[ARG0:.*]]: tensor<?x8xf32, #tc.sizes<[s0, 8]>>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>
// CHECK-NEXT: return %[[V0]] : tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>
func.func @view(%x0: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>> {
  %r = tc.aten "aten.view.default"(%x0) {self = #tc.operand<0>, size = [#tc.expr<s0 * 2>, 4]} : (tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>
  return %r : tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>
}

// expand is a broadcast.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x1xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[ARG0]] dims [1, 2] : tensor<4x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4x8xf32>
func.func @expand(%x0: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
  %r = tc.aten "aten.expand.default"(%x0) {self = #tc.operand<0>, size = [2, -1, 8]} : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// Negative dimensions count from the back.
// CHECK-LABEL: func.func @permute(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.transpose %[[ARG0]] [0, 2, 1] : tensor<2x4x8xf32> -> tensor<2x8x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x8x4xf32>
func.func @permute(%x0: tensor<2x4x8xf32>) -> tensor<2x8x4xf32> {
  %r = tc.aten "aten.permute.default"(%x0) {self = #tc.operand<0>, dims = [0, -1, 1]} : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// select drops the dimension it takes one element of.
// CHECK-LABEL: func.func @select(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 7]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[V0]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @select(%x0: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.select.int"(%x0) {self = #tc.operand<0>, dim = 1 : i64, index = -1 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Bounds of a slice are clamped as in Python.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 5]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x3xf32>
func.func @slice(%x0: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %r = tc.aten "aten.slice.Tensor"(%x0) {self = #tc.operand<0>, dim = 1 : i64, start = -3 : i64, end = 9223372036854775807 : i64} : (tensor<4x8xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// A step.
// CHECK-LABEL: func.func @slice_step(
// CHECK-SAME: %[[ARG0:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[1]> strides [3] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3xf32>
func.func @slice_step(%x0: tensor<8xf32>) -> tensor<3xf32> {
  %r = tc.aten "aten.slice.Tensor"(%x0) {self = #tc.operand<0>, start = 1 : i64, step = 3 : i64} : (tensor<8xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// Each used part is a slice.
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[0, 3]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x5xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4x3xf32>, tensor<4x5xf32>
func.func @split(%x0: tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>) {
  %r:2 = tc.aten "aten.split_with_sizes.default"(%x0) {self = #tc.operand<0>, split_sizes = [3, 5], dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>)
  return %r#0, %r#1 : tensor<4x3xf32>, tensor<4x5xf32>
}

// unbind drops the dimension.
// CHECK-LABEL: func.func @unbind(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<2x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[1, 0]> strides [1, 1] : tensor<2x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V0]] : tensor<1x8xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V1]] : tensor<1x8xf32> -> tensor<8xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<8xf32>, tensor<8xf32>
func.func @unbind(%x0: tensor<2x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = tc.aten "aten.unbind.int"(%x0) {self = #tc.operand<0>} : (tensor<2x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A conversion is a cast.
// CHECK-LABEL: func.func @to_dtype(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] rounds : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V0]] : tensor<4xbf16>
func.func @to_dtype(%x0: tensor<4xf32>) -> tensor<4xbf16> {
  %r = tc.aten "aten.to.dtype"(%x0) {self = #tc.operand<0>, dtype = bf16} : (tensor<4xf32>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// The diagonal of a 3 x 4 matrix, one above the main one.
// CHECK-LABEL: func.func @diagonal(
// CHECK-SAME: %[[ARG0:.*]]: tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<3x4xf32> -> tensor<12xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[V0]] offsets <[1]> strides [5] : tensor<12xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3xf32>
func.func @diagonal(%x0: tensor<3x4xf32>) -> tensor<3xf32> {
  %r = tc.aten "aten.diagonal.default"(%x0) {self = #tc.operand<0>, offset = 1 : i64} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// Written in the flattened matrix, in which the elements have stride n + 1.
// CHECK-LABEL: func.func @write_diagonal(
// CHECK: %[[FLAT:.*]] = tc.reshape %arg0 : tensor<4x5xf32> -> tensor<20xf32>
// CHECK: tc.full 6 : i64
// CHECK: tc.full 1 : i64
// CHECK: %[[WRITTEN:.*]] = tc.index_put replace %[[FLAT]][%{{.*}}] = %arg1 dims [0]
// CHECK: tc.reshape %[[WRITTEN]] : tensor<20xf32> -> tensor<4x5xf32>
func.func @write_diagonal(%x: tensor<4x5xf32>, %y: tensor<4xf32>) -> tensor<4x5xf32> {
  %r = tc.aten "aten.diagonal_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, offset = 1} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
